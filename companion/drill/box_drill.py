"""The drill in which the box is unplugged in the middle of a game, and plugged in again."""

from __future__ import annotations

import time
from contextlib import closing

from companion.drill.environment import PHONE_GAME, DrillEnvironment
from companion.drill.outcome import RecoveryReport, wait_until
from companion.drill.players import Players
from companion.drill.pty_box import PtyBox

BOX_GAME = PHONE_GAME
"""A game in which every move can be made with the dial."""
NOTICE_S = 20.0
"""How long the service may take to notice that the box is gone or back, in seconds."""

LAMPS = 5
"""The number of seat lamps on the box."""


def unplug_box(environment: DrillEnvironment) -> RecoveryReport:
    """Unplugs the box, lets the phones play on, plugs it in again, and makes a move with its dial."""
    path = environment.new_folder() / "box"
    with closing(PtyBox(path)) as box, environment.service(box=str(path)) as service:
        players = Players(service, BOX_GAME)
        wait_until(lambda: players.is_working("box"), "The box", NOTICE_S)
        _move_with_dial(players, box)
        box.unplug()
        problem = wait_until(lambda: players.problem("box"), "The report that the box is gone", NOTICE_S)
        players.play()
        plugged_in_at = time.monotonic()
        box.plug_in()
        wait_until(lambda: players.is_working("box"), "The box", NOTICE_S)
        lamps = _lamps(players)
        wait_until(lambda: box.lamps == lamps, "The lamp of the seat to move", NOTICE_S)
        _move_with_dial(players, box)
        seconds = time.monotonic() - plugged_in_at
        players.check_journal()
    return RecoveryReport(
        f"“{problem.replace(str(path), 'the port')}” on the host page; the phones played on.",
        "the lamp of the seat to move, and a move with the dial.",
        seconds,
    )


def _lamps(players: Players) -> str:
    """The expected state of the lamps, a digit for each: 1 for the seat to move, otherwise 0."""
    turn = players.view().state.turn
    return "".join("1" if seat == turn else "0" for seat in range(LAMPS))


def _move_with_dial(players: Players, box: PtyBox) -> None:
    """Selects a move with the dial and makes it. Raises DrillFailed if no move is made."""
    before = players.version
    box.send_event("TURN", "1")
    box.send_event("PRESS", "dial")
    wait_until(lambda: players.version == before + 1, "A move with the dial", NOTICE_S)
