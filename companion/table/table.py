"""The table: the one mutable object, with the one lock.

Whoever acts (a phone, a button, the camera) calls it from a thread of its own; each call is short and leaves book,
journal and version in step. Nobody gets a state from it: `view` tells what a viewer may see.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

from companion.games.rules import SPECTATOR, HouseMove, Json, Move, Seat, Viewer
from companion.match import notation
from companion.match.history import History, ReplayError
from companion.match.journal import Journal
from companion.match.match import Match, NotYourSeat, planned, why_not
from companion.match.view import Ask, Mark, Told, View, look, meant_by, tell
from companion.table import controls
from companion.tabletop.observations import ButtonPressed, CardGone, CardSeen, DeviceHealth, DialTurned, Observation
from companion.tabletop.tracked_table import TrackedTable
from companion.text.refusals import BadMove, IllegalMove, Refusal, Stale
from companion.text.translation import _, in_each

__all__ = ["Ask", "Mark", "NoGame", "NotYourSeat", "Table", "Told", "View"]


class NoGame(Refusal):
    """Nothing is being played."""

    code = "no_game"


def no_game() -> str:
    """What is said where nothing is played."""
    return _("No game is running; the host starts one.")


def _nothing() -> str:
    return ""


class Table:
    """The running game's book, the sight of the real table, and the question that waits for an answer."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        """Where games and notes are kept. Only the table writes games into it."""
        self._changed = threading.Condition(threading.RLock())
        self._match: Match | None = None
        self._sight = TrackedTable()
        self._pending: dict[str, CardSeen] = {}
        self._health: dict[str, DeviceHealth] = {}
        self._ask: Ask | None = None
        self._dial: controls.Dial | None = None
        self._notice: Callable[[], str] = _nothing
        """What phones are told besides, said by each in its language."""
        self._pulse = 0
        self._trouble = ""
        self._resume()

    # Starting --------------------------------------------------------------------------------------

    def _resume(self) -> None:
        kept = self.journal.running()
        if kept is None:
            return
        try:
            self._match = Match(self.journal, kept)
        except ReplayError:
            self._trouble = in_each(lambda: why_not(self.journal, kept))

    @property
    def trouble(self) -> str:
        """Why the last game could not be taken up again, if it could not."""
        return self._trouble

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
        header = planned(name, seats, setup, dealers, players, seed)
        with self._changed:
            match = Match.start(self.journal, header)
            self._match, self._trouble = match, ""
            self._settled()
            self._pending.clear()
            self._sight = self._sight.on(match.own_mat)
            self._tell()
            return match.id

    def end(self) -> None:
        """Ends the running game; it stays in the journal. Raises Refusal, JournalError."""
        with self._changed:
            self._running()
            self.journal.close_game()
            self._match = None
            self._settled()
            self._pending.clear()
            self._tell()

    def _running(self) -> Match:
        if self._match is None:
            raise NoGame(no_game())
        return self._match

    # Acting ----------------------------------------------------------------------------------------

    def submit(self, seat: Seat | None, value: Json, version: int | None = None, request: str | None = None) -> int:
        """Makes a move for a seat (None: for the table itself); returns the new version once it is durable.

        Raises Refusal (Stale if `version` is not the present one) and JournalError; the same request of the same
        seat acts once.
        """

        def make(match: Match) -> int:
            move = match.read(seat, value)
            match.check_version(version)
            return match.make(seat, move, request, self._explained(match, move))

        return self._act(make, seat, request)

    def done_before(self, seat: Seat, version: int | None, request: str | None) -> int | None:
        """The version that this request of a seat made already, for who must look at something before it can submit;
        None if it is new. Raises Stale, NoGame."""
        with self._changed:
            match = self._running()
            if (done := match.answered(seat, request)) is None:
                match.check_version(version)
            return done

    def _explained(self, match: Match, move: Move) -> str:
        """The code that was laid in this turn, lies there unexplained, and of which somebody now says what it was."""
        strays = (seen for seen in self._sight.seen.values() if not match.has_laid(seen, self._sight))
        return next((seen.thing for seen in strays if move in meant_by(match.game, match.state, seen)), "")

    def proceed(self, seat: Seat | None, version: int | None = None, request: str | None = None) -> int:
        """Lets the companion go on after a pause; raises Refusal."""
        return self._act(lambda match: match.proceed(seat, request), seat, request, version)

    def undo(self, seat: Seat | None, version: int | None = None, request: str | None = None) -> int:
        """Takes the last act back; raises Refusal."""
        return self._turn_back(History.undo, seat, version, request)

    def redo(self, seat: Seat | None, version: int | None = None, request: str | None = None) -> int:
        """Does again what was taken back; raises Refusal."""
        return self._turn_back(History.redo, seat, version, request)

    def _turn_back(
        self, way: Callable[[History, int | None], History], seat: Seat | None, version: int | None, request: str | None
    ) -> int:
        def turn_back(match: Match) -> int:
            made = match.turn_back(way, seat, request)
            # What lies on the table was booked before; it must be laid anew to count again.
            self._pending.clear()
            self._sight = self._sight.settled(self._sight.seen)
            return made

        return self._act(turn_back, seat, request, version)

    def _act(
        self, act: Callable[[Match], int], seat: Seat | None, request: str | None = None, version: int | None = None
    ) -> int:
        """Lets something be booked, once for each request, and tells everyone; returns the version it made."""
        with self._changed:
            match = self._running()
            if (done := match.answered(seat, request)) is not None:
                return done
            match.check_version(version)
            made = act(match)
            self._sight = self._sight.settled(match.taken_off())  # it must be laid anew to count again
            self._settled()
            self._read_pending()
            self._tell()
            return made

    def _settled(self) -> None:
        """What was asked, dialled and said was about the position before."""
        self._ask, self._dial, self._notice = None, None, _nothing
        self._sight = replace(self._sight, turned=frozenset())

    # Asking another player -------------------------------------------------------------------------

    def ask(self, seat: Seat, value: Json, version: int | None = None) -> None:
        """Puts a move that needs another player's word to that player; raises Refusal."""
        with self._changed:
            match = self._running()
            move = match.read(seat, value)
            match.check_version(version)
            asked = move.asks()
            if asked is None:
                raise BadMove(_("That needs nobody's permission."))
            match.after(move)
            self._settled()
            self._ask = Ask(move, seat, asked)
            self._tell()

    def answer(self, seat: Seat | None, *, agreed: bool, question: Json = None) -> int:
        """The asked player's word, or the asker's that it was given aloud (None: at the table); raises Refusal.

        `question` is the move that was seen to be asked for: another question may have come since.
        """
        with self._changed:
            ask = self._ask
            if ask is None:
                raise IllegalMove(_("Nobody is asking anything."))
            if seat not in (None, ask.asked, ask.asker):
                raise NotYourSeat(_("That question is not for you."))
            if question is not None and notation.to_json(ask.move) != question:
                raise Stale(_("The question has changed; look again."))
            if agreed:
                return self._act(lambda match: match.make(ask.asker, ask.move), ask.asker)
            match = self._running()
            self._ask = None
            self._notice = _nothing
            if seat == ask.asked:
                self._notice = lambda: _("{name} says no.", name=match.names[ask.asked])
            self._tell()
            return match.version

    # Watching --------------------------------------------------------------------------------------

    def observe(self, observation: Observation) -> None:
        """Takes what a device reports. A wrong table changes nothing but what is amiss."""
        with self._changed:
            match observation:
                case DeviceHealth(device=device):
                    self._health[device] = observation
                case ButtonPressed():
                    self._try(lambda: self._press(observation))
                case DialTurned(steps=steps):
                    self._try(lambda: self._turn_dial(steps))
                case _:
                    board, turn = (self._match.own_mat, self._match.state.turn) if self._match else (None, None)
                    before, seen = self._sight, self._sight.placed(observation, board)
                    if isinstance(seen, CardSeen):
                        seen = before.in_turn(seen, turn)
                    self._sight = before.after(seen)
                    self._see(self._told(before, seen))
            self._tell()

    def _see(self, observation: Observation) -> None:
        """Books a move that a sighting makes; what people deal before it is due waits."""
        match observation:
            case CardGone(thing=thing):
                self._pending.pop(thing, None)
            case CardSeen(thing=thing) if self._match and not self._match.has_laid(observation, self._sight):
                meaning = self._match.game.physical.meaning_of(self._match.state, observation)
                if meaning and not isinstance(meaning, HouseMove):
                    if observation.turn == self._match.state.turn:  # what lay there before is put right
                        self._make(meaning, thing)
                elif self._match.awaits(thing):
                    self._pending[thing] = observation
                    self._read_pending()

    def _told(self, before: TrackedTable, observation: Observation) -> Observation:
        """A sighting, with what only the sight tells: what else lies where, and that a thing was turned over."""
        if not self._match or not isinstance(observation, CardSeen):
            return observation
        seen = sorted(self._sight.seen.values(), key=lambda other: other.t)
        lying = {other.thing: other.zone for other in seen}
        shown = self._match.shown(observation, self._sight)
        if observation.change != "turned" and before.flipped(
            observation, self._match.game.physical.components.other_side
        ):
            self._sight = replace(self._sight, turned=self._sight.turned | {observation.thing})
            observation = replace(observation, change="flipped")
        return replace(observation, lying=lying, turned=self._sight.turned, shown=shown)

    def _read_pending(self) -> None:
        """Books the first card that came to rest, has not counted yet, and is due now; then the next.

        On a seat's turn nobody deals: what lay there by mistake is put right, it does not count later.
        """
        match = self._match
        for thing, seen in list(self._pending.items()):
            if match is None or not match.awaits(thing):
                del self._pending[thing]
                continue
            move = match.game.physical.meaning_of(match.state, seen)
            if isinstance(move, HouseMove) and not match.companion_deals(move):
                del self._pending[thing]  # first: one sighting deals one copy
                self._make(move, thing)
                return

    def _make(self, move: Move, thing: str = "") -> None:
        # Why a hidden card can't have come is itself a secret.
        hidden = (
            isinstance(move, HouseMove) and self._match is not None and self._match.game.rules.has_hidden_information
        )
        if not self._try(lambda: self._act(lambda match: match.make(None, move, thing=thing), None)) and hidden:
            self._notice = lambda: _("What was laid there can't have come now; look at the table.")

    def _press(self, pressed: ButtonPressed) -> None:
        """A button is the table's own hand: undo, yes, go on, or what the game makes of it."""
        match controls.meaning_of(self._running(), pressed, self._ask, self._dial):
            case "undo":
                self.undo(None)
                self._notice = lambda: controls.going_back(pressed.held)
            case "proceed":
                self.proceed(None)
            case controls.Agree(seat):
                self.answer(seat, agreed=True)
            case controls.Make(move) if move.asks() is not None and isinstance(move.seat, int):
                self.ask(move.seat, notation.to_json(move))
            case controls.Make(move):
                self._make(move)
            case controls.Say(words):
                self._notice = words

    def _turn_dial(self, steps: int) -> None:
        match = self._running()
        self._dial = dial = controls.turned(match, self._dial, steps)
        if dial:
            self._notice = lambda: controls.dialled(match, dial)
        else:
            self._notice = lambda: _("There is nothing to dial now.")

    def _try(self, act: Callable[[], object]) -> bool:
        """Whether something was done. A device gets no answer, so a refusal is shown on the phones: what is refused
        changes nothing, so it is tried again in each language for that language's words."""

        def refused() -> str:
            try:
                act()
            except Refusal as refusal:
                return str(refusal)
            return ""

        if not refused():
            return True
        words = in_each(refused)
        self._notice = lambda: _(words)
        return False

    # Telling ---------------------------------------------------------------------------------------

    def _tell(self) -> None:
        self._pulse += 1
        self._changed.notify_all()

    def pulse(self) -> None:
        """Makes every phone look again (somebody came or went)."""
        with self._changed:
            self._tell()

    @property
    def mark(self) -> Mark:
        """What there is to see now."""
        with self._changed:
            return Mark(self._match.version if self._match else 0, self._pulse)

    def wait(self, seen: Mark, timeout: float) -> Mark:
        """Waits until there is more to see, `timeout` seconds at most."""
        with self._changed:
            self._changed.wait_for(lambda: self.mark != seen, timeout)
            return self.mark

    @property
    def names(self) -> tuple[str, ...]:
        """What the players are called, by seat, as it goes into words."""
        with self._changed:
            return self._match.names if self._match else ()

    def rename(self, seat: Seat, name: str) -> None:
        """Calls a player by another name."""
        with self._changed:
            match = self._running()
            if not 0 <= seat < len(match.names):
                raise NoGame(_("There is no such seat."))
            match.rename(seat, name)
            self._tell()

    def health(self) -> tuple[DeviceHealth, ...]:
        """How each device fares."""
        with self._changed:
            return tuple(self._health.values())

    def told(self, viewer: Viewer, after: int) -> tuple[Told, ...]:
        """Every act after a version, as the viewer may know it."""
        with self._changed:
            match = self._match
            if match is None:
                return ()
            return tuple(tell(match, act, viewer) for act in match.history.acts[max(0, after - match.earlier) :])

    def view(self, viewer: Viewer = SPECTATOR) -> View | None:
        """What a viewer may see now, or None while nothing is played."""
        with self._changed:
            if self._match is None:
                return None
            dialled = (self._dial.at, len(self._dial.moves)) if self._dial else None
            return look(self._match, viewer, self._sight, self.mark, self._ask, self._notice(), dialled)
