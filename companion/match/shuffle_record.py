"""The record of a game's shuffle, with which anyone can check the draws. GET /api/shuffle returns it, and exported
games contain it.

Law: pure. docs/contract.md describes the JSON. A field that is UNSET has no key in the JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from companion.match.fair_shuffle import ALGORITHM
from companion.match.history import fold
from companion.match.shuffle_verification import ChanceDraw, Options, companion_draws
from companion.match.stored_game import Header, StoredGame


class ShareRecord(Struct, frozen=True):
    """The share that the phone of a seat has added to the shuffle. `round`: the number of the round, from 0. `share`:
    the share; None if the phone never sent it; UNSET before the shuffle is revealed."""

    seat: int
    commitment: str
    round: int
    share: str | UnsetType | None = UNSET


class RoundRecord(Struct, frozen=True):
    """A round of shares. `first_draws`: see `ShareRound`."""

    first_draws: Mapping[str, int]


class DrawRecord(Struct, frozen=True, kw_only=True):
    """A draw. `version`: the version that the draw led to; UNSET in exports, where the record is part of an act.
    `options`: the faces and their weights; UNSET if they follow from the previous draw from the same source."""

    version: int | UnsetType = UNSET
    source: str
    number: int
    face: str
    options: Options | UnsetType = UNSET


class ShuffleRecord(Struct, frozen=True, kw_only=True):
    """The shuffle of a game. `game` and `started` are UNSET in exports, whose headers have both. The seed and the draws
    are UNSET before the shuffle is revealed."""

    game: int | UnsetType = UNSET
    started: str | UnsetType = UNSET
    algorithm: str
    commitment: str
    shares: Sequence[ShareRecord]
    rounds: Sequence[RoundRecord]
    seed: str | UnsetType = UNSET
    draws: Sequence[DrawRecord] | UnsetType = UNSET

    def to_json(self) -> dict[str, Any]:
        """The record as JSON."""
        value: dict[str, Any] = msgspec.to_builtins(self)
        return value


def exported_shuffle(header: Header, *, is_open: bool) -> ShuffleRecord | None:
    """The shuffle for the header of an exported game, with the seed and the shares if `is_open`; None for an old game
    without a checkable shuffle."""
    if (shuffle := header.shuffle) is None:
        return None
    return ShuffleRecord(
        algorithm=ALGORITHM,
        commitment=shuffle.commitment,
        shares=[
            ShareRecord(share.seat, share.commitment, number, (share.secret or None) if is_open else UNSET)
            for number, each in enumerate(shuffle.rounds)
            for share in each.shares
        ],
        rounds=[RoundRecord(dict(each.first_draws)) for each in shuffle.rounds],
        seed=header.seed if is_open else UNSET,
    )


def is_shuffle_revealed(stored: StoredGame) -> bool:
    """Whether everyone may know the seed of a game: it is closed, or its shuffle was revealed."""
    shuffle = stored.header.shuffle
    return shuffle is not None and (stored.closed is not None or shuffle.opened != "")


def shuffle_record(stored: StoredGame, acts_before: int, *, is_open: bool) -> ShuffleRecord | None:
    """The record of a stored game's shuffle, as GET /api/shuffle returns it; None for an old game without a checkable
    shuffle. `acts_before`: the number of acts in all earlier games; the versions of this game continue from that
    number. Raises ReplayError if the game can't be replayed."""
    shuffle = exported_shuffle(stored.header, is_open=is_open)
    if shuffle is None:
        return None
    draws = companion_draws(fold(stored), stored.header) if is_open else None
    return msgspec.structs.replace(
        shuffle,
        game=stored.id,
        started=stored.started,
        draws=UNSET if draws is None else [*_numbered(draws, acts_before)],
    )


def _numbered(draws: Sequence[ChanceDraw], acts_before: int) -> Iterator[DrawRecord]:
    for draw, record in zip(draws, draw_records(draws), strict=True):
        yield msgspec.structs.replace(record, version=draw.version + acts_before)


def draw_records(draws: Iterable[ChanceDraw]) -> Iterator[DrawRecord]:
    """Yields the record of each draw; the caller adds its version. The options of a draw are left out if they follow
    from the previous draw from the same source."""
    remaining: dict[str, Options] = {}
    for draw in draws:
        is_known = remaining.get(draw.source) == draw.options
        yield DrawRecord(
            source=draw.source, number=draw.number, face=draw.face, options=UNSET if is_known else draw.options
        )
        weights = ((face, weight - (face == draw.face)) for face, weight in draw.options)
        remaining[draw.source] = tuple((face, weight) for face, weight in weights if weight)
