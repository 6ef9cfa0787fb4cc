"""Plays the companion's seats, and pauses before each move, so that people can follow.

A companion player knows what a phone in its seat would know: the policy gets the position and the legal moves of the
seat's view, nothing else. The policy chooses without the table's lock. The table refuses the move if the version has
changed in the meantime, or if somebody has taken the seat back.

As a device, a companion player reports only its own health.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from typing import Final, NamedTuple, Self

from companion.games import move_json
from companion.games.rules import Move, Seat
from companion.games.view import ConsentRequest, View
from companion.table.companion_seats import CompanionSeats
from companion.table.current_game import NoGame
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth, Observation
from companion.text.messages import _
from companion.text.refusal_errors import Refusal, Stale

NAME: Final = "companion"
"""The name of this device in health reports."""
MOVE_PAUSE_S: Final = 2.0
"""How many seconds a seat of the companion waits before it acts."""
HANDS_PAUSE_S: Final = 8.0
"""How many seconds the seat waits if people have something to do on the real table that no camera sees."""
UNDO_PAUSE_S: Final = 20.0
"""How many seconds the seat waits after an undo, so that people can undo more than the companion's move."""
IDLE_S: Final = 60.0
"""After this many seconds without a task, the player looks at the table again."""


class CompanionTask(NamedTuple):
    """The task of a seat of the companion: to answer `request` or, if there is no request, to make a move."""

    game: int
    version: int
    seat: Seat
    policy: str
    request: ConsentRequest | None


class CompanionPlayer:
    """Plays the companion's seats on a table. `clock`: returns the time in seconds. `rng`: the random generator that
    policies use to choose among equally good moves. It is independent of the game's own random draws."""

    def __init__(self, table: Table, clock: Callable[[], float] = time.monotonic, rng: Random | None = None) -> None:
        self._table, self._clock, self._rng = table, clock, rng or Random()
        self._task: CompanionTask | None = None
        self._since = 0.0
        """When the seat was first seen to have this task, perhaps in an earlier position, while the table matched.
        Infinity if the table has not matched since then."""
        self._has_acted = False
        """Whether the seat has done this task. If so, its next task is a new one, even if it looks the same."""
        self._asked: tuple[int, frozenset[Move]] = 0, frozenset()
        """A version of the match, and the moves for which consent was requested in this version. Once no request is
        pending any more, all these moves have been declined."""
        self._closing = threading.Event()
        self._has_failed = False

    def open(self) -> Self:
        """Returns this device, ready to play."""
        self._closing.clear()
        return self

    def __iter__(self) -> Iterator[Observation]:
        """Plays until this device is closed. Yields a health report when the device works again after an error."""
        while not self._closing.is_set():
            seen = self._table.revision
            try:
                wait_s = self.step()
            except Exception:
                self._has_failed = True
                raise
            if self._has_failed:
                self._has_failed = False
                yield DeviceHealth(device=NAME, ok=True, message=_("The companion plays its seats again."))
            self._table.wait(seen, wait_s)

    def close(self) -> None:
        """Stops playing after the current move."""
        self._closing.set()

    def step(self) -> float:
        """Performs the task of a seat of the companion, if the seat has waited long enough. Returns how many seconds to
        wait before the next call. If the table changes, the next call is due at once. Raises JournalError if a move
        can't be stored."""
        companions = self._table.active_companion_seats
        view = self._table.view() if companions else None
        task = _task(view, companions) if view else None
        if task != self._task:
            if view is None or self._has_acted or view.choices.can_redo or not _is_same_task(task, self._task):
                self._since = self._clock()
            self._task, self._has_acted = task, False
        if view is None or task is None:
            return IDLE_S
        if task.request is None and (view.tabletop.awaits_camera or view.tabletop.differs):
            self._since = math.inf
            return IDLE_S
        self._since = min(self._since, self._clock())
        if (left := self._since + pause_s(view) - self._clock()) > 0:
            return left
        with suppress(Stale, NoGame):  # the table has changed meanwhile
            self._do(task, companions)
            self._has_acted = True
        return 0.0

    def _do(self, task: CompanionTask, companions: CompanionSeats) -> None:
        table, request, seen = self._table, task.request, (task.game, task.version)
        if request is None:
            self._move(task, companions)
            return
        question = move_json.to_json(request.move)
        with suppress(Refusal):  # the request is no longer pending
            table.act_for_companion(task.seat, seen, lambda: table.answer(task.seat, agreed=True, question=question))

    def _move(self, task: CompanionTask, companions: CompanionSeats) -> None:
        table, view, seen = self._table, self._table.view(task.seat), (task.game, task.version)
        if view is None or (view.id, view.version) != seen:
            return
        move = self._choose(view, task)
        value, asked = move_json.to_json(move), move.consenting_seat()
        if asked is None or asked in companions:
            table.act_for_companion(task.seat, seen, lambda: table.submit(task.seat, value, task.version))
        else:
            table.act_for_companion(task.seat, seen, lambda: table.request_consent(task.seat, value, task.version))
            self._asked = task.version, self._declined(task.version) | {move}

    def _choose(self, view: View, task: CompanionTask) -> Move:
        """The policy's choice among the seat's legal moves, without those that another player has declined."""
        declined = self._declined(task.version)
        legal = [move for move in view.choices.legal if move not in declined]
        return view.game.policies.by_name[task.policy](view.position, task.seat, legal, self._rng)

    def _declined(self, version: int) -> frozenset[Move]:
        return self._asked[1] if self._asked[0] == version else frozenset()


def _is_same_task(now: CompanionTask | None, before: CompanionTask | None) -> bool:
    """Whether a task is still the same after another seat has acted, for example by rearranging its hand. Then the wait
    does not start anew, so nobody can keep the companion's seat from acting."""
    return now is not None and before is not None and now._replace(version=0) == before._replace(version=0)


def _task(view: View, companions: CompanionSeats) -> CompanionTask | None:
    """The task of a seat of the companion now; None if people must act."""
    request = view.choices.request
    seat = request.asked if request else view.turn
    policy = companions.get(seat) if isinstance(seat, int) else None
    return (
        CompanionTask(view.id, view.version, Seat(int(seat)), policy, request) if policy and seat is not None else None
    )


def pause_s(view: View) -> float:
    """How many seconds a seat of the companion waits before it acts, once the table matches. `view`: a spectator's
    view."""
    if view.choices.can_redo and view.choices.request is None:
        return UNDO_PAUSE_S
    return HANDS_PAUSE_S if view.tabletop.physical_instructions else MOVE_PAUSE_S
