"""The route of the pictures that people share after a game."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from flask import Blueprint, Response, make_response

from companion.drawing.canvas import drawable
from companion.match.replay import Replay
from companion.text.default_names import default_name
from companion.text.messages import _
from web.context import AppContext
from web.error_responses import RequestError
from web.localization import translate
from web.pages.redirects import redirect_strangers
from web.pages.replay_access import open_replay
from web.results.end_picture import end_picture
from web.results.end_screens import end_screen


class EndPictureRoute:
    """The handler of the pictures."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def routes(self) -> Blueprint:
        """The blueprint with the route of the pictures."""
        routes = Blueprint("end_picture", __name__)
        routes.before_request(partial(redirect_strangers, self._context))
        routes.add_url_rule("/games/<int:id>.png", view_func=self.picture)
        return routes

    def picture(self, id: int) -> Response:
        """The end of a game as a PNG picture, for phones that have joined. Raises RequestError if the game is still
        running, or was not played to its end."""
        end = end_screen(_with_drawable_names(open_replay(self._context, id)))
        if end is None:
            raise RequestError(403, "not_over", _("There’s no picture because that game wasn’t played to the end."))
        response: Response = make_response(end_picture(end, translate))
        response.mimetype = "image/png"
        response.headers["Content-Disposition"] = f"attachment; filename=game-{id}.png"
        return response


def _with_drawable_names(replay: Replay) -> Replay:
    """The replay with names that contain only letters of the picture's font. If nothing is left of a name, for example
    because it is in another script, a default name replaces it."""
    header = replay.stored.header
    names = (drawable(name).strip() or translate(default_name(seat)) for seat, name in enumerate(header.players))
    return replace(replay, stored=replace(replay.stored, header=replace(header, players=tuple(names))))
