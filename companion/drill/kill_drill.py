"""The drill in which the service is killed in the middle of moves."""

from __future__ import annotations

import random
import threading
import time
from signal import SIGKILL

from companion.drill.acknowledged_moves import PlannedMove
from companion.drill.bench import Bench
from companion.drill.outcome import DrillFailed, Observed
from companion.drill.phone import NoAnswer, Phone
from companion.drill.players import Players

KILLS = 3
MIN_PLAY_S, MAX_PLAY_S = 0.05, 0.5
"""How long the players make moves before each kill, seconds."""
PLAY_TIMEOUT_S = 30.0

Planned = tuple[Phone, PlannedMove]


def kill_service(bench: Bench) -> Observed:
    """Kills the service several times while phones make moves, and starts it again with the same data."""
    with bench.service() as service:
        players = Players(service)
        slowest = max(_kill_once(players) for _ in range(KILLS))
        players.check_journal()
        made = len(players.acknowledged)
    return Observed(
        f"no answer, {KILLS} times.",
        f"the seats and all {made} acknowledged moves, each exactly once; the moves that were cut off were sent again "
        "and counted once.",
        slowest,
    )


def _kill_once(players: Players) -> float:
    """Kills the service while the players make moves; returns how long it took until a move was acknowledged again,
    seconds."""
    cut_off: list[Planned] = []
    playing = threading.Thread(target=_play_until_no_answer, args=(players, cut_off), daemon=True)
    playing.start()
    time.sleep(random.uniform(MIN_PLAY_S, MAX_PLAY_S))
    players.service.end(SIGKILL)
    killed_at = time.monotonic()
    playing.join(PLAY_TIMEOUT_S)
    players.service.start()
    for phone, planned in cut_off:
        players.submit(phone, planned)
    players.play()
    return time.monotonic() - killed_at


def _play_until_no_answer(players: Players, cut_off: list[Planned]) -> None:
    """Makes moves until the service does not answer; adds the move that got no answer to `cut_off`."""
    try:
        while True:
            planned = players.next_move()
            cut_off[:] = [planned]
            players.submit(*planned)
            cut_off.clear()
    except (NoAnswer, DrillFailed):
        return
