"""A shuffle that anyone can check: all draws follow from a seed to which the companion commits, and from the shares of
the phones.

Law: pure. docs/contract.md ("Checkable shuffles") describes the derivation; `ALGORITHM` names it. The companion can't
pick its seed to fit the shares, because it publishes the seed's hash first. Nobody can pick a share to fit the other
shares, because the hashes of all shares are published before any share.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from companion.games import move_json
from companion.games.rules import CERTAIN, HouseMove, Json, State

ALGORITHM = "tablekeeper-hmac-sha256-1"
SECRET_PATTERN = re.compile(r"[0-9a-f]{64}")
"""Matches a seed, a share or a commitment: 32 bytes as hexadecimal digits."""


def commitment_to(secret: str) -> str:
    """The commitment to a seed or a share: its SHA-256 digest. `secret` and the commitment have 64 hexadecimal digits
    each."""
    return hashlib.sha256(bytes.fromhex(secret)).hexdigest()


@dataclass(frozen=True)
class Share:
    """The random number that the phone of a seat adds to the shuffle. `secret` is "" if the phone sent the commitment,
    but never the share."""

    seat: int
    commitment: str
    secret: str = field(default="", repr=False)


@dataclass(frozen=True)
class ShareRound:
    """One round in which phones commit to shares and then send them. `first_draws` maps each chance source to the
    number of the first draw that depends on these shares. For a source that is not listed, that number is 0."""

    shares: tuple[Share, ...]
    first_draws: Mapping[str, int]


@dataclass(frozen=True)
class FairShuffle:
    """The commitment to a game's seed, and the rounds of shares so far. `opened` is when the seed was revealed to
    everybody, in UTC; "" before that."""

    commitment: str
    rounds: tuple[ShareRound, ...] = ()
    opened: str = ""

    def with_round(self, shares: Sequence[Share], first_draws: Mapping[str, int]) -> FairShuffle:
        """The shuffle after one more round of shares. `first_draws`: see `ShareRound`."""
        return replace(self, rounds=(*self.rounds, ShareRound(tuple(shares), first_draws)))

    def key(self, seed: str, source: str, number: int) -> bytes:
        """The key for the draw `number` from `source`: the seed, mixed with the shares of each round on which the draw
        depends (see `ShareRound`)."""
        key = bytes.fromhex(seed)
        for each in self.rounds:
            if number >= each.first_draws.get(source, 0):
                secrets = sorted((share.commitment, share.secret) for share in each.shares)
                key = _hmac(key, b"".join(bytes.fromhex(secret) for _, secret in secrets))
        return key

    def to_json(self) -> dict[str, Any]:
        """The shuffle as JSON for the journal, with all shares that phones have sent."""
        return {
            "commitment": self.commitment,
            "rounds": [
                {"shares": [vars(share) for share in each.shares], "first_draws": each.first_draws}
                for each in self.rounds
            ],
            "opened": self.opened,
        }

    @classmethod
    def from_json(cls, value: Json) -> FairShuffle:
        """The shuffle in a JSON object that `to_json` has made."""
        rounds = (
            ShareRound(tuple(Share(**share) for share in each["shares"]), each["first_draws"])
            for each in value["rounds"]
        )
        return cls(value["commitment"], tuple(rounds), value["opened"])


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def random_index(key: bytes, source: str, number: int, count: int) -> int:
    """A number from 0 to `count` - 1, derived from `key` for the draw `number` from `source`. All numbers are equally
    likely."""
    limit = 2**256 - 2**256 % count
    attempt = 0
    while (value := int.from_bytes(_hmac(key, f"{source}/{number}/{attempt}".encode()))) >= limit:
        attempt += 1  # Otherwise low numbers would be slightly more likely.
    return value % count


def draw_options(state: State) -> tuple[tuple[HouseMove, int], ...]:
    """The house moves among which chance decides now, each with its weight, in the order that `drawn_option` needs;
    empty if chance decides nothing."""
    chances = [*state.chances()]
    if any(weight == CERTAIN for _, weight in chances):
        return ()
    return tuple(
        sorted(
            ((move, weight) for move, weight in chances if weight),
            key=lambda option: (option[0].face, move_json.write(option[0])),
        )
    )


def drawn_option(key: bytes, source: str, number: int, weights: Sequence[int]) -> int:
    """The index of the option that a draw selects. `weights` has the weight of each option. The probability of an
    option is proportional to its weight. A series of draws without replacement is a Fisher-Yates shuffle."""
    index = random_index(key, source, number, sum(weights))
    for option, weight in enumerate(weights):
        index -= weight
        if index < 0:
            return option
    raise AssertionError("the index is below the sum of the weights")


class FairChancePlayer:
    """Chooses the house moves of a game with a shuffle that can be checked. The outcome of a draw depends only on its
    source and on how many draws from this source came before it. So a different move after an undo still brings the
    same card."""

    def __init__(self, seed: str, shuffle: FairShuffle) -> None:
        self._seed, self._shuffle = seed, shuffle

    def next_move(self, state: State, numbers: Mapping[str, int]) -> HouseMove:
        """The next house move. `numbers` maps each chance source to the number of house moves that have drawn from that
        source so far. Raises ValueError if there is no house move."""
        if certain := next((move for move, weight in state.chances() if weight == CERTAIN), None):
            return certain
        options = draw_options(state)
        if not options:
            raise ValueError("the house waits for something that does not exist")
        source = options[0][0].CHANCE_SOURCE
        number = numbers.get(source, 0)
        key = self._shuffle.key(self._seed, source, number)
        return options[drawn_option(key, source, number, [weight for _, weight in options])][0]
