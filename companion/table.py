"""The table: the one mutable object, with the one lock.

Whoever acts (a phone, a button, the camera) calls it from a thread of its own; each call is short and leaves the
book, the journal and the version in step. Nobody gets a state from it: `view` tells what a viewer may see.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from companion import notation
from companion.games import GAMES
from companion.games.rules import (
    HOUSE,
    SPECTATOR,
    BadMove,
    Game,
    HouseMove,
    IllegalMove,
    Json,
    Meter,
    Move,
    NotYourTurn,
    Refusal,
    Seat,
    SetupError,
    Stale,
    State,
    Viewer,
    play,
)
from companion.history import Act, History, ReplayError, Step, begin, fold
from companion.house import House
from companion.journal import Header, Journal, Kept, now
from companion.layout import errands
from companion.observations import ButtonPressed, CardGone, CardSeen, DeviceHealth, Observation
from companion.sight import Amiss, Sight, amiss

LOG_LINES = 200


class NoGame(Refusal):
    """Nothing is being played."""

    code = "no_game"


class NotYourSeat(Refusal):
    """A move for a seat that is somebody else's."""

    code = "not_your_seat"


class Mark(NamedTuple):
    """What a phone has seen: the version, and the pulse of everything that is no move (sight, names, questions)."""

    version: int
    pulse: int


@dataclass(frozen=True)
class Told:
    """An act as a viewer may know it, for the log and for events."""

    version: int
    kind: str
    seat: int | None
    moves: tuple[dict[str, Json], ...]
    words: tuple[str, ...]


@dataclass(frozen=True)
class Ask:
    """A move that waits for another player's word."""

    move: Move
    asker: Seat
    asked: Seat
    label: tuple[str, ...]


@dataclass(frozen=True)
class View:
    """Everything that a phone, a screen or a light may know now."""

    id: int
    game: Game[Any]
    mark: Mark
    viewer: Viewer
    seats: int
    names: tuple[str, ...]
    state: dict[str, Json]
    turn: Seat | str | None
    legal: tuple[Move, ...]
    """What this seat may do; of a spectator, nothing."""
    reports: tuple[HouseMove, ...]
    """What people may report of chance, where the table deals: the faces that could have come."""
    guide: str
    pause: str | None
    """The words of the button with which the companion goes on, if it waits for one."""
    meters: tuple[Meter, ...]
    amiss: tuple[Amiss, ...]
    log: tuple[Told, ...]
    errands: tuple[str, ...]
    """What the last act asks hands to do on the real table."""
    ask: Ask | None
    notice: str
    can_undo: bool
    can_redo: bool
    watched: bool
    """Whether a camera sees the mat."""

    @property
    def version(self) -> int:
        return self.mark.version


class Table:
    """The running game, the sight of the real table, and everything that waits for an answer."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._changed = threading.Condition(threading.RLock())
        self._id = 0
        self._header: Header | None = None
        self._history: History | None = None
        self._answers: dict[tuple[int | None, str], int] = {}
        self._sight = Sight()
        self._pending: dict[str, CardSeen] = {}
        self._health: dict[str, DeviceHealth] = {}
        self._ask: Ask | None = None
        self._notice = ""
        self._pulse = 0
        self.trouble = ""
        """Why the last game could not be taken up again, if it could not."""
        self._resume()

    # Starting --------------------------------------------------------------------------------------

    def _resume(self) -> None:
        kept = self._journal.running()
        if kept is None:
            return
        try:
            self._take(kept, fold(kept))
        except ReplayError as error:
            self.trouble = f"Game {kept.id} could not be taken up again. {error} It is kept: tablekeeper export {kept.id}"

    def _take(self, kept: Kept, history: History) -> None:
        self._id, self._header, self._history = kept.id, kept.header, history
        self._answers = {(r.seat, r.request): r.version for r in kept.records if r.request}

    def start(
        self,
        name: str,
        seats: int | None,
        setup: Mapping[str, Json],
        dealers: Mapping[str, str],
        players: tuple[str, ...],
        seed: str,
    ) -> int:
        """Begins a game and deals what the companion deals; returns its id. Raises SetupError, JournalError."""
        game = GAMES.get(name)
        if game is None:
            raise SetupError(f"There is no game {name!r}; there are {', '.join(GAMES)}.")
        count = game.new_seats(seats)
        unknown = [
            f"{c}={d}"
            for c, d in dealers.items()
            if c not in game.components or d not in ("companion", "table")
        ]
        if unknown:
            raise SetupError(
                f"{unknown[0]}: each of {', '.join(game.components)} is dealt by companion or table."
            )
        named = tuple(
            players[i] if i < len(players) and players[i] else f"Player {i + 1}" for i in range(count)
        )
        header = Header(game.name, game.rules_version, count, setup, dealers, named, seed)
        history = begin_or_refuse(header, game, setup)
        with self._changed:
            self._take(Kept(self._journal.open_game(header), header, (), now(), None), history)
            self._pending.clear()
            self._ask, self._notice, self.trouble = None, "", ""
            self._tell()
            if steps := self._house_steps(history, history.state, going_on=False):
                self._commit(history.do(None, steps))
            return self._id

    # Acting ----------------------------------------------------------------------------------------

    def submit(
        self, seat: Seat | None, value: Json, version: int | None = None, request: str | None = None
    ) -> int:
        """Makes a move for a seat (None: for the table itself); returns the new version once it is durable.

        Raises Refusal (Stale if `version` is not the present one) and JournalError; the same request of the same
        seat acts once.
        """
        with self._changed:
            history = self._running()
            if request and (done := self._answers.get((seat, request))):
                return done
            move = notation.from_json(history.game, history.seats, value)
            self._check_author(seat, move)
            self._check_version(version)
            return self._make(seat, move, request)

    def proceed(self, seat: Seat | None, version: int | None = None) -> int:
        """Lets the companion go on after a pause; raises Refusal."""
        with self._changed:
            history = self._running()
            self._check_version(version)
            if not self._pauses(history.state):
                raise NotYourTurn("The companion is not waiting for a word to go on.")
            return self._commit(history.do(seat, self._house_steps(history, history.state, going_on=True)))

    def undo(self, seat: Seat | None, version: int | None = None, request: str | None = None) -> int:
        """Takes the last act back; raises Refusal."""
        with self._changed:
            return self._turn_back(History.undo, seat, version, request)

    def redo(self, seat: Seat | None, version: int | None = None, request: str | None = None) -> int:
        """Does again what was taken back; raises Refusal."""
        with self._changed:
            return self._turn_back(History.redo, seat, version, request)

    def _turn_back(self, way: Any, seat: Seat | None, version: int | None, request: str | None) -> int:
        if request and (done := self._answers.get((seat, request))):
            return done
        history = self._running()
        self._check_version(version)
        # What lies on the table was booked before; it must be laid anew to count again.
        self._pending.clear()
        return self._commit(way(history, seat), request)

    def _running(self) -> History:
        if self._history is None:
            raise NoGame("No game is running; the host starts one.")
        return self._history

    def _check_version(self, version: int | None) -> None:
        current = self._running().version
        if version is not None and version != current:
            raise Stale(f"The table has moved on to version {current}; look again.")

    def _check_author(self, seat: Seat | None, move: Move) -> None:
        """A seat moves for itself. What people deal, and what nobody deals, anyone may report."""
        if seat is None or move.seat == seat:
            return
        if not isinstance(move, HouseMove):
            raise NotYourSeat(f"That is seat {move.seat}'s move, and you have seat {seat}.")
        if self._dealt_by_companion(move):
            raise NotYourSeat("The companion deals that; it can't be reported.")

    def _dealt_by_companion(self, move: HouseMove) -> bool:
        history, header = self._running(), self._header
        return move.DEALS in history.game.components and (
            header is None or header.dealers.get(move.DEALS) != "table"
        )

    def _make(self, seat: Seat | None, move: Move, request: str | None = None) -> int:
        history = self._running()
        after = play(history.state, move)
        steps = [Step(history.state, move, after)]
        return self._commit(
            history.do(seat, [*steps, *self._house_steps(history, after, going_on=False, made=1)]), request
        )

    def _house_steps(self, history: History, state: State, *, going_on: bool, made: int = 0) -> list[Step]:
        """The companion's moves as the house, until somebody else must act."""
        steps: list[Step] = []
        house = House(self._header.seed if self._header else "")
        while state.turn == HOUSE and (going_on or not self._pauses(state)) and not self._people_deal(state):
            move = house.next_move(state, history.ply + made + len(steps))
            after = play(state, move)
            steps.append(Step(state, move, after))
            state, going_on = after, False
        return steps

    def _pauses(self, state: State) -> bool:
        return self._running().game.pause(state) is not None and not self._people_deal(state)

    def _people_deal(self, state: State) -> bool:
        due = next((move for move, _ in state.chances()), None)
        return due is not None and self._header is not None and self._header.dealers.get(due.DEALS) == "table"

    def _commit(self, history: History, request: str | None = None) -> int:
        """Writes the last act down, then shows it, then reads what already lies on the table."""
        self._journal.append(self._id, history.record(request, now()))
        self._history = history
        if request:
            self._answers[history.acts[-1].seat, request] = history.version
        version = history.version
        self._ask, self._notice = None, ""
        self._read_pending()
        self._tell()
        return version

    # Asking another player -------------------------------------------------------------------------

    def ask(self, seat: Seat, value: Json, version: int | None = None) -> None:
        """Puts a move that needs another player's word to that player; raises Refusal."""
        with self._changed:
            history = self._running()
            move = notation.from_json(history.game, history.seats, value)
            self._check_author(seat, move)
            self._check_version(version)
            asked = move.asks()
            if asked is None:
                raise BadMove("That needs nobody's permission.")
            play(history.state, move)
            self._ask = Ask(move, seat, asked, history.game.label(move, self.names))
            self._tell()

    def answer(self, seat: Seat | None, *, agreed: bool) -> int:
        """The asked player's word (None: said at the table); the asker may take the question back."""
        with self._changed:
            ask = self._ask
            if ask is None:
                raise IllegalMove("Nobody is asking anything.")
            if seat not in (None, ask.asked) and (agreed or seat != ask.asker):
                raise NotYourSeat("That question is not for you.")
            self._ask = None
            if agreed:
                return self._make(ask.asker, ask.move)
            self._notice = f"{self.names[ask.asked]} says no." if seat == ask.asked else ""
            self._tell()
            return self._running().version

    # Watching --------------------------------------------------------------------------------------

    def observe(self, observation: Observation) -> None:
        """Takes what a device reports. A wrong table changes nothing but what is amiss."""
        with self._changed:
            match observation:
                case DeviceHealth(device=device):
                    self._health[device] = observation
                case ButtonPressed():
                    self._press(observation)
                case _:
                    self._see(observation)
            self._tell()

    def _see(self, observation: Observation) -> None:
        self._sight = self._sight.after(observation)
        match observation:
            case CardGone(thing=thing):
                self._pending.pop(thing, None)
            case CardSeen(thing=thing) if self._history:
                self._pending[thing] = observation
                meaning = self._history.game.meaning_of(self._history.state, observation)
                if isinstance(meaning, HouseMove):
                    self._read_pending()
                elif meaning:
                    del self._pending[thing]
                    self._try(meaning)

    def _read_pending(self) -> None:
        """Books what people dealt before it was due: a card that came to rest and has not counted yet."""
        for thing, seen in list(self._pending.items()):
            history = self._history
            move = history.game.meaning_of(history.state, seen) if history else None
            if isinstance(move, HouseMove) and not self._dealt_by_companion(move):
                self._pending.pop(thing, None)
                self._try(move)
                return  # what follows is read when this has been written down

    def _try(self, move: Move) -> None:
        try:
            self._make(None, move)
        except Refusal as refusal:
            self._notice = str(refusal)

    def _press(self, pressed: ButtonPressed) -> None:
        """A button is the table's own hand: undo, yes, go on, or what the game makes of it."""
        try:
            history = self._running()
            if pressed.button == "undo":
                self.undo(None)
            elif self._ask and pressed.button == "confirm":
                self.answer(None, agreed=True)
            elif self._pauses(history.state):
                self.proceed(None)
            elif move := history.game.meaning_of(history.state, pressed):
                self._make(None, move)
        except Refusal as refusal:
            self._notice = str(refusal)

    # Telling ---------------------------------------------------------------------------------------

    def _tell(self) -> None:
        self._pulse += 1
        self._changed.notify_all()

    @property
    def mark(self) -> Mark:
        """What there is to see now."""
        with self._changed:
            return Mark(self._history.version if self._history else 0, self._pulse)

    def wait(self, seen: Mark, timeout: float) -> Mark:
        """Waits until there is more to see, `timeout` seconds at most."""
        with self._changed:
            self._changed.wait_for(lambda: self.mark != seen, timeout)
            return self.mark

    @property
    def names(self) -> tuple[str, ...]:
        """What the players are called, by seat."""
        return self._header.players if self._header else ()

    def rename(self, seat: Seat, name: str) -> None:
        """Calls a player by another name."""
        with self._changed:
            if self._header is None or not 0 <= seat < len(self.names):
                raise NoGame("There is no such seat.")
            players = (*self.names[:seat], name, *self.names[seat + 1 :])
            self._journal.name_players(self._id, players)
            header = self._header
            self._header = Header(**{**vars(header), "players": players})
            self._tell()

    def pulse(self) -> None:
        """Makes every phone look again (somebody came or went)."""
        with self._changed:
            self._tell()

    def health(self) -> tuple[DeviceHealth, ...]:
        """How each device fares."""
        with self._changed:
            return tuple(self._health.values())

    def told(self, viewer: Viewer, after: int) -> tuple[Told, ...]:
        """Every act after a version, as the viewer may know it."""
        with self._changed:
            history = self._history
            return tuple(self._telling(act, viewer) for act in history.acts[after:]) if history else ()

    def _telling(self, act: Act, viewer: Viewer) -> Told:
        game, names = self._running().game, self.names
        moves = tuple(notation.to_json(step.move.seen_by(viewer)) for step in act.steps)
        words = tuple(game.tell(step.before, step.move, step.after, viewer, names) for step in act.steps)
        if act.kind != "move":
            who = names[act.seat] if act.seat is not None else "The table"
            words = (f"{who} {'takes back' if act.kind == 'undo' else 'does again'}: {words[0]}",)
        return Told(act.version, act.kind, act.seat, moves, words)

    def view(self, viewer: Viewer = SPECTATOR) -> View | None:
        """What a viewer may see now, or None while nothing is played."""
        with self._changed:
            history = self._history
            if history is None:
                return None
            game, state, seat = history.game, history.state, viewer if isinstance(viewer, int) else None
            last = history.acts[-1] if history.acts else None
            return View(
                id=self._id,
                game=game,
                mark=self.mark,
                viewer=viewer,
                seats=history.seats,
                names=self.names,
                state=state.seen_by(viewer),
                turn=state.turn,
                legal=tuple(move for move in state.legal_moves() if seat is not None and move.seat == seat),
                reports=self._reports(state) if seat is not None else (),
                guide=game.guide(state, viewer, self.names),
                pause=game.pause(state) if self._pauses(state) else None,
                meters=game.meters(state),
                amiss=self._amiss(state),
                log=tuple(self._telling(act, viewer) for act in history.acts[-LOG_LINES:]),
                errands=errands(game.layout(last.before), game.layout(last.after), game.words())
                if last
                else (),
                ask=self._ask,
                notice=self._notice,
                can_undo=bool(history.done)
                and (len(history.done) > 1 or not isinstance(history.done[0].steps[0].move, HouseMove)),
                can_redo=bool(history.undone),
                watched=self._sight.mat_in_view,
            )

    def _reports(self, state: State) -> tuple[HouseMove, ...]:
        return (
            tuple(move for move, _ in state.chances())
            if state.turn == HOUSE and self._people_deal(state)
            else ()
        )

    def _amiss(self, state: State) -> tuple[Amiss, ...]:
        game = self._running().game
        return amiss(game.layout(state), self._sight, game.mat, game.words()) if game.mat else ()


def begin_or_refuse(header: Header, game: Game[Any], setup: Mapping[str, Json]) -> History:
    """The history before the first deal; raises SetupError."""
    game.begin(header.seats, setup)
    return begin(header)
