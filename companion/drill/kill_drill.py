"""The drill in which the service is killed in the middle of moves."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor
from signal import SIGKILL

from companion.drill.acknowledged_moves import PlannedMove
from companion.drill.environment import DrillEnvironment
from companion.drill.outcome import RecoveryReport
from companion.drill.phone import NoResponse, Phone
from companion.drill.players import Players

KILLS = 3
MIN_PLAY_S, MAX_PLAY_S = 0.05, 0.5
"""The shortest and the longest time for which the players make moves before each kill, in seconds. The actual time is
random, so the kill may come at any point of a move."""


def kill_service(environment: DrillEnvironment) -> RecoveryReport:
    """Kills the service several times while phones make moves, and starts it again with the same data."""
    with environment.service() as service:
        players = Players(service, environment.game)
        slowest = max(_kill_once(players) for _ in range(KILLS))
        players.check_journal()
        count = len(players.acknowledged)
    return RecoveryReport(
        f"no answer, {KILLS} times.",
        f"the seats, all {count} acknowledged moves, each once, and the next move.",
        slowest,
    )


def _kill_once(players: Players) -> float:
    """Kills the service while the players make moves, and starts it again. Returns how many seconds it took until a
    move was acknowledged again."""
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(_play_until_no_response, players)
        time.sleep(random.uniform(MIN_PLAY_S, MAX_PLAY_S))
        players.service.end(SIGKILL)
        killed_at = time.monotonic()
        unanswered = playing.result()
    players.service.start()
    if unanswered:
        players.submit(*unanswered)
    players.play()
    return time.monotonic() - killed_at


def _play_until_no_response(players: Players) -> tuple[Phone, PlannedMove] | None:
    """Makes moves until a request gets no answer. If this request was a move, returns the phone and the move. If it was
    any other request, returns None. Raises Refused if the service refuses a request, and DrillFailed if a move leads to
    a wrong version."""
    while True:
        try:
            move = players.next_move()
        except NoResponse:
            return None
        try:
            players.submit(*move)
        except NoResponse:
            return move
