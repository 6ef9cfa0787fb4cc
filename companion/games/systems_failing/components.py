"""The components of Systems Failing that have a code: the cards and the first player marker.

Law: pure data.
"""

from __future__ import annotations

from companion.games.systems_failing.card_fields import CARD_OUTLINE, DISASTER_OUTLINE
from companion.games.systems_failing.catalog import PREFIX, catalog
from companion.games.systems_failing.cube_multiset import COLORS
from companion.games.systems_failing.pavement import CUBE_MM
from companion.tabletop.component_outline import Outline
from companion.tabletop.components import Component

FIRST_MARKER = f"{PREFIX}FIRST"
FIRST_MARKER_OUTLINE = Outline((50.0, 56.0), (0.0, 6.5))

ADVICE = (
    "Cubes, if the camera is to count them",
    f"{catalog().white_cubes} white wooden cubes of {CUBE_MM:.0f} mm, and {catalog().cubes_per_color} in each of "
    f"{', '.join(COLORS)}. The paper cubes of these sheets do as well, but the camera can’t count them: then it reads "
    "only the cards, and the phones keep track of the cubes.",
)


def components() -> tuple[Component, ...]:
    """All components that are printed with a code."""
    cards = catalog()
    deck, stack = "face down on top of the disaster deck", "face down on top of the escape sequences"
    box = "in the box"
    return (
        *(
            Component(PREFIX + d.id, d.id, d.name, deck, "deck", face=d.id, outline=DISASTER_OUTLINE)
            for d in cards.disasters.values()
        ),
        *(
            Component(PREFIX + s, s, "Systems failing", deck, "deck", face=s, outline=CARD_OUTLINE)
            for s in cards.failing_cards
        ),
        *(
            Component(PREFIX + e, e, "Escape sequence", stack, "escape", face=e, outline=CARD_OUTLINE)
            for e in cards.escapes
        ),
        *(
            Component(role.component, f"the {role.title}", role.title, box, face=role.id, outline=CARD_OUTLINE)
            for role in cards.roles.values()
        ),
        Component(FIRST_MARKER, "the first-player marker", "First player", box, outline=FIRST_MARKER_OUTLINE),
    )
