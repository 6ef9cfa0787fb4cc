"""The game on the table: starting and ending it, and who plays its seats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from companion.games.rules import Json, Seat
from companion.match.history import ReplayError, replay_failure
from companion.match.journal import Journal
from companion.match.match import Match
from companion.match.stored_game import ActRecord, Header
from companion.table.companion_seats import (
    CompanionSeats,
    NoCompanion,
    check_companion_seats,
    store_companion_seats,
    stored_companion_seats,
)
from companion.text.messages import Text, TextLike, _
from companion.text.refusal_errors import Refusal

PHONES_ONLY: Final = "phones_only"
"""The key of the note in which the journal stores whether people play on phones only."""


class NoGame(Refusal):
    """The refusal of an action because no game is in progress."""

    code = "no_game"


def no_game() -> Text:
    """The message that no game is in progress."""
    return _("No game is running. The host can start one.")


class CurrentGame:
    """The match in progress, if there is one, and the seats that the companion plays in it. Resumes the game that was
    running when the journal was closed. Not thread-safe: the table's lock guards it."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.match: Match | None = None
        self.companion_seats: CompanionSeats = {}
        """The seats that the companion plays, each with the name of its policy."""
        self.resume_error: TextLike = ""
        """Why the last game could not be resumed; "" if it could, or if none was running."""
        self._ended = 0, 0
        """The id and the last version of the game that was ended last; zeros if no game has been ended since the
        service started."""
        self._resume()

    def _resume(self) -> None:
        stored = self._journal.running_game()
        if stored is None:
            return
        try:
            self.match = Match(self._journal, stored)
            self.companion_seats = stored_companion_seats(self._journal, stored.id, self.match.game)
        except ReplayError as error:
            self.resume_error = replay_failure(stored, error)

    def require_match(self) -> Match:
        """The match in progress. Raises NoGame if there is none."""
        if self.match is None:
            raise NoGame(no_game())
        return self.match

    def start(
        self,
        header: Header,
        companions: CompanionSeats,
        notes: Mapping[str, Json],
        taken_over: tuple[ActRecord, ...],
    ) -> Match:
        """Atomically starts a game and stores it, together with the companion's seats and with notes. `taken_over`: the
        acts with which a what-if begins. Raises JournalError if the game can't be stored."""
        with self._journal.transaction():
            match = Match.start(self._journal, header, taken_over)
            store_companion_seats(self._journal, match.id, companions)
            for key, value in notes.items():
                self._journal.save_note(key, value)
        self.match, self.companion_seats, self.resume_error = match, companions, ""
        return match

    def end(self) -> None:
        """Ends the running game, which stays in the journal. Raises NoGame if none is running, and JournalError if this
        can't be stored."""
        match = self.require_match()
        self._journal.close_game()
        self._ended = match.id, match.version
        self.match, self.companion_seats = None, {}

    @property
    def id_and_version(self) -> tuple[int, int]:
        """The id and the version of the game on the table, or of the game that was ended last."""
        return (self.match.id, self.match.version) if self.match else self._ended

    @property
    def phones_only(self) -> bool | None:
        """Whether people play on phones only; None if they have not yet said whether they do."""
        found = self._journal.note(PHONES_ONLY)
        return None if found is None else bool(found)

    @phones_only.setter
    def phones_only(self, phones_only: bool) -> None:
        self._journal.save_note(PHONES_ONLY, phones_only)

    @property
    def ignores_camera(self) -> bool:
        """Whether the camera's sightings are ignored, because the game is a what-if or people have said that they play
        on phones only."""
        is_what_if = self.match is not None and self.match.header.what_if is not None
        return is_what_if or bool(self.phones_only)

    def rename(self, seat: Seat, name: str) -> None:
        """Renames the player of a seat. Raises NoGame if there is no game or no such seat, and JournalError if the name
        can't be stored."""
        match = self.require_match()
        if not 0 <= seat < len(match.names):
            raise NoGame(_("There’s no such seat."))
        match.rename(seat, name)

    def rename_in_all_games(self, renamed: Callable[[Sequence[str]], Sequence[str]], notes: Mapping[str, Json]) -> None:
        """Atomically renames players in all games, including this one, and stores notes. `renamed`: see
        `Journal.rename_in_all_games`. Raises JournalError if the changes can't be stored."""
        self._journal.rename_in_all_games(renamed, notes)
        if self.match:
            self.match.take_names(renamed(self.match.header.players))

    @property
    def active_companion_seats(self) -> CompanionSeats:
        """The seats that the companion plays now; none in a position that the companion can't play. An undo may lead to
        such a position."""
        match = self.match
        is_playable = match is not None and not match.game.policies.companion_problem(match.state)
        return self.companion_seats if is_playable else {}

    def hand_over(self, seat: Seat, policy: str) -> None:
        """Lets the companion play a seat from now on. Raises NoGame if there is no game, NoCompanion if the companion
        can't play the seat, and JournalError if this can't be stored."""
        match = self.require_match()
        wanted = {**self.companion_seats, seat: policy}
        if problem := match.game.policies.companion_problem(match.state):
            raise NoCompanion(problem)
        companions = check_companion_seats(match.game, match.header.seats, match.header.dealers, wanted)
        store_companion_seats(self._journal, match.id, companions)
        self.companion_seats = companions

    def take_back(self, seat: Seat) -> bool:
        """Lets people play a seat again. Returns whether the companion was playing this seat. Raises NoGame if there is
        no game, and JournalError if this can't be stored."""
        match = self.require_match()
        if seat not in self.companion_seats:
            return False
        remaining = {other: policy for other, policy in self.companion_seats.items() if other != seat}
        store_companion_seats(self._journal, match.id, remaining)
        self.companion_seats = remaining
        return True
