"""A game, as the rest of Tablekeeper uses it: its rules, its text, its physical side and its analysis.

Law: pure. A game needs only `GameRules`; every field of the other three records has a default. Functions that take a
viewer may use only what that viewer may know.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Generic, Literal, TypeVar

from companion.games import default_text
from companion.games.rules import HouseMove, Json, Move, Names, Option, Seat, Start, State, Viewer
from companion.tabletop.components import ComponentSet
from companion.tabletop.layout import Layout, TokenPlacement
from companion.tabletop.observations import CardSeen, Observation
from companion.tabletop.tracked_table import SightingContext
from companion.text.data_files import Document
from companion.text.guidebook import Guidebook
from companion.text.messages import TextLike, _
from companion.text.refusals import SetupError

G = TypeVar("G", bound=State)
P = TypeVar("P", contravariant=True)
"""The type of the positions that a record's functions take. A state is a position."""

DEALERS = ("companion", "table", "unseen")
"""Who can deal a source of chance: the companion; people, who report each card; people, who report nothing."""


@dataclass(frozen=True)
class BoardFiles:
    """The boards of a game that has several.

    `files` maps the name of each built-in board to its file. `read` returns the JSON of `tablekeeper board`,
    checked and resolved; it raises DataError.
    """

    files: Mapping[str, Path]
    read: Callable[[Document], Json]


@dataclass(frozen=True, kw_only=True)
class GameRules(Generic[G]):
    """How a game is set up and played."""

    name: str
    title: str
    summary: str
    seats: range
    version: int
    """Raised when a change of the rules makes old journals replay to other positions."""
    moves: tuple[type[Move], ...]
    begin: Callable[[int, Mapping[str, Json]], Start[G]]
    """The start for a number of seats and a set-up (options included); raises SetupError."""
    identifiers: Mapping[Any, Collection[str]] = field(default_factory=dict)
    """The values of each NewType that is used in a move's fields."""
    options: tuple[Option, ...] = ()
    resolve_setup: Callable[[Mapping[str, Json]], Mapping[str, Json]] = lambda setup: setup
    """The set-up with the contents of the files that it names. The journal stores the result, so `begin` reads no file
    that people may move. Raises SetupError."""
    chance_sources: Mapping[str, str] = field(default_factory=dict)
    """What chance deals, with the host's name for it: {"cards": "Disaster, escape and role cards", …}."""
    face_down_sources: Collection[str] = ()
    """The sources that people may deal without reporting the cards: the match holds a "?" for each card."""
    has_hidden_information: bool = False
    """Whether a seat knows things that other seats must not know."""
    private_reports: Callable[[G, Seat], Iterable[HouseMove]] = lambda state, seat: ()
    """Where people deal hidden cards: the house moves that only this seat may report. Which moves are legal must not
    depend on anything that the seat may not know."""
    phone_only_moves: tuple[type[HouseMove], ...] = ()
    """Kinds of `private_reports` that only phones and the journal use; `tablekeeper play` rejects them."""
    card_data: Callable[[], Json] | None = None
    """What `tablekeeper cards` prints, where the game has cards."""
    boards: BoardFiles | None = None
    """What `tablekeeper board` prints, where the game has boards."""
    position_json: Any = dict[str, Any]
    """The type of `State.to_json()`, for JSON Schema: a TypedDict."""

    def seat_count(self, requested: int | None) -> int:
        """The number of seats, the smallest by default; raises SetupError."""
        seats = self.seats[0] if requested is None else requested
        if seats not in self.seats:
            few, many = self.seats[0], self.seats[-1]
            message = (
                _("{game} is for {few} seats, not {count}.")
                if few == many
                else _("{game} is for {few} to {many} seats, not {count}.")
            )
            raise SetupError(message.with_values(game=_(self.title), few=few, many=many, count=seats))
        return seats

    def check_dealers(self, dealers: Mapping[str, str]) -> None:
        """Raises SetupError unless each named source of chance can be dealt in the given way."""
        for source, dealer in dealers.items():
            if source not in self.chance_sources or dealer not in DEALERS:
                raise SetupError(
                    _(
                        "{choice}: the value must be companion or table, for any of {known}.",
                        choice=f"{source}={dealer}",
                        known=", ".join(self.chance_sources),
                    )
                )
            if dealer == "unseen" and source not in self.face_down_sources:
                raise SetupError(
                    _(
                        "{choice}: {game} must know what is dealt.",
                        choice=f"{source}={dealer}",
                        game=_(self.title),
                    )
                )


@dataclass(frozen=True, kw_only=True)
class GameText(Generic[P]):
    """What people read about a game on phones and screens."""

    log_line: Callable[[P, Move, P, Viewer, Names], TextLike] = default_text.log_line
    """A sentence for the log, from the position before the move, the move, and the position after it."""
    label: Callable[[P, Move, Viewer, Names], tuple[TextLike, ...]] = default_text.label
    """The path to a move through the phone's buttons: ("Repair", "D07 Hull breach", "red, blue")."""
    prompt: Callable[[P, Viewer, Names], TextLike] = lambda state, viewer, names: ""
    """What is going on and what to do now, in one or two sentences."""
    pause_label: Callable[[P], TextLike | None] = lambda state: None
    """The label of the button that people tap before the companion deals on; None where it deals at once."""
    guidebook: Callable[[], Guidebook] | None = None
    """What players can look up: the first game, the rules, the terms."""
    help_topic: Callable[[P, Viewer], str] = lambda state, viewer: ""
    """The key of the guidebook's rule for this position; "" for none."""
    translatable_texts: Callable[[], Iterable[str]] = lambda: ()
    """The texts in the game's data files, for translators."""


MeterLevel = Literal["good", "fair", "poor"]


@dataclass(frozen=True)
class Meter:
    """A value for a meter, a light bar or a scoreboard. `{0}` in its name stands for the first player's name.

    `seat`: the owner, where each player has a meter. `measures`: what such meters measure, equal for all seats.
    """

    name: TextLike
    value: int
    lowest: int
    highest: int
    level: MeterLevel = "good"
    seat: int | None = None
    measures: TextLike = ""


@dataclass(frozen=True, kw_only=True)
class PhysicalGame(Generic[P]):
    """A game on a real table: what a sighting means, and what the table should look like."""

    components: ComponentSet = field(default_factory=ComponentSet)
    """Everything that can lie on the table. A `Start` may bring other components: those of its board."""
    virtual_sources: Collection[str] = ()
    """Sources of chance that phones can replace: if the companion deals them all and no camera sees the mat, nothing
    needs to lie on a table."""
    meaning_of: Callable[[P, Observation, SightingContext], Move | None] = lambda state, observation, context: None
    """The move that an observation stands for, if any. A press of a button comes without context."""
    candidate_moves: Callable[[P, CardSeen, SightingContext], Iterable[Move]] = lambda state, sighting, context: ()
    """The moves that a misplaced component may stand for; the phone of their seat asks which."""
    component_of: Callable[[Move], str] = lambda move: ""
    """The kind of the component that a move names, "" for none: the phone may photograph it instead of tapping the
    move. "" also for a component that a seat may hold without knowing it, since naming the move would reveal it."""
    hands: Callable[[P], Collection[tuple[int, str]]] = lambda state: ()
    """The cards in hands, where the game follows each card: the number of its deal, from 0, and its kind."""
    layout: Callable[[P, Viewer], Layout] = lambda state, viewer: Layout(cards={})
    """What the table should look like, as far as the viewer may know. The referee's layout is complete."""
    manual_steps: Mapping[str, Callable[[P, P], Iterable[TextLike]]] = field(default_factory=dict)
    """By source of chance: what people who deal it must do between two positions beyond what the layouts show, a
    sentence each (how to build a deck)."""
    token_placements: Callable[[P], tuple[TokenPlacement, ...]] = lambda state: ()
    """Where exactly tokens stand on the mat; the simulated table places them there."""
    meters: Callable[[P], tuple[Meter, ...]] = lambda state: ()
    """Meters that everyone may see."""
    dial_moves: Callable[[P], Sequence[Move]] | None = None
    """The moves that the dial on the table steps through: legal moves of the seat in turn, in a stable order. Everyone
    sees the dial, so neither the list nor its labels for a spectator may depend on hidden information. None: every
    legal move, in a game without hidden information."""


Policy = Callable[[Any, Seat, Sequence[Move], Random], Move]
"""Chooses one of the legal moves, from the position as the seat knows it."""


def choose_at_random(known: Any, seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
    """The uniform random policy, which every game has."""
    return rng.choice(legal)


@dataclass(frozen=True, kw_only=True)
class GameAnalysis(Generic[P]):
    """What `tablekeeper simulate` measures in a game, and the policies that play it."""

    policies: Mapping[str, Policy] = field(default_factory=lambda: {"random": choose_at_random})
    """By name; the first is the default."""
    outcome: Callable[[P], Mapping[str, bool | float | str]] = lambda state: {}
    """The figures of a finished game: booleans become rates, numbers means, texts a tally."""
    compare: Callable[[Sequence[Mapping[str, Json]]], Sequence[Mapping[str, str | float]]] = lambda outcomes: ()
    """A table made from the outcomes of many games; each row maps column titles to cells."""
    legend: str = ""
    """What these columns mean."""
    is_stuck: Callable[[P], bool] = lambda state: False
    """Whether nobody can win any more although the rules let the game go on; a simulation stops there."""


@dataclass(frozen=True, kw_only=True)
class Game(Generic[G]):
    """A game on the shelf."""

    rules: GameRules[G]
    text: GameText[G] = field(default_factory=GameText)
    physical: PhysicalGame[G] = field(default_factory=PhysicalGame)
    analysis: GameAnalysis[G] = field(default_factory=GameAnalysis)

    @property
    def name(self) -> str:
        """The game's name in commands and JSON: "system-won"."""
        return self.rules.name

    @property
    def title(self) -> str:
        """The game's name for people: "System WON"."""
        return self.rules.title

    def on_board(self, start: Start[G]) -> Game[G]:
        """The game with the identifiers and the components of this start's board."""
        rules = replace(self.rules, identifiers={**self.rules.identifiers, **start.identifiers})
        components = start.components or self.physical.components
        return replace(self, rules=rules, physical=replace(self.physical, components=components))

    def dial_moves(self, state: G) -> tuple[Move, ...]:
        """The moves that the dial steps through now; none while no seat is to move."""
        if not isinstance(state.turn, int):
            return ()
        if self.physical.dial_moves:
            return tuple(self.physical.dial_moves(state))
        hidden = self.rules.has_hidden_information
        return () if hidden else tuple(move for move in state.legal_moves() if move.seat == state.turn)
