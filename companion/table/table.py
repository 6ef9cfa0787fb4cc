"""The table: the one mutable object, with the one lock.

Each sighting passes through here once: `observe` locates it on the mat in play, adds it to the tracked table, and asks
the game what the sighting means. The answer reaches people through `view`.

Phones, buttons and the camera call the table from their own threads. Each call is short and leaves match, journal and
version consistent. The table never returns a position: `view` returns what a viewer may see, from a snapshot and
without the lock.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence

from companion.games import GAMES
from companion.games.rules import SPECTATOR, Json, Seat, Viewer
from companion.games.view import LogEntry, Revision, View
from companion.match.fair_shuffle import FairShuffle
from companion.match.journal import Journal
from companion.match.new_game_header import new_header
from companion.match.replay import Replay
from companion.match.stored_game import ActRecord, Header
from companion.match.utc_time import now
from companion.match.view_builder import match_log_entry
from companion.match.what_if_games import start_of_what_if
from companion.table.act_performer import ActPerformer
from companion.table.button_input import ButtonInput
from companion.table.companion_seats import CompanionSeats, check_companion_seats, stored_companion_seats
from companion.table.consent import Consent
from companion.table.current_game import CurrentGame
from companion.table.physical_table import PhysicalTable
from companion.table.public_table import PublicTable
from companion.table.shuffle_control import ShuffleControl
from companion.table.sighting_input import SightingInput
from companion.table.table_changes import CameraLeft, ChangeListener, ComponentIgnored, TableChanges
from companion.table.table_views import TableViews
from companion.table.transient_prompts import TransientPrompts
from companion.tabletop.discrepancy_timing import DiscrepancyTiming
from companion.tabletop.observations import ButtonPressed, DeviceHealth, DialTurned, Observation
from companion.text.messages import TextLike, _
from companion.text.refusal_errors import Stale


class Table:
    """The lock, and the parts that it guards. Each method takes the lock and calls a part."""

    def __init__(self, journal: Journal, clock: Callable[[], float] = time.monotonic) -> None:
        self.journal = journal
        """The journal of all games. Only the table writes games into it."""
        self._condition = threading.Condition(threading.RLock())
        """Guards everything below, and is notified at every change."""
        self._health: dict[str, DeviceHealth] = {}
        self._game = CurrentGame(journal)
        self._physical = PhysicalTable(clock, phones_only=self._game.ignores_camera)
        self._prompts = TransientPrompts()
        self._views = TableViews(self._condition, clock, self._game, self._physical, self._prompts)
        self._changes = TableChanges(clock, self._game, self._physical)
        self._acts = ActPerformer(self._game, self._physical, self._prompts, self._views, self._changes)
        self._consent = Consent(self._game, self._prompts, self._acts, self._views)
        self._buttons = ButtonInput(clock, self._game, self._prompts, self._acts, self._consent)
        self._sightings = SightingInput(self._game, self._physical, self._prompts, self._acts)
        self.shuffle = ShuffleControl(self._condition, journal, self._game, self._acts, self._views)
        """The shuffle of the game on the table."""

    @property
    def resume_error(self) -> TextLike:
        """Why the last game could not be resumed; "" if it could, or if none was running."""
        return self._game.resume_error

    def start(
        self,
        name: str,
        seats: int | None,
        setup: Mapping[str, Json],
        dealers: Mapping[str, str],
        players: tuple[str, ...],
        seed: str,
        shuffle: FairShuffle | None = None,
        companions: Mapping[int, str] | None = None,
        notes: Mapping[str, Json] | None = None,
        follows: tuple[int, int | None] | None = None,
    ) -> int:
        """Starts a game, and makes the companion's moves in the first deal. Returns the game's id. `companions`: the
        names of the policies with which the companion plays seats. `notes`: stored in the journal in the same
        transaction as the game. `follows`: the id and version of the game that the caller takes for the current one
        (see `game_and_version`). The version is None if any version will do. If `follows` is out of date, nothing
        starts and Stale is raised. Raises SetupError if the set-up is wrong, NoCompanion if the companion can't play a
        seat, and JournalError if the game can't be stored."""
        header = new_header(name, seats, setup, dealers, players, seed, shuffle)
        with self._condition:
            if follows is not None:
                self._check_current(*follows)
            return self._start(header, companions or {}, notes or {})

    def _check_current(self, id: int, version: int | None) -> None:
        """Raises Stale if the current game does not have this id, or if it has gone on since this version."""
        now = self.game_and_version
        if id != now[0]:
            raise Stale(_("Another game has been started. Look at it before you end it."))
        if version not in (None, now[1]):
            raise Stale(_("The game is still running. End it first."))

    def play_on(
        self,
        replay: Replay,
        act: int,
        seed: str,
        shuffle: FairShuffle | None = None,
        notes: Mapping[str, Json] | None = None,
    ) -> int:
        """Starts a what-if: a game on phones that begins with the first `act` acts of an earlier game. The companion
        plays the seats that it played at the end of the earlier game, with the same policies. Returns the id of the new
        game. `notes`: as for `start`. Raises SetupError if no what-if can begin there, and JournalError if the game
        can't be stored."""
        header, taken_over = start_of_what_if(replay, act, seed, shuffle, now())
        companions = stored_companion_seats(self.journal, replay.stored.id, replay.history.game)
        return self._start(header, companions, notes or {}, taken_over)

    def _start(
        self,
        header: Header,
        companions: Mapping[int, str],
        notes: Mapping[str, Json],
        taken_over: tuple[ActRecord, ...] = (),
    ) -> int:
        played = check_companion_seats(GAMES[header.game], header.seats, header.dealers, companions)
        with self._condition:
            self._changes.report(CameraLeft())
            match = self._game.start(header, played, notes, taken_over)
            self._prompts.clear()
            self._physical.after_start(match, phones_only=self._game.ignores_camera)
            self._views.notify()
            return match.id

    def end(self) -> None:
        """Ends the running game, which stays in the journal. Raises NoGame if none is running, and JournalError if this
        can't be stored."""
        with self._condition:
            self._changes.report(CameraLeft())
            self._game.end()
            self._prompts.clear()
            self._physical.after_end()
            self._views.notify()

    def submit(self, seat: Seat | None, value: Json, version: int | None = None, action_id: str | None = None) -> int:
        """Makes the move in a JSON object for a seat (None: for the table itself); returns the new version once the
        move is durable.

        `action_id`: an id that the phone makes up. If the phone sends the same id for the same seat again, the move is
        made only once. Raises Refusal if the move is refused (Stale if `version` is not the current version), and
        JournalError if the move can't be stored.
        """
        with self._condition:
            return self._acts.submit(seat, value, version, action_id)

    def correct(self, seat: Seat, value: Json, version: int | None = None, action_id: str | None = None) -> int:
        """Replaces this seat's last move with the move in a JSON object; returns the new version. If the move is
        refused, raises Refusal and changes nothing. `version`, `action_id`: as for `submit`."""
        with self._condition:
            return self._acts.correct(seat, value, version, action_id)

    def ignore(self, seat: Seat, code: str) -> int:
        """Ignores a component that has no place in the match, until it is seen to move, or all tokens (see
        `PhysicalTable.ignore`). Returns the version, which stays the same. For any other code, raises IllegalMove,
        whether or not the camera sees a component with this code."""
        with self._condition:
            match, before = self._game.require_match(), self._changes.moment()
            self._physical.ignore(match, seat, code, self._game.companion_seats)
            self._changes.report(ComponentIgnored(code), before)
            self._views.notify()
            return match.version

    def await_camera(self) -> None:
        """Makes the companion's seats wait, and reports no differences, until the camera has looked at the whole
        table. Called when the camera starts."""
        with self._condition:
            self._physical.await_camera()
            self._views.notify()

    def phones_only(self) -> bool | None:
        """Whether people play on phones only; None if they have not yet said whether they do."""
        return self._game.phones_only

    def set_phones_only(self, *, phones_only: bool) -> None:
        """Sets whether people play on phones only. If they do, the camera's sightings are ignored. The journal keeps
        this setting for later games. Raises JournalError if the setting can't be stored."""
        with self._condition:
            self._changes.report(CameraLeft())
            self._game.phones_only = phones_only
            self._physical.set_phones_only(phones_only=phones_only)
            self._views.notify()

    def version_of_action(self, seat: Seat, version: int | None, action_id: str | None) -> int | None:
        """The version that this seat's action `action_id` led to; None if this action has not been performed yet.
        Raises NoGame if no game is in progress, and Stale if the action has not been performed yet and `version` is not
        the current version."""
        with self._condition:
            return self._acts.version_of_action(seat, version, action_id)

    def proceed(self, seat: Seat | None, version: int | None = None, action_id: str | None = None) -> int:
        """Lets the companion continue after a pause; returns the new version. `version`, `action_id`: as for `submit`.
        Raises Refusal if the companion has not paused."""
        with self._condition:
            return self._acts.proceed(seat, version, action_id)

    def undo(self, seat: Seat | None, version: int | None = None, action_id: str | None = None) -> int:
        """Withdraws the request that waits for consent. If no request waits, undoes the last act. Returns the version
        after that. `version`, `action_id`: as for `submit`. Raises Refusal if nothing can be undone."""
        with self._condition:
            return self._acts.undo(seat, version, action_id)

    def redo(self, seat: Seat | None, version: int | None = None, action_id: str | None = None) -> int:
        """Restores the request for consent that undo withdrew, if no move has been made since. Otherwise redoes the act
        that was undone last. Returns the version after that. `version`, `action_id`: as for `submit`. Raises Refusal if
        nothing can be redone."""
        with self._condition:
            return self._acts.redo(seat, version, action_id)

    def reopen(self, version: int | None = None) -> int:
        """Resumes a finished game with hidden information, although everyone has seen the hidden cards by now: undoes
        the last act and returns the new version. Raises Refusal if the game can't change any more."""
        with self._condition:
            return self._acts.reopen(version)

    def request_consent(self, seat: Seat, value: Json, version: int | None = None) -> None:
        """Asks another player to consent to the move in a JSON object. Raises Refusal if the move is illegal or needs
        no consent."""
        with self._condition:
            self._consent.ask(seat, value, version)

    def answer(self, seat: Seat | None, *, agreed: bool, question: Json = None) -> int:
        """Takes the answer to the pending request; returns the version after it. Raises Refusal if no request is
        pending, or if the request is not for this seat.

        `seat` is the player who was asked. If that player has answered aloud, `seat` may be the player who made the
        request, or None for a button at the table. `question` is the requested move that was answered; if another move
        has been requested since, the answer is refused.
        """
        with self._condition:
            return self._consent.answer(seat, agreed=agreed, question=question)

    @property
    def companion_seats(self) -> CompanionSeats:
        """The seats that the companion plays, each with the name of its policy."""
        with self._condition:
            return self._game.companion_seats

    @property
    def active_companion_seats(self) -> CompanionSeats:
        """The seats that the companion plays now; none in a position that the companion can't play. An undo may lead to
        such a position."""
        with self._condition:
            return self._game.active_companion_seats

    def hand_over(self, seat: Seat, policy: str) -> None:
        """Lets the companion play a seat from now on. Raises NoGame if there is no game, NoCompanion if the companion
        can't play the seat, and JournalError if this can't be stored."""
        with self._condition:
            self._game.hand_over(seat, policy)
            self._views.notify()

    def take_back(self, seat: Seat) -> bool:
        """Lets people play a seat again. Returns whether the companion was playing this seat. Raises NoGame if there is
        no game, and JournalError if this can't be stored."""
        with self._condition:
            if not self._game.take_back(seat):
                return False
            if self._prompts.request and self._prompts.request.asker == seat:
                self._prompts.request = None
            self._views.notify()
            return True

    def act_for_companion(self, seat: Seat, seen: tuple[int, int], act: Callable[[], object]) -> None:
        """Calls `act`, which acts for a seat that the companion plays. Raises Stale if the companion does not play this
        seat any more, or if `seen` is not the current game and version."""
        with self._condition:
            if seat not in self._game.companion_seats or seen != self._game.id_and_version:
                raise Stale(_("The game has moved on. Look again."))
            act()

    def observe(self, observation: Observation) -> None:
        """Takes in an observation from a device. A component that was put in a wrong place does not change the match;
        it only becomes a discrepancy."""
        with self._condition:
            match observation:
                case DeviceHealth(device=device):
                    self._health[device] = observation
                case ButtonPressed():
                    self._prompts.attempt(lambda: self.press(observation))
                case DialTurned(steps=steps):
                    self._prompts.attempt(lambda: self._buttons.turn_dial(steps))
                case _:
                    self._changes.report(observation)
                    self._sightings.take_in(observation)
            self._views.notify()

    def report_changes_to(self, listener: ChangeListener) -> None:
        """Reports every later change to `listener`, with the table's lock held."""
        with self._condition:
            self._changes.listener = listener

    def press(self, pressed: ButtonPressed, version: int | None = None) -> None:
        """Carries out the command that the press of a button means now. Raises Refusal if the command is refused (Stale
        if `version` is not the current version), and JournalError if its result can't be stored."""
        with self._condition:
            self._buttons.press(pressed, version)
            self._views.notify()

    def refresh(self) -> None:
        """Makes every phone fetch its view again, for example because somebody has joined or left."""
        with self._condition:
            self._views.notify()

    def show_notice(self, notice: TextLike) -> None:
        """Shows a notice on all phones until the next act."""
        with self._condition:
            self._prompts.notice = notice
            self._views.notify()

    @property
    def secret_game(self) -> int | None:
        """The id of the current game if it has hidden information, otherwise None."""
        match = self._game.match
        return match.id if match is not None and match.game.rules.has_hidden_information else None

    @property
    def revision(self) -> Revision:
        """The version of the match (0 if there is none), and the count of all other changes."""
        with self._condition:
            return self._views.revision

    @property
    def game_and_version(self) -> tuple[int, int]:
        """The id and the version of the game on the table, or of the game that was ended last."""
        with self._condition:
            return self._game.id_and_version

    def wait(self, seen: Revision, timeout: float) -> Revision:
        """Waits for a newer revision than `seen`, for at most `timeout` seconds; returns the current revision."""
        with self._condition:
            return self._views.wait(seen, timeout)

    @property
    def discrepancy_timing(self) -> DiscrepancyTiming:
        """The timing that decides how long a difference between the table and the match must last before it is
        reported."""
        return self._physical.discrepancy_timing

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names by seat, for use in sentences; empty if there is no game."""
        with self._condition:
            return self._game.match.names if self._game.match else ()

    def rename(self, seat: Seat, name: str) -> None:
        """Renames the player of a seat."""
        with self._condition:
            self._game.rename(seat, name)
            self._views.notify()

    def rename_in_all_games(self, renamed: Callable[[Sequence[str]], Sequence[str]], notes: Mapping[str, Json]) -> None:
        """Atomically renames players in all games, including the current one, and stores notes. `renamed`: see
        `Journal.rename_in_all_games`. Raises JournalError if the changes can't be stored."""
        with self._condition:
            self._game.rename_in_all_games(renamed, notes)
            self._prompts.notice = ""  # it may contain an earlier name
            self._views.notify()

    def public_table(self) -> PublicTable | None:
        """What everyone may see of the real table (see `companion.table.public_table`). None if there is no game, if
        the game's mat is not in view, or if the game is played on phones."""
        with self._condition:
            return self._physical.public_table(self._game.match)

    def health(self) -> tuple[DeviceHealth, ...]:
        """The latest health report of each device."""
        with self._condition:
            return tuple(self._health.values())

    def log_after(self, viewer: Viewer, version: int) -> tuple[LogEntry, ...]:
        """The log entries of all acts after a version, as the viewer may know them."""
        with self._condition:
            match = self._game.match
            if match is None:
                return ()
            return tuple(
                match_log_entry(match, act, viewer) for act in match.history.acts[max(0, version - match.acts_before) :]
            )

    def view(self, viewer: Viewer = SPECTATOR) -> View | None:
        """The viewer's view of the table now; None while no game is in progress."""
        with self._condition:
            snapshot = self._views.snapshot()
        return snapshot.view(viewer) if snapshot else None
