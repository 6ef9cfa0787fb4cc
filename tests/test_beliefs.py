"""What the tracked table believes of components. In whole evenings, beliefs change only as the diagram in the docs
shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from companion.table.table import Table
from companion.tabletop.beliefs import TRANSITIONS, Belief, belief
from companion.tabletop.observations import CardGone, CardHidden, CardInView, Observation
from tests.evenings.evening import HANDS, play_evening
from tests.evenings.hurried_group import HurriedGroup
from tests.test_tabletop_thresholds import COMPONENTS, card, tracked

LOWER, UPPER = card("X-1", 1), card("X-2", 2)
"""Two cards, one on the code of the other."""


@pytest.mark.parametrize(
    ("observations", "beliefs"),
    [
        ((), "unknown"),
        ((LOWER,), "seen"),
        ((LOWER, UPPER), "covered"),
        ((LOWER, UPPER, CardInView(t=3, code="X-1")), "seen"),
        ((LOWER, UPPER, CardGone(t=3, code="X-2")), "seen"),
        ((LOWER, CardHidden(t=4, code="X-1")), "hidden"),
        ((LOWER, UPPER, CardHidden(t=5, code="X-1")), "hidden"),
        ((LOWER, CardHidden(t=4, code="X-1"), CardInView(t=5, code="X-1")), "seen"),
        ((LOWER, CardGone(t=3, code="X-1")), "gone"),
        ((LOWER, UPPER, CardGone(t=3, code="X-1")), "gone"),
        ((LOWER, CardHidden(t=4, code="X-1"), CardGone(t=5, code="X-1")), "gone"),
        ((LOWER, CardGone(t=3, code="X-1"), card("X-1", 4, 130)), "seen"),
    ],
)
def test_a_belief_follows_from_what_the_camera_reports(observations: tuple[Any, ...], beliefs: str) -> None:
    """For each kind of report, what is believed of the lower card afterwards."""
    assert belief("X-1", tracked(*observations), COMPONENTS) is Belief(beliefs)


def test_a_card_put_back_on_another_one_hides_it() -> None:
    """A card comes into view for the first time and must have lain there, so the one above it was lifted. When that one
    is put back, the lower one goes out of view, and is believed to be hidden below it."""
    table = tracked(UPPER, card("X-1", 3)).with_uncovered("X-1", now=3)
    assert [belief(code, table, COMPONENTS) for code in ("X-1", "X-2")] == [Belief.SEEN, Belief.GONE]
    table = table.after(CardGone(t=5, code="X-1"), now=5.0)
    assert belief("X-1", table, COMPONENTS) is Belief.GONE
    table = table.after(card("X-2", 5.1), now=5.1)
    assert [belief(code, table, COMPONENTS) for code in ("X-1", "X-2")] == [Belief.HIDDEN, Belief.SEEN]


def test_the_docs_draw_every_transition() -> None:
    """The diagram in docs/evenings.md shows every transition, and no other."""
    text = (Path(__file__).parents[1] / "docs" / "evenings.md").read_text()
    drawn = {(Belief(one), Belief(other)) for one, other in re.findall(r"^    (\w+) --> (\w+)$", text, re.MULTILINE)}
    assert drawn == TRANSITIONS.keys()


@pytest.mark.parametrize("name", HANDS)
def test_in_an_evening_beliefs_change_only_as_drawn(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a whole game with many slips, in a hurry, each change of a belief is in the diagram."""
    changes = set[tuple[Belief, Belief]]()
    observe = Table.observe

    def beliefs(table: Table) -> dict[str, Belief]:
        components = table._game.require_match().game.physical.components
        return {code: belief(code, table._physical.tracked, components) for code in components.kinds}

    def watched(table: Table, observation: Observation, *more: Any, **others: Any) -> None:
        before = beliefs(table)
        observe(table, observation, *more, **others)
        changes.update(change for change in zip(before.values(), beliefs(table).values(), strict=True))

    monkeypatch.setattr(Table, "observe", watched)
    play_evening(name, "beliefs", 0.15, HurriedGroup)
    changed = {(one, other) for one, other in changes if one is not other}
    assert {(Belief.UNKNOWN, Belief.SEEN), (Belief.SEEN, Belief.GONE)} <= changed <= TRANSITIONS.keys()
