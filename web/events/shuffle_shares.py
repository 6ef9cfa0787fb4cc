"""Collects the phones' shares in the shuffle, and reveals the shuffle after the game.

In a round, each seated phone whose page is open first commits to a random share. Once all have done so, or time is up,
the phones get the list of all commitments, and each sends its share. A phone that has left delays a round by a few
seconds at most. There is a round before the first deal, and another whenever one more phone has taken a seat.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from companion.games.rules import Json
from companion.match.fair_shuffle import Share, commitment_to
from companion.match.journal_error import JournalError
from companion.match.shuffle_status import ShuffleStatus
from companion.table.table import Table

RESPONSE_TIMEOUT_S = 2.0
"""How long a round waits for the commitments, and then for the shares, in seconds."""
JOIN_DELAY_S = 3.0
"""How long a round is delayed after a phone has joined, in seconds. Other phones that join meanwhile take part in the
same round."""
REVEAL_DELAY_S = 60.0
"""How long after the end of a game its last move can still be undone, in seconds. Then the shuffle is revealed."""
MAX_ROUNDS = 40
"""The maximum number of rounds in a game."""


@dataclass
class Round:
    """A round in progress. `shuffle` is the commitment to the game's seed. `seats`, `commitments` and `secrets` map the
    key of each phone that takes part to its seat, its commitment and its share. `is_revealing`: whether phones may send
    their shares now; before that, they may send only commitments."""

    shuffle: str
    number: int
    seats: Mapping[str, int]
    commitments: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    is_revealing: bool = False

    def request_for(self, phone: str) -> dict[str, Json] | None:
        """The request that a phone gets, as JSON; None if the phone does not take part."""
        if phone not in self.seats or (self.is_revealing and phone not in self.commitments):
            return None
        commitments = sorted(self.commitments.values()) if self.is_revealing else None
        return {"shuffle": self.shuffle, "round": self.number, "commitments": commitments}

    def shares(self) -> list[Share]:
        """The shares of all phones that have sent a commitment. The share of a phone that has not revealed it yet is
        empty."""
        return [
            Share(self.seats[phone], commitment, self.secrets.get(phone, ""))
            for phone, commitment in self.commitments.items()
        ]


class ShareRounds:
    """Runs the rounds in which phones add shares to the shuffle, and reveals the shuffle after the game.

    `connected` returns the seat of each phone that has a page open, by the phone's key; only pages that take part in
    the shuffle count. `wake` makes all event streams look for new requests. See `RESPONSE_TIMEOUT_S`, `JOIN_DELAY_S`
    and `REVEAL_DELAY_S` for the other parameters.
    """

    def __init__(
        self,
        table: Table,
        connected: Callable[[], Mapping[str, int]],
        wake: Callable[[], None],
        *,
        response_timeout_s: float = RESPONSE_TIMEOUT_S,
        join_delay_s: float = JOIN_DELAY_S,
        reveal_delay_s: float = REVEAL_DELAY_S,
    ) -> None:
        self._table, self._connected, self._wake = table, connected, wake
        self._response_timeout_s, self._join_delay_s = response_timeout_s, join_delay_s
        self._reveal_delay_s = reveal_delay_s
        self._one_at_a_time = threading.Lock()
        self._changed = threading.Condition()
        """Guards the attributes below."""
        self._round: Round | None = None
        self._asked: dict[str, set[str]] = {}
        """The phones that were asked for a share, by the commitment to the game's seed. Only the latest game is
        kept."""
        self._closing = threading.Event()

    def request_for(self, phone: str) -> dict[str, Json] | None:
        """The request that the round in progress makes to this phone, as JSON; None if it makes none."""
        with self._changed:
            return self._round.request_for(phone) if self._round else None

    def commit(self, phone: str, shuffle: str, number: int, commitment: str) -> bool:
        """Records a phone's commitment to its share; returns whether the commitment is accepted."""
        with self._changed:
            current = self._round_of(phone, shuffle, number)
            if current is None or current.is_revealing:
                return False
            self._changed.notify_all()
            return current.commitments.setdefault(phone, commitment) == commitment

    def reveal(self, phone: str, shuffle: str, number: int, secret: str) -> bool:
        """Records the share (`secret`) to which a phone has committed. Shares are accepted only once all phones have
        committed, or the time for commitments is over. Returns whether the share is accepted."""
        with self._changed:
            current = self._round_of(phone, shuffle, number)
            if current is None or not current.is_revealing or current.commitments.get(phone) != commitment_to(secret):
                return False
            current.secrets[phone] = secret
            self._changed.notify_all()
            return True

    def _round_of(self, phone: str, shuffle: str, number: int) -> Round | None:
        """The round in progress, if it belongs to this shuffle, has this number, and the phone takes part in it;
        otherwise None."""
        current = self._round
        if current is None or (current.shuffle, current.number) != (shuffle, number) or phone not in current.seats:
            return None
        return current

    def collect(
        self, shuffle: str, number: int = 0, *, seat_count: int, unseated: Collection[int] = ()
    ) -> Sequence[Share]:
        """Asks all connected phones for their shares, and returns those that arrive in time. `shuffle` is the
        commitment to the game's seed, `number` the number of the round within the game. Phones in the seats `unseated`
        are not asked."""
        with self._one_at_a_time:
            connected = self._connected().items()
            seats = {phone: seat for phone, seat in connected if seat < seat_count and seat not in unseated}
            current = Round(shuffle, number, seats)
            with self._changed:
                self._asked = {shuffle: self._asked.get(shuffle, set()) | seats.keys()}
                if not seats:
                    return []
                self._round = current
            self._wake()
            try:
                self._wait(lambda: len(current.commitments) == len(seats))
                with self._changed:
                    current.is_revealing = True
                self._wake()
                self._wait(lambda: len(current.secrets) == len(current.commitments))
            finally:
                with self._changed:
                    self._round = None
            return current.shares()

    def _wait(self, is_complete: Callable[[], bool]) -> None:
        with self._changed:
            self._changed.wait_for(lambda: is_complete() or self._closing.is_set(), self._response_timeout_s)

    def start(self) -> None:
        """Starts a thread. Whenever a phone has joined, the thread runs a round of shares; after the game, it reveals
        the shuffle."""
        threading.Thread(target=self._watch, name="shares", daemon=True).start()

    def close(self) -> None:
        """Stops the thread, and ends a round that is still waiting for phones."""
        self._closing.set()
        with self._changed:
            self._changed.notify_all()

    def _watch(self) -> None:
        while not self._closing.is_set():
            revision, status = self._table.revision, self._table.shuffle.status()
            try:
                if status and status.is_over and not status.is_open:
                    if not self._closing.wait(self._reveal_delay_s) and self._table.shuffle.status() == status:
                        self._table.shuffle.reveal()
                elif status and not status.is_over and self._has_newcomer(status):
                    self._closing.wait(self._join_delay_s)
                    self.add_round(status)
                else:
                    self._table.wait(revision, 1.0)
            except JournalError:
                self._closing.wait(self._reveal_delay_s)  # the disk is full; another module reports it

    def _has_newcomer(self, status: ShuffleStatus) -> bool:
        with self._changed:
            asked = self._asked.get(status.commitment, set())
        return status.round_count < MAX_ROUNDS and bool(self._connected().keys() - asked)

    def add_round(self, status: ShuffleStatus) -> None:
        """Collects shares during a game, and adds them to the game's shuffle, so that all later draws depend on them.
        Raises JournalError if they can't be stored."""
        if shares := self.collect(status.commitment, status.round_count, seat_count=len(self._table.names)):
            self._table.shuffle.add_shares(status.commitment, shares)
