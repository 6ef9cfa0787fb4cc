"""The drills with the camera: its cable is pulled, its process is killed, and it sends hostile frames."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from signal import SIGKILL

import cv2

from companion.drill.camera_table import CAMERA_TIMEOUT_S, CameraTable, camera_table
from companion.drill.environment import DrillEnvironment
from companion.drill.hostile_frames import hostile_frames
from companion.drill.outcome import DrillFailed, RecoveryReport, wait_until
from companion.tabletop.discrepancy_timing import FIRST_DELAY_S
from vision.geometry import GrayImage

NOTICE_S = 45.0
"""How long the service may take to report that the camera is gone, in seconds. The service itself waits for twenty
seconds before it gives up."""
REPEATS = 6
"""The number of hostile frames of each kind that the camera sends, at least."""
SEND_TIMEOUT_S = 30.0
MAX_RESPONSE_S = 1.0
"""How long a page may take while the camera sends hostile frames, in seconds."""
MIN_DIFFERENCE = 40.0
"""Two snapshots show different pictures if any pixel differs by more than this number of gray levels."""


def lose_camera(environment: DrillEnvironment) -> RecoveryReport:
    """Cuts the camera's stream, lets a phone report a card while the stream is cut, and restores the stream."""
    with camera_table(environment) as table:
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
        table.players.check_journal()
    return RecoveryReport(
        f"after {noticed:.0f} s “{problem.replace(table.stream.url, 'the camera')}” on the host page; a phone "
        "reported the next card.",
        "the picture, the mat, and the card after that, read by the camera.",
        seconds,
    )


def kill_camera_process(environment: DrillEnvironment) -> RecoveryReport:
    """Kills the process that reads the camera's frames."""
    with camera_table(environment) as table:
        for pid in table.players.service.worker_pids():
            os.kill(pid, SIGKILL)
        killed_at = time.monotonic()
        problem = wait_until(table.problem, "The report that the camera’s process was killed", NOTICE_S)
        table.wait_for_mat()
        table.deal()
        seconds = time.monotonic() - killed_at
        table.players.check_journal()
    return RecoveryReport(f"“{problem}” on the host page.", "the mat, and the next card, read by the camera.", seconds)


def show_hostile_frames(environment: DrillEnvironment) -> RecoveryReport:
    """Lets the camera send several kinds of hostile frames, and normal frames after each kind. Checks that no card is
    recorded, that pages stay fast, and that the service sees the table again as it was before."""
    with camera_table(environment) as table:
        frames = hostile_frames(table.frame())
        time.sleep(2 * FIRST_DELAY_S)  # by then, everything that is wrong with the table has been reported
        before = table.snapshot(), table.state().discrepancies
        slowest = 0.0
        for name, files in frames.items():
            _show(table, name, files, before[0])
            slowest = max(slowest, _restore(table, name, *before))
        table.deal()
        table.players.check_journal()
    return RecoveryReport(
        f"no card that was not there, in any of {len(frames)} kinds of pictures, and every page within "
        f"{MAX_RESPONSE_S:.0f} s.",
        "the mat and the table as it was, after each kind, and the next card.",
        slowest,
    )


def _show(table: CameraTable, name: str, files: Sequence[bytes], true_snapshot: GrayImage) -> None:
    """Lets the camera send frames until the service has received some. Raises DrillFailed if it receives none, if a
    page takes too long, or if a card is recorded."""
    version, connections = table.players.version, table.stream.connections

    def has_arrived() -> bool:
        _check_response(table)
        if table.stream.sent < REPEATS:
            return False
        return table.stream.connections > connections or is_different(table.snapshot(), true_snapshot)

    table.stream.show(files)
    wait_until(has_arrived, f"What the camera sent ({name})", SEND_TIMEOUT_S)
    if table.players.version != version:
        raise DrillFailed(f"A card was recorded that nobody has dealt ({name}).")


def _check_response(table: CameraTable) -> None:
    """Raises DrillFailed if a phone's page takes too long."""
    asked_at = time.monotonic()
    table.players.phones[0].get("/play")
    if (seconds := time.monotonic() - asked_at) > MAX_RESPONSE_S:
        raise DrillFailed(f"A page took {seconds:.1f} s.")


def _restore(table: CameraTable, name: str, true_snapshot: GrayImage, discrepancies: Sequence[str]) -> float:
    """Lets the camera send true frames until the service sees the table as it was before. Returns how many seconds this
    took."""

    def is_back() -> bool:
        return table.state().discrepancies == discrepancies and not is_different(table.snapshot(), true_snapshot)

    restored_at = time.monotonic()
    table.show()
    table.wait_for_mat()
    wait_until(is_back, f"The table as it was before the camera sent {name}", CAMERA_TIMEOUT_S)
    return time.monotonic() - restored_at


def is_different(a: GrayImage, b: GrayImage) -> bool:
    """Whether two snapshots show different pictures. The outlines that the service draws around codes don't count."""
    return float(cv2.absdiff(a, b).max()) > MIN_DIFFERENCE
