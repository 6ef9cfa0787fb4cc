"""The drill in which the box is unplugged in the middle of a game, and plugged in again."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from typing import Any

from companion.drill.bench import Bench
from companion.drill.outcome import Observed, wait_until
from companion.drill.players import Players
from companion.drill.pty_box import PtyBox

NOTICE_S = 20.0
"""How long the service may take to notice that the box is gone or back, seconds."""


def unplug_box(bench: Bench) -> Observed:
    """Unplugs the box, lets the phones play on, plugs it in again, and makes a move with its dial."""
    path = bench.new_folder() / "box"
    with closing(PtyBox(path)) as box, bench.service(box=str(path)) as service:
        players = Players(service)
        wait_until(lambda: _is_working(players), "The box", NOTICE_S)
        _move_with_dial(players, box)
        box.unplug()
        health = wait_until(lambda: _problem(players, path), "The report that the box is gone", NOTICE_S)
        players.play()
        plugged_in_at = time.monotonic()
        box.plug_in()
        wait_until(lambda: _is_working(players), "The box", NOTICE_S)
        lamps = _lamps(players)
        wait_until(lambda: box.lamps == lamps, "The light of the seat in turn", NOTICE_S)
        _move_with_dial(players, box)
        seconds = time.monotonic() - plugged_in_at
        players.check_journal()
    return Observed(
        f"“{health}” on the host's page; the phones played on.",
        "the light of the seat in turn, and a move with the dial.",
        seconds,
    )


def _is_working(players: Players) -> bool:
    health: Any = players.health("box")
    return bool(health and health["ok"])


def _problem(players: Players, path: Path) -> str:
    """What the host's page says about the box if it is gone, "" otherwise. The path of the port is left out."""
    health = players.health("box")
    if not health or health["ok"] or health["says"] not in players.host.page("/host"):
        return ""
    return str(health["says"]).replace(str(path), "the port")


def _lamps(players: Players) -> str:
    """What the lamps should show: the light of the seat in turn."""
    seat = players.next_move()[1].seat
    return "".join("1" if number == seat else "0" for number in range(5))


def _move_with_dial(players: Players, box: PtyBox) -> None:
    """Selects a move with the dial and makes it. Raises DrillFailed if no move is made."""
    before = players.version
    box.send_event("TURN", "1")
    box.send_event("PRESS", "dial")
    wait_until(lambda: players.version == before + 1, "A move with the dial", NOTICE_S)
