"""The forms with which people let the companion play a seat, on the host page and on phones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.games.game import POLICY_TITLES
from companion.text.messages import TextLike
from web.context import AppContext
from web.error_responses import bad_request
from web.moves.form_moves import outdated_page_message


def change_companion_seat(context: AppContext, form: Any) -> None:
    """Lets the companion play the seat that the form names, or lets people play this seat again. Raises RequestError if
    the form is wrong or if the phone may not do so, NoGame if there is no game, Refusal if the companion can't play the
    seat, JournalError if the change can't be stored."""
    number = form.get("hand-over") or form.get("take-back") or ""
    if not (number.isascii() and number.isdigit()):
        raise bad_request(outdated_page_message())
    seat = int(number[:9])
    context.check_may_hand_over(seat)
    if "hand-over" in form:
        context.lobby.hand_over(seat, form.get("policy", ""))
    else:
        context.lobby.take_back(seat)


def companions_in(form: Any, seats: int | None) -> Mapping[int, str]:
    """The policies that the host has chosen for seats that the companion plays from the start. Seats that the game does
    not have are left out: the form has fields for the largest number of players."""
    given = form.getlist("companion")[:seats]
    return {seat: policy for seat, policy in enumerate(given) if policy}


def policy_title(name: str) -> TextLike:
    """The title of a policy, for people; its name if it has no title."""
    return POLICY_TITLES.get(name, name)
