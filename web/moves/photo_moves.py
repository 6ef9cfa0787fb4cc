"""Finds out which of a seat's moves a photograph of a printed card can mean.

A photograph reveals no more than a tap on the phone would. It can only mean moves that the seat's own view lists, so
nothing depends on hidden information. In a game with hidden information, the answer to a photograph of any other card
is always the same. Photographs are neither stored nor logged.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from flask import request

from companion.games.rules import Json, Move
from companion.games.view import View
from companion.tabletop.photo_interface import PhoneReader, PhotoError, PhotoProblem
from companion.text.messages import Text, TextLike, _, joined
from web.access.request_checks import MAX_PHOTO_BYTES, photo_too_large
from web.error_responses import RequestError
from web.moves.move_menu import MoveButton, move_buttons

PICTURE_TYPES = ("image/", "application/octet-stream")
MAX_COMPONENTS = 24
"""The maximum number of components that are read in a photograph. Others are ignored."""

PROBLEMS: Mapping[PhotoProblem, tuple[int, str, TextLike]] = {
    "no_picture": (422, "no_picture", _("Can’t read that picture. Send a photo as JPEG or PNG.")),
    "too_many_pixels": (
        413,
        "too_large",
        _("That picture has too many pixels. Choose a lower resolution in the phone’s camera."),
    ),
    "too_complex": (
        413,
        "too_large",
        _("That picture takes too long to read. Choose a lower resolution in the phone’s camera."),
    ),
    "busy": (503, "busy", _("Other photos are being read. Try again in a moment.")),
}
"""The HTTP status, the code and the message of the error for each problem of the photo reader."""


@dataclass(frozen=True)
class PhotoMeaning:
    """The possible meaning of a photograph: the names of the components in it, and buttons for the moves that it can
    mean."""

    components: TextLike
    buttons: tuple[MoveButton, ...]


def photo_from_form() -> bytes:
    """The photograph in the submitted form, as bytes. Raises RequestError if there is none, if it is not a picture, or
    if it is too large."""
    file = next(iter(request.files.values()), None)
    if file is None or not file.filename:
        raise RequestError(422, "no_photo", _("No photo chosen. Take one, then send it."))
    return _valid_photo(file.mimetype, file.stream.read(MAX_PHOTO_BYTES + 1))


def photo_from_body() -> bytes:
    """The photograph in the request's body, as bytes. Raises RequestError if the body is not a picture, or is too
    large."""
    return _valid_photo(request.mimetype, request.get_data(cache=False))


def _valid_photo(mimetype: str, data: bytes) -> bytes:
    if not mimetype.startswith(PICTURE_TYPES):
        raise RequestError(415, "no_picture", _("That isn’t a picture. Send a photo as JPEG or PNG."))
    if len(data) > MAX_PHOTO_BYTES:
        raise photo_too_large()
    return data


def components_in(reader: PhoneReader, data: bytes, view: View) -> tuple[str, ...]:
    """The codes of this game's components in a photograph. Raises RequestError if no such component is in the
    photograph, or if the photograph can't be read."""
    try:
        codes = reader(data)
    except PhotoError as error:
        status, code, words = PROBLEMS[error.reason]
        raise RequestError(status, code, words) from error
    codes_of_game = tuple(sorted(codes & view.game.physical.components.kinds.keys()))[:MAX_COMPONENTS]
    if codes_of_game:
        return codes_of_game
    if codes:
        raise RequestError(
            422, "nothing_of_this_game", _("There’s no {game} card in that photo.", game=_(view.game.title))
        )
    raise RequestError(422, "nothing_read", photo_tips())


def photo_tips() -> Text:
    """Advice on how to photograph a card so that it can be read."""
    return _(
        "Can’t find a code. Hold the phone flat over the card, close enough that the card fills half the picture, in "
        "good light and without glare. Wait until it’s sharp, then take another photo."
    )


def kinds_by_move(view: View) -> dict[Move, str]:
    """All moves that a photograph can mean now, each with the kind of component that it names."""
    component_of = view.game.physical.component_of
    moves = (*view.choices.reports, *view.choices.legal)
    return {move: kind for move in moves if (kind := component_of(move))}


def is_offered(view: View) -> bool:
    """Whether pages let players photograph a card. They do if people deal by hand, no camera sees the table, and a
    photograph can mean a move now."""
    is_dealt_by_hand = any(dealer != "companion" for dealer in view.dealers.values())
    return is_dealt_by_hand and not view.tabletop.has_camera and bool(kinds_by_move(view))


def possible_moves(view: View, codes: Collection[str]) -> tuple[Move, ...]:
    """The moves that a photograph of components with these codes can mean."""
    kinds = {view.game.physical.components.kinds.get(code) for code in codes}
    return tuple(move for move, kind in kinds_by_move(view).items() if kind in kinds)


def meaning_of(view: View, codes: Collection[str]) -> PhotoMeaning | None:
    """The possible meaning of a photograph of components with these codes, for pages; None if it can't mean any
    move."""
    moves = possible_moves(view, codes)
    if not moves:
        return None
    words = view.game.physical.components.vocabulary(view.names)
    kinds = dict.fromkeys(map(view.game.physical.component_of, moves))
    buttons = move_buttons(moves, view)
    while len(buttons) == 1 and buttons[0].children:
        buttons = buttons[0].children
    return PhotoMeaning(joined(", ", map(words.component, kinds)), buttons)


def only_move(view: View, codes: Collection[str]) -> Move | None:
    """The only move that a photograph of these components can mean; None if there are several. Raises RequestError if
    there is none."""
    moves = possible_moves(view, codes)
    if not moves:
        raise RequestError(422, "not_now", _not_now_message(view, codes))
    return moves[0] if len(moves) == 1 else None


def _not_now_message(view: View, codes: Collection[str]) -> Text:
    """The message for a photograph that can't mean any move now. In a game with hidden information, the message says
    nothing about the card."""
    if view.game.rules.has_hidden_information:
        return _("You can’t show what is in that photo, or it can’t be dealt or played now. Nothing was recorded.")
    words = view.game.physical.components.vocabulary(view.names)
    components = joined(", ", map(words.component, codes))
    return _("That’s {components}, which can’t be dealt or played now. Nothing was recorded.", components=components)


def with_card(view: View, move: Json, codes: Collection[str]) -> Json:
    """Adds the face of the photographed card to the button's `move`. Raises RequestError if the photograph shows
    several different cards.

    The photograph's form field in the current request has a name such as `photo:card`: the part after the colon is the
    key of the move that gets the face. No response contains the face: either the move itself reveals it to everyone, or
    nobody learns it.
    """
    components = view.game.physical.components
    kinds = {components.kinds[code] for code in codes}
    faces = {components.faces.get(kind, kind) for kind in kinds}
    if len(faces) != 1:
        raise RequestError(422, "several", _("There’s more than one card in that photo. Photograph just the one."))
    if not isinstance(move, dict):
        return move
    key = next(iter(request.files)).partition(":")[2]
    return {**move, key: faces.pop()} if key else move


def choice_url(codes: Collection[str], version: int) -> str:
    """The URL of the page on which a seat chooses among the moves that a photograph can mean. The URL contains the
    codes that were read, so nothing needs to be stored."""
    return "/play?" + urlencode({"shown": ",".join(codes), "at": version})
