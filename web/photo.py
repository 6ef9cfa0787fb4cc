"""Photographs of printed cards: what a seat may mean by what its phone sees.

A photograph says no more than a tap would. The moves that it can mean are those that the seat's own view lists, so
that nothing depends on what the seat may not know; of all else in a game with secrets the answer is the same, whatever
card it is. A photograph is read and forgotten: it is neither kept nor written to any log.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from flask import request

from companion.games.rules import Json, Move
from companion.games.view import View
from companion.tabletop.photo_reader import PhotoError, PhotoProblem, Reader
from companion.text.translation import _, later
from web.move_menu import MoveButton, move_buttons
from web.origin_check import MAX_PHOTO_BYTES, photo_too_large
from web.refusals import Refused

PICTURES = ("image/", "application/octet-stream")
AT_MOST = 24
"""So many things of one photograph are asked about."""

PROBLEMS: Mapping[PhotoProblem, tuple[int, str, str]] = {
    "no_picture": (422, "no_picture", later("That is no picture that can be read here; send a photo as JPEG or PNG.")),
    "too_many_pixels": (
        413,
        "too_large",
        later("That picture has too many pixels; choose a lower resolution in the phone’s camera."),
    ),
    "busy": (503, "busy", later("Other photos are being read just now; send it once more.")),
}


@dataclass(frozen=True)
class Shown:
    """What a seat has photographed, in words, and the moves of which it means one, as buttons."""

    things: str
    choices: tuple[MoveButton, ...]


def in_form() -> bytes:
    """The photograph of the form that was sent; raises Refused."""
    file = next(iter(request.files.values()), None)
    if file is None or not file.filename:
        raise Refused(422, "no_photo", _("No photo was chosen; take one, then send it."))
    return _checked(file.mimetype, file.stream.read(MAX_PHOTO_BYTES + 1))


def in_body() -> bytes:
    """The photograph that is the request's whole body; raises Refused."""
    return _checked(request.mimetype, request.get_data(cache=False))


def _checked(mimetype: str, data: bytes) -> bytes:
    if not mimetype.startswith(PICTURES):
        raise Refused(415, "no_picture", _("That is no picture; send a photo as JPEG or PNG."))
    if len(data) > MAX_PHOTO_BYTES:
        raise photo_too_large()
    return data


def things_in(reader: Reader, data: bytes, view: View) -> tuple[str, ...]:
    """The printed things of this game in a photograph, by their codes; raises Refused."""
    try:
        found = reader(data)
    except PhotoError as error:
        status, code, words = PROBLEMS[error.reason]
        raise Refused(status, code, _(words)) from error
    ours = tuple(sorted(found & view.game.physical.components.kinds.keys()))[:AT_MOST]
    if ours:
        return ours
    if found:
        raise Refused(
            422, "nothing_of_this_game", _("There is no card of {game} in that photo.", game=_(view.game.title))
        )
    raise Refused(422, "nothing_read", how_to())


def how_to() -> str:
    """How a card is photographed so that it can be read."""
    return _(
        "No code could be read. Hold the phone flat over the card, so near that the card fills half the picture, in "
        "good light and without glare; wait until it is sharp, then photograph it again."
    )


def can_mean(view: View) -> dict[Move, str]:
    """The moves that a photograph can mean now, each with the kind of the thing that it names."""
    named = {move: view.game.physical.component_of(move) for move in (*view.choices.reports, *view.choices.legal)}
    return {move: thing for move, thing in named.items() if thing}


def is_offered(view: View) -> bool:
    """Whether to offer to photograph a card: where people deal by hand and no camera sees the table."""
    by_hand = any(dealer != "companion" for dealer in view.dealers.values())
    return by_hand and not view.tabletop.has_camera and bool(can_mean(view))


def meant(view: View, things: Collection[str]) -> tuple[Move, ...]:
    """The moves of which one may be meant by these things."""
    kinds = {view.game.physical.components.kinds.get(thing) for thing in things}
    return tuple(move for move, thing in can_mean(view).items() if thing in kinds)


def shown(view: View, things: Collection[str]) -> Shown | None:
    """What a page shows of a photograph of these things: of several moves, one must be chosen."""
    moves = meant(view, things)
    if not moves:
        return None
    words, named = (
        view.game.physical.components.words(view.names),
        dict.fromkeys(map(view.game.physical.component_of, moves)),
    )
    offered = move_buttons(moves, view)
    while len(offered) == 1 and offered[0].children:
        offered = offered[0].children
    return Shown(", ".join(map(words.thing, named)), offered)


def only_move(view: View, things: Collection[str]) -> Move | None:
    """The one move that these things mean, None where several may be meant; raises Refused where none is."""
    moves = meant(view, things)
    if not moves:
        raise Refused(422, "not_now", _not_now(view, things))
    return moves[0] if len(moves) == 1 else None


def _not_now(view: View, things: Collection[str]) -> str:
    """Of a game with secrets the same, whatever was photographed."""
    if view.game.rules.has_hidden_information:
        return _("What is in that photo is not yours to show, or it can’t be dealt or played now. Nothing was booked.")
    words = view.game.physical.components.words(view.names)
    seen = ", ".join(words.thing(thing) for thing in things)
    return _("I see {things}: that can’t be dealt or played now. Nothing was booked.", things=seen)


def completed(view: View, move: Json, things: Collection[str]) -> Json:
    """The move of a form's button with what was photographed, by the key that the photograph's field names after a
    colon (`photo:card`); raises Refused.

    The face stands in no answer: it is told to all by the move itself, or to nobody."""
    kinds = {view.game.physical.components.kinds[thing] for thing in things}
    faces = {kind.removeprefix(view.game.physical.components.prefix) for kind in kinds}
    if len(faces) != 1:
        raise Refused(
            422, "several", _("There is more than one card in that photo; photograph the one card by itself.")
        )
    if not isinstance(move, dict):
        return move
    key = next(iter(request.files)).partition(":")[2]
    return {**move, key: faces.pop()} if key else move


def address_of(things: Collection[str], version: int) -> str:
    """The page on which a seat chooses what it means: it says all by itself, so that nothing need be kept."""
    return "/play?" + urlencode({"shown": ",".join(things), "at": version})
