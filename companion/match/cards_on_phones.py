"""The cards that phones replace: nothing of them needs to lie on the table.

Law: pure.
"""

from __future__ import annotations

from dataclasses import replace

from companion.match.match import Match
from companion.tabletop.expected_layout import Layout
from companion.tabletop.tracked_table import TrackedTable


def is_played_on_phones(match: Match, table: TrackedTable) -> bool:
    """Whether the match needs no components on the table: the companion deals everything that phones can replace, and
    the camera has seen none of the game's components."""
    dealers = {match.header.dealers.get(source, "companion") for source in match.game.physical.virtual_sources}
    return dealers == {"companion"} and not table.last_seen.keys() & match.game.physical.components.kinds.keys()


def layout_in_use(match: Match, table: TrackedTable, layout: Layout) -> Layout:
    """The layout without the cards that phones replace. Phones replace all cards of a chance source if the companion
    deals from it and the camera has seen none of them."""
    components = match.game.physical.components
    on_table = {
        "",
        *(component.chance_source for component in components.components if component.id in table.last_seen),
    }
    on_table |= {source for source, dealer in match.header.dealers.items() if dealer != "companion"}
    virtual = {components.kinds[each.id] for each in components.components if each.chance_source not in on_table}
    if not virtual:
        return layout
    cards = {place: tuple(kind for kind in here if kind not in virtual) for place, here in layout.cards.items()}
    return replace(layout, cards=cards)
