"""Access to hidden information: screens that show all hands, hosts who see the camera's picture, and phones that have
seen one view and ask for another."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any

from companion.games.rules import Json
from companion.table.table import Table
from companion.text.messages import Text, TextLike, _
from web.access.game_log_notices import LogNotices
from web.access.phone_session import PhoneSession, hash_of, to_bytes
from web.access.phones import Phones
from web.access.view_permissions import EVERYTHING, ViewPermissions, ViewRequest
from web.error_responses import RequestError


class HiddenInformationAccess:
    """The views of the current game that phones and screens have seen, and their requests to see more. `stored` is the
    result of an earlier `to_json`. The lock of `phones` protects changes."""

    def __init__(
        self,
        table: Table,
        phones: Phones,
        notices: LogNotices,
        stored: Mapping[str, Any],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._table, self._phones, self._notices = table, phones, notices
        self._hands_secret: str = stored.get("hands") or secrets.token_urlsafe(18)
        self.permissions = ViewPermissions(table, stored.get("views", {}), clock)

    def to_json(self) -> dict[str, Json]:
        """The JSON to be stored: the secret of the screens, and the views that have been seen and allowed."""
        return {"hands": self._hands_secret, "views": self.permissions.to_json()}

    def hands_key(self, game: int) -> str:
        """The key that lets a screen show all hands of this game. The host must not give it to players."""
        return hash_of(f"{self._hands_secret}/{game}")[:16]

    def show_hands(self, token: str | None, game: int, key: str) -> str | None:
        """Lets a screen show all hands of a game, and returns the screen's token. Returns None if `key` is not the
        game's hands key, or if the phone has a seat. Raises RequestError if the phone has already seen the cards of a
        seat."""
        if not secrets.compare_digest(to_bytes(key), to_bytes(self.hands_key(game))):
            return None
        with self._phones.lock:
            session = self._phones.session(token)
            if session.seat is not None:
                return None
            token = token if token and session.has_joined else secrets.token_urlsafe(24)
            screen = self._phones.used_now(hash_of(token))
            if self._record_everything_seen(screen, _("this screen shows all hands")):
                self._phones.save(screen)
                self._notices.add("hands", "")
            return token

    def look_at_everything(self, session: PhoneSession, because: TextLike) -> None:
        """Records that a host's browser can now see all cards; does nothing in a game without hidden information.
        Raises RequestError if the browser has seen the cards of a seat, unless another player has allowed it to see
        everything. `because` says what shows the cards, such as "the camera sees all cards"."""
        with self._phones.lock:
            if self._record_everything_seen(session, because):
                self._phones.save()
                self._notices.add("sees_all", self._phones.name_of(session))

    def _record_everything_seen(self, session: PhoneSession, because: TextLike) -> bool:
        """Records that a phone can see everything; returns whether this is new. Raises RequestError if the phone may
        not see everything."""
        if not self.permissions.may_see(session, EVERYTHING):
            raise RequestError(403, "has_seat", _has_seat_message(because))
        return self.permissions.record_view(session.key, EVERYTHING)

    def ask_to_see_everything(self, session: PhoneSession) -> None:
        """Asks the other players whether a host's browser may see all cards, unless it may see them already. Raises
        RequestError if there is nobody who could agree, or if somebody has just declined."""
        with self._phones.lock:
            if not self.permissions.may_see(session, EVERYTHING):
                self.ask(session, EVERYTHING)

    def ask(self, session: PhoneSession, view: str) -> None:
        """Asks the other players whether a phone may have another view. Raises RequestError if there is nobody who
        could agree, or if somebody has just declined."""
        if not any(other.seat is not None and other.key != session.key for other in self._phones.by_key.values()):
            raise RequestError(
                403,
                "needs_consent",
                _(
                    "This phone has seen other cards of this game, and no other player is here with a phone to agree. "
                    "To try several seats on your own, open each in its own private window."
                ),
            )
        self.permissions.request(session.key, self._phones.name_of(session), view)
        self._table.refresh()

    def requests_for(self, session: PhoneSession) -> tuple[ViewRequest, ...]:
        """The open requests of other phones that this phone may answer: each asks for another view, such as another
        seat's cards. Empty if this phone has no seat."""
        if session.seat is None:
            return ()
        return tuple(request for request in self.permissions.requests() if request.key != session.key)

    def request_of(self, session: PhoneSession) -> ViewRequest | None:
        """The phone's own open request for another view."""
        return self.permissions.request_of(session.key)

    def withdraw_request(self, session: PhoneSession) -> None:
        """Closes the phone's own request for another view."""
        with self._phones.lock:
            self.permissions.withdraw(session.key)
        self._table.refresh()

    def answer(self, session: PhoneSession, id: str, *, agreed: bool) -> ViewRequest:
        """Closes a request that this player has answered, and returns the request. Raises RequestError if the request
        is no longer open, or if it is not for this player to answer."""
        if id not in (request.id for request in self.requests_for(session)):
            raise RequestError(409, "stale", _("That request is no longer open."))
        return self.permissions.answer(id, agreed=agreed)


def _has_seat_message(because: TextLike) -> Text:
    return _("This browser has seen the cards of a seat, and {why}. Another player must agree first.", why=because)
