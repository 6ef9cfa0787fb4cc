"""The lobby: which phone has which seat, and which phones are hosts. A phone enters the join code, gets a cookie, and
then takes a seat.

The journal stores all of it, so that phones keep their seats after a restart. A phone has a random token in a cookie;
the lobby stores only its hash.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace

from companion.games.rules import Json, Seat
from companion.table.table import Table
from companion.text.messages import Text, TextLike, _
from companion.text.player_names import bidi_isolate, name_key
from web.audit_notices import GameNotices
from web.error_responses import RequestError
from web.guests import STRANGER, Guest, hash_of, to_bytes
from web.host_claim import HostClaim
from web.join_code import JoinCode
from web.view_permissions import EVERYTHING, ViewPermissions, ViewRequest

NOTE_KEY = "desk"
"""The key of the note in which the journal stores the lobby."""
MAX_GUESTS = 2000
"""The greatest number of phones that may have joined."""
LIFETIME_DAYS = 60
"""A phone that has not been used for this many days must join again."""
DAY_S = 24 * 3600
HOST_KEY_BYTES = 9


class Lobby:
    """The join code, the hosts, the assignment of seats to phones, and what each phone has seen of the game."""

    def __init__(
        self, table: Table, clock: Callable[[], float] = time.monotonic, now: Callable[[], float] = time.time
    ) -> None:
        self._table, self._now = table, now
        self._lock = threading.RLock()
        self._open_streams: Counter[str] = Counter()
        self._claim = HostClaim(clock)
        stored = table.journal.note(NOTE_KEY) or {}
        self.join_code = JoinCode(stored, clock)
        """The join code; renewed by `renew_code`."""
        self._views = ViewPermissions(table, stored.get("views", {}), clock)
        self.notices = GameNotices(table)
        self.host_key: str = stored.get("host_key") or secrets.token_urlsafe(HOST_KEY_BYTES)
        """The key in the host link that `tablekeeper run` prints. It is renewed when one browser becomes the only
        host."""
        self._hands_secret: str = stored.get("hands") or secrets.token_urlsafe(18)
        self._guests: dict[str, Guest] = {}
        for number, guest in enumerate(stored.get("guests", ()), 1):
            self._guests[guest["key"]] = Guest(**{"last_used": self._today(), "number": number, **guest})
        self._last_number: int = stored.get("last_number", len(self._guests))
        if "host_key" not in stored:
            self._save(self._guests)

    # Phones ----------------------------------------------------------------------------------------

    def guest(self, token: str | None) -> Guest:
        """The phone with this token; STRANGER if no phone has it. If the phone's seat does not exist in the current
        game, the phone is returned without a seat."""
        guest = self._guests.get(hash_of(token), STRANGER) if token else STRANGER
        if guest is not STRANGER and self._is_expired(guest):
            return STRANGER
        if guest.seat is not None and guest.seat >= len(self._table.names):
            return replace(guest, seat=None)
        return guest

    @property
    def guests(self) -> tuple[Guest, ...]:
        """All phones that have joined. Phones with a seat come first, then hosts, then the most recently used
        phones."""
        known = [guest for guest in self._guests.values() if not self._is_expired(guest)]
        return tuple(sorted(known, key=lambda each: (each.seat is None, each.seat, not each.host, -each.last_used)))

    @property
    def host_name(self) -> str:
        """The name of a host, if possible of one who plays; "" if no host has a name."""
        return next((name for guest in self.guests if guest.host and (name := self._name_of(guest))), "")

    @property
    def player_names(self) -> tuple[str, ...]:
        """The names of the phones that have joined, except phones that have no name."""
        return tuple(guest.name for guest in self.guests if guest.name)

    @property
    def host_count(self) -> int:
        """The number of browsers that are hosts."""
        return sum(guest.host for guest in self._guests.values())

    @property
    def taken_seat_count(self) -> int:
        """The number of seats in the current game that a phone has taken or that the companion plays."""
        companions = self._table.companion_seats
        return sum(seat in companions or self.holder(seat) is not None for seat in range(len(self._table.names)))

    def holder(self, seat: int) -> Guest | None:
        """The phone that has this seat; None if the seat is free."""
        holders = (guest for guest in self._guests.values() if guest.seat == seat)
        return next((guest for guest in holders if not self._is_expired(guest)), None)

    def is_online(self, guest: Guest | None) -> bool:
        """Whether the phone has a page open."""
        return guest is not None and self._open_streams[guest.key] > 0

    def days_unused(self, guest: Guest) -> int:
        """For how many days the phone has not been used."""
        return max(0, self._today() - guest.last_used)

    def renew(self, token: str) -> bool:
        """Notes that a phone has been used today. Returns whether the phone has been used for the first time today, so
        that its cookie must be renewed."""
        with self._lock:
            guest = self._guests.get(hash_of(token))
            if guest is None or self._is_expired(guest) or guest.last_used >= self._today():
                return False
            self._save({**self._guests, guest.key: replace(guest, last_used=self._today())})
            return True

    def _today(self) -> int:
        return int(self._now() // DAY_S)

    def _is_expired(self, guest: Guest) -> bool:
        """Whether a phone must join again. A phone with an open page never expires, even if the clock jumps."""
        return self._today() - guest.last_used > LIFETIME_DAYS and not self.is_online(guest)

    # Hosts -----------------------------------------------------------------------------------------

    def claim_host(self, token: str | None, key: str | None = None) -> str:
        """Makes a browser a host, and returns the browser's token. `key` must be the host key; None is enough while
        there is no host. Raises RequestError if the key is wrong, or if it is None and there is a host.

        Other hosts remain hosts, because people open the printed address in a second browser too, or reach this machine
        under another of its names.
        """
        with self._lock:
            if key is not None and not secrets.compare_digest(to_bytes(key), to_bytes(self.host_key)):
                raise RequestError(403, "wrong_key", _("That host link no longer works; use the latest one printed."))
            if key is None and self.host_count:
                raise RequestError(403, "not_host", _("Another browser is the host; ask it for the join code."))
            token = token if token and self.guest(token).has_joined else secrets.token_urlsafe(24)
            self._make_host(hash_of(token))
        self._table.refresh()
        return token

    def request_host(self, token: str | None) -> str:
        """Makes a browser wait to become the host; returns the browser's token. The browser becomes the host if
        somebody presses a button at the table within a minute. Raises RequestError if there is a host already."""
        with self._lock:
            if self.host_count:
                raise RequestError(403, "not_host", _("Another browser is the host; ask it for the join code."))
            token = token or secrets.token_urlsafe(24)
            self._claim.request(hash_of(token))
            return token

    def is_waiting_to_host(self, token: str | None) -> bool:
        """Whether this browser is waiting to become the host, which it will when somebody presses a button at the
        table."""
        return token is not None and self._claim.is_waiting(hash_of(token))

    def confirm_host(self) -> None:
        """Makes the waiting browser the host. Called when somebody presses a button at the table. Does nothing if no
        browser is waiting, or if there is a host already."""
        with self._lock:
            key = self._claim.take()
            if key is None or self.host_count:
                return
            self._make_host(key)
        self._table.refresh()

    def _make_host(self, key: str) -> None:
        self._save({**self._guests, key: replace(self._guest_or_new(key), host=True)})

    def _guest_or_new(self, key: str) -> Guest:
        """The phone with this key, used today; a new one if there is none."""
        if key not in self._guests:
            self._last_number += 1
        return replace(self._guests.get(key, Guest(key, number=self._last_number)), last_used=self._today())

    def set_host(self, number: int | None, *, host: bool) -> None:
        """Makes a phone a host, or stops it from being one. Does nothing if no phone has this number."""
        with self._lock:
            if guest := self._numbered(number):
                self._save({**self._guests, guest.key: replace(guest, host=host)})
        self._table.refresh()

    def keep_only_host(self, guest: Guest) -> None:
        """Makes this browser the only host, for example if a phone that was a host got lost. The old host link no
        longer works."""
        with self._lock:
            self.host_key = secrets.token_urlsafe(HOST_KEY_BYTES)
            self._save({k: replace(other, host=k == guest.key) for k, other in self._guests.items()})
        self._table.refresh()

    def _numbered(self, number: int | None) -> Guest | None:
        return next((guest for guest in self._guests.values() if guest.number == number), None)

    def remove(self, number: int | None) -> None:
        """Removes a phone and frees its seat. The phone must then join again. Does nothing if no phone has this
        number."""
        with self._lock:
            guest = self._numbered(number)
            if guest is None:
                return
            self._save({key: other for key, other in self._guests.items() if key != guest.key})
            if guest.seat is not None and guest.seat < len(self._table.names):
                self.notices.add("phone_removed", self._table.names[guest.seat])
        self._table.refresh()

    def remove_spectators(self) -> None:
        """Removes all phones that have no seat and are no hosts."""
        with self._lock:
            self._save({k: guest for k, guest in self._guests.items() if guest.host or guest.seat is not None})
        self._table.refresh()

    # Joining ---------------------------------------------------------------------------------------

    @property
    def code(self) -> str:
        """The join code that people type."""
        return self.join_code.letters

    @property
    def secret(self) -> str:
        """The join code in the QR code, which can't be guessed."""
        return self.join_code.secret

    def renew_code(self, *, grace: bool = False) -> None:
        """Replaces the join code. With `grace`, the old one still works for a while."""
        with self._lock:
            self.join_code.renew(grace=grace)
            self._save(self._guests)
        self._table.refresh()

    def join(self, token: str | None, code: str, seat: int | None, name: str, address: str = "") -> str:
        """Gives a phone a seat; if `seat` is None, lets the phone only watch. Returns the phone's token. Only a phone
        that has not joined yet needs the join code. Wrong codes are counted for the network `address` of the phone.
        Raises RequestError if the code is wrong, if the seat does not exist or is taken, or if another player must
        agree first."""
        with self._lock:
            has_joined = self.guest(token).has_joined
            if not has_joined:
                self.join_code.check(code, address)
            token = token if token and has_joined else secrets.token_urlsafe(24)
            guest = self._guest_or_new(hash_of(token))
            self._check_seat(seat, guest)
            self._take_seat(replace(guest, name=name or guest.name), seat)
        if seat is not None:
            if name:
                self._table.rename(Seat(seat), name)
            self.take_back(seat)
        self._table.refresh()
        return token

    @contextmanager
    def renamed(self, key: str, name: str, in_log: str) -> Iterator[Mapping[str, Json]]:
        """Gives the phones of a person another name, "" for none, while the `with` block renames the person in all
        games. In the notices of the log the person is then called `in_log`. Takes everything back if the block fails.
        `key`: what all spellings of the person's name have in common, see `name_key`. Yields the notes to store with
        the games: after a power cut, either all names are in the journal or none is."""
        with self._lock, self.notices.renamed(key, in_log) as notes:
            before = self._guests
            theirs = {k: replace(guest, name=name) for k, guest in before.items() if name_key(guest.name) == key}
            self._guests = {**before, **theirs}
            try:
                yield {**notes, NOTE_KEY: self._to_json(self._guests)}
            except BaseException:
                self._guests = before
                raise

    @contextmanager
    def reseated(self, seats: Mapping[int, int]) -> Iterator[Mapping[str, Json]]:
        """Moves phones to other seats for a game that the `with` block starts. Moves them back if the block fails.
        `seats`: the new seat of each seat. Yields the notes to store with the game: after a power cut, either both are
        in the journal or neither is."""
        with self._lock:
            before = self._guests
            self._guests = {key: replace(guest, seat=_moved(guest.seat, seats)) for key, guest in before.items()}
            try:
                yield {NOTE_KEY: self._to_json(self._guests)}
            except BaseException:
                self._guests = before
                raise

    def free(self, seat: int) -> None:
        """Frees a seat, so that another phone can take it. Raises RequestError if there is no such seat."""
        with self._lock:
            holder, name = self.holder(seat), self._player(seat)
            if holder is None:
                return
            self._take_seat(holder, None)
            self.notices.add("seat_freed", name)
        self._table.refresh()

    # The companion's seats -------------------------------------------------------------------------

    def hand_over(self, seat: int, policy: str) -> None:
        """Lets the companion play a seat. The phone that has the seat keeps it. Raises Refusal, RequestError,
        JournalError."""
        with self._lock:
            name = self._player(seat)
            self._table.hand_over(Seat(seat), policy)
            self.notices.add("handed_over", name)

    def take_back(self, seat: int) -> None:
        """Lets people play a seat again, if the companion plays it. Raises NoGame, RequestError, JournalError."""
        with self._lock:
            name = self._player(seat)
            if self._table.take_back(Seat(seat)):
                self.notices.add("taken_back", name)

    def _player(self, seat: int) -> str:
        """The name of the player in a seat. Raises RequestError if there is no such seat."""
        names = self._table.names
        if not 0 <= seat < len(names):
            raise RequestError(404, "no_such_seat", _("There’s no such seat in this game."))
        return names[seat]

    def _check_seat(self, seat: int | None, guest: Guest) -> None:
        """Raises RequestError if a phone can't have a seat. If the phone needs another player's consent, asks the other
        players."""
        if seat is None:
            return
        names = self._table.names
        if not names:
            raise RequestError(
                404, "no_game", _("No game is running yet; come in without a seat and wait for the host.")
            )
        if not 0 <= seat < len(names):
            raise RequestError(404, "no_such_seat", _("There’s no such seat in this game."))
        holder = self.holder(seat)
        if holder is not None and holder.key != guest.key:
            message = _("{name}'s seat is taken by another phone; the host can free it.", name=names[seat])
            raise RequestError(409, "seat_taken", message)
        if not self._views.may_see(guest, str(seat)):
            self._ask(guest, str(seat))
            raise RequestError(409, "needs_consent", _NEEDS_CONSENT)

    def _take_seat(self, guest: Guest, seat: int | None) -> None:
        """Gives a phone a seat, or none if `seat` is None. Before that, notes that the phone has seen the view of its
        old seat."""
        self._views.note_seat(guest)
        is_new = seat is not None and self._views.is_new_to(guest, str(seat))
        self._save({**self._guests, guest.key: replace(guest, seat=seat)})
        if seat is not None and is_new:
            self._announce(seat)

    def _announce(self, seat: int) -> None:
        """Announces that a phone has taken a seat in a game that is under way, because one player might use two
        phones."""
        view = self._table.view()
        if self._views.has_been_seen(str(seat)):
            self.notices.add("other_phone", self._table.names[seat])
        elif view is not None and (view.choices.can_undo or view.choices.can_redo):
            self.notices.add("late_phone", self._table.names[seat])

    # Looking at hidden information -------------------------------------------------------------------

    def hands_key(self, game: int) -> str:
        """The key that lets a screen show all hands of this game. The host must not give it to players."""
        return hash_of(f"{self._hands_secret}/{game}")[:16]

    def show_hands(self, token: str | None, game: int, key: str) -> str | None:
        """Lets a screen show all hands of a game, and returns the screen's token. Returns None if `key` is not the
        game's hands key, or if the phone has a seat. Raises RequestError if the phone has already seen the cards of a
        seat."""
        if not secrets.compare_digest(to_bytes(key), to_bytes(self.hands_key(game))):
            return None
        with self._lock:
            guest = self.guest(token)
            if guest.seat is not None:
                return None
            token = token if token and guest.has_joined else secrets.token_urlsafe(24)
            screen = self._guest_or_new(hash_of(token))
            if self._note_everything(screen, _("this screen shows all hands")):
                self._save({**self._guests, screen.key: screen})
                self.notices.add("hands", "")
            return token

    def look_at_everything(self, guest: Guest, because: TextLike) -> None:
        """Records that a host's browser can now see all cards; does nothing in a game without hidden information.
        Raises RequestError if the browser has seen the cards of a seat, unless another player has allowed it to see
        everything. `because` says what shows the cards, such as "the camera sees all cards"."""
        with self._lock:
            if self._note_everything(guest, because):
                self._save(self._guests)
                self.notices.add("sees_all", self._name_of(guest))

    def _note_everything(self, guest: Guest, because: TextLike) -> bool:
        """Notes that a phone can see everything; returns whether this is noted for the first time. Raises
        RequestError."""
        if not self._views.may_see(guest, EVERYTHING):
            raise RequestError(403, "has_seat", _has_seat_message(because))
        return self._views.note(guest.key, EVERYTHING)

    # Asking for another view -----------------------------------------------------------------------

    def ask_to_see_everything(self, guest: Guest) -> None:
        """Asks the other players whether a host's browser may see all cards. Raises RequestError."""
        with self._lock:
            if not self._views.may_see(guest, EVERYTHING):
                self._ask(guest, EVERYTHING)

    def _ask(self, guest: Guest, view: str) -> None:
        if not any(other.seat is not None and other.key != guest.key for other in self._guests.values()):
            raise RequestError(
                403,
                "needs_consent",
                _(
                    "This phone has seen other cards of this game, and no other player has a phone here who could "
                    "agree. To try several seats by yourself, use a private window for each."
                ),
            )
        self._views.request(guest.key, self._name_of(guest), view)
        self._table.refresh()

    def requests_for(self, guest: Guest) -> tuple[ViewRequest, ...]:
        """The open requests of other phones for another view, such as another seat's cards, that this phone may answer.
        Empty if this phone has no seat."""
        if guest.seat is None:
            return ()
        return tuple(request for request in self._views.requests() if request.key != guest.key)

    def request_of(self, guest: Guest) -> ViewRequest | None:
        """The phone's own open request for another view."""
        return self._views.request_of(guest.key)

    def withdraw_request(self, guest: Guest) -> None:
        """Closes the phone's own request for another view."""
        with self._lock:
            self._views.withdraw(guest.key)
        self._table.refresh()

    def answer_request(self, guest: Guest, id: str, *, agreed: bool) -> None:
        """Takes a player's answer to a phone that asked to see another view, such as another seat's cards. If the
        player agrees, the phone gets the view at once. Raises RequestError if the request is no longer open, or if this
        player can't answer it."""
        with self._lock:
            if id not in (request.id for request in self.requests_for(guest)):
                raise RequestError(409, "stale", _("That request is no longer open."))
            request = self._views.answer(id, agreed=agreed)
            asker = self._guests.get(request.key)
            if agreed and asker is not None:
                self._grant(asker, request, by=self._name_of(guest))
        self._table.refresh()

    def _grant(self, asker: Guest, request: ViewRequest, by: str) -> None:
        if request.view == EVERYTHING:
            self._views.note(asker.key, EVERYTHING)
            self._save(self._guests)
            self.notices.add("allowed_all", request.name, by)
        elif (seat := int(request.view)) < len(self._table.names) and self.holder(seat) is None:
            self._views.note(asker.key, request.view)
            self._take_seat(asker, seat)
            self.notices.add("seat_changed", self._table.names[seat], by)

    def _name_of(self, guest: Guest) -> str:
        """The name of a phone's player, or else the name of the phone; "" if it has none."""
        names = self._table.names
        return names[guest.seat] if guest.seat is not None and guest.seat < len(names) else bidi_isolate(guest.name)

    # Storing ---------------------------------------------------------------------------------------

    def _save(self, guests: dict[str, Guest]) -> None:
        guests = {key: guest for key, guest in guests.items() if not self._is_expired(guest)}
        if len(guests) > max(MAX_GUESTS, len(self._guests)):
            raise RequestError(
                503, "too_many_phones", _("Too many phones have joined; the host’s page can remove some.")
            )
        self._table.journal.save_note(NOTE_KEY, self._to_json(guests))
        self._guests = guests

    def _to_json(self, guests: Mapping[str, Guest]) -> dict[str, Json]:
        return {
            **self.join_code.to_json(),
            "hands": self._hands_secret,
            "host_key": self.host_key,
            "last_number": self._last_number,
            "views": self._views.to_json(),
            "guests": [asdict(guest) for guest in guests.values()],
        }

    # Who is online ---------------------------------------------------------------------------------

    def arrive(self, guest: Guest) -> None:
        """Notes that a page of this phone has opened an event stream, so that the phone counts as online."""
        self._count_streams(guest, 1)

    def leave(self, guest: Guest) -> None:
        """Notes that an event stream of this phone has ended. When the last one has ended, the phone counts as
        offline."""
        self._count_streams(guest, -1)

    def _count_streams(self, guest: Guest, change: int) -> None:
        with self._lock:
            before = self._open_streams[guest.key] > 0
            self._open_streams[guest.key] += change
            has_changed = before != (self._open_streams[guest.key] > 0)
            if not self._open_streams[guest.key]:
                del self._open_streams[guest.key]
        if has_changed and guest.seat is not None:
            self._table.refresh()


def _moved(seat: int | None, seats: Mapping[int, int]) -> int | None:
    """The seat of a phone after a move. A phone that has kept the seat of an earlier, larger game loses it to a phone
    that moves there."""
    if seat is None or seat in seats:
        return None if seat is None else seats[seat]
    return None if seat in seats.values() else seat


_NEEDS_CONSENT = _(
    "This phone has seen other cards of this game. Another player must agree on their phone before it can take this "
    "seat; they have been asked."
)


def _has_seat_message(because: TextLike) -> Text:
    return _("This browser has seen the cards of a seat, and {why}. Another player must agree first.", why=because)
