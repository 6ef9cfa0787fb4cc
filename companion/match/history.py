"""A game as it was played: acts done, undone and done again.

Law: pure. An act is one thing that somebody did, with the house's moves that followed by themselves; undo and
redo go by acts.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from companion.games import GAMES
from companion.games.game import Game
from companion.games.rules import REFEREE, HouseMove, Move, State, play
from companion.match import notation
from companion.match.journal import Header, Kept, Kind, Record
from companion.text.refusals import IllegalMove, Refusal, SetupError
from companion.text.translation import _


class ReplayError(Exception):
    """A kept game does not replay; says where and why."""


@dataclass(frozen=True)
class Step:
    """A move and the positions around it."""

    before: State
    move: Move
    after: State


@dataclass(frozen=True)
class Act:
    """What happened at a version. An undo's steps are those that it took back, a redo's those done again. `thing`: the
    code that was read as it was dealt or laid, if that made the act."""

    version: int
    kind: Kind
    seat: int | None
    steps: tuple[Step, ...]
    thing: str = ""

    @property
    def before(self) -> State:
        """The position that the act found."""
        return self.steps[-1].after if self.kind == "undo" else self.steps[0].before

    @property
    def after(self) -> State:
        """The position that the act left."""
        return self.steps[0].before if self.kind == "undo" else self.steps[-1].after


@dataclass(frozen=True)
class History:
    """All acts so far; `done` are those that stand, `undone` those that a redo brings back (the next one last)."""

    game: Game[Any]
    seats: int
    start: State
    acts: tuple[Act, ...] = ()
    done: tuple[Act, ...] = ()
    undone: tuple[Act, ...] = ()

    @property
    def version(self) -> int:
        return len(self.acts)

    @property
    def state(self) -> State:
        """The position now."""
        return self.done[-1].steps[-1].after if self.done else self.start

    @property
    def ply(self) -> int:
        """The number of moves that stand."""
        return sum(len(act.steps) for act in self.done)

    def steps(self) -> tuple[Step, ...]:
        """The moves that stand."""
        return tuple(step for act in self.done for step in act.steps)

    def shown(self) -> Mapping[str, int]:
        """Which of all cards dealt of its kind each code was, from 0, that was read as it was dealt."""
        shown: dict[str, int] = {}
        dealt: Counter[type[Move]] = Counter()
        for act in self.done:
            if act.thing and isinstance(act.steps[0].move, HouseMove):
                shown[act.thing] = dealt[type(act.steps[0].move)]
            dealt.update(type(step.move) for step in act.steps)
        return shown

    def do(self, seat: int | None, steps: Iterable[Step], kind: Kind = "move", thing: str = "") -> History:
        """The history with a new act (a move, or the first deal); what was undone is given up."""
        act = Act(self.version + 1, kind, seat, tuple(steps), thing)
        return replace(self, acts=(*self.acts, act), done=(*self.done, act), undone=())

    @property
    def can_undo(self) -> bool:
        """Whether an act stands that can be taken back. The first deal can't: it would come again."""
        return bool(self.done) and self.done[-1].kind != "deal"

    def undo(self, seat: int | None) -> History:
        """The last act that stands is taken back; raises IllegalMove."""
        if not self.can_undo:
            raise IllegalMove(_("There is nothing to take back."))
        last = self.done[-1]
        act = Act(self.version + 1, "undo", seat, last.steps)
        return replace(self, acts=(*self.acts, act), done=self.done[:-1], undone=(*self.undone, last))

    def redo(self, seat: int | None) -> History:
        """The act taken back last is done again, with the same cards and cubes; raises IllegalMove."""
        if not self.undone:
            raise IllegalMove(_("There is nothing to do again."))
        again = self.undone[-1]
        act = Act(self.version + 1, "redo", seat, again.steps)
        return replace(self, acts=(*self.acts, act), done=(*self.done, again), undone=self.undone[:-1])

    def record(self, request: str | None, at: str) -> Record:
        """The last act as the journal keeps it."""
        act = self.acts[-1]
        lines = tuple(notation.write(step.move) for step in act.steps) if act.kind in ("deal", "move") else ()
        return Record(act.version, act.kind, act.seat, request, lines, digest(self.state), at, act.thing)

    def with_record(self, record: Record) -> History:
        """The history with a kept act; raises Refusal."""
        match record.kind:
            case "undo":
                return self.undo(record.seat)
            case "redo":
                return self.redo(record.seat)
        return self.do(record.seat, self._replayed(record.moves), record.kind, record.thing)

    def _replayed(self, lines: Iterable[str]) -> Iterable[Step]:
        state = self.state
        for line in lines:
            move = notation.read(self.game, self.seats, line)
            after = play(state, move)
            yield Step(state, move, after)
            state = after


def digest(state: State) -> str:
    """A short fingerprint of a whole position."""
    return hashlib.sha256(notation.dumps(state.seen_by(REFEREE)).encode()).hexdigest()[:16]


def begin(header: Header) -> History:
    """The history before the first act; raises ReplayError."""
    game = GAMES.get(header.game)
    if game is None:
        raise ReplayError(_("There is no game {name} here.", name=repr(header.game)))
    try:
        start = game.rules.begin(game.rules.seat_count(header.seats), header.setup)
        game.rules.check_dealers(header.dealers)
    except SetupError as error:
        raise ReplayError(str(error)) from error
    return History(game.on_board(start), header.seats, start.state)


def fold(kept: Kept) -> History:
    """The history of a kept game; raises ReplayError where an act can't be replayed or ends elsewhere than it did."""
    history = begin(kept.header)
    rules = history.game.rules.version
    if kept.header.rules_version != rules:
        raise ReplayError(
            _(
                "It was played by version {version} of the rules, these are version {rules}; its own Tablekeeper can "
                "replay it.",
                version=kept.header.rules_version,
                rules=rules,
            )
        )
    for record in kept.records:
        try:
            history = history.with_record(record)
        except Refusal as refusal:
            raise ReplayError(_("At version {version}: {why}", version=record.version, why=refusal)) from refusal
        if digest(history.state) != record.digest or history.version != record.version:
            raise ReplayError(
                _(
                    "At version {version} it comes to another position than when it was played.",
                    version=record.version,
                )
            )
    return history
