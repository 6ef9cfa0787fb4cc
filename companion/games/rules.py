"""What a game is to the rest of Tablekeeper.

Law: rules are pure. Nothing in a game's rules does I/O, reads a clock or rolls a die; states and moves
are frozen; chance is a seat of its own, the house, whose moves come from a seeded generator, a camera or a
person alike. A state is a fold of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Final, Generic, Literal, NewType, Protocol, Self, TypeVar

from companion.tabletop.components import ComponentSet
from companion.tabletop.layout import Layout, TokenPlacement
from companion.tabletop.observations import CardSeen, Observation
from companion.text.data_files import Document
from companion.text.guidebook import Guidebook
from companion.text.player_names import seat_name
from companion.text.refusals import GameOver, NotYourTurn, SetupError
from companion.text.translation import _

Seat = NewType("Seat", int)
House = Literal["house"]
HOUSE: Final = "house"

Watcher = Literal["spectator", "referee"]
SPECTATOR: Final = "spectator"
REFEREE: Final = "referee"
Viewer = Seat | Watcher
"""Who looks: a seat, somebody who may see what everyone may see, or the referee, who sees all."""

UNSEEN: Final = "?"
"""The face of a card that nobody has looked at."""

Json = Any
"""Anything that `json.dumps` takes."""

DEALERS: Final = ("companion", "table", "unseen")
"""Who may deal a component: the companion by chance, people who tell what comes, people who don't."""


@dataclass(frozen=True, kw_only=True)
class Move:
    """Something a seat or the house does. A subclass's fields are the keys of its JSON object.

    `NAME` is the value of `"move"`. Field types are those that `companion.match.notation` reads; a NewType of str
    stands for the names that the game lists in `Game.names`.
    """

    NAME: ClassVar[str]
    ANY_TIME: ClassVar[bool] = False
    """May be made by a seat whose turn it is not, while the house is not acting."""

    seat: Seat | House

    def seen_by(self, viewer: Viewer, before: Any) -> Move:
        """The move, made in the state `before`, as this viewer may know it: hidden faces become "?"."""
        return self

    def plain(self) -> Move:
        """The move as a referee takes it, who has no phones."""
        return self

    def asks(self) -> Seat | None:
        """The seat whose player must agree before a phone makes this move, if any."""
        return None


@dataclass(frozen=True, kw_only=True)
class HouseMove(Move):
    """A move of chance, or of the table's course. `face` is the one thing that chance settles in it.

    `DEALS` names the component, a key of `Game.components`, whose dealer (companion or table) makes it.
    """

    DEALS: ClassVar[str]

    seat: House = HOUSE

    @property
    def face(self) -> str:
        return self.NAME


class State(Protocol):
    """A position. Immutable; every method is pure."""

    @property
    def turn(self) -> Seat | House | None:
        """Who must act; None at the end."""
        ...

    def play(self, move: Any) -> Self:
        """The position after the move. Raises IllegalMove; `rules.play` has judged the turn before."""
        ...

    def legal_moves(self) -> Iterator[Move]:
        """Every legal move of the seats that may act now, each once; the one source of what phones offer."""
        ...

    def chances(self) -> Iterator[tuple[HouseMove, int]]:
        """On the house's turn: each move that could come next, with its weight. Weight 0: the companion's own
        shuffle would not bring it, but dealing by hand may. CERTAIN: it comes, whatever a set-up says."""
        ...

    def seen_by(self, viewer: Viewer) -> dict[str, Json]:
        """The position as this viewer may see it: the only way out of a state."""
        ...


def position_known_to(state: State, viewer: Viewer) -> Any:
    """The typed position as the viewer knows it; None for a game that has no such type yet."""
    known = getattr(state, "as_known_to", None)
    return known(viewer) if known else None


CERTAIN: Final = 1 << 30
"""The weight of a chance that is none: a card that was put back on top of its deck."""

S = TypeVar("S", bound=State)
G = TypeVar("G", bound=State)


def play(state: S, move: Move) -> S:
    """The state after a move, judged in the contract's order: game over, turn, then the game's rules."""
    turn = state.turn
    if turn is None:
        raise GameOver(_("The game has ended; start a new one, or undo."))
    if (move.seat == HOUSE) != (turn == HOUSE):
        raise NotYourTurn(
            _("The house must deal, draw or move things along first.") if turn == HOUSE else _turn_of(turn)
        )
    if move.seat != turn and not move.ANY_TIME:
        raise NotYourTurn(_turn_of(turn))
    return state.play(move)


def _turn_of(seat: Seat | House) -> str:
    return _("It is {name}'s turn.", name=seat_name(int(seat)))


@dataclass(frozen=True)
class Option:
    """Something the host chooses before a game. `choices` empty: free text that the game checks itself."""

    name: str
    title: str
    choices: tuple[tuple[str, str], ...]
    default: str
    help: str = ""
    other: str = ""
    """What may be given besides the choices ("the path of a board file"); the game checks it itself."""

    @property
    def known(self) -> tuple[str, ...]:
        """The only values there are; none where the game checks other texts itself."""
        return () if self.other else tuple(name for name, _ in self.choices)


def check_keys(title: str, setup: Mapping[str, Json], known: Collection[str]) -> None:
    """Raises SetupError for a set-up key that the game does not have."""
    for key in setup:
        if key not in known:
            raise SetupError(
                _(
                    "{game} has no set-up key {key}; known are {known}.",
                    game=_(title),
                    key=repr(key),
                    known=", ".join(known) or _("none"),
                )
            )


def chosen(setup: Mapping[str, Json], option: Option) -> str:
    """What a set-up chooses of an option, or its default; raises SetupError."""
    value = setup.get(option.name, option.default)
    if not isinstance(value, str) or (option.known and value not in option.known):
        raise SetupError(
            _(
                "{option} is {value}; it must be one of {known}.",
                option=option.name,
                value=repr(value),
                known=", ".join(option.known),
            )
        )
    return value


@dataclass(frozen=True)
class Start(Generic[S]):
    """Where a game begins: the state before the first deal, and what a set-up fixes of chance.

    `script` maps the NAME of a house move to the faces it takes, in order; a face that can't come yet waits.
    """

    state: S
    script: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    names: Mapping[Any, Collection[str]] = field(default_factory=dict)
    """The names that this start's board adds to `Game.names`."""
    equipment: ComponentSet | None = None
    """What lies on the table of this start, where that is not the game's usual equipment."""


Level = Literal["good", "fair", "poor"]


@dataclass(frozen=True)
class Meter:
    """A value that a meter, a light bar or a scoreboard shows. `{0}` in its name is the first player's.

    `seat`: whose it is, where players have meters of their own; `measures`: what these are of, the same for all seats.
    """

    name: str
    value: int
    lowest: int
    highest: int
    level: Level = "good"
    seat: int | None = None
    measures: str = ""


Names = Sequence[str]
"""What the players are called, by seat."""


Policy = Callable[[Any, Seat, Sequence[Move], Random], Move]
"""Chooses among the legal moves from the position as the seat knows it, never from the whole one."""


def choose_at_random(known: Any, seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
    """The policy that every game has."""
    return rng.choice(legal)


@dataclass(frozen=True)
class Boards:
    """The boards of a game that has several: the files of those it comes with, by name, and what a file says.

    `read` makes the JSON that `tablekeeper board` prints, checked and resolved; it raises DataError.
    """

    files: Mapping[str, Path]
    read: Callable[[Document], Json]


def not_stuck(state: Any) -> bool:
    """What every game says whose rules end it."""
    return False


@dataclass(frozen=True, kw_only=True)
class Game(Generic[G]):
    """Everything the companion asks of a game. A small game needs the first block only."""

    name: str
    title: str
    summary: str
    seats: range
    rules_version: int
    """Raised when a change of the rules makes old logs replay to other states."""
    moves: tuple[type[Move], ...]
    names: Mapping[Any, Collection[str]]
    """For each NewType used in a move's fields: the names there are."""
    begin: Callable[[int, Mapping[str, Json]], Start[G]]
    """Seats and set-up (options included) to the start; raises SetupError."""
    tell: Callable[[G, Move, G, Viewer, Names], str]
    """A sentence for the log: state before, move, state after; only what the viewer may know."""
    label: Callable[[G, Move, Viewer, Names], tuple[str, ...]]
    """The path to a move through the phone's buttons: ("Repair", "D07 Hull breach", "red, blue"); the state now, the
    move, and only what the viewer may know."""

    options: tuple[Option, ...] = ()
    components: Mapping[str, str] = field(default_factory=dict)
    """What chance deals, as the host reads it: {"cards": "Disaster, escape and role cards", …}."""
    secrets: bool = False
    """Whether seats know things that others must not."""
    unseen: Collection[str] = ()
    """The components that people may deal without anybody telling the companion: it books a `?` for each card."""
    tells: Callable[[G, Seat], Iterable[HouseMove]] = lambda state, seat: ()
    """Where people deal what not everyone may see: what a seat, and no other, may report of it. Which moves these are,
    and that they are legal, must not depend on anything that the seat may not know."""
    told: tuple[type[HouseMove], ...] = ()
    """Moves of `tells` that only phones and the journal know: a referee, who has no phones, takes none of them."""
    outcome: Callable[[G], Mapping[str, bool | float | str]] = lambda state: {}
    """What counts of a finished game: truths become rates, numbers means, texts a tally."""
    compare: Callable[[Sequence[Mapping[str, Json]]], Sequence[Mapping[str, str | float]]] = lambda outcomes: ()
    """What the outcomes of many games show together: a table, a row for each thing that is held against others, by the
    columns' titles."""
    legend: str = ""
    """What these columns say, for who reads them."""
    details: Callable[[G, Viewer], dict[str, Json]] = lambda state, viewer: {}
    """What pages and policies need besides what `seen_by` holds, which other people's programs compare; only what the
    viewer may know."""
    policies: Mapping[str, Policy] = field(default_factory=lambda: {"random": choose_at_random})
    """Who may play in people's stead; the first one does where nobody asks for another."""
    stuck: Callable[[G], bool] = not_stuck
    """Whether nobody can win any more though the rules let the game go on; who simulates games stops there."""
    guide: Callable[[G, Viewer, Names], str] = lambda state, viewer, names: ""
    """What is going on and what to do with one's hands, in a sentence or two."""
    guidebook: Callable[[], Guidebook] | None = None
    """What players look up: the first game, the rules, the words."""
    topic: Callable[[G, Viewer], str] = lambda state, viewer: ""
    """The key of the guidebook's rule for what is on the screen; "" for none."""
    pause: Callable[[G], str | None] = lambda state: None
    """What people do before the companion goes on dealing (the button's words); None: it goes on at once."""
    meters: Callable[[G], tuple[Meter, ...]] = lambda state: ()
    dial: Callable[[G], Sequence[Move]] | None = None
    """What a dial on the table goes through: legal moves of the seat in turn, in an order that hands get used to.
    Everyone sees it turn, so which there are, and how they are labelled for a spectator, depends on nothing hidden.
    None: every legal move, in a game without secrets."""

    virtual: Collection[str] = ()
    """Components that phones can stand in for: where the companion deals them all and no camera sees the mat, nothing
    need lie on a table, and nobody is told what to do there."""
    equipment: ComponentSet = field(default_factory=ComponentSet)
    """What of it lies on a table. A start may bring other equipment: that of its board."""
    meaning_of: Callable[[G, Observation], Move | None] = lambda state, observation: None
    could_mean: Callable[[G, CardSeen], Iterable[Move]] = lambda state, seen: ()
    """The moves of which one may be meant by a thing that lies where it does not belong: their seat is asked which."""
    thing_of: Callable[[Move], str] = lambda move: ""
    """The kind of the printed thing that a move names, "" for none: a seat's phone may photograph it instead of tapping
    the move. None for a thing that a seat may hold without knowing it: to name the move is to tell what it is."""
    held: Callable[[G], Collection[tuple[int, str]]] = lambda state: ()
    """The cards that hands hold, where the game follows each: which of the cards dealt it is, from 0, and its kind."""
    layout: Callable[[G, Viewer], Layout] = lambda state, viewer: Layout(cards={})
    """What the table should look like, as far as the viewer may know: phones are told what to put right, and what to
    do with their hands, from it. The referee's is whole."""
    chores: Mapping[str, Callable[[G, G], Iterable[str]]] = field(default_factory=dict)
    """By component: what the hands that deal it do between two positions besides what the layouts tell, a sentence
    each: how a deck is made."""
    standing: Callable[[G], tuple[TokenPlacement, ...]] = lambda state: ()
    """Where exactly tokens stand on the mat: at the simulated table they go with the book."""
    settle: Callable[[Mapping[str, Json]], Mapping[str, Json]] = lambda setup: setup
    """The set-up with the files that it names read into it; the journal keeps this one, and `begin` reads no file that
    people may move. Raises SetupError."""
    texts: Callable[[], Iterable[str]] = lambda: ()
    """What its data files say to people, for who translates them."""
    data: Callable[[], Json] | None = None
    """What `tablekeeper cards` prints, where the game has cards."""
    boards: Boards | None = None
    """What `tablekeeper board` prints, where the game has boards."""

    def on(self, start: Start[G]) -> Game[G]:
        """The game as it is played from this start: with the names and the equipment of its board."""
        names = {**self.names, **start.names}
        return replace(self, names=names, equipment=start.equipment or self.equipment)

    def dialable(self, state: G) -> tuple[Move, ...]:
        """What the dial goes through in this position; nothing while it is no seat's turn."""
        if not isinstance(state.turn, int):
            return ()
        if self.dial:
            return tuple(self.dial(state))
        return () if self.secrets else tuple(move for move in state.legal_moves() if move.seat == state.turn)

    def new_seats(self, count: int | None) -> int:
        """The number of seats, the smallest by default; raises SetupError."""
        seats = self.seats[0] if count is None else count
        if seats not in self.seats:
            few, many = self.seats[0], self.seats[-1]
            words = (
                _("{game} is for {few} seats, not {count}.")
                if few == many
                else _("{game} is for {few} to {many} seats, not {count}.")
            )
            raise SetupError(words.format(game=_(self.title), few=few, many=many, count=seats))
        return seats

    def known_to(self, state: G, viewer: Viewer) -> Any:
        """The position as a policy may know it."""
        known = position_known_to(state, viewer)
        return {**state.seen_by(viewer), **self.details(state, viewer)} if known is None else known

    def check_dealers(self, dealers: Mapping[str, str]) -> None:
        """Raises SetupError unless each component that is named can be dealt so."""
        for component, dealer in dealers.items():
            if component not in self.components or dealer not in DEALERS:
                raise SetupError(
                    _(
                        "{choice}: each of {known} is dealt by companion or table.",
                        choice=f"{component}={dealer}",
                        known=", ".join(self.components),
                    )
                )
            if dealer == "unseen" and component not in self.unseen:
                raise SetupError(
                    _(
                        "{choice}: {game} must know what is dealt there.",
                        choice=f"{component}={dealer}",
                        game=_(self.title),
                    )
                )
