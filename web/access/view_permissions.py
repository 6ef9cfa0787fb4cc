"""Which views of the current game each phone may have, if the game has hidden information.

A phone may keep the view that it has seen. For any other view it needs the consent of another seated player, because a
player who changed seats would see cards that their own seat must not know. A phone that loses its cookie counts as a
new phone.
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from companion.table.table import Table
from companion.text.messages import _
from web.access.phone_session import PhoneSession
from web.error_responses import RequestError

EVERYTHING: Final = "all"
"""The name of the view that shows all cards: the camera, the simulated table, or the screen with all hands."""
ViewName = str
"""The name of a view: a seat's number as text, or EVERYTHING."""
DECLINE_PAUSE_S = 60.0
"""How long a phone must wait after its request was declined before it may ask again, in seconds."""


@dataclass(frozen=True)
class ViewRequest:
    """A phone's request for another view: an id, the key and the name of the phone, and the view."""

    id: str
    key: str
    name: str
    view: ViewName


class ViewPermissions:
    """Which views of the current game each phone has seen and been allowed to see, and the phones' requests for other
    views. A phone that has seen one seat's cards may see another seat's cards only with consent. In a game without
    hidden information everything is allowed and nothing is recorded. `stored` is the result of an earlier `to_json`.
    Not thread-safe."""

    def __init__(self, table: Table, stored: dict[str, Any], clock: Callable[[], float] = time.monotonic) -> None:
        self._table, self._clock = table, clock
        self._game: int | None = stored.get("game")
        self._seen: dict[str, list[ViewName]] = stored.get("seen", {})
        self._allowed: dict[str, list[ViewName]] = stored.get("allowed", {})
        self._requests: dict[str, ViewRequest] = {}
        self._declined: dict[str, float] = {}

    def to_json(self) -> dict[str, Any]:
        """The views that have been seen and allowed, as JSON to be stored. Open requests are not stored."""
        return {"game": self._game, "seen": self._seen, "allowed": self._allowed}

    def _has_secrets(self) -> bool:
        """Whether the current game has hidden information. If it has, forgets everything that belongs to an earlier
        game."""
        game = self._table.secret_game
        if game is not None and game != self._game:
            self._game, self._seen, self._allowed, self._requests, self._declined = game, {}, {}, {}, {}
        return game is not None

    def record_view(self, key: str, view: ViewName) -> bool:
        """Records that a phone has seen a view. Returns whether this is the first time that the phone sees the view;
        always False in a game without hidden information."""
        if not self._has_secrets() or view in self._seen.get(key, ()):
            return False
        self._seen.setdefault(key, []).append(view)
        return True

    def record_seat_view(self, session: PhoneSession) -> None:
        """Records that a phone has seen the view of its seat, if the phone has a seat."""
        if session.seat is not None and session.seat < len(self._table.names):
            self.record_view(session.key, str(session.seat))

    def is_new_to(self, session: PhoneSession, view: ViewName) -> bool:
        """Whether a phone would now see a view for the first time. Always False in a game without hidden
        information."""
        return self._has_secrets() and view not in self._seen.get(session.key, ())

    def has_been_seen(self, view: ViewName) -> bool:
        """Whether any phone has seen a view."""
        return self._has_secrets() and any(view in views for views in self._seen.values())

    def may_see(self, session: PhoneSession, view: ViewName) -> bool:
        """Whether a phone may have a view. It may if it has seen no view yet, if it has already seen this one, or if
        another player has allowed it to see this one."""
        if not self._has_secrets():
            return True
        self.record_seat_view(session)
        seen = self._seen.get(session.key, ())
        return not seen or view in seen or view in self._allowed.get(session.key, ())

    def request(self, key: str, name: str, view: ViewName) -> ViewRequest:
        """Opens a phone's request for a view. A phone has one request at a time: a new request replaces the old one.
        Raises RequestError if somebody has just declined a request of this phone."""
        before = self._requests.get(key)
        if before is not None and before.view == view:
            return before
        if self._clock() < self._declined.get(key, -math.inf):
            raise RequestError(409, "declined", _("Another player said no. Wait a minute before you ask again."))
        self._requests[key] = ViewRequest(secrets.token_hex(8), key, name, view)
        return self._requests[key]

    def requests(self) -> tuple[ViewRequest, ...]:
        """All open requests."""
        return tuple(self._requests.values()) if self._has_secrets() else ()

    def request_of(self, key: str) -> ViewRequest | None:
        """The open request of the phone with this key; None if the phone has none."""
        return self._requests.get(key) if self._has_secrets() else None

    def withdraw(self, key: str) -> None:
        """Removes the open request of the phone with this key, if the phone has one."""
        self._requests.pop(key, None)

    def answer(self, id: str, *, agreed: bool) -> ViewRequest:
        """Closes the open request with this id: as allowed if `agreed` is true, otherwise as declined. Returns the
        request."""
        found = next(each for each in self._requests.values() if each.id == id)
        del self._requests[found.key]
        if agreed:
            self._allowed.setdefault(found.key, []).append(found.view)
        else:
            self._declined[found.key] = self._clock() + DECLINE_PAUSE_S
        return found
