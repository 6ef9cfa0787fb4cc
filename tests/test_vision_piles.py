"""Piles that are taken away card by card, in rendered pictures of the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.tabletop.observations import CardGone
from tests.evenings.rendered_camera import RenderedGroup
from tests.evenings.world import Lying

PAUSE_S = 3.0
PILE = {"CM-6H": (41, 205), "CM-5D": (44, 203), "CM-4S": (42, 208), "CM-2S": (45, 206), "CM-2H": (43, 204)}
"""The cards of a pile, from the lowest to the highest, and their places in mm."""


@pytest.mark.slow
def test_a_pile_that_was_taken_away_card_by_card_is_gone(tmp_path: Path) -> None:
    """A card of a pile that is there from the start is first seen when the one above it is taken. Nothing shows whether
    that one left or was covered, until the place is empty: then all of them have left."""
    group = RenderedGroup("commute", 2, {"rounds": "1"}, {"cards": "table", "uh_oh": "table"}, "pile", tmp_path)
    for card, (x, y) in PILE.items():
        group.world.lay(card, Lying(x, y))
    group.start_camera()
    gone = set[str]()
    for card in reversed(PILE):
        group.world.take(card, "air")
        seen = [*group.rendered.look(group.clock.now), *group.rendered.watch(group.clock.now + PAUSE_S, 1.0)]
        gone |= {each.code for _, each in seen if isinstance(each, CardGone)}
        group.clock.now += 2 * PAUSE_S
    assert gone == PILE.keys()
    group.journal.close()
