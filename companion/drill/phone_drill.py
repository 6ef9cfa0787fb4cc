"""The drill in which phones vanish in the middle of requests, and lose their event streams."""

from __future__ import annotations

import time

from companion.drill.environment import DrillEnvironment
from companion.drill.outcome import DrillFailed, RecoveryReport, wait_until
from companion.drill.phone import PhoneEventStream
from companion.drill.players import Players

NOTICE_S = 20.0
"""How long the others' pages may take to show that a phone is gone or back, in seconds."""


def lose_phones(environment: DrillEnvironment) -> RecoveryReport:
    """Cuts the connections of phones in the middle of a move, after a move was sent, and while they listen to their
    event streams."""
    with environment.service() as service:
        players = Players(service, environment.game)
        first, second = players.phones
        with first.listen() as stream, second.listen():
            players.play(3)
            wait_until(lambda: players.version in stream.acts, "The event about a move", NOTICE_S)
            last = stream.last
            _vanish_with_half_a_move(players)
            phone, planned = players.next_move()
            phone.send_and_vanish("/api/moves", planned.body)
            wait_until(lambda: players.version == planned.version, "The move of the phone that vanished", NOTICE_S)
        wait_until(lambda: offline_seats(players) == [0, 1], "The report that both phones are offline", NOTICE_S)
        back_at = time.monotonic()
        with first.listen(last) as stream, second.listen():
            players.submit(phone, planned)
            players.play()
            wait_until(lambda: players.version in stream.acts, "The acts that a phone has missed", NOTICE_S)
            wait_until(lambda: not offline_seats(players), "The report that the phones are back", NOTICE_S)
            seconds = time.monotonic() - back_at
        _check_acts(stream, last)
        players.check_journal()
    return RecoveryReport(
        "“Player 1 offline” and “Player 2 offline” on the host page, and the move that had been sent.",
        "both phones, every act that they had missed, and no move twice.",
        seconds,
    )


def _vanish_with_half_a_move(players: Players) -> None:
    """Sends half of the request for a move. Raises DrillFailed if the service still makes the move."""
    phone, planned = players.next_move()
    phone.send_and_vanish("/api/moves", planned.body, fraction=0.5)
    players.play()
    if players.version != planned.version:
        raise DrillFailed("Half of a move counted as a move.")


def offline_seats(players: Players) -> list[int]:
    """The seats that are offline according to the host page."""
    page = players.host.page("/host")
    return [seat for seat in range(len(players.phones)) if f"Player {seat + 1} offline" in page]


def _check_acts(stream: PhoneEventStream, last: str) -> None:
    """Raises DrillFailed unless the stream has reported each act after the event with the id `last` exactly once."""
    expected = list(range(int(last.partition(".")[2]) + 1, stream.acts[-1] + 1))
    if stream.acts != expected:
        raise DrillFailed(f"The phone was told about the acts {stream.acts}, not about {expected}.")
