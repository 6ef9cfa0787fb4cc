"""The records with which a game describes itself to the rest of Tablekeeper: its rules, text, physical side, policies
and playouts.

Law: pure. A game needs only `GameRules`; every field of the other records has a default. A function that takes a viewer
may use only what this viewer may know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Generic, Literal, TypeVar

from companion.games import default_text
from companion.games.end_screen import KeyFigure, OpenCard
from companion.games.ending import Ending
from companion.games.rules import HouseMove, Json, Move, Names, Option, Seat, Start, State, Viewer
from companion.tabletop.begun_move import BegunMove
from companion.tabletop.components import ComponentSet
from companion.tabletop.expected_layout import Layout, TokenPlacement
from companion.tabletop.observations import CardSeen, Observation
from companion.tabletop.sighting_context import SightingContext
from companion.tabletop.tracked_table import TrackedTable
from companion.text.messages import TextLike, _
from companion.text.refusal_errors import SetupError
from companion.text.toml_files import TomlDocument

G = TypeVar("G", bound=State)
P = TypeVar("P", contravariant=True)
"""The type of position that a record's functions take. It may be a `State`, which is a position with its rules."""

DEALERS = ("companion", "table", "unseen")
"""Who deals the cards of a chance source. "companion": the program. "table": people, who report each card. "unseen":
people, who report no cards."""


@dataclass(frozen=True)
class BoardFiles:
    """The boards of a game that has several.

    `files` maps the name of each built-in board to its file. `read` checks a board file and returns the JSON that
    `tablekeeper board` prints. It raises DataError if the file has errors.
    """

    files: Mapping[str, Path]
    read: Callable[[TomlDocument], Json]


@dataclass(frozen=True, kw_only=True)
class GameRules(Generic[G]):
    """How a game is set up and played."""

    name: str
    title: str
    summary: str
    seats: range
    version: int
    """The version of the rules. A change to the rules increases it if old journals would otherwise replay to different
    positions."""
    moves: tuple[type[Move], ...]
    begin: Callable[[int, Mapping[str, Json]], Start[G]]
    """Returns the start of a game for a number of seats and a set-up, which includes the options. Raises SetupError if
    the set-up is wrong."""
    identifiers: Mapping[Any, Collection[str]] = field(default_factory=dict)
    """Maps each NewType in the fields of moves to its valid values, such as the ids of all cards."""
    options: tuple[Option, ...] = ()
    resolve_setup: Callable[[Mapping[str, Json]], Mapping[str, Json]] = lambda setup: setup
    """Returns the set-up with the contents of files in place of their paths. Raises SetupError if a file can't be used.
    The journal stores the result, so stored games do not depend on files that people may move or edit."""
    chance_sources: Mapping[str, str] = field(default_factory=dict)
    """The chance sources, each with its name for the host: {"cards": "Disaster, escape and role cards", …}."""
    face_down_sources: Collection[str] = ()
    """The chance sources that people may deal without reporting the cards. The match then records "?" for each card."""
    has_hidden_information: bool = False
    """Whether some seats have information that others must not get, such as the cards in their hands."""
    private_reports: Callable[[G, Seat], Iterable[HouseMove]] | None = None
    """Returns the house moves that only this seat may report, because nobody else may know the cards that people deal.
    Whether such a move is legal must not depend on anything that the seat may not know."""
    phone_only_moves: tuple[type[HouseMove], ...] = ()
    """The types of moves in `private_reports` that only phones and the journal use. `tablekeeper play` rejects them."""
    card_data: Callable[[], Json] | None = None
    """Returns the JSON that `tablekeeper cards` prints. The field is None if the game has no cards."""
    boards: BoardFiles | None = None
    """The boards for `tablekeeper board`. None if the game has no board files."""
    position_json: Any = dict[str, Any]
    """The return type of `State.to_json()`, a TypedDict from which JSON Schema is generated."""

    def seat_count(self, requested: int | None) -> int:
        """The requested number of seats, or the lowest possible number if `requested` is None. Raises SetupError if the
        requested number is not allowed."""
        seats = self.seats[0] if requested is None else requested
        if seats not in self.seats:
            few, many = self.seats[0], self.seats[-1]
            message = (
                _("{game} is for {few} players, not {count}.")
                if few == many
                else _("{game} is for {few} to {many} players, not {count}.")
            )
            raise SetupError(message.with_values(game=_(self.title), few=few, many=many, count=seats))
        return seats


@dataclass(frozen=True, kw_only=True)
class GameText(Generic[P]):
    """The functions that make a game's texts for phones and screens. All have defaults."""

    log_line: Callable[[P, Move, P, Viewer, Names], TextLike] = default_text.log_line
    """Returns a sentence for the log, given the position before a move, the move, and the position after it."""
    log_lines: Callable[[Sequence[tuple[P, Move, P]], Viewer, Names], Iterable[TextLike]] | None = None
    """Returns the log sentences for an act. The first argument contains all moves of the act, each with the positions
    before and after it. One sentence may cover several moves. If this field is None, each move has its own
    `log_line`."""
    label: Callable[[P, Move, Viewer, Names], tuple[TextLike, ...]] = default_text.label
    """Returns the path to a move through the phone's buttons: ("Repair", "D07 Hull breach", "red, blue")."""
    prompt: Callable[[P, Viewer, Names], TextLike] = lambda state, viewer, names: ""
    """Returns one or two sentences that say what is going on and what to do now."""
    pause_label: Callable[[P], TextLike | None] = lambda state: None
    """Returns the label of the button with which people let the companion continue. Returns None if the companion
    continues without a pause."""
    key_figures: Callable[[Sequence[tuple[P, Move, P]], Names], Iterable[KeyFigure]] = default_text.key_figures
    """Returns up to three figures that tell how a finished game went. The first argument contains all moves of the
    game, each with the positions before and after it. The default is the number of the players' moves."""
    open_hands: Callable[[P], Sequence[Sequence[OpenCard]]] = lambda state: ()
    """Returns the cards that each seat holds at the end of the game, when all hands are open. Empty in a game without
    hands."""
    guidebook_file: Path | None = None
    """The file of the guidebook, in which players can look things up: an explained first game, the rules and the terms.
    None if the game has no guidebook."""
    help_topic: Callable[[P, Viewer], str] = lambda state, viewer: ""
    """Returns the key of the guidebook's rule that fits a position, or "" if none does."""
    key_moments: Callable[[P, P, Names], Iterable[TextLike]] | None = None
    """Returns the reasons why an act is a key moment, each in a few words. Empty if the act is not a key moment. People
    can jump to key moments in a replay. The arguments are the positions before and after the act, as a spectator knows
    them. If this field is None, key moments follow from the meters."""
    translatable_texts: Callable[[], Iterable[str]] = lambda: ()
    """Returns the texts in the game's data files that need a translation."""


MeterLevel = Literal["good", "fair", "poor"]


@dataclass(frozen=True)
class Meter:
    """A value between `lowest` and `highest` that a light bar or a scoreboard can show.

    `name`: what the value means; `{0}` stands for the name of the player in seat 0, `{1}` for that of the player in
    seat 1, and so on. `seat`: the seat to which the meter belongs; None for a meter of the whole table. `measures`: the
    quantity without the player's name, such as "Cars home", which is the same for all seats; "" if `name` contains no
    player's name. `is_score`: whether the value decides who wins, or how well all have played.
    """

    name: TextLike
    value: int
    lowest: int
    highest: int
    level: MeterLevel = "good"
    seat: int | None = None
    measures: TextLike = ""
    is_score: bool = False

    @property
    def key(self) -> str:
        """The meter's name for programs, such as "cars_home_0" for the meter of seat 0."""
        words = re.sub(r"[^a-z0-9]+", "_", str(self.measures or self.name).lower()).strip("_")
        return words if self.seat is None else f"{words}_{self.seat}"


@dataclass(frozen=True, kw_only=True)
class PhysicalGame(Generic[P]):
    """A game on a real table: what observations mean, and what the table should look like."""

    components: ComponentSet = field(default_factory=ComponentSet)
    """All components that can lie on the table. A `Start` may replace them with the components of its board."""
    virtual_sources: Collection[str] = ()
    """The chance sources whose components players can do without, because phones show everything. If the companion
    deals from all of these sources and no camera has seen a component of the game, nothing needs to lie on the
    table."""
    meaning_of: Callable[[P, Observation, SightingContext], Move | None] = lambda state, observation, context: None
    """Returns the move that an observation stands for, or None. If the observation is the press of a button, the
    context is empty."""
    candidate_moves: Callable[[P, CardSeen, SightingContext], Iterable[Move]] = lambda state, sighting, context: ()
    """Returns the moves that people may have made with a component that does not lie where the layout says. The phone
    of the seat that may have moved asks which of these moves was made."""
    follow_up: Callable[[P, SightingContext], Move | None] = lambda state, context: None
    """Returns the move of the same seat that people have already made on the table together with the last one. None if
    there is no such move."""
    begun_move: Callable[[P, TrackedTable], BegunMove | None] = lambda state, table: None
    """Returns the move that people have begun on the table, or None. The position is as a spectator knows it. The
    components of a begun move are not reported as discrepancies."""
    component_of: Callable[[Move], str] = lambda move: ""
    """Returns the kind of the component that a move names. Players may photograph this component instead of tapping the
    move. Returns "" if the move names no component, or if the component may be in the seat's hand without the seat
    knowing it: offering the move would then reveal the component."""
    hands: Callable[[P], Collection[tuple[int, str]]] = lambda state: ()
    """Returns a pair for each card in a hand: the number of the deal that brought the card, counted from 0, and the
    card's kind. Empty if the game does not track individual cards."""
    layout: Callable[[P, Viewer], Layout] = lambda state, viewer: Layout(cards={})
    """Returns what the table should look like, as far as the viewer may know. The referee's layout is complete."""
    manual_steps: Mapping[str, Callable[[P, P], Iterable[TextLike]]] = field(default_factory=dict)
    """Maps chance sources to functions. Each function takes two successive positions and returns what people who deal
    from this source must do by hand in between, one sentence for each step. The steps cover only what layouts can't
    show, such as how to build a deck."""
    token_placements: Callable[[P], tuple[TokenPlacement, ...]] = lambda state: ()
    """Returns the exact places of tokens on the mat. The simulated table puts the tokens there."""
    meters: Callable[[P], tuple[Meter, ...]] = lambda state: ()
    """Returns the meters, which everyone may see."""
    dial_moves: Callable[[P], Sequence[Move]] | None = None
    """Returns the moves that the dial on the table steps through: legal moves of the seat whose turn it is, in a stable
    order. Everyone sees the dial, so neither the list nor its labels for a spectator may depend on hidden information.
    If this field is None, the dial steps through all legal moves or, in a game with hidden information, through
    none."""


POLICY_TITLES: Mapping[str, TextLike] = {"careful": _("strong"), "simple": _("easy"), "random": _("random")}
"""The titles of policies, as people read them. A policy without a title is called by its name."""

Policy = Callable[[Any, Seat, Sequence[Move], Random], Move]
"""A function that chooses one of the legal moves. It is given the position as the seat knows it."""


def choose_at_random(known: Any, seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
    """Chooses any of the legal moves with equal probability. Every game has this policy."""
    return rng.choice(legal)


@dataclass(frozen=True, kw_only=True)
class GamePolicies(Generic[P]):
    """The policies that can play a game, in `simulate` and on the companion's seats."""

    by_name: Mapping[str, Policy] = field(default_factory=lambda: {"random": choose_at_random})
    """The policies by name. The first one is the default."""
    companion_problem: Callable[[P], TextLike | None] = lambda state: None
    """Returns the reason why the companion can't play a seat in a position, or None if it can. The function is given
    the complete position, but the reason must reveal nothing that is hidden from anyone."""

    @property
    def for_companion(self) -> tuple[str, ...]:
        """The names of the policies that the companion can use for its seats, the strongest first. The random policy is
        included only if the game has no other."""
        return tuple(name for name in self.by_name if name != "random") or ("random",)


def default_outcome(state: Any) -> dict[str, bool | float | str]:
    """The figures of a simulated game, for games that define none: who won."""
    ending: Ending | None = state.ending
    if ending is None:
        return {"winner": "nobody"}
    return {
        "winner": "all players" if ending.won else " and ".join(f"seat {seat}" for seat in ending.winners) or "nobody"
    }


@dataclass(frozen=True, kw_only=True)
class GamePlayouts(Generic[P]):
    """What `tablekeeper simulate` measures in a game."""

    outcome: Callable[[P], Mapping[str, bool | float | str]] = default_outcome
    """Returns the figures of a finished game. The default is who won. Over many games, `simulate` turns booleans into
    rates and numbers into means, and counts how often each text occurs."""
    compare: Callable[[Sequence[Mapping[str, Json]]], Sequence[Mapping[str, str | float]]] = lambda outcomes: ()
    """Returns the rows of a table that compares many games, given their outcomes. Each row maps column titles to
    cells."""
    legend: str = ""
    """Explains the columns of the table that `compare` makes."""
    is_stuck: Callable[[P], bool] = lambda state: False
    """Returns whether nobody can win any more although the rules let the game go on. A simulated game then ends."""


@dataclass(frozen=True, kw_only=True)
class Game(Generic[G]):
    """A game: its rules, its text, its physical side, its policies and its playouts."""

    rules: GameRules[G]
    text: GameText[G] = field(default_factory=GameText)
    physical: PhysicalGame[G] = field(default_factory=PhysicalGame)
    policies: GamePolicies[G] = field(default_factory=GamePolicies)
    playouts: GamePlayouts[G] = field(default_factory=GamePlayouts)

    @property
    def name(self) -> str:
        """The game's name in commands and JSON, such as "system-won"."""
        return self.rules.name

    @property
    def title(self) -> str:
        """The game's name for people, such as "System WON"."""
        return self.rules.title

    @property
    def can_be_dealt_by_people(self) -> bool:
        """Whether people can deal: nothing is hidden, a seat that may know a card can report it, or a camera can read
        it."""
        rules = self.rules
        has_cards = bool(self.physical.components.components)
        return not rules.has_hidden_information or rules.private_reports is not None or has_cards

    def check_dealers(self, dealers: Mapping[str, str]) -> None:
        """Checks who deals from each chance source. `dealers` maps chance sources to "companion", "table" or "unseen"
        (see `DEALERS`). Raises SetupError if a source or a dealer is unknown, if people can't deal this game, or if a
        dealer is "unseen" but the game must know what is dealt."""
        for source, dealer in dealers.items():
            if source not in self.rules.chance_sources or dealer not in DEALERS:
                raise SetupError(
                    _(
                        "{choice}: the value must be companion or table, for each of {known}.",
                        choice=f"{source}={dealer}",
                        known=", ".join(self.rules.chance_sources),
                    )
                )
            if dealer != "companion" and not self.can_be_dealt_by_people:
                raise SetupError(
                    _(
                        "{choice}: {game} can only be dealt by the companion.",
                        choice=f"{source}={dealer}",
                        game=_(self.title),
                    )
                )
            if dealer == "unseen" and source not in self.rules.face_down_sources:
                raise SetupError(
                    _(
                        "{choice}: {game} needs to know what is dealt.",
                        choice=f"{source}={dealer}",
                        game=_(self.title),
                    )
                )

    def on_board(self, start: Start[G]) -> Game[G]:
        """This game, adapted to the board of `start`. The board's identifiers are added to the game's own. The board's
        components, if any, replace the game's own."""
        rules = replace(self.rules, identifiers={**self.rules.identifiers, **start.identifiers})
        components = start.components or self.physical.components
        return replace(self, rules=rules, physical=replace(self.physical, components=components))

    def dial_moves(self, state: G) -> tuple[Move, ...]:
        """The moves that the dial steps through in a state. Empty unless it is a seat's turn."""
        if not isinstance(state.turn, int):
            return ()
        if self.physical.dial_moves:
            return tuple(self.physical.dial_moves(state))
        hidden = self.rules.has_hidden_information
        return () if hidden else tuple(move for move in state.legal_moves() if move.seat == state.turn)
