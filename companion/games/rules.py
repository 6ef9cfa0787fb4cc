"""The interface of every game's rules: seats, moves, states, options and set-ups.

Law: pure. The rules of a game do no I/O, read no clock and use no random numbers. States and moves are frozen. Chance
has a seat of its own, the house. House moves come from a seeded generator, a camera or a person, and the rules can't
tell from which. A state depends only on the start and on the moves made since then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Generic, Literal, NewType, Protocol, Self, TypeVar

from companion.games.ending import Ending
from companion.tabletop.components import ComponentSet
from companion.text.messages import PlayerName, Text, _
from companion.text.refusal_errors import GameOver, NotYourTurn, SetupError

Seat = NewType("Seat", int)
House = Literal["house"]
HOUSE: Final = "house"

Observer = Literal["spectator", "referee"]
SPECTATOR: Final = "spectator"
REFEREE: Final = "referee"
Viewer = Seat | Observer
"""A seat; a spectator, who sees what everyone may see; or the referee, who sees everything."""

UNSEEN: Final = "?"
"""The face of a card that the viewer does not know."""

Json = Any
"""Any value that `json.dumps` accepts."""


@dataclass(frozen=True, kw_only=True)
class Move:
    """A move of a seat or of the house. In JSON, a move is an object with a key for each field, and the key `"move"`
    with the value of `NAME`.

    Fields may have any type that `companion.games.move_json` reads. If the type of a field is a NewType of str, the
    field takes only the ids that `GameRules.identifiers` lists for this type.
    """

    NAME: ClassVar[str]
    ANY_TIME: ClassVar[bool] = False
    """Whether a seat may make the move even when it is not its turn."""

    seat: Seat | House

    def as_known_to(self, viewer: Viewer, before: Any) -> Move:
        """The move as `viewer` knows it, with "?" for hidden faces. `before` is the state before the move."""
        return self

    def plain(self) -> Move:
        """The move in a form that `tablekeeper play` accepts. If only phones may make the move, returns an ordinary
        move with the same effect (see `GameRules.phone_only_moves`). Otherwise returns the move itself."""
        return self

    def consenting_seat(self) -> Seat | None:
        """The seat whose player must consent before a phone makes this move. None if the move needs no consent."""
        return None


@dataclass(frozen=True, kw_only=True)
class SeatMove(Move):
    """A move of a player. Unless `ANY_TIME` is True, the player can make it only on their own turn."""

    seat: Seat


@dataclass(frozen=True, kw_only=True)
class HouseMove(Move):
    """A move of the house. Either chance decides something, or the move merely advances the game. `face` is the result
    of chance, such as the card that is dealt.

    `CHANCE_SOURCE` is a key of `GameRules.chance_sources`. The dealer of this chance source makes the move: the
    companion, or people at the table.
    """

    CHANCE_SOURCE: ClassVar[str]

    seat: House = HOUSE

    @property
    def face(self) -> str:
        return self.NAME


class State(Protocol):
    """A position with its rules. Immutable; all methods are pure."""

    @property
    def turn(self) -> Seat | House | None:
        """The seat that must act, or the house. None at the end of the game."""
        ...

    @property
    def ending(self) -> Ending | None:
        """How the game ended. None while the game goes on."""
        ...

    def play(self, move: Any) -> Self:
        """The state after the move. Raises IllegalMove if the rules do not allow the move. `rules.play` has already
        checked whose turn it is."""
        ...

    def legal_moves(self) -> Iterator[Move]:
        """Yields every legal move of the seats that may act now, each once. Phones offer exactly these."""
        ...

    def chances(self) -> Iterator[tuple[HouseMove, int]]:
        """Yields each move that the house could make now, with its weight. The probability of a move is proportional to
        its weight.

        A move with weight 0 never happens at random, but the set-up may prescribe it, and people who deal by hand may
        make it. A move with the weight CERTAIN is made even if the set-up prescribes another one.
        """
        ...

    def as_known_to(self, viewer: Viewer) -> Self:
        """The position as the viewer knows it, with "?" for hidden faces. The result is the same for any two positions
        that the viewer can't tell apart. The referee knows everything."""
        ...

    def to_json(self) -> Mapping[str, Json]:
        """The position as JSON for other programs. It has at least the keys "turn" and "over"."""
        ...


CERTAIN: Final = 1 << 30
"""The weight of a move that must come, such as the draw of a card that was put back on top of the deck."""

S = TypeVar("S", bound=State)
G = TypeVar("G", bound=State)


def play(state: S, move: Move) -> S:
    """The state after a move. Raises GameOver, NotYourTurn or IllegalMove, which are checked in this order, as
    docs/contract.md prescribes."""
    turn = state.turn
    if turn is None:
        raise GameOver(_("The game is over. Start a new one, or undo."))
    if (move.seat == HOUSE) != (turn == HOUSE):
        raise NotYourTurn(
            _("It’s the house’s turn: deal, draw or move the game on first.") if turn == HOUSE else _turn_message(turn)
        )
    if move.seat != turn and not move.ANY_TIME:
        raise NotYourTurn(_turn_message(turn))
    return state.play(move)


def _turn_message(seat: Seat | House) -> Text:
    return _("It’s {name}’s turn now.", name=PlayerName(int(seat)))


@dataclass(frozen=True)
class Option:
    """Something that the host chooses before a game.

    `choices`: the possible values, each with its title. If there are no choices, the value is a text that the game
    checks itself.
    """

    name: str
    title: str
    choices: tuple[tuple[str, str], ...]
    default: str
    help: str = ""
    other: str = ""
    """Describes the values that are allowed besides the choices, such as "the path of a board file". The game checks
    such a value itself."""
    takes_file: bool = False
    """Whether a value that is not among the choices is the path of a file. Over HTTP, such a value is the name of an
    uploaded file."""

    @property
    def allowed_values(self) -> tuple[str, ...]:
        """All values that the option allows. Empty if the choices do not include all of them."""
        return () if self.other else tuple(name for name, _ in self.choices)


def check_keys(title: str, setup: Mapping[str, Json], known: Collection[str]) -> None:
    """Raises SetupError if a set-up contains a key that is not in `known`. `title` is the game's title."""
    for key in setup:
        if key not in known:
            raise SetupError(
                _(
                    "{game} has no set-up key {key}. Its keys are {known}.",
                    game=_(title),
                    key=repr(key),
                    known=", ".join(known) or _("none"),
                )
            )


def option_value(setup: Mapping[str, Json], option: Option) -> str:
    """The value of an option in a set-up, or the option's default if the set-up doesn't contain the option. Raises
    SetupError if the value is not allowed."""
    value = setup.get(option.name, option.default)
    if not isinstance(value, str) or (option.allowed_values and value not in option.allowed_values):
        raise SetupError(
            _(
                "{option} is {value}; it must be one of {known}.",
                option=option.name,
                value=repr(value),
                known=", ".join(option.allowed_values),
            )
        )
    return value


@dataclass(frozen=True)
class Start(Generic[S]):
    """The start of a game: the state before the first deal, and the results of chance that the set-up prescribes.

    `script` maps the NAME of a house move to a list of faces. Whenever chance makes a move with this NAME, it uses the
    first face in the list that has not been used and is possible in the position.
    """

    state: S
    script: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    identifiers: Mapping[Any, Collection[str]] = field(default_factory=dict)
    """The identifiers of this board, which are added to `GameRules.identifiers`."""
    components: ComponentSet | None = None
    """The components of this board. None for the game's usual components."""


Names = Sequence[str]
"""The players' names, by seat."""
