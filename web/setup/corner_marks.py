"""The corners of the mat that a host marks by hand in the live picture, because a corner code can't be read.

The camera sees all cards, and marks decide where the table sees them. So the same browsers may mark corners as may see
the live picture.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from flask import Blueprint, Response

from companion.games import GAMES
from companion.games.game import Game
from companion.games.rules import Json
from companion.games.view import View
from companion.table.table import Table
from companion.tabletop.mat import Point
from companion.text.messages import TextLike, _
from web.error_responses import RequestError, bad_request
from web.json_bodies import json_body, json_response

Corners = tuple[Point, Point, Point, Point]
"""The corners of a mat in the picture, clockwise from the mat's top left, as shares of the picture's width and height
(0 to 1)."""
MarkCorners = Callable[[str, Corners | None], None]
"""Tells the camera where the corners of a game's mat are; None makes only the corner codes count again, whatever the
game."""

MIN_AREA_SHARE = 0.01
"""Each triangle of three neighboring corners covers at least this share of the picture. Smaller ones are slips of a
finger."""
CORNER_NAMES = (
    _("Top left corner of the mat"),
    _("Top right corner of the mat"),
    _("Bottom right corner of the mat"),
    _("Bottom left corner of the mat"),
)
"""The names of the corners, as seen by a player who can read the mat. In the picture they may be elsewhere."""


class CornerMarks:
    """The request handler for marks. `check` raises RequestError if the browser may not see the live picture. `mark` is
    None without a camera, and `no_camera` then says why."""

    def __init__(
        self, table: Table, check: Callable[[], None], mark: MarkCorners | None, no_camera: Callable[[], TextLike]
    ) -> None:
        self._table, self._check, self._mark, self._no_camera = table, check, mark, no_camera

    def add_routes(self, routes: Blueprint) -> None:
        """Adds the route to the set-up page's blueprint."""
        routes.add_url_rule("/corners", view_func=self.change, methods=["POST"], endpoint="corners")

    def change(self) -> Response:
        """Passes the marks in the request's JSON on to the camera: `{"corners": [[x, y], …]}`, or null for none. Before
        a game, `"game"` says whose mat it is. Raises RequestError if the corners are no corners of a mat, or if there
        is no such mat or no camera."""
        self._check()
        body = json_body()
        corners = parse_corners(body.get("corners"))
        names = [game.name for game in games_with_mat(self._table.view())]
        chosen = names if len(names) == 1 else [name for name in names if name == body.get("game")]
        if corners is not None and not chosen:
            raise RequestError(422, "no_mat", _("Choose a game with a mat first, then mark its corners."))
        if self._mark is None:
            raise RequestError(503, "no_picture", self._no_camera())
        self._mark(chosen[0] if chosen else "", corners)
        return json_response({"corners": corners and [list(point) for point in corners]})


def games_with_mat(view: View | None) -> list[Game[Any]]:
    """The games whose mat may be on the table: the game that is played, or any before a game, when `view` is None.
    Games without a mat are left out."""
    games = GAMES.values() if view is None else [view.game]
    return [game for game in games if game.physical.components.mat is not None]


def parse_corners(value: Json) -> Corners | None:
    """The corners in a request. Raises RequestError unless they are four points in the picture, and go around the mat
    clockwise without crossing."""
    if value is None:
        return None
    match value:
        case [[x0, y0], [x1, y1], [x2, y2], [x3, y3]]:
            numbers = x0, y0, x1, y1, x2, y2, x3, y3
        case _:
            raise bad_request("Send corners as four points [x, y], or null for no marks.")
    if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in numbers):
        raise bad_request("Send the coordinates of corners as numbers.")
    corners = (x0, y0), (x1, y1), (x2, y2), (x3, y3)
    if not all(0 <= number <= 1 for number in numbers):
        raise RequestError(422, "bad_corners", _("All four corners must be inside the picture."))
    if min(triangle_areas(corners)) < MIN_AREA_SHARE:
        message = _("The corners must go around the mat clockwise, from its top left, and far enough from each other.")
        raise RequestError(422, "bad_corners", message)
    return corners


def triangle_areas(corners: Corners) -> list[float]:
    """The area of the triangle of each corner and its two neighbors, as a share of the picture. All are positive if the
    corners are those of a convex quadrilateral, listed clockwise."""
    edges = [(bx - ax, by - ay) for (ax, ay), (bx, by) in pairwise((*corners, *corners[:2]))]
    return [math.fsum((ax * by, -ay * bx)) / 2 for (ax, ay), (bx, by) in pairwise(edges)]
