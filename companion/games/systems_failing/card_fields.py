"""The fields of the cards of Systems Failing: the checkered pavement at the foot of each card that cubes repair. People
put the cubes there, and the camera counts them.

Law: pure data, in millimeters. As on a mat, y points down.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.games.systems_failing.catalog import PREFIX, catalog
from companion.games.systems_failing.pavement import light_squares
from companion.tabletop.component_outline import Outline
from companion.tabletop.mat import Point, rectangle
from companion.tabletop.token_colors import TokenField

CARD_SIZE: Final = (63.0, 88.0)
DISASTER_OUTLINE = Outline(CARD_SIZE, (-11.24, 0.0))
CARD_OUTLINE = Outline(CARD_SIZE, (-11.24, -3.0))
"""The outline of all cards except disasters."""

FIELD_LEFT, FIELD_TOP = 3.5, 69.0
"""The left and the upper edge of the field on a card. Between the field and everything dark or colored above it, there
is room for a cube that stands on the edge of the field."""
FIELD_SIZE: Final = (56.0, 16.0)
"""The width and height of a field."""


def _field(outline: Outline) -> TokenField:
    """The field of a card with this outline, relative to the center of the card's code."""
    (width, height), (code_x, code_y) = outline.size, outline.code_center
    left, top = FIELD_LEFT - width / 2 - code_x, FIELD_TOP - height / 2 - code_y
    return TokenField(rectangle(left, top, *FIELD_SIZE), light_squares(left, top, FIELD_SIZE))


def card_fields() -> Mapping[str, TokenField]:
    """The fields of all cards that cubes repair, by the codes of the cards."""
    cards = catalog()
    disaster, escape = _field(DISASTER_OUTLINE), _field(CARD_OUTLINE)
    return {PREFIX + card: disaster for card in cards.disasters} | {PREFIX + card: escape for card in cards.escapes}


def field_places(count: int) -> tuple[Point, ...]:
    """The middles of up to `count` cubes in a tidy row on a field, relative to the middle of the card."""
    (width, height), (card_width, card_height) = FIELD_SIZE, CARD_SIZE
    y = FIELD_TOP + height / 2 - card_height / 2
    return tuple((FIELD_LEFT + (n + 0.5) * width / count - card_width / 2, y) for n in range(count))
