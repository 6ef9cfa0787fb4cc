"""The phones that have joined: their names, their seats, and whether they are online."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

from companion.games.rules import Json
from companion.table.table import Table
from companion.text.messages import _
from companion.text.player_names import bidi_isolate, name_key
from web.access.phone_session import STRANGER, PhoneSession, hash_of
from web.error_responses import RequestError

MAX_GUESTS = 2000
"""The maximum number of joined phones."""
LIFETIME_DAYS = 60
"""A phone that has not been used for this many days must join again."""
DAY_S = 24 * 3600


class Phones:
    """The phones that have joined, each as a `PhoneSession`. `stored` is the result of an earlier `to_json`; `store`
    stores the phones before a change takes effect. Any thread may read; `lock` protects changes."""

    def __init__(
        self,
        table: Table,
        stored: Mapping[str, Any],
        store: Callable[[Mapping[str, PhoneSession]], object],
        now: Callable[[], float],
    ) -> None:
        self.lock = threading.RLock()
        self._table, self._store, self._now = table, store, now
        self._open_streams: Counter[str] = Counter()
        self.by_key: Mapping[str, PhoneSession] = {
            session["key"]: PhoneSession(**{"last_used": self._today(), "number": number, **session})
            for number, session in enumerate(stored.get("guests", ()), 1)
        }
        """All phones, by the hash of their token. Among them may be some that must join again."""
        self._last_number: int = stored.get("last_number", len(self.by_key))

    def to_json(self, sessions: Mapping[str, PhoneSession]) -> dict[str, Json]:
        """The phones `sessions` as JSON, to be stored."""
        return {"last_number": self._last_number, "guests": [asdict(session) for session in sessions.values()]}

    def session(self, token: str | None) -> PhoneSession:
        """The session of the phone with this token; STRANGER if no phone has it. If the phone's seat does not exist in
        the current game, the session has no seat."""
        session = self.by_key.get(hash_of(token), STRANGER) if token else STRANGER
        if session is not STRANGER and self._is_expired(session):
            return STRANGER
        if session.seat is not None and session.seat >= len(self._table.names):
            return replace(session, seat=None)
        return session

    @property
    def all(self) -> tuple[PhoneSession, ...]:
        """All phones that have joined. Phones with a seat come first, then hosts, then the most recently used
        phones."""
        known = [session for session in self.by_key.values() if not self._is_expired(session)]
        return tuple(sorted(known, key=lambda each: (each.seat is None, each.seat, not each.host, -each.last_used)))

    @property
    def host_name(self) -> str:
        """The name of a host, preferably of one who has a seat; "" if no host has a name."""
        return next((name for session in self.all if session.host and (name := self.name_of(session))), "")

    @property
    def player_names(self) -> tuple[str, ...]:
        """The names of the phones that have joined, except phones that have no name."""
        return tuple(session.name for session in self.all if session.name)

    @property
    def host_count(self) -> int:
        """The number of browsers that are hosts."""
        return sum(session.host for session in self.by_key.values())

    @property
    def taken_seat_count(self) -> int:
        """The number of seats in the current game that a phone has taken or that the companion plays."""
        companions = self._table.companion_seats
        return sum(seat in companions or self.holder(seat) is not None for seat in range(len(self._table.names)))

    def holder(self, seat: int) -> PhoneSession | None:
        """The phone that has this seat; None if the seat is free."""
        holders = (session for session in self.by_key.values() if session.seat == seat)
        return next((session for session in holders if not self._is_expired(session)), None)

    def by_number(self, number: int | None) -> PhoneSession | None:
        """The phone with this number; None if there is none."""
        return next((session for session in self.by_key.values() if session.number == number), None)

    def name_of(self, session: PhoneSession) -> str:
        """The name of a phone's player, or else the name of the phone; "" if it has none."""
        names = self._table.names
        return (
            names[session.seat]
            if session.seat is not None and session.seat < len(names)
            else bidi_isolate(session.name)
        )

    def days_unused(self, session: PhoneSession) -> int:
        """For how many days the phone has not been used."""
        return max(0, self._today() - session.last_used)

    def _today(self) -> int:
        return int(self._now() // DAY_S)

    def _is_expired(self, session: PhoneSession) -> bool:
        """Whether a phone must join again. A phone with an open page never expires, even if the clock jumps."""
        return self._today() - session.last_used > LIFETIME_DAYS and not self.is_online(session)

    def used_now(self, key: str) -> PhoneSession:
        """The phone with this key, or a new phone if there is none, with today as the day of its last request. Does not
        save the phone."""
        if key not in self.by_key:
            self._last_number += 1
        return replace(self.by_key.get(key, PhoneSession(key, number=self._last_number)), last_used=self._today())

    def save(self, *changed: PhoneSession) -> None:
        """Saves phones that are new or have changed. Raises RequestError if there are too many phones, JournalError if
        they can't be stored."""
        self.replace_all({**self.by_key, **{session.key: session for session in changed}})

    def keep(self, kept: Callable[[PhoneSession], bool]) -> None:
        """Removes all phones for which `kept` is false."""
        self.replace_all({key: session for key, session in self.by_key.items() if kept(session)})

    def replace_all(self, sessions: Mapping[str, PhoneSession]) -> None:
        """Replaces all phones with `sessions`, except those that have expired, and saves them. Raises RequestError if
        there are too many phones, JournalError if they can't be stored."""
        sessions = {key: session for key, session in sessions.items() if not self._is_expired(session)}
        if len(sessions) > max(MAX_GUESTS, len(self.by_key)):
            raise RequestError(503, "too_many_phones", _("Too many phones have joined. Remove some on the host page."))
        self._store(sessions)
        self.by_key = sessions

    def renew(self, token: str) -> bool:
        """Records that a phone has been used today. Returns whether this is its first use today, in which case its
        cookie must be renewed."""
        with self.lock:
            session = self.by_key.get(hash_of(token))
            if session is None or self._is_expired(session) or session.last_used >= self._today():
                return False
            self.save(replace(session, last_used=self._today()))
            return True

    @contextmanager
    def renamed(self, key: str, name: str) -> Iterator[None]:
        """Gives the phones of a person another name; if `name` is "", these phones have no name. The `with` block
        stores the change; if the block fails, the change is undone. `key`: the `name_key` of the person's name, which
        all spellings of the name share."""
        theirs = {k: replace(session, name=name) for k, session in self.by_key.items() if name_key(session.name) == key}
        with self._kept_if_stored({**self.by_key, **theirs}):
            yield

    @contextmanager
    def reseated(self, seats: Mapping[int, int | None]) -> Iterator[None]:
        """Moves phones to other seats. The `with` block stores the change; if the block fails, the phones are moved
        back. `seats` maps old seats to new ones, or to None if a phone loses its seat."""
        with self._kept_if_stored(
            {key: replace(session, seat=_moved(session.seat, seats)) for key, session in self.by_key.items()}
        ):
            yield

    @contextmanager
    def _kept_if_stored(self, sessions: Mapping[str, PhoneSession]) -> Iterator[None]:
        before, self.by_key = self.by_key, sessions
        try:
            yield
        except BaseException:
            self.by_key = before
            raise

    def is_online(self, session: PhoneSession | None) -> bool:
        """Whether the phone has a page open."""
        return session is not None and self._open_streams[session.key] > 0

    def arrive(self, session: PhoneSession) -> None:
        """Records that a page of this phone has opened an event stream. The phone then counts as online."""
        self._count_streams(session, 1)

    def leave(self, session: PhoneSession) -> None:
        """Records that an event stream of this phone has ended. When the last one has ended, the phone counts as
        offline."""
        self._count_streams(session, -1)

    def _count_streams(self, session: PhoneSession, change: int) -> None:
        with self.lock:
            before = self._open_streams[session.key] > 0
            self._open_streams[session.key] += change
            has_changed = before != (self._open_streams[session.key] > 0)
            if not self._open_streams[session.key]:
                del self._open_streams[session.key]
        if has_changed and session.seat is not None:
            self._table.refresh()


def _moved(seat: int | None, seats: Mapping[int, int | None]) -> int | None:
    """The new seat of the phone that had this `seat` before phones moved; None if the phone now has no seat. `seats`
    maps old seats to new ones, or to None if a phone loses its seat. A phone whose seat comes from an earlier, larger
    game loses this seat if another phone moves there."""
    if seat is None or seat in seats:
        return None if seat is None else seats[seat]
    return None if seat in seats.values() else seat
