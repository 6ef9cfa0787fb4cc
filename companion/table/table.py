"""The table: the one mutable object, with the one lock.

Each sighting passes through here once: `observe` locates it on the mat in play, adds it to the tracked table, and asks
the game what it means. The answer reaches people through `view`.

Phones, buttons and the camera call the table from their own threads. Each call is short and leaves match, journal and
version consistent. The table never hands out a position: `view` returns what a viewer may see, from a snapshot and
without the lock.
"""

from __future__ import annotations

import copy
import math
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from companion.games import GAMES, notation
from companion.games.rules import SPECTATOR, HouseMove, Json, Move, Seat, Viewer
from companion.games.view import ConsentRequest, LogEntry, Revision, View
from companion.match.card_copies import removed_by_last_act
from companion.match.draw_verification import is_shuffle_revealed, shuffle_record
from companion.match.fair_shuffle import FairShuffle, Share
from companion.match.history import History, ReplayError, replay_failure
from companion.match.journal import Journal
from companion.match.match import Match, NotYourSeat
from companion.match.new_game import new_header
from companion.match.playing_on import start_of_what_if
from companion.match.replay import Replay
from companion.match.shuffle_status import ShuffleStatus
from companion.match.stored_game import ActRecord, Header
from companion.match.table_reading import TableReading
from companion.match.utc_time import now
from companion.match.view_builder import match_log_entry, tabletop_of_match
from companion.table import controls
from companion.table.companion_seats import (
    CompanionSeats,
    NoCompanion,
    check_companion_seats,
    store_companion_seats,
    stored_companion_seats,
)
from companion.table.snapshot import Snapshot
from companion.tabletop.observations import ButtonPressed, CardGone, CardSeen, DeviceHealth, DialTurned, Observation
from companion.tabletop.patience import FixKey, Patience, fix_key
from companion.tabletop.tracked_table import TrackedTable
from companion.text.messages import PlayerName, Text, TextLike, _
from companion.text.refusals import BadMove, IllegalMove, Refusal, Stale

PHONES_ONLY: Final = "phones_only"
"""The key of the note in which the journal stores whether people play on phones only."""


class NoGame(Refusal):
    """The refusal of an action because no game is in progress."""

    code = "no_game"


def no_game() -> Text:
    """The message that no game is in progress."""
    return _("No game is running. The host can start one.")


class Table:
    """The match in progress, the tracked table, and the request that waits for consent."""

    def __init__(self, journal: Journal, clock: Callable[[], float] = time.monotonic) -> None:
        self.journal = journal
        """The journal of all games. Only the table writes games into it."""
        self._clock = clock
        """The function that returns the time in seconds. Tests and recordings have a clock of their own."""
        self._condition = threading.Condition(threading.RLock())
        """Guards all other attributes, and is notified at every change."""
        self._match: Match | None = None
        self._ended = 0, 0
        """The id and the last version of the game that was ended last; zeros if none was since the service started."""
        self._companion_seats: CompanionSeats = {}
        self._tracked = TrackedTable(phones_only=bool(journal.note(PHONES_ONLY)))
        self._pending_deals: dict[str, CardSeen] = {}
        self._health: dict[str, DeviceHealth] = {}
        self._request: ConsentRequest | None = None
        self._withdrawals: set[tuple[Seat | None, str | None]] = set()
        """For each undo since the last act that has withdrawn a request for consent: the seat, and the action's id."""
        self._dial: controls.Dial | None = None
        self._notice: TextLike = ""
        """A notice for all phones."""
        self._refreshes = 0
        self._patience = Patience()
        self._reported_at = -math.inf
        """When it was last checked whether a difference is due to be reported."""
        self._reported: Collection[FixKey] = ()
        """The fixes that were shown to spectators at that time."""
        self._snapshot: Snapshot | None = None
        """The table as it is now; None if nobody has asked for a view since the last change."""
        self._resume_error: TextLike = ""
        self._resume()

    # Starting --------------------------------------------------------------------------------------

    def _resume(self) -> None:
        stored = self.journal.running_game()
        if stored is None:
            return
        try:
            self._match = Match(self.journal, stored)
            self._companion_seats = stored_companion_seats(self.journal, stored.id, self._match.game)
            self._tracked = replace(self._tracked, phones_only=self._ignores_camera())
        except ReplayError as error:
            self._resume_error = replay_failure(stored, error)

    @property
    def resume_error(self) -> TextLike:
        """Why the last game could not be resumed; "" if it could, or if none was running."""
        return self._resume_error

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
    ) -> int:
        """Starts a game, and makes the first deal as far as the companion deals. Returns the game's id. `companions`:
        the names of the policies with which the companion plays seats. `notes`: stored in the journal if the game is,
        and only then. Raises SetupError, NoCompanion, JournalError."""
        header = new_header(name, seats, setup, dealers, players, seed, shuffle)
        return self._start(header, companions or {}, notes or {})

    def play_on(
        self,
        replay: Replay,
        act: int,
        seed: str,
        shuffle: FairShuffle | None = None,
        notes: Mapping[str, Json] | None = None,
    ) -> int:
        """Starts a what-if: a game that plays on, on phones, after the first `act` acts of an earlier game. If that was
        the last game on this table, the companion keeps its seats; otherwise people play all seats. Returns the id of
        the new game. `notes`: as for `start`. Raises SetupError, JournalError."""
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
            with self.journal.transaction():
                match = Match.start(self.journal, header, taken_over)
                store_companion_seats(self.journal, match.id, played)
                for key, value in notes.items():
                    self.journal.save_note(key, value)
            self._companion_seats = played
            self._match, self._resume_error = match, ""
            self._clear_prompts()
            self._pending_deals.clear()
            self._tracked = replace(self._tracked.on_board(match.board_mat), phones_only=self._ignores_camera())
            self._patience = self._patience.after_act(self._clock(), ())
            self._notify()
            return match.id

    def _ignores_camera(self) -> bool:
        """Whether what the camera sees does not matter: in a what-if, and if people have said so."""
        is_what_if = self._match is not None and self._match.header.what_if is not None
        return is_what_if or bool(self.journal.note(PHONES_ONLY))

    def shuffle_status(self) -> ShuffleStatus | None:
        """The state of the current game's shuffle; None without a game, and for a game from before shuffles could be
        checked."""
        with self._condition:
            return ShuffleStatus.of(self._match) if self._match else None

    def shuffle_record(self, id: int) -> dict[str, Json] | None:
        """The shuffle of a game as docs/contract.md describes it. Once the shuffle is revealed, it includes the seed,
        the shares and all draws. None for a game from before shuffles could be checked. Raises KeyError, ReplayError,
        JournalError."""
        stored = self.journal.game(id)
        return shuffle_record(stored, self.journal.acts_before(id), is_open=is_shuffle_revealed(stored))

    def add_shares(self, commitment: str, shares: Sequence[Share]) -> None:
        """Mixes the phones' shares into the draws that are still to come. `commitment`: the commitment to the seed of
        the game that the shares are meant for; if that game is no longer running, nothing happens. Raises
        JournalError."""
        with self._condition:
            if self._match and self._match.header.shuffle and self._match.header.shuffle.commitment == commitment:
                self._match.add_shares(shares)

    def open_shuffle(self) -> None:
        """Reveals the shuffle of the current game if the game has ended. From then on the game's last act can't be
        undone any more. Raises JournalError."""
        with self._condition:
            if self._match:
                self._match.open_shuffle()
                self._clear_prompts()
                self._notify()

    def end(self) -> None:
        """Ends the running game, which stays in the journal. Raises Refusal, JournalError."""
        with self._condition:
            match = self._require_match()
            self.journal.close_game()
            self._ended = match.id, match.version
            self._match, self._companion_seats = None, {}
            self._clear_prompts()
            self._pending_deals.clear()
            self._notify()

    def _require_match(self) -> Match:
        if self._match is None:
            raise NoGame(no_game())
        return self._match

    # Acting ----------------------------------------------------------------------------------------

    def submit(self, seat: Seat | None, value: Json, version: int | None = None, request: str | None = None) -> int:
        """Makes the move in a JSON object for a seat (None: for the table itself); returns the new version once the
        move is durable.

        `request` is an id that the phone makes up: if the phone sends the same id for the same seat again, the move is
        made only once. Raises Refusal (Stale if `version` is not the current version) and JournalError.
        """

        def make(match: Match) -> int:
            move = match.parse_move(seat, value)
            match.check_version(version)
            if self._companion_seats and (problem := match.game.analysis.companion_problem(match.state_after(move))):
                raise IllegalMove(problem)
            return match.make_move(seat, move, request, TableReading(match, self._tracked).explaining_code(move))

        return self._perform_act(make, seat, request)

    def correct(self, seat: Seat, value: Json, version: int | None = None, request: str | None = None) -> int:
        """Makes the move in a JSON object instead of this seat's last move; returns the new version. If the move is
        refused, raises Refusal and changes nothing. `version`, `request`: as for `submit`."""
        with self._condition:
            match = self._require_match()
            if (done := match.version_of_request(seat, request)) is not None:
                return done
            match.check_version(version)
            last = match.history.done[-1].steps[0].move if match.can_undo else None
            if last is None or last.seat != seat:
                raise IllegalMove(_("You can only replace your own last move, and only until someone else moves."))
            match.state_after(match.parse_move(seat, value), match.history.done[-1].before)  # refuses before the undo
            self._undo_or_redo(History.undo, seat, version, None)
            return self.submit(seat, value, None, request)

    def ignore(self, seat: Seat, code: str) -> int:
        """Ignores a component that has no place in the match, until it is seen to move. Returns the version, which
        stays the same. Raises IllegalMove if `code` is not that of such a component, whether or not the camera sees
        it."""
        with self._condition:
            match = self._require_match()
            found = tabletop_of_match(match, seat, self._tracked).discrepancies
            if not any(each.code == code and each.is_stray for each in found):
                raise IllegalMove(_("You can only ignore things on the table that have no place in this game."))
            self._tracked = self._tracked.with_ignored(code)
            self._notify()
            return match.version

    def phones_only(self) -> bool | None:
        """Whether people play on phones only; None if nobody has said so yet."""
        found = self.journal.note(PHONES_ONLY)
        return None if found is None else bool(found)

    def set_phones_only(self, *, phones_only: bool) -> None:
        """Sets whether people play on phones only, so that what the camera sees does not matter. The journal keeps this
        setting for later games. Raises JournalError."""
        with self._condition:
            self.journal.save_note(PHONES_ONLY, phones_only)
            self._tracked = replace(self._tracked, phones_only=phones_only)
            self._notify()

    def version_of_request(self, seat: Seat, version: int | None, request: str | None) -> int | None:
        """The version that an action of this seat led to, if the action with the id `request` was performed before;
        None if the action is new. Raises NoGame, and Stale if the action is new but `version` is not the current
        version."""
        with self._condition:
            match = self._require_match()
            if (done := match.version_of_request(seat, request)) is None:
                match.check_version(version)
            return done

    def proceed(self, seat: Seat | None, version: int | None = None, request: str | None = None) -> int:
        """Lets the companion continue after a pause; returns the new version. `version`, `request`: as for `submit`.
        Raises Refusal."""
        return self._perform_act(lambda match: match.proceed(seat, request), seat, request, version)

    def undo(self, seat: Seat | None, version: int | None = None, request: str | None = None) -> int:
        """Withdraws the request that waits for consent, or undoes the last act if there is none; returns the version.
        `version`, `request`: as for `submit`. Raises Refusal."""
        with self._condition:
            match = self._require_match()
            if self._request is None or match.version_of_request(seat, request) is not None:
                is_repeated = request is not None and (seat, request) in self._withdrawals
                return match.version if is_repeated else self._undo_or_redo(History.undo, seat, version, request)
            match.check_version(version)
            self._notice = _("{name} withdrew the request.", name=PlayerName(self._request.asker))
            self._request = None
            self._withdrawals.add((seat, request))
            self._notify()
            return match.version

    def redo(self, seat: Seat | None, version: int | None = None, request: str | None = None) -> int:
        """Redoes the act that was undone last; returns the new version. `version`, `request`: as for `submit`. Raises
        Refusal."""
        return self._undo_or_redo(History.redo, seat, version, request)

    def reopen(self, version: int | None = None) -> int:
        """Resumes a finished game with hidden information, although everyone has seen the hidden cards by now: undoes
        the last act and returns the new version. Raises Refusal."""
        return self._step_back(Match.reopen, None, version, None)

    def _undo_or_redo(
        self,
        change: Callable[[History, int | None], History],
        seat: Seat | None,
        version: int | None,
        request: str | None,
    ) -> int:
        return self._step_back(lambda match: match.undo_or_redo(change, seat, request), seat, version, request)

    def _step_back(
        self, change: Callable[[Match], int], seat: Seat | None, version: int | None, request: str | None
    ) -> int:
        def change_history(match: Match) -> int:
            made = change(match)
            # The components on the table stood for earlier moves. To stand for a new move, they must be put down again.
            self._pending_deals.clear()
            self._tracked = self._tracked.without_turns(self._tracked.visible)
            return made

        return self._perform_act(change_history, seat, request, version)

    def _perform_act(
        self, act: Callable[[Match], int], seat: Seat | None, request: str | None = None, version: int | None = None
    ) -> int:
        """Performs an act, unless an action of this seat with the id `request` has performed it before, and tells
        everyone that the table has changed; returns the version that the act led to."""
        with self._condition:
            match = self._require_match()
            if (done := match.version_of_request(seat, request)) is not None:
                return done
            match.check_version(version)
            turn = match.state.turn
            reported = self._reported_fixes()
            made = act(match)
            self._patience = self._patience.after_act(self._clock(), reported)
            if self._tracked.visible:
                self._tracked = self._tracked.after_removal(removed_by_last_act(match.history))
                if match.state.turn != turn:  # what was laid must not count in a later turn of this seat
                    self._tracked = self._tracked.without_turns(self._tracked.visible)
                self._confirm(match)
            self._clear_prompts()
            self._withdrawals.clear()
            self._make_pending_deals()
            self._notify()
            return made

    def _reported_fixes(self) -> Collection[FixKey]:
        """The fixes that are reported now."""
        view = self.view() if self._tracked.visible or self._tracked.token_counts else None
        return {fix_key(each) for each in view.tabletop.discrepancies} if view else set()

    def _clear_prompts(self) -> None:
        """Clears everything that belongs to the previous position: the request, the dial, the notice and the recent
        flips."""
        self._request, self._dial, self._notice = None, None, ""
        self._tracked = replace(self._tracked, recent_flips=frozenset())

    # Asking another player -------------------------------------------------------------------------

    def request_consent(self, seat: Seat, value: Json, version: int | None = None) -> None:
        """Asks another player to consent to the move in a JSON object; raises Refusal."""
        with self._condition:
            match = self._require_match()
            move = match.parse_move(seat, value)
            match.check_version(version)
            asked = move.consenting_seat()
            if asked is None:
                raise BadMove(_("You don’t need to ask anyone for that."))
            match.state_after(move)
            self._clear_prompts()
            self._request = ConsentRequest(move, seat, asked)
            self._notify()

    def answer(self, seat: Seat | None, *, agreed: bool, question: Json = None) -> int:
        """Takes the answer to the pending request; returns the version after it. Raises Refusal.

        `seat` is the player who was asked. If that player has answered aloud, `seat` may be the player who made the
        request, or None for a button at the table. `question` is the requested move that was answered; if another move
        is requested by now, the answer is refused.
        """
        with self._condition:
            pending = self._request
            if pending is None:
                raise IllegalMove(_("There’s no open request."))
            if seat not in (None, pending.asked, pending.asker):
                raise NotYourSeat(_("That request isn’t for you."))
            if question is not None and notation.to_json(pending.move) != question:
                raise Stale(_("The request has changed. Look again."))
            if agreed:
                return self._perform_act(lambda match: match.make_move(pending.asker, pending.move), pending.asker)
            match = self._require_match()
            self._request = None
            self._notice = ""
            if seat == pending.asked:
                self._notice = _("{name} said no.", name=PlayerName(pending.asked))
            self._notify()
            return match.version

    # The companion's seats -------------------------------------------------------------------------

    @property
    def companion_seats(self) -> CompanionSeats:
        """The seats that the companion plays, each with the name of its policy."""
        with self._condition:
            return self._companion_seats

    @property
    def active_companion_seats(self) -> CompanionSeats:
        """The same, but none in a position that the companion can't play. An undo may lead to one."""
        with self._condition:
            match = self._match
            is_playable = match is not None and not match.game.analysis.companion_problem(match.state)
            return self._companion_seats if is_playable else {}

    def hand_over(self, seat: Seat, policy: str) -> None:
        """Lets the companion play a seat from now on. Raises NoCompanion, JournalError."""
        with self._condition:
            match = self._require_match()
            wanted = {**self._companion_seats, seat: policy}
            header = match.header
            if problem := match.game.analysis.companion_problem(match.state):
                raise NoCompanion(problem)
            self._change_companion_seats(check_companion_seats(match.game, header.seats, header.dealers, wanted))

    def take_back(self, seat: Seat) -> bool:
        """Lets people play a seat again. Returns whether the companion has played it. Raises NoGame, JournalError."""
        with self._condition:
            self._require_match()
            remaining = {other: policy for other, policy in self._companion_seats.items() if other != seat}
            if remaining == self._companion_seats:
                return False
            if self._request and self._request.asker == seat:
                self._request = None
            self._change_companion_seats(remaining)
            return True

    def _change_companion_seats(self, companions: CompanionSeats) -> None:
        store_companion_seats(self.journal, self._require_match().id, companions)
        self._companion_seats = companions
        self._notify()

    def act_for_companion(self, seat: Seat, seen: tuple[int, int], act: Callable[[], object]) -> None:
        """Calls `act`, which acts for a seat that the companion plays. Raises Stale if it does not play it any more, or
        if `seen` is not the current game and version."""
        with self._condition:
            if seat not in self._companion_seats or seen != self.game_and_version:
                raise Stale(_("The game has moved on. Look again."))
            act()

    # Watching --------------------------------------------------------------------------------------

    def observe(self, observation: Observation) -> None:
        """Takes in an observation from a device. A component that was put in a wrong place does not change the match;
        it only becomes a discrepancy."""
        with self._condition:
            match observation:
                case DeviceHealth(device=device):
                    self._health[device] = observation
                case ButtonPressed():
                    self._try_command(lambda: self.press(observation))
                case DialTurned(steps=steps):
                    self._try_command(lambda: self._turn_dial(steps))
                case _:
                    self._track(observation)
            self._notify()

    def _track(self, observation: Observation) -> None:
        """Updates the tracked table. While a game is in progress, also makes the move that a sighting stands for."""
        match = self._match
        if match is None:
            self._tracked = self._tracked.after(observation, now=self._clock())
            return
        mat = match.board_mat
        if isinstance(observation, CardSeen) and mat is not None and self._tracked.is_in_view(mat):
            observation = observation.located_on(mat)
        other_side = match.game.physical.components.other_side
        components = match.game.physical.components
        self._tracked = self._tracked.after(observation, match.state.turn, other_side, components.piles, self._clock())
        if self._tracked.phones_only:
            return
        self._interpret(match, observation)
        self._confirm(match)
        has_begun = TableReading(match, self._tracked).begun_move() is not None
        self._patience = self._patience.after_change(self._clock(), has_begun=has_begun)

    def _confirm(self, match: Match) -> None:
        """Remembers which components are where they belong."""
        self._tracked = self._tracked.with_confirmed(TableReading(match, self._tracked).confirmed_codes())

    def _interpret(self, match: Match, observation: Observation) -> None:
        """Makes the move that a sighting stands for. A card that people deal too early waits until its deal is due."""
        match observation:
            case CardGone(code=code):
                self._pending_deals.pop(code, None)
            case CardSeen(code=code) if not TableReading(match, self._tracked).is_recorded(observation):
                meaning = TableReading(match, self._tracked).meaning_of(observation)
                if meaning and not isinstance(meaning, HouseMove):
                    if self._tracked.turns.get(code) == match.state.turn:  # otherwise it is only a discrepancy
                        self._try_command(lambda: self._make_device_move(meaning, code))
                elif code not in self._tracked.uncovered and TableReading(match, self._tracked).can_be_dealt(code):
                    self._pending_deals[code] = observation
                    self._make_pending_deals()

    def _make_pending_deals(self) -> None:
        """Makes the first waiting deal that is due now. Every act calls this again, so the next waiting deal follows.

        On a seat's turn nobody deals. A card that was put down then by mistake is a discrepancy, and is not dealt
        later.
        """
        match = self._match
        for code, seen in list(self._pending_deals.items()):
            if match is None or not TableReading(match, self._tracked).can_be_dealt(code):
                del self._pending_deals[code]
                continue
            move = TableReading(match, self._tracked).meaning_of(seen)
            if isinstance(move, HouseMove) and not match.dealing.is_by_companion(move):
                del self._pending_deals[code]  # before the move, so that one sighting deals only one copy
                if self._try_command(partial(self._make_device_move, move, code)):
                    self._tracked = self._tracked.after_deal(code)
                return

    def _make_device_move(self, move: Move, code: str = "") -> None:
        """Makes a move that a device has reported. Raises Refusal."""
        self._patience = self._patience.after_completed_move(self._clock())
        try:
            self._perform_act(lambda match: match.make_move(None, move, code=code), None)
        except Refusal as refusal:
            # The reason why a hidden card can't have come is itself hidden information.
            if isinstance(move, HouseMove) and self._require_match().game.rules.has_hidden_information:
                raise IllegalMove(_("That can’t be dealt now. Check the table.")) from refusal
            raise

    def press(self, pressed: ButtonPressed, version: int | None = None) -> None:
        """Carries out the command that the press of a button stands for now. Raises Refusal (Stale if `version` is not
        the current version) and JournalError."""
        with self._condition:
            match = self._require_match()
            match.check_version(version)
            self._carry_out(controls.command_of(match, pressed, self._request, self._dial), pressed)
            self._notify()

    def _carry_out(self, command: controls.Command, pressed: ButtonPressed) -> None:
        match command:
            case "undo" if self._request is not None:
                self.undo(None)
            case "undo":
                self.undo(None)
                self._notice = controls.undo_message(pressed.repeats)
            case "proceed":
                self.proceed(None)
            case controls.Consent(seat):
                self.answer(seat, agreed=True)
            case controls.MakeMove(move) if move.consenting_seat() is not None and isinstance(move.seat, int):
                self.request_consent(move.seat, notation.to_json(move))
            case controls.MakeMove(move):
                self._make_device_move(move)
            case controls.Refuse(why):
                raise IllegalMove(why)

    def _turn_dial(self, steps: int) -> None:
        match = self._require_match()
        self._dial = dial = controls.turn_dial(match, self._dial, steps)
        if dial:
            self._notice = controls.dial_message(match, dial)
        else:
            self._notice = _("There’s nothing to choose with the dial right now.")

    def _try_command(self, act: Callable[[], object]) -> bool:
        """Calls `act`, and returns whether it succeeded. A device gets no answer, so the message of a refusal becomes a
        notice on the phones."""
        try:
            act()
        except Refusal as refusal:
            self._notice = refusal.message
            return False
        return True

    # Views -----------------------------------------------------------------------------------------

    def _notify(self) -> None:
        self._refreshes += 1
        self._snapshot = None
        self._condition.notify_all()

    def refresh(self) -> None:
        """Makes every phone fetch its view again, for example because somebody has joined or left."""
        with self._condition:
            self._notify()

    def show_notice(self, notice: TextLike) -> None:
        """Shows a notice on all phones until the next act."""
        with self._condition:
            self._notice = notice
            self._notify()

    @property
    def secret_game(self) -> int | None:
        """The id of the current game if it has hidden information, otherwise None."""
        match = self._match
        return match.id if match is not None and match.game.rules.has_hidden_information else None

    @property
    def revision(self) -> Revision:
        """The version of the match (0 if there is none), and the count of all other changes."""
        with self._condition:
            return Revision(self._match.version if self._match else 0, self._refreshes)

    @property
    def game_and_version(self) -> tuple[int, int]:
        """The id and the version of the game on the table, or of the one that was ended last."""
        with self._condition:
            return (self._match.id, self._match.version) if self._match else self._ended

    def wait(self, seen: Revision, timeout: float) -> Revision:
        """Waits for a newer revision than `seen`, at most `timeout` seconds; returns the current revision."""
        deadline = time.monotonic() + timeout
        with self._condition:
            while self.revision == seen and (left := deadline - time.monotonic()) > 0:
                report_in = self._patience.next_report(self._reported_at) - self._clock()
                if report_in > 0:
                    self._condition.wait(min(left, report_in))
                else:
                    self._report()
            return self.revision

    def _report(self) -> None:
        """Tells everyone if the discrepancies to report have changed."""
        self._reported_at, reported = self._clock(), self._reported_fixes()
        if reported != self._reported:
            self._reported = reported
            self._notify()

    @property
    def patience(self) -> Patience:
        """What decides how long a difference between the table and the match must last before it is reported."""
        return self._patience

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names by seat, for use in sentences; empty if there is no game."""
        with self._condition:
            return self._match.names if self._match else ()

    def rename(self, seat: Seat, name: str) -> None:
        """Renames the player of a seat."""
        with self._condition:
            match = self._require_match()
            if not 0 <= seat < len(match.names):
                raise NoGame(_("There’s no such seat."))
            match.rename(seat, name)
            self._notify()

    def rename_in_all_games(self, renamed: Callable[[Sequence[str]], Sequence[str]], notes: Mapping[str, Json]) -> None:
        """Gives players other names in all games, the current one included, and stores notes; does all of it or
        nothing. `renamed`: see `Journal.rename_in_all_games`. Raises JournalError."""
        with self._condition:
            self.journal.rename_in_all_games(renamed, notes)
            if self._match:
                self._match.take_names(renamed(self._match.header.players))
            self._notice = ""  # it may contain an earlier name
            self._notify()

    def health(self) -> tuple[DeviceHealth, ...]:
        """The latest health report of each device."""
        with self._condition:
            return tuple(self._health.values())

    def log_after(self, viewer: Viewer, version: int) -> tuple[LogEntry, ...]:
        """The log entries of all acts after a version, as the viewer may know them."""
        with self._condition:
            match = self._match
            if match is None:
                return ()
            return tuple(
                match_log_entry(match, act, viewer) for act in match.history.acts[max(0, version - match.acts_before) :]
            )

    def view(self, viewer: Viewer = SPECTATOR) -> View | None:
        """What the viewer may see now; None while no game is in progress."""
        with self._condition:
            if self._match is None:
                return None
            now = self._clock()
            if self._snapshot is None or self._patience.next_report(self._snapshot.at) <= now:
                match, tracked, patience = copy.copy(self._match), self._tracked, self._patience
                self._snapshot = Snapshot(
                    match,
                    tracked,
                    self.revision,
                    self._request,
                    self._notice,
                    self._dial,
                    patience,
                    now,
                    self._companion_seats,
                )
            snapshot = self._snapshot
        return snapshot.view(viewer)
