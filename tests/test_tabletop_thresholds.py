"""The thresholds of the tracked table, of discrepancies and of the simulated table. Each test fails if its threshold
changes noticeably.

Distances are in millimeters on the mat, angles in degrees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from companion.games.rules import Seat
from companion.games.view import Explanation
from companion.match import explaining_moves
from companion.match.sighting_interpreter import SightingInterpreter
from companion.simulator.scene_contents import PlacedComponent, TableScene
from companion.simulator.tidy_arrangement import free_spot, tidy
from companion.tabletop.beliefs import is_out_of_view
from companion.tabletop.components import BACK, Component, ComponentSet
from companion.tabletop.copy_assignment import KnownCopies, assign_copies
from companion.tabletop.discrepancies import discrepancies
from companion.tabletop.discrepancy_timing import DiscrepancyTiming
from companion.tabletop.expected_layout import Layout, Orientation
from companion.tabletop.mat import Corner, Mat, Zone, rectangle
from companion.tabletop.observations import CardGone, CardHidden, CardInView, CardSeen
from companion.tabletop.physical_instructions import physical_instructions
from companion.tabletop.tracked_table import TrackedTable
from tests.rendered_texts import english

MAT = Mat(
    (400, 200),
    tuple(Corner(f"MAT-X-{n}", (0, 0), 25) for n in range(1, 5)),  # type: ignore[arg-type]
    (
        Zone("red", "the red pile", rectangle(0, 0, 100, 200), "pile"),
        Zone("blue", "the blue pile", rectangle(100, 0, 100, 200), "pile"),
        Zone("tokens", "the tokens", rectangle(200, 0, 100, 200), "any"),
    ),
)
CARDS = tuple(Component(f"X-R{copy}", "R", "Red", "on the deck", kind="X-R") for copy in "ABC")
TOKENS = tuple(Component(f"X-T{n}", "a token", "Token", kind="X-T", reverse=f"X-U{n}") for n in (1, 2))
SINGLES = tuple(Component(f"X-{n}", f"card {n}", "Card", "on the deck") for n in range(1, 9))
COMPONENTS = ComponentSet(components=(*CARDS, *TOKENS, *SINGLES), mat=MAT)


def card(code: str, t: float, x: float = 50, angle: float = 0, change: str = "appeared") -> CardSeen:
    mm = (x, 100.0)
    return CardSeen(t=t, code=code, zone=MAT.zone_at(mm), mm=mm, angle=angle, change=change)  # type: ignore[arg-type]


def tracked(*sightings: CardSeen | CardGone, turns: Sequence[int] = ()) -> TrackedTable:
    table = TrackedTable(mat="MAT-X")
    for n, sighting in enumerate(sightings):
        table = table.after(sighting, turns[n] if turns else None, COMPONENTS.other_side, now=sighting.t)
    return table


@pytest.mark.parametrize(("distance", "is_flip"), [(59, True), (61, False)])
def test_a_component_turned_over_comes_to_rest_within_60_mm(distance: float, is_flip: bool) -> None:
    """If the other side appears farther away, the component was moved, not flipped in place."""
    assert (tracked(card("X-T1", 1, 20), card("X-U1", 2, 20 + distance)).flips == {"X-U1"}) is is_flip


@pytest.mark.parametrize(("degrees", "turn"), [(29, 0), (31, 1), (-29, 0), (-31, 1)])
def test_a_component_turned_by_more_than_30_degrees_was_put_down_again(degrees: float, turn: int) -> None:
    """A component that is rotated by more than 30 degrees counts as put down again. A smaller rotation is a nudge: the
    card still belongs to the turn in which it was put down."""
    nudged = card("X-1", 2, 52, angle=degrees, change="moved")
    assert tracked(card("X-1", 1), nudged, turns=(0, 1)).turns == {"X-1": turn}


@pytest.mark.parametrize(
    ("before", "now", "zone"), [(97, 104.5, "red"), (97, 105.5, "blue"), (100, 107.5, "blue"), (95, 102.5, "red")]
)
def test_a_component_that_shifts_by_up_to_8_mm_stays_in_its_zone(before: float, now: float, zone: str) -> None:
    """After the camera was knocked, every component seems to have shifted by a few millimeters. One that has moved
    farther, or was in the other zone before, is where it is seen."""
    shifted = tracked(card("X-1", 1, before)).steadied(card("X-1", 2, now, change="moved"), MAT)
    assert shifted.zone == zone


@pytest.mark.parametrize(("now", "angle", "seen"), [(102, 31, 28), (102, 32.5, 32.5), (109, 31, 31)])
def test_a_component_that_shifts_and_turns_by_up_to_4_degrees_keeps_its_angle(
    now: float, angle: float, seen: float
) -> None:
    """A component that lies askew by nearly 30 degrees does not seem to point elsewhere after the camera was knocked.
    One that has turned or moved farther has the angle at which it is seen."""
    turned = card("X-1", 2, now, angle=angle, change="moved")
    assert tracked(card("X-1", 1, 100, angle=28)).steadied(turned, MAT).angle == seen


@pytest.mark.parametrize(("distance", "is_covered"), [(11.5, True), (12.5, False)])
def test_a_code_within_12_mm_of_a_newer_one_is_covered(distance: float, is_covered: bool) -> None:
    """A card with a covered code may already be gone, so nobody is asked to move it."""
    table = tracked(card("X-1", 1, 250), card("X-2", 2, 250 + distance))
    assert is_out_of_view("X-1", table, COMPONENTS) is is_covered
    assert not is_out_of_view("X-2", table, COMPONENTS)
    found = [each.code for each in discrepancies(Layout({"tokens": ("X-2",)}), table, COMPONENTS, ())]
    assert found == ([] if is_covered else ["X-1"])


@pytest.mark.parametrize(
    ("seconds", "distance", "is_uncovered"), [(0.39, 79, True), (0.41, 79, False), (0.39, 81, False)]
)
def test_a_code_seen_within_400_ms_and_80_mm_of_a_departure_was_uncovered(
    seconds: float, distance: float, is_uncovered: bool
) -> None:
    """A card that appears just after another one left, and near it, was lying below it: nobody puts down a card that
    fast."""
    laid = tracked(card("X-1", 1, 10)).after(CardGone(t=10, code="X-1"), now=10)
    table = laid.after(card("X-2", 10 + seconds, 10 + distance), piles={"red"}, now=10 + seconds)
    assert table.uncovered == ({"X-2"} if is_uncovered else set())


@pytest.mark.parametrize(("count", "is_shuffled"), [(3, False), (4, True)])
def test_more_than_three_cards_of_an_old_pile_are_shuffled_at_once(count: int, is_shuffled: bool) -> None:
    """If more than three cards of an old pile are left, people are told to shuffle them all at once. A card that was
    laid on top of them by mistake must be taken away first."""
    codes = tuple(f"X-{n}" for n in range(1, count + 1))
    table = tracked(*(card(code, n) for n, code in enumerate(codes))).with_confirmed(codes)
    message = "Shuffle all cards from the red pile. They’re the new deck."
    found = discrepancies(Layout({}), table, COMPONENTS, ())
    assert [each.fix.codes for each in found] == ([codes] if is_shuffled else [codes[-1:]])
    assert (str(found[0].message) == message) is is_shuffled
    stray = discrepancies(Layout({}), table.after(card("X-8", 9)), COMPONENTS, ())
    assert str(stray[0].message) == "Card 8 is in the red pile: put it on the deck."


def test_what_must_leave_a_place_comes_before_what_belongs_there() -> None:
    """Instructions name what must leave a place before what belongs there. Otherwise people would lay one card on the
    other, and the camera could no longer see the lower card."""
    table = tracked(card("X-1", 1, 150), card("X-2", 2, 50))
    found = discrepancies(Layout({"red": ("X-1",)}), table, COMPONENTS, ())
    assert [each.code for each in found] == ["X-2", "X-1"]


def test_a_card_below_the_newest_one_of_a_pile_may_be_gone() -> None:
    """Nobody can see whether a card is still in a pile below a newer card, so nobody is told to take it away. Only the
    newest card is in full view."""
    pile = Layout({"red": ("X-2",)})
    below, on_top = tracked(card("X-1", 1), card("X-2", 2, 80)), tracked(card("X-2", 1), card("X-1", 2, 80))
    assert [each.code for each in discrepancies(pile, below, COMPONENTS, ())] == []
    assert [each.code for each in discrepancies(pile, on_top, COMPONENTS, ())] == ["X-1"]


@pytest.mark.parametrize(("degrees", "is_right"), [(29.5, True), (30.5, False), (-29.5, True), (-30.5, False)])
def test_a_component_may_lie_30_degrees_askew(degrees: float, is_right: bool) -> None:
    """A component that is rotated by more than 30 degrees counts as pointing in another direction."""
    layout = Layout({"red": ("X-1",)}, orientations={"red": Orientation(90, "blue")})
    found = discrepancies(layout, tracked(card("X-1", 1, angle=90 + degrees)), COMPONENTS, ())
    assert (found == ()) is is_right


def paused(*pauses: float) -> DiscrepancyTiming:
    """The timing that was learned from moves in two parts, between which people paused for these times, in seconds."""
    timing = DiscrepancyTiming()
    for pause in pauses:
        timing = timing.after_change(0, has_begun=True).after_completed_move(pause)
        timing = timing.after_act(pause, ())
    return timing


@pytest.mark.parametrize(
    ("pauses", "delay"), [((), 1.5), ((2,) * 3, 1.5), ((2,) * 4, 2.5), ((0.3,) * 4, 0.5), ((5,) * 4, 6)]
)
def test_a_difference_is_reported_after_a_delay_learned_from_four_pauses(pauses: Sequence[float], delay: float) -> None:
    """The delay before a difference is reported is a quarter longer than people's pauses, but at least half a second
    and at most six seconds. Until there have been four pauses, it is 1.5 seconds."""
    assert paused(*pauses).delay_s == delay


def test_the_delay_forgets_old_pauses() -> None:
    """The delay depends only on the last 30 pauses. The last 64 changes are remembered."""
    assert paused(*(4,) * 30, *(2,) * 27).delay_s > 2.5
    assert paused(*(4,) * 30, *(2,) * 30).delay_s == 2.5
    assert len(paused(*(2,) * 100).changes) == 64


@pytest.mark.parametrize(
    ("zones", "known", "likelier"),
    [
        ({"X-RB": "red", "X-RA": "blue"}, KnownCopies(played={"X-RA"}), "X-RB"),
        ({"X-RA": "red", "X-RB": "blue"}, KnownCopies(played={"X-RB"}, put_down={"X-RA"}), "X-RB"),
        ({"X-RA": "blue", "X-RB": "red"}, KnownCopies(), "X-RB"),
        ({"X-RB": "red", "X-RA": "red"}, KnownCopies(), "X-RB"),
        ({"X-RA": None, "X-RB": "blue"}, KnownCopies(), "X-RB"),
        ({"X-RB": "blue", "X-RA": "blue"}, KnownCopies(), "X-RB"),
        ({"X-RB": None}, KnownCopies(), "X-RB"),
        ({"X-RB": None}, KnownCopies(in_hands={"X-RB"}), "X-RB"),
        ({}, KnownCopies(in_hands={"X-RA", "X-RC"}), "X-RB"),
    ],
    ids=[
        "its place",
        "played",
        "right zone",
        "first there",
        "any zone",
        "first on the mat",
        "in view",
        "though dealt",
        "not dealt",
    ],
)
def test_the_likeliest_copy_is_taken_for_the_one_on_the_table(
    zones: Mapping[str, str | None], known: KnownCopies, likelier: str
) -> None:
    """If there are several copies, the likeliest one is taken, in this order: a copy in its place, one that was played,
    one that was just laid in its place, one in another zone, one in view, one that is in no hand."""
    assert assign_copies(Layout({"red": ("X-R",)}), COMPONENTS, zones, known).cards["red"] == (likelier,)


@pytest.mark.parametrize(
    ("zones", "nearer"),
    [
        ({"X-T1": "blue", "X-U2": "tokens"}, "X-T2"),
        ({"X-T1": None, "X-T2": "blue"}, "X-T2"),
        ({"X-T2": None}, "X-T2"),
    ],
    ids=["other side up", "in another zone", "in view"],
)
def test_the_nearest_copy_is_asked_for(zones: Mapping[str, str | None], nearer: str) -> None:
    """If there are several copies, people are asked to use the nearest one, in this order: a copy that must only be
    turned over, one elsewhere on the mat, one beside the mat, one out of view."""
    assert assign_copies(Layout({"tokens": ("X-T",)}), COMPONENTS, zones).cards["tokens"] == (nearer,)


def test_of_a_pile_only_the_top_must_be_in_view() -> None:
    """In a pile, only the top component must be in view. In any other zone, every component must be."""
    pile = Layout({"red": ("X-1", "X-2"), "tokens": ("X-T", "X-T" + BACK)})
    found = discrepancies(pile, tracked(card("X-1", 1), card("X-T1", 2, 250)), COMPONENTS, ())
    assert [str(each.message) for each in found] == ["Put a token in the tokens."]


def test_a_card_beside_its_pile_is_found_though_the_pile_shows_another() -> None:
    """If two cards belong on a pile and one of them lies beside it in full view, people are told to put that card back,
    although the pile shows a card."""
    pile = Layout({"red": ("X-1", "X-2")})
    beside = CardSeen(t=3, code="X-1", zone=None, mm=(50.0, 105.0), angle=0, change="moved")
    mat = replace(COMPONENTS.mat, size=(400.0, 200.0)) if COMPONENTS.mat else None
    table = tracked(card("X-2", 1)).after(beside)
    found = discrepancies(pile, table, replace(COMPONENTS, mat=mat), ())
    assert [(each.code, each.fix.act, each.fix.place) for each in found] == [("X-1", "put", "red")]


@pytest.mark.parametrize("count", [3, 4])
def test_more_than_three_cards_that_go_home_are_a_deck_to_shuffle(count: int) -> None:
    """Up to three cards to put away are named one by one. More are called a deck to shuffle."""
    before = Layout({"red": tuple(f"X-{n}" for n in range(1, count + 1))})
    found = physical_instructions(before, Layout({}), COMPONENTS.vocabulary(()))
    assert english(found) == (
        ("Shuffle the 4 cards from the red pile. They’re the new deck.",)
        if count > 3
        else ("Put card 1 back on the deck.", "Put card 2 back on the deck.", "Put card 3 back on the deck.")
    )


def test_places_of_up_to_nine_seats_can_be_named() -> None:
    """The zones of nine seats have names, including seats that no game uses."""
    components = ComponentSet(places={"first": "{0}'s hand", "ninth": "{8}'s hand", "tenth": "{9}'s hand"})
    place = components.vocabulary(("Ann", "Ben")).place
    assert (str(place("first")), str(place("ninth"))) == ("Ann's hand", "player 9's hand")
    with pytest.raises(IndexError):
        str(place("tenth"))


@pytest.mark.parametrize(("distance", "is_free"), [(39, False), (41, True)])
def test_a_spot_is_free_if_every_component_is_40_mm_away(distance: float, is_free: bool) -> None:
    """A spot is free if every component is at least 40 mm away."""
    scene, spot = TableScene((PlacedComponent("X-1", 350, 100),)), (350.0, 100.0 + distance)
    assert (free_spot(MAT, scene, spot) == spot) is is_free


@pytest.mark.parametrize(("count", "distance"), [(2, 84.0), (3, 58.0), (4, 116 / 3)])
def test_a_column_has_room_for_its_components(count: int, distance: float) -> None:
    """In a column of 204 mm, two cards of 80 mm have no overlap. More cards overlap evenly."""
    zone = Zone("column", "the column", rectangle(0, 0, 70, 204), "down")
    mat = Mat(MAT.size, MAT.corners, (zone,))
    codes = tuple(f"X-{n}" for n in range(1, count + 1))
    scene = tidy(TableScene(), Layout({"column": codes}), mat, dict.fromkeys(codes, (60.0, 80.0)), frozenset())
    rows = [placed.y for placed in scene.on_mat]
    assert rows == pytest.approx([44 + n * distance for n in range(count)])


def test_a_phone_offers_at_most_twelve_moves_that_explain_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The player's possible moves come first, then what the last move could have been instead of what it was."""
    nothing: Any = SimpleNamespace(turn=0)
    last = SimpleNamespace(steps=[SimpleNamespace(move=SimpleNamespace(seat=0, number=2))], before="before")
    moves = [SimpleNamespace(seat=0, number=number) for number in range(9)]

    def explaining(search: Any) -> list[Explanation]:
        return [Explanation(move, ()) for move in moves[: 4 if search.state == "before" else 9]]  # type: ignore[arg-type]

    monkeypatch.setattr(explaining_moves._Search, "explaining", explaining)
    monkeypatch.setattr(explaining_moves._Search, "with_visible_cards", lambda search: ())
    match: Any = SimpleNamespace(state=nothing, can_undo=True, history=SimpleNamespace(done=[last]))
    found: Any = ["a discrepancy"]
    offers = explaining_moves.explanations(match, Seat(0), tracked(), found)
    numbers: Any = [(each.move.number, each.replaces_last) for each in offers]  # type: ignore[attr-defined]
    assert numbers == [*((number, False) for number in range(9)), (0, True), (1, True), (3, True)]
    offered: Any = moves[:4]
    fewer = explaining_moves.explanations(match, Seat(0), tracked(), found, offered)
    assert [each.move for each in fewer] == [*moves[4:], moves[0], moves[1], moves[3]]


@pytest.mark.parametrize("is_swap", [True, False])
def test_an_equal_card_replaces_one_that_was_taken_since_the_last_act(is_swap: bool) -> None:
    """A card from a hand means a new move if the equal card was taken away before the last act."""
    laid = card("X-RB", 70)
    table = tracked(card("X-RA", 1), CardGone(t=10, code="X-RA"), laid, turns=(0, 0, 0))
    table = table if is_swap else replace(table, recently_gone=frozenset())
    match: Any = SimpleNamespace(
        game=SimpleNamespace(physical=SimpleNamespace(components=COMPONENTS)),
        state=SimpleNamespace(turn=0),
        layout=lambda viewer: Layout(cards={"red": ("X-R",)}),
        known_copies=lambda: KnownCopies(in_hands={"X-RB"}),
    )
    assert SightingInterpreter(match, table).is_recorded(laid) is is_swap


@pytest.mark.parametrize(
    ("added", "is_asked_for"), [(None, True), (9.9, True), (10.1, False), (69.9, False), (70.1, True)]
)
def test_tokens_explain_a_hidden_card_if_they_were_put_there_then(added: float | None, is_asked_for: bool) -> None:
    """A card on which tokens belong went out of view after 40 seconds. Unless an act has put tokens on it within 30
    seconds of that, people are asked for the card: somebody may have turned it over."""
    layout = Layout(cards={"red": ("X-1",)}, tokens={"X-1": {"cube": 1}})
    table = tracked(card("X-1", 1))
    if added is not None and added < 40:
        table = table.with_tokens_added(["X-1"], added)
    table = table.after(CardHidden(t=40, code="X-1"), now=40.0)
    if added is not None and added > 40:
        table = table.with_tokens_added(["X-1"], added)
    found = discrepancies(layout, table, COMPONENTS, ())
    assert [each.fix.act for each in found] == (["put"] if is_asked_for else [])
    if not is_asked_for:  # a glimpse changes nothing
        table = table.after(CardInView(t=100, code="X-1"), now=100.0).after(CardHidden(t=105, code="X-1"), now=105.0)
        assert discrepancies(layout, table, COMPONENTS, ()) == ()


@pytest.mark.parametrize(
    ("later_s", "is_covering", "has_lain"),
    [(0.1, False, True), (2.9, False, True), (3.1, False, False), (0.1, True, False)],
)
def test_a_card_uncovered_in_a_pile_that_was_sent_home_has_lain_there(
    later_s: float, is_covering: bool, has_lain: bool
) -> None:
    """People pick up the cards of a pile that has become the new deck. A card that comes into view within three seconds
    after the one above it has gone has lain there, and nobody has played it. Of equal copies, nobody knows which one
    lay there."""
    above = [card("X-3", 2)] if is_covering else []
    table = tracked(card("X-1", 1), *above, CardGone(t=10, code="X-1"), card("X-2", 10 + later_s))
    table = replace(table, sent_home={"red": ("X-1", "X-2", "X-R")})
    match: Any = SimpleNamespace(
        game=SimpleNamespace(physical=SimpleNamespace(components=COMPONENTS)),
        layout=lambda viewer: Layout(cards={}),
        known_copies=KnownCopies,
    )
    assert SightingInterpreter(match, table).has_lain_there(card("X-2", 10 + later_s)) is has_lain
    table = table.after(CardGone(t=14, code="X-2"), now=14.0).after(card("X-RA", 14.1), now=14.1)
    assert not SightingInterpreter(match, table).has_lain_there(card("X-RA", 14.1))


@pytest.mark.parametrize(
    ("below", "layout", "has_lain"),
    [("X-3", Layout({}), True), ("X-8", Layout({}), False), ("X-3", Layout(cards={"red": ("X-2",)}), False)],
)
def test_the_top_card_of_a_pile_that_was_sent_home_is_picked_up_before_its_absence_is_noticed(
    below: str, layout: Layout, has_lain: bool
) -> None:
    """The camera reads the card below before it reports that the upper one has gone. Nobody has laid the lower one
    there. A card that does not belong below was laid on top, and so was one that comes after a new card of the pile."""
    table = replace(tracked(card("X-2", 2), card(below, 10)), sent_home={"red": ("X-1", "X-2", "X-3")})
    match: Any = SimpleNamespace(
        game=SimpleNamespace(physical=SimpleNamespace(components=COMPONENTS)),
        layout=lambda viewer: layout,
        known_copies=KnownCopies,
    )
    assert SightingInterpreter(match, table).has_lain_there(card(below, 10)) is has_lain
    laid = card("X-1", 11)  # it belongs above the others
    assert not SightingInterpreter(match, table.after(laid, now=11.0)).has_lain_there(laid)
