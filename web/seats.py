"""Who sits where: join code -> cookie -> seat, kept in the journal so that phones come back after a restart.

A phone holds a random token in a cookie; the lobby keeps only its hash.
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
from companion.text.translation import _
from web.refusals import Refused

COOKIE = "tablekeeper"
NOTE = "desk"
LETTERS = "ABCDEFGHJKLMNPQRTUVWXYZ"
"""No I, O or S: they are read as 1, 0 and 5 across a table."""
CODE_LENGTH = 4
GUESTS = 100
"""Phones that are remembered; of those without a seat the oldest go first."""
TRIES, TRIES_SECONDS = 30, 60.0
"""Wrong join codes that are heard, from all phones together, and for how long they count."""


@dataclass(frozen=True)
class Guest:
    """A phone or screen that has come in. `key` is its token's hash."""

    key: str
    seat: int | None = None
    name: str = ""
    host: bool = False

    @property
    def known(self) -> bool:
        """Whether it has joined."""
        return self.key != ""


STRANGER = Guest("")


class Lobby:
    """Knows the join code, the host and who sits where."""

    def __init__(self, table: Table, clock: Callable[[], float] = time.monotonic) -> None:
        self._table, self._clock = table, clock
        self._lock = threading.Lock()
        self._online: Counter[str] = Counter()
        self._wrong: list[float] = []
        kept = table.journal.note(NOTE) or {}
        self.code: str = kept.get("code") or "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
        self.host_key = secrets.token_urlsafe(9)
        """What the link that `tablekeeper run` prints makes a browser the host with; new at every start."""
        self._hands_secret: str = kept.get("hands") or secrets.token_urlsafe(18)
        self._guests = {guest["key"]: Guest(**guest) for guest in kept.get("guests", [])}
        if not kept:
            self._keep(self._guests)

    # Who is it -------------------------------------------------------------------------------------

    def guest(self, token: str | None) -> Guest:
        """Who holds a token; a seat that the running game does not have counts as none."""
        guest = self._guests.get(_hash(token), STRANGER) if token else STRANGER
        if guest.seat is not None and guest.seat >= len(self._table.names):
            return replace(guest, seat=None)
        return guest

    @property
    def hosts(self) -> int:
        """How many browsers host the table: the first that came, and each that was opened with the host link."""
        return sum(guest.host for guest in self._guests.values())

    @property
    def taken(self) -> int:
        """How many seats of the running game have a phone."""
        return sum(self.holder(seat) is not None for seat in range(len(self._table.names)))

    def holder(self, seat: int) -> Guest | None:
        """The phone that has a seat."""
        return next((guest for guest in self._guests.values() if guest.seat == seat), None)

    def is_online(self, guest: Guest | None) -> bool:
        """Whether a phone's page is open."""
        return guest is not None and self._online[guest.key] > 0

    def hands_key(self, game: int) -> str:
        """What the host gives to a screen that may show all hands of this game, where no player looks."""
        return _hash(f"{self._hands_secret}/{game}")[:16]

    def shows_hands(self, guest: Guest, game: int, key: str) -> bool:
        """Whether this screen may: it has that key, and no seat."""
        return guest.seat is None and secrets.compare_digest(_bytes(key), _bytes(self.hands_key(game)))

    # Coming in -------------------------------------------------------------------------------------

    def claim_host(self, token: str | None, key: str | None = None) -> str:
        """Makes a browser a host: the first that comes, or one with the host key; returns its token. Nobody loses
        anything by it: people open the printed address in a second browser, or by another name of this machine."""
        with self._lock:
            if key is not None and not secrets.compare_digest(_bytes(key), _bytes(self.host_key)):
                raise Refused(403, "wrong_key", _("That host link is of an earlier start; take the one printed last."))
            if key is None and self.hosts:
                raise Refused(403, "not_host", _("Another browser is the host; ask it for the join code."))
            token = token if token and self.guest(token).known else secrets.token_urlsafe(24)
            mine = replace(self._guests.get(_hash(token), Guest(_hash(token))), host=True)
            self._keep({**self._guests, mine.key: mine})
        self._table.refresh()
        return token

    def host_alone(self, guest: Guest) -> None:
        """No other browser hosts any more, such as one that was lost."""
        with self._lock:
            self._keep({k: replace(other, host=k == guest.key) for k, other in self._guests.items()})
        self._table.refresh()

    def join(self, token: str | None, code: str, seat: int | None, name: str) -> str:
        """Takes a seat, or watches (None); returns the token. Who is in already needs no code."""
        with self._lock:
            inside = self.guest(token).known
            if not inside:
                self._check_code(code)
            self._check_seat(seat, _hash(token) if token else "")
            token = token if token and inside else secrets.token_urlsafe(24)
            before = self._guests.get(_hash(token), Guest(_hash(token)))
            guest = replace(before, seat=seat, name=name or before.name)
            self._keep({**self._guests, guest.key: guest})
        if seat is not None and name:
            self._table.rename(Seat(seat), name)
        self._table.refresh()
        return token

    def free(self, seat: int) -> None:
        """Takes a seat from its phone, so that another can have it."""
        with self._lock:
            self._keep(
                {k: replace(guest, seat=None) if guest.seat == seat else guest for k, guest in self._guests.items()}
            )
        self._table.refresh()

    def _check_code(self, code: str) -> None:
        now = self._clock()
        self._wrong = [then for then in self._wrong if now - then < TRIES_SECONDS]
        if len(self._wrong) >= TRIES:
            raise Refused(429, "too_many_tries", _("Too many wrong codes; wait a minute, then try again."))
        if not secrets.compare_digest(_bytes(code.strip().upper()), _bytes(self.code)):
            self._wrong.append(now)
            raise Refused(403, "wrong_code", _("That is not the join code; the host’s page shows it."))

    def _check_seat(self, seat: int | None, key: str) -> None:
        if seat is None:
            return
        names = self._table.names
        if not names:
            raise Refused(404, "no_game", _("No game is running yet; come in without a seat and wait for the host."))
        if not 0 <= seat < len(names):
            raise Refused(404, "no_such_seat", _("There is no such seat in this game."))
        holder = self.holder(seat)
        if holder is not None and holder.key != key:
            said = _("{name}'s seat is taken by another phone; the host can free it.", name=names[seat])
            raise Refused(409, "seat_taken", said)

    def _keep(self, guests: dict[str, Guest]) -> None:
        spare = [key for key, guest in guests.items() if guest.seat is None and not guest.host]
        for key in spare[: max(0, len(guests) - GUESTS)]:
            del guests[key]
        kept = {
            "code": self.code,
            "hands": self._hands_secret,
            "guests": [asdict(guest) for guest in guests.values()],
        }
        self._table.journal.save_note(NOTE, kept)
        self._guests = guests

    # Here and away ---------------------------------------------------------------------------------

    def arrive(self, guest: Guest) -> None:
        """A page of this phone has opened its stream."""
        self._count(guest, 1)

    def leave(self, guest: Guest) -> None:
        """A stream of this phone has ended."""
        self._count(guest, -1)

    def _count(self, guest: Guest, change: int) -> None:
        with self._lock:
            before = self._online[guest.key] > 0
            self._online[guest.key] += change
            turned = before != (self._online[guest.key] > 0)
        if turned and guest.seat is not None:
            self._table.refresh()


def viewer_of(guest: Guest) -> Viewer:
    """As whom a phone looks at the table."""
    return SPECTATOR if guest.seat is None else Seat(guest.seat)


def _hash(token: str) -> str:
    return hashlib.sha256(_bytes(token)).hexdigest()


def _bytes(text: str) -> bytes:
    """For comparing only: whatever came, it has bytes."""
    return text.encode("utf-8", "replace")
