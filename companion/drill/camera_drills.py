"""The drills with the camera: its cable is pulled, its program is killed, and it sends hostile pictures."""

from __future__ import annotations

import os
import time
from signal import SIGKILL

from companion.drill.bench import Bench
from companion.drill.camera_table import CameraTable, camera_table
from companion.drill.hostile_pictures import hostile_pictures
from companion.drill.outcome import DrillFailed, Observed, wait_until

NOTICE_S = 45.0
"""How long the service may take to report that the camera is gone, seconds. It waits for twenty before it gives up."""
REPEATS = 6
"""How often each hostile picture is sent, at least."""
SEND_TIMEOUT_S = 30.0
MAX_ANSWER_S = 1.0


def lose_camera(bench: Bench) -> Observed:
    """Cuts the camera's stream, lets a phone report a card meanwhile, and restores the stream."""
    with camera_table(bench) as table:
        table.stream.cut()
        cut_at = time.monotonic()
        problem = wait_until(table.problem, "The report that the camera is gone", NOTICE_S)
        noticed = time.monotonic() - cut_at
        table.report_deal()
        resumed_at = time.monotonic()
        table.stream.resume()
        table.wait_for_mat()
        table.deal()
        seconds = time.monotonic() - resumed_at
    return Observed(
        f"after {noticed:.0f} s “{problem.replace(table.stream.url, 'the camera')}” on the host's page; a phone "
        "reported the next card.",
        "the picture, the mat, and the card after that, read by the camera.",
        seconds,
    )


def kill_camera_process(bench: Bench) -> Observed:
    """Kills the process that reads the camera's pictures."""
    with camera_table(bench) as table:
        for pid in table.players.service.worker_pids():
            os.kill(pid, SIGKILL)
        killed_at = time.monotonic()
        problem = wait_until(table.problem, "The report that the camera's process was killed", NOTICE_S)
        table.wait_for_mat()
        table.deal()
        seconds = time.monotonic() - killed_at
    return Observed(f"“{problem}” on the host's page.", "the mat, and the next card, read by the camera.", seconds)


def show_hostile_pictures(bench: Bench) -> Observed:
    """Lets the camera send pictures that mean nothing, and then true ones again."""
    with camera_table(bench) as table:
        version, right = table.players.version, table.state()["discrepancies"]
        pictures = hostile_pictures(table.frame())
        lost = [name for name, files in pictures.items() if not _is_mat_seen_in(table, files)]
        if table.players.version != version:
            raise DrillFailed(f"{table.players.version - version} cards were recorded that nobody has dealt.")
        shown_at = time.monotonic()
        table.show()
        table.wait_for_mat()
        wait_until(lambda: table.state()["discrepancies"] == right, "The table as it was", NOTICE_S)
        table.deal()
        seconds = time.monotonic() - shown_at
    return Observed(
        f"no card that was not there; the mat was lost in {len(lost)} of {len(pictures)} cases, and every page was "
        f"answered within {MAX_ANSWER_S:.0f} s.",
        "the mat, the table as it was, and the next card.",
        seconds,
    )


def _is_mat_seen_in(table: CameraTable, files: list[bytes]) -> bool:
    """Lets the camera send these pictures for a while; returns whether the companion sees the mat in the end. Raises
    DrillFailed if a page is not answered in time."""
    table.stream.show(files)
    end = time.monotonic() + SEND_TIMEOUT_S
    while table.stream.sent < REPEATS and time.monotonic() < end:
        asked_at = time.monotonic()
        table.players.phones[0].get("/play")
        if time.monotonic() - asked_at > MAX_ANSWER_S:
            raise DrillFailed(f"A page took {time.monotonic() - asked_at:.1f} s.")
    return bool(table.state()["in_view"])
