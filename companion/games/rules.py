"""What a game is to the rest of Tablekeeper.

Law: rules are pure. Nothing in a game's rules does I/O, reads a clock or rolls a die; states and moves
are frozen; chance is a seat of its own, the house, whose moves come from a seeded generator, a camera or a
person alike. A state is a fold of moves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Generic, Literal, NewType, Protocol, Self, TypeVar

from companion.tabletop.components import ComponentSet
from companion.text.player_names import seat_name
from companion.text.refusals import GameOver, NotYourTurn, SetupError
from companion.text.translation import _

Seat = NewType("Seat", int)
House = Literal["house"]
HOUSE: Final = "house"

Observer = Literal["spectator", "referee"]
SPECTATOR: Final = "spectator"
REFEREE: Final = "referee"
Viewer = Seat | Observer
"""Who looks: a seat, somebody who may see what everyone may see, or the referee, who sees all."""

UNSEEN: Final = "?"
"""The face of a card that nobody has looked at."""

Json = Any
"""Anything that `json.dumps` takes."""


@dataclass(frozen=True, kw_only=True)
class Move:
    """Something a seat or the house does. A subclass's fields are the keys of its JSON object.

    `NAME` is the value of `"move"`. Field types are those that `companion.games.notation` reads; a NewType of str
    stands for the names that the game lists in `Game.names`.
    """

    NAME: ClassVar[str]
    ANY_TIME: ClassVar[bool] = False
    """May be made by a seat whose turn it is not, while the house is not acting."""

    seat: Seat | House

    def as_known_to(self, viewer: Viewer, before: Any) -> Move:
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

    def as_known_to(self, viewer: Viewer) -> Self:
        """The position as the viewer knows it: hidden faces are "?". Equal for any two positions that the viewer can't
        tell apart. The referee knows everything."""
        ...

    def to_json(self) -> Mapping[str, Json]:
        """The position for other programs, with at least "turn" and "over"."""
        ...


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
    identifiers: Mapping[Any, Collection[str]] = field(default_factory=dict)
    """What this start's board adds to `GameRules.identifiers`."""
    components: ComponentSet | None = None
    """The components of this start's board, where they are not the game's usual ones."""


Names = Sequence[str]
"""What the players are called, by seat."""
