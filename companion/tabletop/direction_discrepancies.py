"""Discrepancies about directions: components that lie in the right place, but do not point where they should.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.tabletop.beliefs import is_out_of_view
from companion.tabletop.components import ComponentSet
from companion.tabletop.discrepancy import Discrepancy, Fix
from companion.tabletop.expected_layout import Layout, Orientation
from companion.tabletop.physical_instructions import Vocabulary
from companion.tabletop.tracked_table import TrackedTable
from companion.text.messages import _


def wrong_directions(
    layout: Layout, table: TrackedTable, components: ComponentSet, words: Vocabulary
) -> Iterator[Discrepancy]:
    """Yields a discrepancy for each component that lies in its place, but points elsewhere, or is covered, so that the
    camera can't see where it points."""
    right = {code: seen for code, seen in table.visible.items() if (layout.place_of(code) or ("",))[0] == seen.zone}
    # Misplaced components are left out here: one that covers another is a discrepancy of its own.
    undisturbed = replace(table, visible=right)
    for place, orientation in layout.orientations.items():
        for code in layout.cards.get(place, ()):
            seen = table.visible.get(code)
            if seen is None or seen.zone != place:
                continue
            component = words.component_among(
                code, (each.code for each in table.visible.values() if each.zone == place)
            )
            where, towards = words.place(place), words.place(orientation.towards)
            if is_out_of_view(code, undisturbed, components):
                if _is_replaced(code, place, orientation, table, components):
                    continue  # people are asked whether the covered one is still there
                covered = _(
                    "{component} in {place} is covered: put it in full view, pointing to {other}.",
                    component=component,
                    place=where,
                    other=towards,
                )
                yield Discrepancy(code, covered, Fix("put", (code,), place, orientation.degrees))
            elif not orientation.matches(seen.angle) and not is_out_of_view(code, table, components):
                wrong = _(
                    "Turn {component} in {place} so that it points to {other}.",
                    component=component,
                    place=where,
                    other=towards,
                )
                yield Discrepancy(code, wrong, Fix("rotate", (code,), place, orientation.degrees))


def _is_replaced(
    code: str, place: str, orientation: Orientation, table: TrackedTable, components: ComponentSet
) -> bool:
    """Whether an equal component lies in the place of one that is covered there, and has its direction."""
    kind = components.kinds[code]
    others = (seen for seen in table.visible.values() if seen.zone == place and seen.code != code)
    return any(
        components.kinds.get(other.code) == kind
        and orientation.matches(other.angle)
        and not is_out_of_view(other.code, table, components)
        for other in others
    )
