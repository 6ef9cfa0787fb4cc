"""The drill in which the clock jumps. Such jumps happen on a Raspberry Pi: it has no clock of its own, and may get the
time from the network long after the game has begun."""

from __future__ import annotations

import time
from contextlib import ExitStack

from companion.drill.environment import DrillEnvironment
from companion.drill.outcome import DrillFailed, RecoveryReport, wait_until
from companion.drill.phone import PhoneEventStream
from companion.drill.players import Players

CLOCK = "companion.drill.jumping_clock"
"""The Python module that runs the service with a clock that jumps."""
DAY_S = 24 * 3600
JUMPS = {"90 days forward": 90 * DAY_S, "10 years back": -3650 * DAY_S, "to the right time": 0}
"""The difference between the clock and the true time after each jump, in seconds. The first jump is longer than the 60
days after which an unused phone must join again. Still, nobody may lose their seat."""
NOTICE_S = 20.0


def jump_clock(environment: DrillEnvironment) -> RecoveryReport:
    """Makes the service's clock jump while phones play and their pages are open."""
    *interpreter, module = environment.command
    command = (*interpreter, CLOCK, module)
    with environment.service(command=command) as service, ExitStack() as stack:
        players = Players(service, environment.game)
        streams = [stack.enter_context(phone.listen()) for phone in (players.host, *players.phones)]
        players.play()
        slowest = max(_jump(players, streams, name, seconds) for name, seconds in JUMPS.items())
        if any(stream.ended.is_set() for stream in streams):
            raise DrillFailed("A phone lost its event stream.")
        players.check_journal()
    return RecoveryReport(
        "nothing; every seat, the host’s rights and all event streams stayed.",
        "a move after each jump, on every phone.",
        slowest,
    )


def _jump(players: Players, streams: list[PhoneEventStream], name: str, distance_s: float) -> float:
    """Makes the clock jump, then makes two moves. Returns how many seconds it took until the moves were acknowledged
    and reported to every phone."""
    players.service.tell(f"{distance_s}")
    wait_until(lambda: _is_at(players, distance_s), f"The jump {name}", NOTICE_S)
    jumped_at = time.monotonic()
    players.play(2)
    version = players.version
    wait_until(lambda: all(version in stream.acts for stream in streams), f"A move after the jump {name}", NOTICE_S)
    players.host.get("/host")
    return time.monotonic() - jumped_at


def _is_at(players: Players, distance_s: float) -> bool:
    """Whether the difference between the service's clock and the true time is about `distance_s` seconds."""
    return abs(players.host.clock() - time.time() - distance_s) < DAY_S
