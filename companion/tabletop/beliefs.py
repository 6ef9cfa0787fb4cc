"""What the tracked table believes of each component: whether it is still where the camera last saw it.

Law: pure. A belief is not a fact. Only a component that is seen is called wrong. One that is hidden is asked for if the
game depends on it. Nothing is said about one that others cover.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from companion.tabletop.components import ComponentSet
from companion.tabletop.observations import CardSeen
from companion.tabletop.stacked_components import may_be_hidden, may_be_touched
from companion.tabletop.tracked_table import TrackedTable


class Belief(Enum):
    """What is believed of a component."""

    UNKNOWN = "unknown"
    """The camera has not seen it yet."""
    SEEN = "seen"
    """It lies where the camera last read its code."""
    COVERED = "covered"
    """It lies there, but other components have come to rest on its code since."""
    HIDDEN = "hidden"
    """The camera has not read its code for some seconds and can't tell why. It may still be there."""
    GONE = "gone"
    """It has left the place where the camera last saw it, and has not come to rest anywhere else."""


TRANSITIONS: Final[Mapping[tuple[Belief, Belief], str]] = {
    (Belief.UNKNOWN, Belief.SEEN): "its code is read at rest",
    (Belief.SEEN, Belief.COVERED): "another component comes to rest on its code",
    (Belief.COVERED, Belief.SEEN): "its code is read again, or what covers it leaves",
    (Belief.SEEN, Belief.HIDDEN): "its code is not read for three seconds",
    (Belief.COVERED, Belief.HIDDEN): "its code is not read for three seconds",
    (Belief.HIDDEN, Belief.SEEN): "its code is read",
    (Belief.SEEN, Belief.GONE): "its place is seen without it, or a component from below it comes into view",
    (Belief.COVERED, Belief.GONE): "its place is seen without it, or a component from below it comes into view",
    (Belief.HIDDEN, Belief.GONE): "its place is seen without it, or a component from below it comes into view",
    (Belief.GONE, Belief.SEEN): "its code is read at rest",
    (Belief.GONE, Belief.HIDDEN): "what was picked up from it is put back on it",
}
"""Every way in which a belief can change, with what the camera reports then."""


def belief(code: str, table: TrackedTable, components: ComponentSet) -> Belief:
    """What is believed of the component with this code."""
    if code not in table.visible:
        return Belief.GONE if code in table.last_seen else Belief.UNKNOWN
    if code in table.hidden:
        return Belief.HIDDEN
    covered = table.visible[code]
    return Belief.COVERED if may_be_hidden(covered, _later_than(covered, table), components) else Belief.SEEN


def is_out_of_view(code: str, table: TrackedTable, components: ComponentSet) -> bool:
    """Whether the camera can't tell if a component on the table is still there."""
    return belief(code, table, components) in (Belief.COVERED, Belief.HIDDEN)


def is_touched_by_others(code: str, table: TrackedTable, components: ComponentSet) -> bool:
    """Whether other components may explain why the camera can't see a component on the table. They may lie on top of
    it, or they came to rest later and reach or almost reach its code."""
    seen = table.visible[code]
    later = _later_than(seen, table)
    return may_be_hidden(seen, later, components) or may_be_touched(seen, later, components)


def _later_than(covered: CardSeen, table: TrackedTable) -> list[CardSeen]:
    """The sightings of the components that came to rest after the code of a component was last read."""
    read_at = max(covered.t, table.in_view_at.get(covered.code, covered.t))
    return [other for other in table.visible.values() if other.t > read_at]
