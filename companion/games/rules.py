"""What a game is to the rest of Tablekeeper.

Law: rules are pure. Nothing in a game's rules does I/O, reads a clock or rolls a die; states and moves
are frozen; chance is a seat of its own, the house, whose moves come from a seeded generator, a camera or a
person alike. A state is a fold of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Literal, NewType, Protocol, Self, TypeVar

from companion.layout import Layout, Words
from companion.mat import Mat
from companion.observations import Observation

if TYPE_CHECKING:
    from companion.printing.pen import Pen

Seat = NewType("Seat", int)
House = Literal["house"]
HOUSE: Final = "house"

Watcher = Literal["spectator", "referee"]
SPECTATOR: Final = "spectator"
REFEREE: Final = "referee"
Viewer = Seat | Watcher
"""Who looks: a seat, somebody who may see what everyone may see, or the referee, who sees all."""

Json = Any
"""Anything that `json.dumps` takes."""


class Refusal(Exception):
    """A move that is not taken. The message says why in the words of the rules and what may be done.

    Refusal
    ├── BadJson        the line is no JSON
    ├── BadMove        it is no move of this game
    ├── GameOver       the game has ended
    ├── NotYourTurn    somebody else must act
    ├── IllegalMove    the rules do not allow it now
    └── Stale          (of the table) it was made on an older version
    """

    code: ClassVar[str]


class BadJson(Refusal):
    """The line is no JSON."""

    code = "bad_json"


class BadMove(Refusal):
    """Not an object, a field missing, unknown or of the wrong type, or a name that the game does not have."""

    code = "bad_move"


class GameOver(Refusal):
    """Nothing is legal after the end."""

    code = "game_over"


class NotYourTurn(Refusal):
    """A seat's move on the house's or another seat's turn, or a house move on a seat's turn."""

    code = "not_your_turn"


class IllegalMove(Refusal):
    """A move of this game that its rules do not allow in this state."""

    code = "illegal_move"


class Stale(Refusal):
    """The move was made on an older version of the table."""

    code = "stale"


class SetupError(ValueError):
    """A set-up that the game can't begin from; one line that says what is wrong and what would do."""


@dataclass(frozen=True, kw_only=True)
class Move:
    """Something a seat or the house does. A subclass's fields are the keys of its JSON object.

    `NAME` is the value of `"move"`. Field types are those that `companion.notation` reads; a NewType of str
    stands for the names that the game lists in `Game.names`.
    """

    NAME: ClassVar[str]
    ANY_TIME: ClassVar[bool] = False
    """May be made by a seat whose turn it is not, while the house is not acting."""

    seat: Seat | House

    def seen_by(self, viewer: Viewer, before: Any) -> Move:
        """The move, made in the state `before`, as this viewer may know it: hidden faces become "?"."""
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
        shuffle would not bring it, but dealing by hand may."""
        ...

    def seen_by(self, viewer: Viewer) -> dict[str, Json]:
        """The position as this viewer may see it: the only way out of a state."""
        ...


S = TypeVar("S", bound=State)
G = TypeVar("G", bound=State)


def play(state: S, move: Move) -> S:
    """The state after a move, judged in the contract's order: game over, turn, then the game's rules."""
    turn = state.turn
    if turn is None:
        raise GameOver("The game has ended; start a new one, or undo.")
    if (move.seat == HOUSE) != (turn == HOUSE):
        raise NotYourTurn(
            "The house must deal, draw or move things along first." if turn == HOUSE else f"It is seat {turn}'s turn."
        )
    if move.seat != turn and not move.ANY_TIME:
        raise NotYourTurn(f"It is seat {turn}'s turn.")
    return state.play(move)


@dataclass(frozen=True)
class Option:
    """Something the host chooses before a game. `choices` empty: free text that the game checks itself."""

    name: str
    title: str
    choices: tuple[tuple[str, str], ...]
    default: str
    help: str = ""


def check_keys(title: str, setup: Mapping[str, Json], known: Collection[str]) -> None:
    """Raises SetupError for a set-up key that the game does not have."""
    for key in setup:
        if key not in known:
            raise SetupError(f"{title} has no set-up key {key!r}; known are {', '.join(known) or 'none'}.")


def chosen(setup: Mapping[str, Json], option: Option) -> str:
    """What a set-up chooses of an option, or its default; raises SetupError."""
    value = setup.get(option.name, option.default)
    known = [name for name, _ in option.choices]
    if not isinstance(value, str) or (known and value not in known):
        raise SetupError(f"{option.name} is {value!r}; it must be one of {', '.join(known)}.")
    return value


@dataclass(frozen=True)
class Start(Generic[S]):
    """Where a game begins: the state before the first deal, and what a set-up fixes of chance.

    `script` maps the NAME of a house move to the faces it takes, in order; a face that can't come yet waits.
    """

    state: S
    script: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Thing:
    """Something printed with a code. `id` is the code's (`SF-D07`), `name` what people call it (`D07`), `home`
    where it is while it lies in no place of the layout: in a zone of the mat (a deck), where `home_zone` names it."""

    id: str
    name: str
    title: str
    home: str = "in the box"
    home_zone: str | None = None
    """The zone of the mat in which it is at home: a face-down deck's."""


Level = Literal["good", "fair", "poor"]


@dataclass(frozen=True)
class Meter:
    """A value that a meter, a light bar or a scoreboard shows. `{0}` in its name is the first player's."""

    name: str
    value: int
    lowest: int
    highest: int
    level: Level = "good"


Names = Sequence[str]
"""What the players are called, by seat."""


class Art(Protocol):
    """Draws a game's printed things in millimetres, origin at the thing's bottom left."""

    def extras(self) -> tuple[Thing, ...]:
        """What is printed without a code: a meter card, tokens."""
        ...

    def size(self, thing: Thing) -> tuple[float, float]:
        """Width and height, mm."""
        ...

    def largest_code(self, thing: Thing) -> float:
        """The largest side of a code's 21 modules that the face has room for, mm."""
        ...

    def face(self, pen: Pen, thing: Thing, code_mm: float) -> None:
        """The front, with `pen.code` for what has a code."""
        ...

    def back(self, pen: Pen, thing: Thing) -> None:
        """The back, as seen when the thing is turned over; equal for all that are shuffled together."""
        ...

    def mat(self, pen: Pen) -> None:
        """The mat; its corner codes are put on it afterwards."""
        ...


Policy = Callable[[dict[str, Json], Seat, Sequence[Move], Random], Move]
"""Chooses among the legal moves from the seat's own view, never from the state."""


def choose_at_random(view: dict[str, Json], seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
    """The policy that every game has."""
    return rng.choice(legal)


def _no_words(state: Any, viewer: Viewer, names: Names) -> str:
    return ""


def _no_meaning(state: Any, observation: Observation) -> Move | None:
    return None


def _no_layout(state: Any, viewer: Viewer) -> Layout:
    return Layout(cards={})


def _no_outcome(state: Any) -> Mapping[str, bool | float | str]:
    return {}


def _no_meters(state: Any) -> tuple[Meter, ...]:
    return ()


def _never(state: Any) -> str | None:
    return None


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
    outcome: Callable[[G], Mapping[str, bool | float | str]] = _no_outcome
    """What counts of a finished game: truths become rates, numbers means, texts a tally."""
    policies: Mapping[str, Policy] = field(default_factory=lambda: {"random": choose_at_random})
    guide: Callable[[G, Viewer, Names], str] = _no_words
    """What is going on and what to do with one's hands, in a sentence or two."""
    pause: Callable[[G], str | None] = _never
    """What people do before the companion goes on dealing (the button's words); None: it goes on at once."""
    meters: Callable[[G], tuple[Meter, ...]] = _no_meters

    prefix: str = ""
    things: tuple[Thing, ...] = ()
    mat: Mat | None = None
    meaning_of: Callable[[G, Observation], Move | None] = _no_meaning
    layout: Callable[[G, Viewer], Layout] = _no_layout
    """What the table should look like, as far as the viewer may know: phones are told what to put right, and what to
    do with their hands, from it. The referee's is whole."""
    places: Mapping[str, str] = field(default_factory=dict)
    """What people call the layout's places and tracks, where the mat's title would not do; {0} is the first player."""
    tokens: Mapping[str, str] = field(default_factory=dict)
    """The names of the layout's kinds of tokens: {"red": "red cube"}."""
    data: Callable[[], Json] | None = None
    """What `tablekeeper cards` prints, where the game has cards."""
    art: Callable[[], Art] | None = None
    """How its things look in print; a function, so that drawing is imported only by who draws."""

    def words(self, names: Names = ()) -> Words:
        """How people call this game's things and places, with players of these names."""
        players = (*names, *(f"player {seat + 1}" for seat in range(len(names), self.seats[-1])))
        things = {thing.id: thing for thing in self.things}
        zones = {zone.name: zone.title for zone in self.mat.zones} if self.mat else {}
        places = {**zones, **{place: name.format(*players) for place, name in self.places.items()}}
        side_by_side = {zone.name for zone in self.mat.zones if zone.order == "right"} if self.mat else set()
        return Words(
            thing=lambda thing: things[thing].name if thing in things else thing,
            place=lambda place: things[place].name if place in things else places.get(place, place),
            home=lambda thing: things[thing].home if thing in things else "in the box",
            home_zone=lambda thing: things[thing].home_zone if thing in things else None,
            token=lambda kind: self.tokens.get(kind, kind),
            beside=lambda place: place in side_by_side,
        )

    def new_seats(self, count: int | None) -> int:
        """The number of seats, the smallest by default; raises SetupError."""
        seats = self.seats[0] if count is None else count
        if seats not in self.seats:
            few, many = self.seats[0], self.seats[-1]
            raise SetupError(f"{self.title} is for {few if few == many else f'{few} to {many}'} seats, not {seats}.")
        return seats
