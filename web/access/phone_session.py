"""The session of a phone or screen: what the lobby knows of it, such as its seat and whether it is a host."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from companion.games.rules import SPECTATOR, Seat, Viewer


@dataclass(frozen=True)
class PhoneSession:
    """The session of a phone or screen. `key` is the hash of the phone's token; it is empty if the phone has not
    joined. `last_used` is the day of the phone's last request, counted from 1970-01-01 UTC. `number` counts the phones
    from 1, in the order in which they joined; it is 0 if the phone has not joined."""

    key: str
    seat: int | None = None
    name: str = ""
    host: bool = False
    last_used: int = 0
    number: int = 0

    @property
    def has_joined(self) -> bool:
        """Whether the phone has joined, with the join code or as a host."""
        return self.key != ""


STRANGER = PhoneSession("")
"""The session of a phone that has not joined."""
SPECTATING = PhoneSession("-")
"""The session of any phone that has joined and only watches. Pages that are the same for all spectators are rendered
for this session."""
SESSION = "tablekeeper.session"
"""The key in the WSGI environment for the session of a request. Without this key, the session is found by the request's
cookie."""
OWN_REQUEST = "tablekeeper.own"
"""The key in the WSGI environment that marks a request that the server makes itself, to render a page."""


def viewer_of(session: PhoneSession) -> Viewer:
    """The viewer of a phone's pages: the phone's seat, or a spectator if it has none."""
    return SPECTATOR if session.seat is None else Seat(session.seat)


def hash_of(token: str) -> str:
    """The hash of a phone's token, or of another secret, in hexadecimal."""
    return hashlib.sha256(to_bytes(token)).hexdigest()


def to_bytes(text: str) -> bytes:
    """The text as UTF-8, for hashes and comparisons. Half of a surrogate pair becomes a question mark, so the
    conversion never fails."""
    return text.encode("utf-8", "replace")
