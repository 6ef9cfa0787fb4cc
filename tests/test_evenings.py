"""A short version of `make evenings`, and checks that the judge notices what goes wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.games.traffic_congestion.moves import Signal
from companion.match import view_builder
from companion.tabletop.expected_layout import Layout
from companion.tabletop.observations import (
    HIDDEN_S,
    CardGone,
    CardHidden,
    CardInView,
    CardSeen,
    TokensCounted,
)
from tests.evenings.evening import HANDS, Evening, play_evening
from tests.evenings.figures import Figures
from tests.evenings.hand_acts import Carry, Lay, Take
from tests.evenings.harder_evening import HarderEvening
from tests.evenings.hurried_group import HurriedGroup
from tests.evenings.layout_differences import differences
from tests.evenings.rendered_camera import RenderedGroup
from tests.evenings.service_evening import MadeSlip, play_service_evening
from tests.evenings.simulated_group import SimulatedGroup
from tests.evenings.slips import RULEBOOK
from tests.evenings.slips_at_rest import slip_at_rest
from tests.evenings.traffic_hands import SUPPLY
from tests.evenings.world import Lying
from tests.repetitions import thorough_except

MUST_BE_ZERO = (
    *("wrong acts", "secrets", "false messages", "half-made called wrong"),
    *("not reported", "not restored", "not recorded", "accepted in vain", "crashes"),
)
SLIP_RATE = 0.15
SHORT_EVENINGS = {
    ("commute", "short.2"),
    ("systems-failing", "short.1"),
    ("systems-failing", "short.2"),
    ("traffic-congestion", "short.1"),
    ("traffic-congestion", "short.2"),
}
"""The evenings that are played unless the run is thorough. Another test then plays one of System WON."""


def failures(figures: Figures) -> list[str]:
    """What went wrong, each with the seed that replays it."""
    return [str(failure) for failure in figures.failures if failure.figure in MUST_BE_ZERO]


EVENINGS = [*product(HANDS, ("short.1", "short.2"))]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seed"), thorough_except(EVENINGS, *SHORT_EVENINGS))
def test_an_evening_with_slips_ends_right(name: str, seed: str) -> None:
    """In a whole game with slips, each visible slip is reported, following the list of discrepancies puts the table
    right, and the table neither records nor says anything wrong."""
    figures, _ = play_evening(name, seed, SLIP_RATE)
    assert failures(figures) == []
    assert figures.counts["moves"] >= 5
    assert figures.counts["runs right"] == 1


@pytest.mark.parametrize("board", ["crossroads", "grid-2x2", "grid-3x3"])
def test_hands_have_the_signals_of_their_board(tmp_path: Path, board: str) -> None:
    """Signals are printed in a size that fits their board. Larger ones would cover each other."""
    group = SimulatedGroup("traffic-congestion", 2, {"board": board}, {}, "s", tmp_path)
    outline = group.game.physical.components.outlines["TC-SIG01"]
    printed = group.world.components["TC-SIG01"]
    assert (printed.width, printed.height) == pytest.approx(outline.size)


def test_a_card_has_left_when_the_card_below_it_is_read(tmp_path: Path) -> None:
    """The ideal camera reports the upper card as gone when it reads the card below, even if another card was pushed
    below the pile in the meantime, which the camera can't see."""
    group = SimulatedGroup("system-won", 2, {}, {}, "s", tmp_path)
    for x, code in enumerate(("SW-Y3A", "SW-Y4A")):
        group.world.lay(code, Lying(200 + x, 90))
        group.pause(1.0)
        group.camera.look(group.clock.now)
    group.world.lay("SW-Y1A", Lying(200, 90))
    group.world.push_below("SW-Y1A")
    group.camera.look(group.clock.now)
    group.world.take("SW-Y4A", "hand-0")
    assert CardGone(t=group.clock.now, code="SW-Y4A") in group.camera.look(group.clock.now)


@pytest.mark.slow
def test_a_swapped_copy_that_was_shuffled_back_can_be_dealt() -> None:
    """In this whole game with slips, a card in a hand is swapped for an equal one among the discards, and then shuffled
    back and drawn again. It can be dealt; an earlier version always refused it."""
    figures, _ = play_evening("system-won", "h.7", 0.2)
    assert failures(figures) == []
    assert figures.counts["runs right"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("systems-failing", "2.10"),  # a role card is dragged below what lies beside it
        pytest.param("systems-failing", "Q3.19", marks=pytest.mark.thorough),  # so is another one
        pytest.param("traffic-congestion", "S4.3", marks=pytest.mark.thorough),  # the first cube is forgotten
    ],
)
def test_an_evening_that_once_ended_wrong_ends_right(name: str, seed: str) -> None:
    """In these evenings, a visible slip was not reported by earlier versions."""
    figures, _ = play_evening(name, seed)
    assert failures(figures) == []
    assert figures.counts["runs right"] == 1


HARDER_EVENINGS = [
    ("system-won", "H0.1"),  # with unseen cards
    ("systems-failing", "H0.1"),
    ("traffic-congestion", "H0.1"),
    ("commute", "H0.1"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seed"), thorough_except(HARDER_EVENINGS, ("system-won", "H0.1")))
def test_a_harder_evening_ends_right(name: str, seed: str) -> None:
    """So does an evening with unseen cards or with a seat that the companion plays, and with more kinds of slips."""
    figures, _ = play_evening(name, seed, SLIP_RATE, evening_class=HarderEvening)
    assert failures(figures) == []
    assert figures.counts["runs right"] == 1


@pytest.mark.slow
def test_hands_turn_a_card_over_again_after_an_undo() -> None:
    """In this evening, a role card was turned over for a move that is then undone. The list asks to turn it face up
    again; hands that put it back as it lay before the undo leave it face down."""
    figures, _ = play_evening("system-won", "V1.1", 0.3, max_steps=27)
    assert failures(figures) == []
    assert figures.slips["undo after moving", "restored"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", thorough_except([*HANDS], "traffic-congestion"))
def test_an_evening_in_rendered_pictures_goes_right(name: str) -> None:
    """The first moves of an evening go right if the real decoder reads rendered pictures."""
    figures, _ = play_evening(name, "pictures", 0.0, RenderedGroup, max_steps=4)
    assert failures(figures) == []
    assert figures.counts["moves"] == 4


@pytest.mark.slow
@pytest.mark.parametrize("name", thorough_except([*HANDS], "traffic-congestion"))
def test_slips_at_a_running_service_are_reported(name: str) -> None:
    """At the simulated table of a running service, slips are made and reported in each game, and nothing else is."""
    figures, _ = play_service_evening(name, "short", slips=3)
    assert failures(figures) == []
    assert figures.total("slips") == 3
    assert figures.total("reported") + figures.total("legal") == 3


def test_a_message_about_another_place_does_not_report_a_slip() -> None:
    """At the running service, a message is about a slip if it names the component, or the place where the component
    belongs or lies. Signals all have the same name, so only the place counts for them."""
    here, there = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0)), ((200.0, 0.0), (209.0, 0.0), (209.0, 9.0))
    turned = MadeSlip("half turn", "TC-SIG04", "", (here,), (5.0, 5.0))
    turn = "Turn the signal in lane north1>A so that it points to lane A>C."
    assert turned.is_subject_of(turn, {"zone": [[0, 0], [9, 0], [9, 9]], "at": None})
    assert turned.is_subject_of(turn, {"zone": None, "at": [6.0, 5.0]})
    assert not turned.is_subject_of(turn, {"zone": [list(point) for point in there], "at": [205.0, 5.0]})
    taken = MadeSlip("off the table", "SF-E3", "E3", (here,), None)
    assert taken.is_subject_of("Put E3 in the place of the escape sequence.", {"zone": None, "at": None})
    assert not taken.is_subject_of("Put D07 in Zone 3.", {"zone": None, "at": None})


@pytest.mark.slow
def test_an_evening_can_be_replayed() -> None:
    """The same seed gives the same evening."""
    first, again = (play_evening("systems-failing", "again", SLIP_RATE, max_steps=25) for _ in range(2))
    assert first[1] == again[1]
    assert first[0] == again[0]


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    """An evening of Systems Failing, set up, without slips."""
    found = Evening("systems-failing", "noticed", tmp_path, 0.0)
    found.hands.set_up()
    found.group.start_camera()
    found.hands.put_right()
    yield found
    found.group.journal.close()


@pytest.mark.slow
def test_a_table_that_says_nothing_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge counts visible slips that nobody is told about."""
    monkeypatch.setattr(view_builder, "discrepancies", lambda *args: ())
    figures, _ = play_evening("traffic-congestion", "silent", 0.4, max_steps=60)
    assert [failure for failure in figures.failures if failure.figure == "not reported"]


@pytest.mark.slow
def test_a_table_that_complains_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge counts a message as a failure if nothing is wrong on the table."""
    layout_in_use = view_builder.layout_in_use

    def without_cards(*args: Any) -> Layout:
        return replace(layout_in_use(*args), cards={})

    monkeypatch.setattr(view_builder, "layout_in_use", without_cards)
    figures, _ = play_evening("systems-failing", "complaining", 0.0, max_steps=10)
    assert figures.counts["false messages"] > 0


def test_fixes_that_do_not_help_are_noticed(evening: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    """If following the list of fixes changes nothing, the judge counts the slip as not restored."""
    monkeypatch.setattr(SimulatedGroup, "do_all", lambda group, acts: None)
    component = next(iter(evening.group.world.lying))
    slip = next(slip for n in range(200) if (slip := slip_at_rest(evening.hands, Random(n))).kind == "off the table")
    slip.make = lambda: bool(evening.group.do(Take(component, "floor"))) and None
    evening.repair.after_slip(slip)
    assert [failure.figure for failure in evening.figures.failures] == ["not restored"]


def test_a_move_that_the_table_showed_is_legal_afterwards(tmp_path: Path) -> None:
    """A signal that was laid and then taken away below the rule book showed a legal move when it was recorded."""
    evening = Evening("traffic-congestion", "shown", tmp_path, 0.0)
    group = evening.group
    evening.hands.set_up()
    group.start_camera()
    evening.hands.put_right()
    move = next(move for move in group.state.legal_moves() if isinstance(move, Signal))
    lays = [act for act in evening.hands.plan(move) if isinstance(act, Lay)]
    group.do_all(lays)
    (act,) = evening.judge.acts_since(0)
    group.do(Take(lays[0].component, "floor"))
    assert evening.judge.is_legal(act)
    assert not evening.judge.is_shown(act)
    group.journal.close()


def lying_spots(group: SimulatedGroup) -> tuple[str, str, Lying]:
    """Two cards that are not on the table, and a spot in an empty zone."""
    one, other = group.world.components_in("tray")[:2] if group.world.components_in("tray") else ("SF-S1", "SF-S2")
    return one, other, group.spot(one, "discard")


def seen(group: SimulatedGroup) -> list[tuple[str, str]]:
    """The kinds of observations of the next look, each with its code or place."""
    found = []
    for each in group.camera.look(group.clock.now):
        match each:
            case CardSeen(code=code, change=change):
                found.append((change, code))
            case CardGone(code=code):
                found.append(("gone", code))
            case CardHidden(code=code):
                found.append(("hidden", code))
            case CardInView(code=code):
                found.append(("in view", code))
            case TokensCounted(place=place):
                found.append(("counted", place))
    return found


def test_a_card_under_another_one_does_not_leave(evening: Evening) -> None:
    """The ideal camera assumes that a covered card is still there, even if it is pulled out. It reports the card as
    gone when it sees the place without it."""
    group = evening.group
    one, other, spot = lying_spots(group)
    group.world.lay(one, spot)
    assert seen(group) == [("appeared", one)]
    group.world.lay(other, replace(spot, x=spot.x + 2))
    assert seen(group) == [("appeared", other)]
    group.world.take(one, "tray")
    assert seen(group) == []
    group.world.take(other, "tray")
    assert sorted(seen(group)) == [("gone", one), ("gone", other)]


def test_a_lifted_card_leaves_what_lay_below(evening: Evening) -> None:
    """When the upper of two cards is taken, the ideal camera sees the lower one again, and reports the upper one as
    gone."""
    group = evening.group
    one, other, spot = lying_spots(group)
    group.world.lay(one, spot)
    group.world.lay(other, replace(spot, y=spot.y + 2))
    assert seen(group) == [("appeared", other)]
    group.world.take(other, "tray")
    assert sorted(seen(group)) == [("appeared", one), ("gone", other)]


def test_a_card_with_its_back_up_is_not_seen(evening: Evening) -> None:
    """A card that is turned face down covers its own place, so the ideal camera can't say whether it has left."""
    group = evening.group
    one, _, spot = lying_spots(group)
    group.world.lay(one, spot)
    seen(group)
    group.world.flip(one)
    assert seen(group) == []
    assert one not in {component for component, _ in group.world.visible_codes()}


def test_a_code_that_is_not_seen_for_a_while_is_hidden(evening: Evening) -> None:
    """The ideal camera reports a card as hidden once, when its code has been out of sight for HIDDEN_S, and as in view
    when the code is read again."""
    group = evening.group
    one, _, spot = lying_spots(group)
    group.world.lay(one, spot)
    assert seen(group) == [("appeared", one)]
    group.world.components = {**group.world.components, RULEBOOK.id: RULEBOOK}
    group.world.lying[RULEBOOK.id] = spot
    assert not {each for each in seen(group) if each[1] == one}
    group.pause(HIDDEN_S)
    assert ("hidden", one) in seen(group)
    group.pause(HIDDEN_S)
    assert seen(group) == []
    del group.world.lying[RULEBOOK.id]
    assert ("in view", one) in seen(group)
    assert seen(group) == []


def test_differences_tell_what_a_camera_can_see(evening: Evening) -> None:
    """It counts as visible that a component is in a wrong zone, is beside all zones, or is missing, but not that one is
    missing deep in a pile."""
    group = evening.group
    assert group.differences() == []
    one, other, spot = lying_spots(group)
    group.world.lay(one, spot)
    assert [(each.what, each.place, each.is_visible) for each in group.differences()] == [("extra", "discard", True)]
    group.world.shift(one, Lying(20.0, 200.0))
    assert [(each.what, each.is_visible) for each in group.differences()] == [("beside", True)]
    group.world.take(one, "tray")
    kinds = (evening.hands.kinds[other], evening.hands.kinds[one])
    deep = replace(group.layout, cards={**group.layout.cards, "discard": kinds})
    group.world.lay(other, spot)
    found = [each for each in evening_differences(group, deep) if each.place == "discard"]
    assert [(each.what, each.is_visible) for each in found] == [("below", False)]


def evening_differences(group: SimulatedGroup, layout: Layout) -> Any:
    return differences(group.world, layout, group.game.physical.components)


def test_cubes_are_counted_where_they_stand(tmp_path: Path) -> None:
    """The camera reports the count of a lane when a cube is carried there, and nothing else."""
    found = Evening("traffic-congestion", "cubes", tmp_path, 0.0)
    found.hands.set_up()
    found.group.start_camera()
    lane = next(place for place in found.group.world.tokens if place != SUPPLY)
    color = found.group.state.colors[0]
    assert found.group.world.counted(lane) == {}
    found.group.do(Carry(color, SUPPLY, lane))
    assert found.group.table._physical.tracked.token_counts[lane].tokens == Counter({color: 1})
    assert seen(found.group) == []
    found.group.journal.close()


def test_hands_lay_components_where_the_layout_wants_them(evening: Evening) -> None:
    """However messy the table is, after the hands have tidied it, there are no differences from the layout."""
    group = evening.group
    for component in list(group.world.lying):
        group.do(Lay(component, "discard"))
    assert group.differences()
    evening.hands.put_right()
    assert group.differences() == []


@pytest.mark.parametrize("name", HANDS)
def test_a_table_follows_hands_in_a_hurry(name: str) -> None:
    """The camera sees some acts only together with the next one."""
    figures, trace = play_evening(name, "hurry.1", SLIP_RATE, HurriedGroup, max_steps=25)
    assert any("seen together" in line for line in trace)
    assert failures(figures) == []
