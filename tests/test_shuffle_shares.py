"""Tests of the rounds in which phones add shares to the shuffle. Each phone is simulated by a function."""

from __future__ import annotations

import threading
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from companion.match.fair_shuffle import Share, commitment_to
from companion.match.journal_error import JournalError
from companion.match.shuffle_quality import DealDeviations
from companion.table.table import Table
from tests.test_fair_shuffle import SEED, fair_table, make_random_move, match_of, secret
from tests.web_table import empty_web_table
from web.events.shuffle_shares import ShareRounds
from web.results.game_statistics import shuffle_verdict

PROMISE = commitment_to(SEED)


class SimulatedRound:
    """A round with simulated phones, each of which answers a request as its function says."""

    def __init__(self, seats: dict[str, int], table: Table | None = None, **times: float) -> None:
        self.requests: dict[str, list[Any]] = {phone: [] for phone in seats}
        self.phones: dict[str, Callable[[Any], None]] = {}
        self.shares = ShareRounds(
            table or fair_table("systems-failing"), lambda: seats, self._wake, **{"response_timeout_s": 0.05, **times}
        )

    def add(self, phone: str, number: int, *, reveals: bool = True) -> None:
        """Adds a phone that answers with the share of this number. Without `reveals`, the phone stops after its
        commitment."""

        def answer(request: Any) -> None:
            own = secret(number)
            if request["commitments"] is None:
                self.shares.commit(phone, request["shuffle"], request["round"], commitment_to(own))
            elif reveals:
                self.shares.reveal(phone, request["shuffle"], request["round"], own)

        self.phones[phone] = answer

    def _wake(self) -> None:
        for phone, requests in self.requests.items():
            if (request := self.shares.request_for(phone)) is not None:
                requests.append(request)
                if answer := self.phones.get(phone):
                    answer(request)


def test_each_phone_sees_all_commitments_before_it_sends_its_share() -> None:
    """A phone is asked for its share only after all phones have committed and it has been sent all commitments. The
    result contains every share."""
    now = SimulatedRound({"a": 0, "b": 1}, response_timeout_s=60.0)
    now.add("a", 1)
    now.add("b", 2)
    assert now.shares.collect(PROMISE, seat_count=2) == [
        Share(seat, commitment_to(secret(seat + 1)), secret(seat + 1)) for seat in (0, 1)
    ]
    commitments = sorted(commitment_to(secret(number)) for number in (1, 2))
    for requests in now.requests.values():
        assert [request["commitments"] for request in requests] == [None, commitments]


def test_a_silent_phone_and_one_that_vanishes_are_left_out() -> None:
    """A phone that never answers is not recorded. If a phone vanishes after its commitment, only the commitment is
    recorded."""
    now = SimulatedRound({"a": 0, "b": 1, "c": 2})
    now.add("a", 1)
    now.add("b", 2, reveals=False)
    assert now.shares.collect(PROMISE, seat_count=3) == [
        Share(0, commitment_to(secret(1)), secret(1)),
        Share(1, commitment_to(secret(2))),
    ]
    assert now.shares.request_for("a") is None


def test_nobody_commits_once_shares_are_known() -> None:
    """A phone that has waited until the others' shares are known can no longer commit to a share of its own."""
    now = SimulatedRound({"a": 0, "b": 1})
    late = []

    def answer(request: Any) -> None:
        if request["commitments"] is None:
            now.shares.commit("a", PROMISE, 0, commitment_to(secret(1)))
        else:
            late.append(now.shares.commit("b", PROMISE, 0, commitment_to(secret(2))))
            now.shares.reveal("a", PROMISE, 0, secret(1))

    now.phones["a"] = answer
    assert now.shares.collect(PROMISE, seat_count=2) == [Share(0, commitment_to(secret(1)), secret(1))]
    assert late == [False]


def test_a_phone_without_a_seat_in_the_game_is_not_asked() -> None:
    """A phone whose seat does not exist in the new game is not asked for a share."""
    now = SimulatedRound({"a": 0, "b": 4})
    now.add("a", 1)
    assert [share.seat for share in now.shares.collect(PROMISE, seat_count=2)] == [0]
    assert now.requests["b"] == []


def test_only_pages_that_take_part_are_asked() -> None:
    """A program that merely follows the events, without `?shares=1`, does not delay the start of a game."""
    streams = empty_web_table().app.extensions["streams"]
    streams.add("robot")
    streams.add("phone", gives_shares=True)
    streams.add("phone")
    assert streams.sharing == {"phone"}
    streams.remove("phone", gives_shares=True)
    assert streams.sharing == frozenset()
    streams.remove("phone")
    streams.remove("robot")
    assert streams.sharing == frozenset()


def test_without_phones_there_is_no_round() -> None:
    """Without phones there is no round, no share, and no delay."""
    assert SimulatedRound({}, response_timeout_s=60.0).shares.collect(PROMISE, seat_count=2) == []


@pytest.mark.parametrize(
    "send",
    [
        lambda shares: shares.commit("a", PROMISE, 0, commitment_to(secret(9))),  # a different commitment
        lambda shares: shares.reveal("a", PROMISE, 0, secret(9)),  # not the one that it committed to
        lambda shares: shares.reveal("b", PROMISE, 0, secret(2)),  # a phone that takes no part
        lambda shares: shares.commit("a", PROMISE, 1, commitment_to(secret(1))),  # another round
        lambda shares: shares.commit("a", commitment_to(PROMISE), 0, commitment_to(secret(1))),  # another game
    ],
)
def test_other_shares_do_not_count(send: Callable[[ShareRounds], bool]) -> None:
    """A phone can't change its commitment, and nobody else can send a share for it."""
    now = SimulatedRound({"a": 0})
    counted = []

    def answer(request: Any) -> None:
        if request["commitments"] is None:
            now.shares.commit("a", PROMISE, 0, commitment_to(secret(1)))
        for _ in range(2):
            counted.append(send(now.shares))

    now.phones["a"] = answer
    assert now.shares.collect(PROMISE, seat_count=1) == [Share(0, commitment_to(secret(1)))]
    assert {*counted} == {False}


def test_a_phone_that_joins_is_asked_once() -> None:
    """After a phone has joined, there is one more round, in which it is asked. Later moves cause no more rounds."""
    table, seats = fair_table("systems-failing"), {"a": 0}
    now = SimulatedRound(seats, table, join_delay_s=0.0, response_timeout_s=60.0)
    now.add("a", 3)
    rounds = len(match_of(table).header.shuffle.rounds)  # type: ignore[union-attr]
    now.shares.start()
    until(table, lambda: len(match_of(table).header.shuffle.rounds) > rounds)  # type: ignore[union-attr]
    for number in range(3):
        make_random_move(table, Random(number))
    now.shares.close()
    shuffle = match_of(table).header.shuffle
    assert shuffle
    assert shuffle.rounds[-1].shares == (Share(0, commitment_to(secret(3)), secret(3)),)
    assert len(shuffle.rounds) == rounds + 1


def test_the_shuffle_is_revealed_after_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shuffle is revealed after the end of the game, even if the disk was full at the first attempt."""
    table, failures = fair_table("systems-failing"), [JournalError("full")]
    reveal = table.shuffle.reveal

    def fail_once() -> None:
        if failures:
            raise failures.pop()
        reveal()

    monkeypatch.setattr(table.shuffle, "reveal", fail_once)
    now = SimulatedRound({}, table, reveal_delay_s=0.0)
    now.shares.start()
    rng = Random(2)
    while match_of(table).state.turn is not None:
        make_random_move(table, rng)
    until(table, lambda: match_of(table).header.shuffle.opened != "")  # type: ignore[union-attr]
    now.shares.close()


def until(table: Table, is_true: Callable[[], bool]) -> None:
    """Waits for changes of the table until `is_true` returns True."""
    done = threading.Event()
    for _ in range(3000):
        if is_true():
            return
        done.wait(0.01)
    raise AssertionError("nothing happened")


def test_a_game_starts_without_phones_and_can_be_checked_over_http() -> None:
    """A game that is started without any phone can be checked over HTTP. Phones that have joined can see the commitment
    to its seed, but not the seed."""
    web_table = empty_web_table()
    assert web_table.host().post("/api/start", {"game": "commute", "seats": 3}).status_code == 200
    ann = web_table.phone(0)
    answer = ann.get("/api/shuffle").json
    assert {*answer} == {"game", "started", "algorithm", "commitment", "shares", "rounds"}
    assert web_table.phone().get("/api/shuffle").status_code == 403
    for path in ("/api/shuffle?game=7", "/api/shuffle?game=99999999999999999999"):
        assert ann.get(path).status_code == 404
    web_table.table.end()
    assert web_table.phone().get("/api/shuffle?game=1").status_code == 403
    assert ann.get("/api/shuffle?game=1").json["seed"]


@pytest.mark.parametrize(
    ("likelihood", "words"),
    [(None, "too few"), (0.5, "well shuffled"), (0.03, "maybe not"), (0.001, "Shuffle longer")],
)
def test_the_statistics_say_how_well_people_shuffle(likelihood: float | None, words: str) -> None:
    """The statistics have a sentence about the shuffling for each likelihood."""

    class FixedDeviations(DealDeviations):
        def p_value(self) -> float | None:
            return likelihood

    assert words in str(shuffle_verdict("System cards", FixedDeviations(draws=80)))
