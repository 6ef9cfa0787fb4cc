"""The view of a match: everything that one viewer may know. Phones, screens and lights receive nothing else.

Law: pure data. `companion.match.view_builder` makes a `View` from the position and the moves as the viewer knows them,
and from the game's texts for that viewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from companion.games import move_json
from companion.games.ending import Ending
from companion.games.game import Game, Meter
from companion.games.rules import HOUSE, House, HouseMove, Json, Move, Seat, State, Viewer
from companion.games.turn_prompt import TurnPrompt
from companion.games.what_if_origin import WhatIfOrigin
from companion.tabletop.begun_move import BegunMove
from companion.tabletop.discrepancy import Discrepancy
from companion.text.messages import ENGLISH, Language, TextLike


class Revision(NamedTuple):
    """Identifies what a phone shows: the version of the match, and a count of all other changes (to the table, the
    names or the requests)."""

    version: int
    refreshes: int


@dataclass(frozen=True)
class LogEntry:
    """An act as a viewer may know it, for the log and for events.

    `words`: the sentences for the log. `turn`: whose turn it was. `at`: when the act was stored, in ISO format; "" if
    the time is not known.
    """

    version: int
    kind: str
    seat: int | None
    moves: tuple[Move, ...]
    words: tuple[TextLike, ...]
    turn: Seat | House | None = None
    at: str = field(default="", compare=False)

    def to_json(self, language: Language = ENGLISH) -> dict[str, Json]:
        """The entry as JSON, with its sentences in the given language."""
        moves, words = tuple(map(move_json.to_json, self.moves)), [*map(language.render, self.words)]
        return {"version": self.version, "kind": self.kind, "seat": self.seat, "moves": moves, "words": words}


@dataclass(frozen=True)
class ConsentRequest:
    """A move that waits for another player's consent: `asker` wants to make it, and `asked` must consent to it."""

    move: Move
    asker: Seat
    asked: Seat


@dataclass(frozen=True)
class Explanation:
    """A move that would explain discrepancies: once it is made, the match agrees with the components on the table.
    `label`: the move's log line, followed by what tells apart moves with the same line; or the path to the move through
    the buttons. `replaces_last`: whether the move would replace the last move of the match instead of following it."""

    move: Move
    label: tuple[TextLike, ...]
    replaces_last: bool = False


class MoveLabels(Mapping[Move, tuple[TextLike, ...]]):
    """Maps moves to their labels. A label is made each time it is looked up, because most pages need only a few."""

    def __init__(self, moves: Iterable[Move], label: Callable[[Move], tuple[TextLike, ...]]) -> None:
        self._moves, self._label = dict.fromkeys(moves), label

    def __getitem__(self, move: Move) -> tuple[TextLike, ...]:
        if move not in self._moves:
            raise KeyError(move)
        return self._label(move)

    def __contains__(self, move: object) -> bool:
        return move in self._moves

    def __iter__(self) -> Iterator[Move]:
        return iter(self._moves)

    def __len__(self) -> int:
        return len(self._moves)


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What the viewer can do now.

    `legal`: the viewer's legal moves. `reports`: the house moves that the viewer may report, if people deal by hand.
    `labels`: maps each move in `legal` and `reports` to its path through the buttons. `pause_label`: the label of the
    button with which people let the companion continue; None if the companion is not waiting. `possible_moves`: the
    moves that the viewer may have meant by putting components where they do not belong. `explanations`: moves of the
    viewer that would make the match agree with the components on the table. `request`: the move that waits for a
    player's consent, if any. `request_label`: the path to this move through the buttons. `can_reopen`: whether the host
    can undo the last act of a finished game whose hidden cards everyone now sees.
    """

    legal: tuple[Move, ...] = ()
    reports: tuple[HouseMove, ...] = ()
    labels: Mapping[Move, tuple[TextLike, ...]] = field(default_factory=dict)
    pause_label: TextLike | None = None
    possible_moves: tuple[Move, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    request: ConsentRequest | None = None
    request_label: tuple[TextLike, ...] = ()
    can_undo: bool = False
    can_redo: bool = False
    can_reopen: bool = False


@dataclass(frozen=True, kw_only=True)
class TabletopView:
    """The real table, as far as the viewer may know.

    `begun_move`: the move that people have begun, if any. `uncertain_count_messages`: sentences about tokens that the
    camera can't count reliably. `physical_instructions`: what people must do on the table after the last act. `dial`:
    the index of the move that the dial shows, and the number of moves. `has_camera`: whether a camera sees the mat.
    `is_bare`: whether no component and no token is in view. `is_cleared`: whether no component is in view, although
    some belong on the mat. `is_on_phones`: whether the game is played on phones only, because the position needs no
    component on the table and the camera has seen none there. `awaits_camera`: whether the camera has yet to look at
    the whole table, so that nobody knows whether the table matches the game. `pending_discrepancies`: discrepancies
    that have not yet lasted long enough to be reported.
    """

    discrepancies: tuple[Discrepancy, ...] = ()
    begun_move: BegunMove | None = None
    uncertain_count_messages: tuple[TextLike, ...] = ()
    physical_instructions: tuple[TextLike, ...] = ()
    dial: tuple[int, int] | None = None
    has_camera: bool = False
    is_bare: bool = False
    is_cleared: bool = False
    is_on_phones: bool = False
    awaits_camera: bool = False
    pending_discrepancies: tuple[Discrepancy, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether the camera sees that the table does not match the game, reported or not yet, or that a move has been
        begun. False as long as people may be playing without tokens."""
        found = (*self.discrepancies, *self.pending_discrepancies)
        is_wrong = not self.is_on_phones and not all(each.may_lack_tokens for each in found)
        return self.begun_move is not None or is_wrong

    @property
    def places_to_fix(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Two lists of places: those from which components must be taken away, and those where components must be put
        or turned."""
        wrong = (
            there
            for each in self.discrepancies
            if (there := each.zone or each.beside) and each.fix.place not in (None, there)
        )
        right = (each.fix.place or each.zone for each in self.discrepancies if not each.is_stray)
        strays = (each.zone or each.beside for each in self.discrepancies if each.fix.place is None)
        return tuple(dict.fromkeys(filter(None, (*wrong, *strays)))), tuple(dict.fromkeys(filter(None, right)))


@dataclass(frozen=True, kw_only=True)
class View:
    """Everything that a viewer may know now.

    `options`: the values of the game's options. `dealers`: who deals from each chance source. `position` and
    `previous_position`: the positions now and before the last act, as the viewer knows them. Pages use both to animate
    the change. Nothing in them is hidden once the game is over. `help_topic`: the key of the guidebook's rule for this
    position.
    """

    id: int
    game: Game[Any]
    revision: Revision
    viewer: Viewer
    names: tuple[str, ...]
    options: Mapping[str, Json]
    dealers: Mapping[str, str]
    position: State
    previous_position: State | None
    prompt: TextLike
    help_topic: str
    meters: tuple[Meter, ...]
    log: tuple[LogEntry, ...]
    replay_steps: Mapping[int, int] = field(default_factory=dict)
    """Maps the version of each act in force to the number of the replay step that shows the act's result."""
    notice: TextLike = ""
    choices: Choices = Choices()
    tabletop: TabletopView = TabletopView()
    companion_seats: Mapping[int, str] = field(default_factory=dict)
    """The seats that the companion plays, each with the name of its policy."""
    shuffle: Literal["", "sealed", "revealed"] = ""
    """Whether players can check that the cards were shuffled fairly: "revealed" if they can do so now, "sealed" if they
    can do so after the game, and "" if they can't."""
    what_if: WhatIfOrigin | None = None
    """The origin of a what-if. None for any other game."""

    @property
    def version(self) -> int:
        """The version of the match."""
        return self.revision.version

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.names)

    @property
    def turn(self) -> Seat | House | None:
        """The seat that must act, or the house. None at the end of the game."""
        return self.position.turn

    @property
    def instruction(self) -> TextLike:
        """The prompt without the words that say whose turn it is, for a page whose heading already says so."""
        return self.prompt.instruction if isinstance(self.prompt, TurnPrompt) else self.prompt

    @cached_property
    def state(self) -> Mapping[str, Json]:
        """The position as JSON."""
        return self.position.to_json()

    @property
    def is_recorded_from_table(self) -> bool:
        """Whether the last act is a player's move that was recorded by the camera or a button, and not by a phone."""
        last = self.log[-1] if self.log else None
        return last is not None and last.kind == "move" and last.seat is None and last.moves[0].seat != HOUSE

    @property
    def is_dealt_by_companion(self) -> bool:
        """Whether people deal no cards, so that the game can be played on phones only."""
        return all(dealer == "companion" for dealer in self.dealers.values())

    @property
    def without_moves(self) -> View:
        """This view without moves to choose from, for a player whose seat the companion plays."""
        choices = replace(self.choices, legal=(), reports=(), labels={}, possible_moves=(), explanations=())
        return replace(self, choices=choices)

    @property
    def ending(self) -> Ending | None:
        """How the game ended. None while the game goes on."""
        return self.position.ending
