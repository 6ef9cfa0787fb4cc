"""The lobby: which phone has which seat, and which phones are hosts. A phone enters the join code, gets a cookie, and
then takes a seat. The journal stores the seats, so that phones keep them after a restart.

The assignment is stored in the journal, so that phones keep their seats after a restart. A phone has a random token in
a cookie; the lobby stores only its hash.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from companion.games.rules import SPECTATOR, Seat, Viewer
from companion.table.table import Table
from companion.text.messages import _
from web.error_responses import RequestError

COOKIE = "tablekeeper"
NOTE_KEY = "desk"
"""The key of the note in which the journal stores the lobby."""
CODE_LETTERS = "ABCDEFGHJKLMNPQRTUVWXYZ"
"""The letters of join codes. There is no I, O or S, because they look like 1, 0 and 5 from across the table."""
CODE_LENGTH = 4
MAX_GUESTS = 100
"""The number of phones to remember. If there are more, the oldest ones that have no seat and are no host are
forgotten."""
MAX_WRONG_CODES, WRONG_CODE_MEMORY_S = 30, 60.0
"""How many wrong join codes all phones together may enter, and within how many seconds."""


@dataclass(frozen=True)
class Guest:
    """A phone or screen, as the lobby knows it. `key` is the hash of its token; it is empty if the phone has not
    joined."""

    key: str
    seat: int | None = None
    name: str = ""
    host: bool = False

    @property
    def has_joined(self) -> bool:
        """Whether the phone has joined, with the join code or as a host."""
        return self.key != ""


STRANGER = Guest("")
"""A phone that has not joined."""


class Lobby:
    """The join code, the hosts, and the assignment of seats to phones."""

    def __init__(self, table: Table, clock: Callable[[], float] = time.monotonic) -> None:
        self._table, self._clock = table, clock
        self._lock = threading.Lock()
        self._open_streams: Counter[str] = Counter()
        self._wrong_code_times: list[float] = []
        stored = table.journal.note(NOTE_KEY) or {}
        self.code: str = stored.get("code") or "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
        self.host_key = secrets.token_urlsafe(9)
        """The key in the host link that `tablekeeper run` prints; new at every start."""
        self._hands_secret: str = stored.get("hands") or secrets.token_urlsafe(18)
        self._guests = {guest["key"]: Guest(**guest) for guest in stored.get("guests", [])}
        if not stored:
            self._save(self._guests)

    def guest(self, token: str | None) -> Guest:
        """The phone with this token; STRANGER if there is none. If the current game does not have the phone's seat, the
        result has no seat."""
        guest = self._guests.get(_hash(token), STRANGER) if token else STRANGER
        if guest.seat is not None and guest.seat >= len(self._table.names):
            return replace(guest, seat=None)
        return guest

    @property
    def host_count(self) -> int:
        """The number of hosts: the browser that first opened the table, and each that has opened the host link."""
        return sum(guest.host for guest in self._guests.values())

    @property
    def taken_seat_count(self) -> int:
        """The number of seats in the current game that a phone has taken."""
        return sum(self.holder(seat) is not None for seat in range(len(self._table.names)))

    def holder(self, seat: int) -> Guest | None:
        """The phone that has this seat; None if the seat is free."""
        return next((guest for guest in self._guests.values() if guest.seat == seat), None)

    def is_online(self, guest: Guest | None) -> bool:
        """Whether the phone has a page open."""
        return guest is not None and self._open_streams[guest.key] > 0

    def hands_key(self, game: int) -> str:
        """The key that lets a screen show all hands of this game. The host must not give it to players."""
        return _hash(f"{self._hands_secret}/{game}")[:16]

    def may_show_hands(self, guest: Guest, game: int, key: str) -> bool:
        """Whether a phone or screen may show all hands of a game: it has no seat, and `key` is the game's hands key."""
        return guest.seat is None and secrets.compare_digest(_bytes(key), _bytes(self.hands_key(game)))

    def claim_host(self, token: str | None, key: str | None = None) -> str:
        """Makes a browser a host if it is the first browser or has the host key; returns its token. Raises
        RequestError.

        Other hosts stay hosts, because people also open the printed address in a second browser, or by another name of
        this machine.
        """
        with self._lock:
            if key is not None and not secrets.compare_digest(_bytes(key), _bytes(self.host_key)):
                raise RequestError(
                    403, "wrong_key", _("That host link is from an earlier start; use the latest one printed.")
                )
            if key is None and self.host_count:
                raise RequestError(403, "not_host", _("Another browser is the host; ask it for the join code."))
            token = token if token and self.guest(token).has_joined else secrets.token_urlsafe(24)
            host = replace(self._guests.get(_hash(token), Guest(_hash(token))), host=True)
            self._save({**self._guests, host.key: host})
        self._table.refresh()
        return token

    def keep_only_host(self, guest: Guest) -> None:
        """Makes this browser the only host, for example if a phone that was a host got lost."""
        with self._lock:
            self._save({k: replace(other, host=k == guest.key) for k, other in self._guests.items()})
        self._table.refresh()

    def join(self, token: str | None, code: str, seat: int | None, name: str) -> str:
        """Gives a phone the seat, or none so that it only watches; returns the phone's token. Only a phone that has not
        joined yet needs the join code. Raises RequestError."""
        with self._lock:
            has_joined = self.guest(token).has_joined
            if not has_joined:
                self._check_code(code)
            self._check_seat(seat, _hash(token) if token else "")
            token = token if token and has_joined else secrets.token_urlsafe(24)
            before = self._guests.get(_hash(token), Guest(_hash(token)))
            guest = replace(before, seat=seat, name=name or before.name)
            self._save({**self._guests, guest.key: guest})
        if seat is not None and name:
            self._table.rename(Seat(seat), name)
        self._table.refresh()
        return token

    def free(self, seat: int) -> None:
        """Takes a seat from its phone, so that another can have it."""
        with self._lock:
            self._save(
                {k: replace(guest, seat=None) if guest.seat == seat else guest for k, guest in self._guests.items()}
            )
        self._table.refresh()

    def _check_code(self, code: str) -> None:
        now = self._clock()
        self._wrong_code_times = [then for then in self._wrong_code_times if now - then < WRONG_CODE_MEMORY_S]
        if len(self._wrong_code_times) >= MAX_WRONG_CODES:
            raise RequestError(429, "too_many_tries", _("Too many wrong codes; wait a minute, then try again."))
        if not secrets.compare_digest(_bytes(code.strip().upper()), _bytes(self.code)):
            self._wrong_code_times.append(now)
            raise RequestError(403, "wrong_code", _("That is not the join code; the host’s page shows it."))

    def _check_seat(self, seat: int | None, key: str) -> None:
        if seat is None:
            return
        names = self._table.names
        if not names:
            raise RequestError(
                404, "no_game", _("No game is running yet; come in without a seat and wait for the host.")
            )
        if not 0 <= seat < len(names):
            raise RequestError(404, "no_such_seat", _("There is no such seat in this game."))
        holder = self.holder(seat)
        if holder is not None and holder.key != key:
            message = _("{name}'s seat is taken by another phone; the host can free it.", name=names[seat])
            raise RequestError(409, "seat_taken", message)

    def _save(self, guests: dict[str, Guest]) -> None:
        without_seat = [key for key, guest in guests.items() if guest.seat is None and not guest.host]
        for key in without_seat[: max(0, len(guests) - MAX_GUESTS)]:
            del guests[key]
        stored = {
            "code": self.code,
            "hands": self._hands_secret,
            "guests": [asdict(guest) for guest in guests.values()],
        }
        self._table.journal.save_note(NOTE_KEY, stored)
        self._guests = guests

    def arrive(self, guest: Guest) -> None:
        """Counts an event stream that a page of this phone has opened."""
        self._count_streams(guest, 1)

    def leave(self, guest: Guest) -> None:
        """Stops counting an event stream of this phone that has ended."""
        self._count_streams(guest, -1)

    def _count_streams(self, guest: Guest, change: int) -> None:
        with self._lock:
            before = self._open_streams[guest.key] > 0
            self._open_streams[guest.key] += change
            has_changed = before != (self._open_streams[guest.key] > 0)
        if has_changed and guest.seat is not None:
            self._table.refresh()


def viewer_of(guest: Guest) -> Viewer:
    """The viewer that a phone is: its seat, or a spectator if it has none."""
    return SPECTATOR if guest.seat is None else Seat(guest.seat)


def _hash(token: str) -> str:
    return hashlib.sha256(_bytes(token)).hexdigest()


def _bytes(text: str) -> bytes:
    """The text as UTF-8, for hashes and comparisons. It never fails, because half of a surrogate pair becomes a
    question mark."""
    return text.encode("utf-8", "replace")
