"""The camera's cube counts are compared with the recorded state. They never change it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

import pytest

from companion.games.rules import Seat
from companion.games.view import View
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.discrepancy import Discrepancy
from companion.tabletop.observations import MatSeen, TokensCounted
from companion.tabletop.tracked_table import TOKENS
from companion.text.refusal_errors import IllegalMove
from companion.text.translation import Translator
from tests.rendered_texts import english
from tests.systems_failing_tables import hasty_clock
from tests.traffic_games import RUSH

Why = Literal["", "dark", "patches", "covered", "unclear"]
LANE, OTHER = "west1>A", "north1>A"
"""Two lanes. In the recorded state, a blue and a red car are in the first one, and a red car is in the second."""


def playing() -> Table:
    table = Table(Journal(None), hasty_clock())
    table.start("traffic-congestion", 2, {}, {}, ("Ann", "Ben"), "a seed")
    for number, action in enumerate(RUSH):
        table.submit(None, {"seat": number % 2, **action}, None, None)
    table.observe(MatSeen(t=0, mat="MAT-TC"))
    return table


def tell(table: Table, place: str, tokens: Mapping[str, int] | None, why: Why = "", possible_stacks: int = 0) -> None:
    certainty: Literal["certain", "guessed", "unknown"] = "certain" if not why else "guessed" if tokens else "unknown"
    table.observe(
        TokensCounted(t=1, place=place, tokens=tokens, certainty=certainty, why=why, possible_stacks=possible_stacks)
    )


def view(table: Table) -> View:
    found = table.view()
    assert found is not None
    return english(found)


def counted(table: Table) -> list[str]:
    """The discrepancies, except the one about the signal that is not on the mat."""
    return [each.message for each in view(table).tabletop.discrepancies if "signal" not in each.message]


def test_a_certain_count_that_differs_is_reported() -> None:
    """A certain count that differs from the recorded state is reported, with the name of the lane. A lane that matches
    is not mentioned, and no move is recorded."""
    table = playing()
    before = view(table).state
    tell(table, LANE, {"blue": 1, "red": 1})
    tell(table, OTHER, {"blue": 2})
    assert counted(table) == ["Put 1 red car in lane north1>A, and take out 2 blue cars, so that it has 1 red car."]
    assert view(table).state == before
    tell(table, OTHER, {"red": 1})
    assert counted(table) == []


@pytest.mark.parametrize(
    ("seen", "possible_stacks", "asks", "says"),
    [
        ({"blue": 1}, 1, True, "Put 1 red car in lane west1>A: the camera sees none."),
        ({"red": 1}, 1, True, "Put 1 blue car in lane west1>A: the camera sees none."),
        ({"red": 1}, 0, False, "Put 1 blue car in lane west1>A: the camera sees none."),
        ({}, 0, False, "Put 1 blue car and 1 red car in lane west1>A: the camera sees none."),
        (
            {"blue": 2},
            2,
            False,
            "Put 1 red car in lane west1>A, and take out 1 blue car, so that it has 1 blue car and 1 red car.",
        ),
        ({"blue": 1, "red": 2}, 3, False, "Take 1 red car out of lane west1>A, so that it has 1 red car."),
    ],
)
def test_people_are_asked_about_stacks_that_would_explain_the_count(
    seen: Mapping[str, int], possible_stacks: int, asks: bool, says: str
) -> None:
    """If the missing cubes may be under others, the message asks for cubes side by side. A stack does not explain a
    cube of a wrong color, one too many, or an empty lane. The other lane is wrong, so that nobody has begun a move."""
    table = playing()
    tell(table, OTHER, {"yellow": 2})
    tell(table, LANE, seen, possible_stacks=possible_stacks)
    (message,) = (each for each in counted(table) if "west1" in each)
    assert message.startswith(says)
    assert message.endswith(" If one is on top of another, put them side by side.") == asks


def test_a_lane_without_cars_should_be_empty() -> None:
    """The messages about no cubes are sentences of their own, since other languages negate the verb."""
    table = playing()
    tell(table, OTHER, {"yellow": 2})
    tell(table, LANE, {})
    tell(table, "A>B", {"red": 1})
    assert "Take 1 red car out of lane A>B." in counted(table)
    untranslated = table.view()
    assert untranslated
    spanish = [Translator("es").render(each.message) for each in untranslated.tabletop.discrepancies]
    assert any(said.endswith("la cámara no ve ninguno.") for said in spanish)


def test_an_uncertain_count_is_shown_as_a_guess() -> None:
    """An uncertain count is shown as a guess. It is no discrepancy."""
    table = playing()
    tell(table, LANE, {"blue": 1, "red": 1})
    tell(table, OTHER, {"red": 2}, "unclear")
    assert counted(table) == []
    assert view(table).tabletop.uncertain_count_messages == (
        "The camera may see 2 red cars in lane north1>A, but it isn’t sure.",
    )
    tell(table, OTHER, {"red": 1}, "unclear")
    assert view(table).tabletop.uncertain_count_messages == ()


def test_poor_light_is_reported_once() -> None:
    """Poor light is reported once, however many lanes it affects, and only where cars should be."""
    table = playing()
    for place in (LANE, OTHER, "A>B"):
        tell(table, place, None, "dark")
    assert view(table).tabletop.uncertain_count_messages == ("It’s too dark to count, so what you tap counts.",)
    assert counted(table) == []


def test_a_covered_lane_is_reported_where_cars_are_recorded() -> None:
    """A covered lane is reported only if cars should be in it."""
    table = playing()
    tell(table, LANE, {"blue": 1, "red": 1})
    tell(table, OTHER, None, "covered")
    tell(table, "A>B", None, "covered")
    assert [says[:12] for says in view(table).tabletop.uncertain_count_messages] == ["Can’t count "]


def test_people_without_cubes_are_asked_until_they_say_so() -> None:
    """Before the camera has seen a cube, people are asked for the first one, too. If they say that the table has no
    cubes, nothing is said about cubes until the camera sees one."""
    table = playing()
    tell(table, LANE, {})
    tell(table, OTHER, {"red": 1}, "unclear")
    (asked,) = (each for each in view(table).tabletop.discrepancies if each.fix.act == "count")
    assert (asked.message, asked.ignorable) == (
        "Put 1 blue car and 1 red car in lane west1>A: the camera sees none.",
        TOKENS,
    )
    table.ignore(Seat(0), TOKENS)
    tell(table, OTHER, {})
    assert counted(table) == []
    tell(table, OTHER, {"red": 2})
    assert [(says.message, says.ignorable) for says in lanes(table)] == [
        ("Put 1 blue car and 1 red car in lane west1>A: the camera sees none.", ""),
        ("Take 1 red car out of lane north1>A, so that it has 1 red car.", ""),
    ]
    with pytest.raises(IllegalMove, match="only ignore things"):
        table.ignore(Seat(0), TOKENS)


def test_people_without_cubes_are_asked_once() -> None:
    """That a table has no cubes is remembered for further games. Nobody can say so before cubes are missing."""
    table = playing()
    with pytest.raises(IllegalMove, match="only ignore things"):
        table.ignore(Seat(0), TOKENS)
    tell(table, LANE, {})
    assert view(table).tabletop.begun_move is None
    table.ignore(Seat(1), TOKENS)
    table.start("traffic-congestion", 2, {}, {}, ("Ann", "Ben"), "a seed")
    table.submit(None, {"seat": 0, "move": "enter", "lane": LANE}, None, None)
    tell(table, LANE, {})
    assert counted(table) == []


def lanes(table: Table) -> list[Discrepancy]:
    """The discrepancies about cubes."""
    return [each for each in view(table).tabletop.discrepancies if each.fix.act == "count"]


def test_the_first_cube_of_a_game_is_missed() -> None:
    """If no cube has ever been seen, a car that was entered on the phone but not put down is reported as missing."""
    table = Table(Journal(None), hasty_clock())
    table.start("traffic-congestion", 2, {}, {}, ("Ann", "Ben"), "a seed")
    table.observe(MatSeen(t=0, mat="MAT-TC"))
    for lane in (LANE, OTHER):
        tell(table, lane, {})
    assert counted(table) == []
    table.submit(None, {"seat": 0, "move": "enter", "lane": LANE}, None, None)
    assert counted(table) == ["Put 1 blue car in lane west1>A: the camera sees none."]


def test_a_cube_that_is_forgotten_on_an_empty_board_is_missed() -> None:
    """If cubes have been used in this game, a car that was entered on the phone but not put down is reported as
    missing, even when the camera no longer sees a cube anywhere."""
    table = Table(Journal(None), hasty_clock())
    table.start("traffic-congestion", 2, {}, {}, ("Ann", "Ben"), "a seed")
    table.observe(MatSeen(t=0, mat="MAT-TC"))
    tell(table, OTHER, {"blue": 1})
    tell(table, OTHER, {})
    table.submit(None, {"seat": 0, "move": "enter", "lane": LANE}, None, None)
    tell(table, LANE, {})
    assert counted(table) == ["Put 1 blue car in lane west1>A: the camera sees none."]


def test_cars_that_are_moved_before_the_tap_are_half_a_move() -> None:
    """Ann puts a car into a lane that she may enter, or moves the cars of a Go, and taps afterwards. Until she taps,
    phones say what is missing, and there is no discrepancy. After that there is nothing to report."""
    table = playing()
    before = view(table)
    tell(table, LANE, {"blue": 1, "red": 1})
    tell(table, OTHER, {"red": 1})
    lane = next(move.lane for move in legal_moves(table) if move.NAME == "enter")
    color = before.state["colors"][before.turn or 0]
    expected = Counter(before.state["lanes"][lane]) + Counter({color: 1})
    tell(table, lane, dict(expected))
    begun = view(table).tabletop.begun_move
    assert begun
    name = before.names[before.turn or 0]
    assert begun.next_step == f"{name}: enter the cars’ move on the phone, or put them back."
    assert counted(table) == []
    table.submit(None, {"seat": before.turn, "move": "enter", "lane": lane}, None, None)
    assert (view(table).tabletop.begun_move, counted(table)) == (None, [])


def legal_moves(table: Table) -> tuple[Any, ...]:
    """The legal moves of the player in turn."""
    found = table.view()
    assert found
    mine = table.view(Seat(int(found.turn or 0)))
    assert mine
    return mine.choices.legal


def test_another_game_is_counted_anew() -> None:
    """Counts are discarded when another game begins or when the mat was out of view."""
    table = playing()
    tell(table, LANE, {"red": 5})
    assert counted(table)
    table.start("traffic-congestion", 2, {}, {}, ("Ann", "Ben"), "a seed")
    assert counted(table) == []
    tell(table, LANE, {"red": 5})
    table.observe(MatSeen(t=2, mat=None))
    table.observe(MatSeen(t=3, mat="MAT-TC"))
    assert counted(table) == []
