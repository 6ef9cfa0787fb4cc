"""The lobby: who gets which seat, and which phones are hosts. A phone enters the join code, gets a cookie, and then
takes a seat.

The journal stores all of it, so that phones keep their seats after a restart. A phone has a random token in a cookie;
the lobby stores only its hash.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from companion.games.rules import Json, Seat
from companion.table.table import Table
from companion.text.messages import _
from web.access.game_log_notices import LogNotices
from web.access.hidden_information_access import HiddenInformationAccess
from web.access.host_claim import HostClaim
from web.access.join_code import JoinCode
from web.access.phone_session import PhoneSession, hash_of, to_bytes
from web.access.phones import Phones
from web.access.view_permissions import EVERYTHING, ViewRequest
from web.error_responses import RequestError

NOTE_KEY = "desk"
"""The key of the note in which the journal stores the lobby."""
HOST_KEY_BYTES = 9


class Lobby:
    """The join code, the hosts, and how phones get seats. `phones` are the phones that have joined.
    `hidden_information` records what each phone has seen of the game, and what it asks to see. `notices` tell everyone
    what hosts have done, and which phone has seen what."""

    def __init__(
        self, table: Table, clock: Callable[[], float] = time.monotonic, now: Callable[[], float] = time.time
    ) -> None:
        self._table = table
        self._claim = HostClaim(clock)
        stored = table.journal.note(NOTE_KEY) or {}
        self.join_code = JoinCode(stored, clock)
        """The join code; renewed by `renew_code`."""
        self.phones = Phones(table, stored, self._store, now)
        self.notices = LogNotices(table)
        self.hidden_information = HiddenInformationAccess(table, self.phones, self.notices, stored, clock)
        self.host_key: str = stored.get("host_key") or secrets.token_urlsafe(HOST_KEY_BYTES)
        """The key in the host link that `tablekeeper run` prints. It is renewed when one browser becomes the only
        host."""
        self._has_had_host: bool = stored.get("has_had_host", bool(stored))
        if "host_key" not in stored:
            self.phones.save()

    def _store(self, sessions: Mapping[str, PhoneSession]) -> None:
        stored = self._to_json(sessions)
        self._table.journal.save_note(NOTE_KEY, stored)
        self._has_had_host = bool(stored["has_had_host"])

    def _to_json(self, sessions: Mapping[str, PhoneSession]) -> dict[str, Json]:
        return {
            **self.join_code.to_json(),
            **self.hidden_information.to_json(),
            "host_key": self.host_key,
            "has_had_host": self._has_had_host or any(session.host for session in sessions.values()),
            **self.phones.to_json(sessions),
        }

    def claim_host(self, token: str | None, key: str | None = None) -> str:
        """Makes a browser a host, and returns the browser's token. `key` must be the host key; None is enough while
        there is no host. Raises RequestError if the key is wrong, or if it is None and there is a host.

        Other hosts remain hosts, because people open the printed address in a second browser too, or reach this machine
        under another of its names.
        """
        with self.phones.lock:
            if key is not None and not secrets.compare_digest(to_bytes(key), to_bytes(self.host_key)):
                raise RequestError(403, "wrong_key", _("That host link no longer works. Use the latest one."))
            if key is None and self.phones.host_count:
                raise RequestError(403, "not_host", _("Another browser is the host. Ask there for the join code."))
            token = token if token and self.phones.session(token).has_joined else secrets.token_urlsafe(24)
            self._make_host(hash_of(token))
        self._table.refresh()
        return token

    @property
    def is_new_table(self) -> bool:
        """Whether nobody has used this table yet: no browser has ever been its host, and no game has been played."""
        return not self._has_had_host and self._table.journal.last_header() is None

    def claim_new_table(self, token: str | None) -> str:
        """Makes a browser the host of a new table, and returns the browser's token. Raises RequestError if the table is
        not new, for example because another browser was faster."""
        with self.phones.lock:
            if not self.is_new_table:
                raise RequestError(
                    403, "not_new", _("Somebody else has set up this table. Ask there for the join code.")
                )
            return self.claim_host(token)

    def request_host(self, token: str | None) -> str:
        """Makes a browser wait to become the host; returns the browser's token. The browser becomes the host if
        somebody presses a button at the table within a minute. Raises RequestError if there is a host already."""
        with self.phones.lock:
            if self.phones.host_count:
                raise RequestError(403, "not_host", _("Another browser is the host. Ask there for the join code."))
            token = token or secrets.token_urlsafe(24)
            self._claim.request(hash_of(token))
            return token

    def is_waiting_to_host(self, token: str | None) -> bool:
        """Whether this browser is waiting to become the host. It becomes the host when somebody presses a button at the
        table."""
        return token is not None and self._claim.is_waiting(hash_of(token))

    def confirm_host(self) -> None:
        """Makes the waiting browser the host. Called when somebody presses a button at the table. Does nothing if no
        browser is waiting, or if there is a host already."""
        with self.phones.lock:
            key = self._claim.take()
            if key is None or self.phones.host_count:
                return
            self._make_host(key)
        self._table.refresh()

    def _make_host(self, key: str) -> None:
        self.phones.save(replace(self.phones.used_now(key), host=True))

    def set_host(self, number: int | None, *, host: bool) -> None:
        """Makes a phone a host, or stops it from being one. Does nothing if no phone has this number."""
        with self.phones.lock:
            if session := self.phones.by_number(number):
                self.phones.save(replace(session, host=host))
        self._table.refresh()

    def keep_only_host(self, session: PhoneSession) -> None:
        """Makes this browser the only host, for example after another host's phone was lost. The old host link no
        longer works."""
        with self.phones.lock:
            self.host_key = secrets.token_urlsafe(HOST_KEY_BYTES)
            self.phones.save(*(replace(other, host=key == session.key) for key, other in self.phones.by_key.items()))
        self._table.refresh()

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
        with self.phones.lock:
            self.join_code.renew(grace=grace)
            self.phones.save()
        self._table.refresh()

    def join(self, token: str | None, code: str, seat: int | None, name: str, address: str = "") -> str:
        """Gives a phone a seat; if `seat` is None, lets the phone only watch. Returns the phone's token. Only a phone
        that has not joined yet needs the join code. Wrong codes are counted for the network `address` of the phone.
        Raises RequestError if the code is wrong, if the seat does not exist or is taken, or if another player must
        agree first."""
        with self.phones.lock:
            has_joined = self.phones.session(token).has_joined
            if not has_joined:
                self.join_code.check(code, address)
            token = token if token and has_joined else secrets.token_urlsafe(24)
            session = self.phones.used_now(hash_of(token))
            self._check_seat(seat, session)
            self._take_seat(replace(session, name=name or session.name), seat)
        if seat is not None:
            if name:
                self._table.rename(Seat(seat), name)
            self.take_back(seat)
        self._table.refresh()
        return token

    def remove(self, number: int | None) -> None:
        """Removes a phone and frees its seat. The phone must then join again. Does nothing if no phone has this
        number."""
        with self.phones.lock:
            session = self.phones.by_number(number)
            if session is None:
                return
            self.phones.keep(lambda other: other.key != session.key)
            if session.seat is not None and session.seat < len(self._table.names):
                self.notices.add("phone_removed", self._table.names[session.seat])
        self._table.refresh()

    def remove_spectators(self) -> None:
        """Removes all phones that have no seat and are not hosts."""
        with self.phones.lock:
            self.phones.keep(lambda session: session.host or session.seat is not None)
        self._table.refresh()

    @contextmanager
    def renamed(self, key: str, name: str, in_log: str) -> Iterator[Mapping[str, Json]]:
        """Gives the phones of a person another name; if `name` is "", these phones have no name. In the log's notices,
        the new name is `in_log`. The `with` block renames the person in all games; if the block fails, all of this is
        undone. `key`: the `name_key` of the person's name, which all spellings of the name share. Yields the notes that
        the block must store together with the games. So even after a power cut, the journal has either all the new
        names or none."""
        with self.phones.lock, self.notices.renamed(key, in_log) as notes, self.phones.renamed(key, name):
            yield {**notes, NOTE_KEY: self._to_json(self.phones.by_key)}

    @contextmanager
    def reseated(self, seats: Mapping[int, int | None]) -> Iterator[Mapping[str, Json]]:
        """Moves phones to other seats for a game that the `with` block starts. Moves them back if the block fails.
        `seats` maps old seats to new ones, or to None if a phone loses its seat. Yields the notes that the block must
        store together with the game. So even after a power cut, the journal has either both or neither."""
        with self.phones.lock, self.phones.reseated(seats):
            yield {NOTE_KEY: self._to_json(self.phones.by_key)}

    def free(self, seat: int) -> None:
        """Frees a seat, so that another phone can take it. Raises RequestError if there is no such seat."""
        with self.phones.lock:
            holder, name = self.phones.holder(seat), self._player(seat)
            if holder is None:
                return
            self._take_seat(holder, None)
            self.notices.add("seat_freed", name)
        self._table.refresh()

    def hand_over(self, seat: int, policy: str) -> None:
        """Lets the companion play a seat. The phone that has the seat keeps it. Raises RequestError if there is no such
        seat, Refusal if the companion can't play it, JournalError if this can't be stored."""
        with self.phones.lock:
            name = self._player(seat)
            self._table.hand_over(Seat(seat), policy)
            self.notices.add("handed_over", name)

    def take_back(self, seat: int) -> None:
        """Returns a seat from the companion to people. Does nothing if people play it already. Raises RequestError if
        there is no such seat, NoGame if the game has ended in the meantime, JournalError if this can't be stored."""
        with self.phones.lock:
            name = self._player(seat)
            if self._table.take_back(Seat(seat)):
                self.notices.add("taken_back", name)

    def answer_request(self, session: PhoneSession, id: str, *, agreed: bool) -> None:
        """Applies a player's answer to a phone's request for another view, such as another seat's cards. If the player
        agrees, the phone gets the view at once. Raises RequestError if the request is no longer open, or if it is not
        for this player to answer."""
        with self.phones.lock:
            request = self.hidden_information.answer(session, id, agreed=agreed)
            asker = self.phones.by_key.get(request.key)
            if agreed and asker is not None:
                self._grant(asker, request, by=self.phones.name_of(session))
        self._table.refresh()

    def _grant(self, asker: PhoneSession, request: ViewRequest, by: str) -> None:
        permissions = self.hidden_information.permissions
        if request.view == EVERYTHING:
            permissions.record_view(asker.key, EVERYTHING)
            self.phones.save()
            self.notices.add("allowed_all", request.name, by)
        elif (seat := int(request.view)) < len(self._table.names) and self.phones.holder(seat) is None:
            permissions.record_view(asker.key, request.view)
            self._take_seat(asker, seat)
            self.notices.add("seat_changed", self._table.names[seat], by)

    def _player(self, seat: int) -> str:
        """The name of the player in a seat. Raises RequestError if there is no such seat."""
        names = self._table.names
        if not 0 <= seat < len(names):
            raise RequestError(404, "no_such_seat", _("There’s no such seat in this game."))
        return names[seat]

    def _check_seat(self, seat: int | None, session: PhoneSession) -> None:
        """Raises RequestError if a phone can't have a seat. If the phone needs another player's consent, asks the other
        players."""
        if seat is None:
            return
        if not self._table.names:
            raise RequestError(404, "no_game", _("No game is running yet. Join without a seat and wait for the host."))
        name, holder = self._player(seat), self.phones.holder(seat)
        if holder is not None and holder.key != session.key:
            message = _("Another phone has {name}’s seat. The host can free it.", name=name)
            raise RequestError(409, "seat_taken", message)
        if not self.hidden_information.permissions.may_see(session, str(seat)):
            self.hidden_information.ask(session, str(seat))
            raise RequestError(409, "needs_consent", _NEEDS_CONSENT)

    def _take_seat(self, session: PhoneSession, seat: int | None) -> None:
        """Gives a phone a seat, or none if `seat` is None. Before that, records that the phone has seen the view of its
        old seat."""
        permissions = self.hidden_information.permissions
        permissions.record_seat_view(session)
        is_new = seat is not None and permissions.is_new_to(session, str(seat))
        self.phones.save(replace(session, seat=seat))
        if seat is not None and is_new:
            self._announce(seat)

    def _announce(self, seat: int) -> None:
        """Adds a notice that a phone has taken a seat in a game that is under way. Otherwise one player could use two
        phones without being noticed."""
        view = self._table.view()
        if self.hidden_information.permissions.has_been_seen(str(seat)):
            self.notices.add("other_phone", self._table.names[seat])
        elif view is not None and (view.choices.can_undo or view.choices.can_redo):
            self.notices.add("late_phone", self._table.names[seat])


_NEEDS_CONSENT = _(
    "This phone has seen other cards of this game, so another player must agree before it can take this seat. We’ve "
    "asked them."
)
