"""The history of a match: all its acts, including undos, redos and undone acts.

Law: pure. An act is what one person did at once, with the house moves that followed automatically. Undo and redo work
on acts.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.games import GAMES, move_json
from companion.games.game import Game
from companion.games.rules import HouseMove, Move, State, Viewer, play
from companion.games.view import LogEntry
from companion.match.stored_game import ActKind, ActRecord, Header, StoredGame
from companion.text.messages import Text, TextError, _
from companion.text.refusal_errors import IllegalMove, Refusal, SetupError


class ReplayError(TextError):
    """The error for a stored game that can't be replayed; the message says where and why."""


@dataclass(frozen=True)
class Step:
    """A move, with the positions before and after it."""

    before: State
    move: Move
    after: State


@dataclass(frozen=True)
class Act:
    """One act, and the version that it led to. `steps`: the moves that the act made or, if it is an undo or a redo, the
    moves that it undid or redid. `code`: the code of the card that was dealt or played, if reading this code led to the
    act. `at`: when the act was stored, in ISO format; "" until then. `log_entries` caches the log entry of the act. Its
    keys are what an entry depends on: the viewer, the players' names, and the number of acts in earlier games. The
    cache saves time, because a view has up to 200 entries."""

    version: int
    kind: ActKind
    seat: int | None
    steps: tuple[Step, ...]
    code: str = ""
    at: str = field(default="", compare=False)
    log_entries: dict[tuple[Viewer, tuple[str, ...], int], LogEntry] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def before(self) -> State:
        """The position before the act."""
        return self.steps[-1].after if self.kind == "undo" else self.steps[0].before

    @property
    def after(self) -> State:
        """The position after the act."""
        return self.steps[0].before if self.kind == "undo" else self.steps[-1].after


@dataclass(frozen=True)
class History:
    """All acts of a match so far. `start` is the position before the first act. `done` are the acts in force. `undone`
    are the acts that can be redone; the last of them is redone first."""

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
        """The current position."""
        return self.done[-1].steps[-1].after if self.done else self.start

    @property
    def ply(self) -> int:
        """The number of moves in force."""
        return sum(len(act.steps) for act in self.done)

    def steps(self) -> tuple[Step, ...]:
        """The moves in force, each with the positions before and after it."""
        return tuple(step for act in self.done for step in act.steps)

    def deal_numbers(self) -> Mapping[str, int]:
        """Maps the code of each card that was read when it was dealt to the number of its deal: how many moves of the
        same type were made before it."""
        numbers: dict[str, int] = {}
        if not any(act.code for act in self.done):
            return numbers  # avoids counting all moves, since the game may be long
        dealt: Counter[type[Move]] = Counter()
        for act in self.done:
            if act.code and isinstance(act.steps[0].move, HouseMove):
                numbers[act.code] = dealt[type(act.steps[0].move)]
            dealt.update(type(step.move) for step in act.steps)
        return numbers

    def codes_ever_dealt(self) -> Collection[str]:
        """The code of each card that was read when it was dealt, even if the deal was undone later."""
        return {act.code for act in self.acts if act.code and isinstance(act.steps[0].move, HouseMove)}

    def with_act(self, seat: int | None, steps: Iterable[Step], kind: ActKind = "move", code: str = "") -> History:
        """The history after a new act (a move, or the first deal). The undone acts can't be redone any more."""
        act = Act(self.version + 1, kind, seat, tuple(steps), code)
        return replace(self, acts=(*self.acts, act), done=(*self.done, act), undone=())

    @property
    def can_undo(self) -> bool:
        """Whether there is an act to undo. The first deal can't be undone, because the same deal would follow."""
        return bool(self.done) and self.done[-1].kind != "deal"

    def undo(self, seat: int | None) -> History:
        """The history after the last act in force has been undone. Raises IllegalMove if there is no act to undo."""
        if not self.can_undo:
            raise IllegalMove(_("There’s nothing to undo."))
        last = self.done[-1]
        act = Act(self.version + 1, "undo", seat, last.steps)
        return replace(self, acts=(*self.acts, act), done=self.done[:-1], undone=(*self.undone, last))

    def redo(self, seat: int | None) -> History:
        """The history after the act that was undone last has been redone, with the same cards and cubes. Raises
        IllegalMove if there is no act to redo."""
        if not self.undone:
            raise IllegalMove(_("There’s nothing to redo."))
        again = self.undone[-1]
        act = Act(self.version + 1, "redo", seat, again.steps)
        return replace(self, acts=(*self.acts, act), done=(*self.done, again), undone=self.undone[:-1])

    def dated(self, at: str) -> History:
        """This history with `at` as the time when its last act was stored."""
        act = replace(self.acts[-1], at=at)
        done = (*self.done[:-1], act) if self.done and self.done[-1] is self.acts[-1] else self.done
        return replace(self, acts=(*self.acts[:-1], act), done=done)

    def record(self, action_id: str | None) -> ActRecord:
        """The last act as a record for the journal."""
        act = self.acts[-1]
        lines = tuple(move_json.write(step.move) for step in act.steps) if act.kind in ("deal", "move") else ()
        return ActRecord(act.version, act.kind, act.seat, action_id, lines, digest(self.state), act.at, act.code)

    def with_record(self, record: ActRecord) -> History:
        """The history after one more act, which the journal has stored. Raises Refusal if the act is not possible."""
        return self._with_undated_record(record).dated(record.at)

    def _with_undated_record(self, record: ActRecord) -> History:
        match record.kind:
            case "undo":
                return self.undo(record.seat)
            case "redo":
                return self.redo(record.seat)
        return self.with_act(record.seat, self._steps_from(record.moves), record.kind, record.code)

    def _steps_from(self, lines: Iterable[str]) -> Iterable[Step]:
        state = self.state
        for line in lines:
            move = move_json.read(self.game, self.seats, line)
            after = play(state, move)
            yield Step(state, move, after)
            state = after


def digest(state: State) -> str:
    """A short hash of the complete position."""
    return hashlib.sha256(move_json.dumps(state.to_json()).encode()).hexdigest()[:16]


def new_history(header: Header) -> History:
    """The history before the first act of a game with this header. Raises ReplayError if the game can't be set up."""
    game = GAMES.get(header.game)
    if game is None:
        raise ReplayError(_("There’s no game called {name} here.", name=repr(header.game)))
    try:
        start = game.rules.begin(game.rules.seat_count(header.seats), header.setup)
        game.check_dealers(header.dealers)
    except SetupError as error:
        raise ReplayError(error.message) from error
    return History(game.on_board(start), header.seats, start.state)


def fold(stored: StoredGame) -> History:
    """The history of a stored game. Raises ReplayError if an act can't be replayed, or leads to a position other than
    the one stored with it."""
    history = new_history(stored.header)
    rules = history.game.rules.version
    if stored.header.rules_version != rules:
        raise ReplayError(
            _(
                "It was played with version {version} of the rules, but this Tablekeeper has version {rules}. Use the "
                "Tablekeeper it was played with.",
                version=stored.header.rules_version,
                rules=rules,
            )
        )
    for record in stored.records:
        try:
            history = history.with_record(record)
        except Refusal as refusal:
            raise ReplayError(_("At version {version}: {why}", version=record.version, why=refusal)) from refusal
        if digest(history.state) != record.digest or history.version != record.version:
            raise ReplayError(
                _(
                    "At version {version}, the replay reaches a different position than the original game.",
                    version=record.version,
                )
            )
    return history


def replay_failure(stored: StoredGame, error: ReplayError) -> Text:
    """The message that a stored game can't be resumed, with the reason."""
    return _(
        "Couldn’t resume game {number}. {why} It is still stored: tablekeeper export {number}",
        number=stored.id,
        why=error,
    )
