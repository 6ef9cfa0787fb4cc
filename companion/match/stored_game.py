"""Games as the journal stores them: the data with which a game was started, and a record of each act.

Law: frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from companion.games.rules import Json
from companion.games.what_if_origin import WhatIfOrigin
from companion.match.fair_shuffle import FairShuffle
from companion.text.default_names import translatable_name
from companion.text.player_names import bidi_isolate

ActKind = Literal["deal", "move", "undo", "redo"]
"""The kind of an act. A `deal` is what the companion dealt as the game began; it can't be undone."""


@dataclass(frozen=True)
class Header:
    """The data with which a game was started. `dealers` maps each chance source to who deals from it, one of DEALERS.
    `shuffle` is None in old games, whose shuffles can't be checked. `what_if`: the origin of a what-if; None for any
    other game."""

    game: str
    rules_version: int
    seats: int
    setup: Mapping[str, Json]
    dealers: Mapping[str, str]
    players: tuple[str, ...]
    seed: str = field(repr=False)
    shuffle: FairShuffle | None = None
    what_if: WhatIfOrigin | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The players' names by seat for use in sentences: each is wrapped (see `bidi_isolate`) so that its writing
        direction does not disturb a sentence, and default names are translated for each reader."""
        return tuple(map(bidi_isolate, self.labels))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The players' names by seat for use outside of sentences. Default names are translated for each reader."""
        return tuple(map(translatable_name, self.players))


@dataclass(frozen=True)
class ActRecord:
    """A stored act. `seat`: who acted; None for the table. `request`: the id that the phone gave to this action.
    `moves`: the moves as lines of text. `digest`: a hash of the position after the act. `code`: the code of the card
    that was dealt or played, if reading this code led to the act."""

    version: int
    kind: ActKind
    seat: int | None
    request: str | None
    moves: tuple[str, ...]
    digest: str
    at: str
    code: str = ""


@dataclass(frozen=True)
class StoredGame:
    """A game in the journal with all its acts. `started` and `closed` are times in UTC; `closed` is None while the game
    is running."""

    id: int
    header: Header
    records: tuple[ActRecord, ...]
    started: str
    closed: str | None
