"""Checks that a request comes from a host."""

from __future__ import annotations

from companion.text.messages import TextLike, _
from web.access.lobby import Lobby
from web.access.phone_cookie import phone_token
from web.access.phone_session import PhoneSession
from web.error_responses import RequestError


def require_host(lobby: Lobby) -> PhoneSession:
    """Returns the requesting phone if it is a host; otherwise raises RequestError."""
    session = lobby.phones.session(phone_token())
    if not session.host:
        raise RequestError(403, "not_host", _("Only the host’s browser can do that, or one that opens the host link."))
    return session


def require_full_view(lobby: Lobby, because: TextLike) -> None:
    """Checks that the requesting browser may see everything, and adds a notice to the log that it now can. Raises
    RequestError if the browser is not a host, or if the game has hidden information and the browser has seen the cards
    of a seat.

    `because` says what would give the secrets away, such as "the camera sees all cards".
    """
    lobby.hidden_information.look_at_everything(require_host(lobby), because)
