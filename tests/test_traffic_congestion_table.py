"""Traffic Congestion on a real table: signals that the camera sees, the layout, and physical instructions."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from random import Random
from typing import Any, Literal

import pytest

from companion.games import move_json
from companion.games.rules import REFEREE, Move, Seat
from companion.games.traffic_congestion import physical
from companion.games.traffic_congestion.board_reader import board_files
from companion.games.traffic_congestion.component_set import BACK_SUFFIX
from companion.games.traffic_congestion.game import GAME
from companion.games.traffic_congestion.mat_street_geometry import StreetPlan, street_plan
from companion.games.traffic_congestion.moves import LaneId, Signal
from companion.games.traffic_congestion.physical import layout
from companion.games.traffic_congestion.rules import State
from companion.games.view import View
from companion.match.journal import Journal
from companion.simulator.scene_contents import TableScene
from companion.simulator.tidy_arrangement import tidy
from companion.table.table import Table
from companion.tabletop.components import ComponentSet
from companion.tabletop.copy_assignment import assign_copies
from companion.tabletop.discrepancies import discrepancies
from companion.tabletop.mat import Mat, Point
from companion.tabletop.observations import CardGone, CardSeen, MatSeen
from companion.tabletop.physical_instructions import physical_instructions
from companion.tabletop.tracked_table import TrackedTable
from companion.text.refusal_errors import IllegalMove
from tests.rendered_texts import english
from tests.systems_failing_tables import hasty_clock
from tests.traffic_positions import act, begin, go, streets

BOARDS = [*product(board_files(), ("right", "left"))]
every_board = pytest.mark.parametrize(("board", "driving"), BOARDS)
NAMES = ("Ann", "Bob")


@cache
def plan_of(board: str, driving: str = "right") -> StreetPlan:
    return street_plan(begin(board=board, driving=driving).network)


def equipment_of(**setup: Any) -> ComponentSet:
    found = GAME.rules.begin(2, GAME.rules.resolve_setup(setup)).components
    assert found is not None
    return found


@cache
def mat_of(**setup: Any) -> Mat:
    found = equipment_of(**setup).mat
    assert found is not None
    return found


def middle(mat: Mat, lane: str) -> Point:
    xs, ys = zip(*mat.zone(lane).polygon, strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)


def tile(lane: str, angle: float, number: int = 1, mat: Mat | None = None, t: float = 0.0) -> CardSeen:
    """The sighting of a signal tile that came to rest at the end of a lane."""
    mm = middle(mat or mat_of(), lane)
    return CardSeen(t=t, code=f"TC-SIG{number:02}", zone=lane, mm=mm, angle=angle, change="appeared")


def move_of(state: State, sighting: CardSeen) -> Move | None:
    """The move that the only tile in view means."""
    return physical.meaning_of(state, sighting, TrackedTable().after(sighting).context())


@every_board
def test_a_tile_says_its_lane_and_where_it_points(board: str, driving: str) -> None:
    """The player in turn can place every legal signal as a tile, even if the tile is slightly rotated."""
    state, mat = begin(board=board, driving=driving), mat_of(board=board, driving=driving)
    for lane, ways in state.network.signal_targets.items():
        for to in ways:
            angle = plan_of(board, driving).bearing(*to.split(">"))
            for askew in (-20, 20):
                said = move_of(state, tile(lane, (angle + askew + 180) % 360 - 180, mat=mat))
                assert said == Signal(seat=Seat(0), lane=LaneId(lane), to=LaneId(to))


def test_north_is_up() -> None:
    """A tile points in the direction of the top of its code: an upright tile points north, and after a quarter turn
    clockwise it points east."""
    state = begin()
    ways = {0: "A>north1", 90: "A>B", 180: "A>C", -90: "A>west1"}
    for angle, to in ways.items():
        said = move_of(state, tile("west1>A", angle))
        assert isinstance(said, Signal)
        assert said.to == to


@pytest.mark.parametrize("angle", [45, 135, -45, 50, 40])
def test_a_tile_between_two_streets_says_nothing(angle: float) -> None:
    """A tile that points between two streets is ambiguous and means nothing."""
    assert move_of(begin(), tile("west1>A", angle)) is None


def test_without_u_turns_none_is_laid() -> None:
    """Without U-turns a tile that points back means nothing."""
    assert move_of(begin(), tile("west1>A", -90)) is not None
    assert move_of(begin(u_turns=False), tile("west1>A", -90)) is None


def test_a_lane_with_a_signal_gets_no_other() -> None:
    """In a lane that has a signal, another tile means nothing, because only a Go changes a signal."""
    state = streets(signals={"west1>A": "A>B"})
    assert move_of(state, tile("west1>A", 0, number=2)) is None


def test_other_components_and_places_mean_nothing() -> None:
    """A tile outside of the lanes, or another game's card in a lane, means nothing."""
    stray = CardSeen(t=0, code="TC-SIG01", zone=None, mm=(300, 10), angle=0, change="appeared")
    card = CardSeen(t=0, code="SF-D01", zone="west1>A", mm=(200, 120), angle=0, change="appeared")
    assert move_of(begin(), stray) is None
    assert move_of(begin(), card) is None


def test_the_layout_is_the_position() -> None:
    """The layout has each recorded signal with its direction, cars by lane and color, the scores, and everything else
    in the supply."""
    state = streets({"west1>A": "red blue blue"}, {"west1>A": "A>B", "B>D": "D>C"}, (3, 4))
    found = layout(state, REFEREE)
    assert found.cards == {"west1>A": ("TC-SIG",), "B>D": ("TC-SIG",)}
    assert {lane: orientation.degrees for lane, orientation in found.orientations.items()} == {
        "west1>A": 90,
        "B>D": 270,
    }
    assert found.tokens["west1>A"] == {"red": 1, "blue": 2}
    assert found.markers == {"score-blue": 3, "score-red": 4}
    full = layout(begin(), REFEREE).tokens["supply"]
    assert {color: full[color] - left for color, left in found.tokens["supply"].items()} == {"blue": 2, "red": 1}


def instructions(before: State, after: State) -> list[str]:
    words = GAME.physical.components.vocabulary(NAMES)
    return [*map(str, physical_instructions(layout(before, REFEREE), layout(after, REFEREE), words))]


def test_moves_have_physical_instructions() -> None:
    """Each kind of move has physical instructions."""
    state = begin()
    assert instructions(state, act(state, "enter", "west1>A")) == ["Move the blue car from the supply to lane west1>A."]
    assert instructions(state, act(state, "signal", "west1>A", "A>B")) == [
        "Put a signal in lane west1>A, pointing to lane A>B."
    ]
    state = streets({"west1>A": "blue blue red"}, {"west1>A": "A>B"})
    moved = [
        "Move 2 blue cars and 1 red car from lane west1>A to lane A>B.",
    ]
    assert instructions(state, go(state, "west1>A")) == moved
    assert instructions(state, go(state, "west1>A", "remove")) == [*moved, "Put the signal back in the supply."]
    turned = "Turn the signal in lane west1>A so that it points to lane A>C."
    assert instructions(state, go(state, "west1>A", "A>C")) == [*moved, turned]


def test_of_several_signals_the_one_to_take_is_named() -> None:
    """Instructions name the signal to remove, and say that a scored car goes to the supply."""
    state = streets({"west1>A": "blue"}, {"west1>A": "A>north1", "B>D": "D>C"})
    assert instructions(state, go(state, "west1>A", "remove")) == [
        "Move the blue car from lane west1>A to the supply.",
        "Put the signal from lane west1>A back in the supply.",
        "Set the score of blue to 1.",
    ]


def discrepancies_with(state: State, *seen: CardSeen) -> list[str]:
    tracked = TrackedTable().after(MatSeen(t=0, mat="MAT-TC"))
    for each in seen:
        tracked = tracked.after(each)
    return [
        str(each.message) for each in discrepancies(layout(state, REFEREE), tracked, GAME.physical.components, NAMES)
    ]


def test_a_tile_that_points_elsewhere_is_to_be_turned() -> None:
    """A tile that points in the wrong direction is a discrepancy. A slightly rotated tile is not."""
    state = streets(signals={"west1>A": "A>B"})
    assert discrepancies_with(state, tile("west1>A", 70)) == []
    said = ["Turn the signal in lane west1>A so that it points to lane A>B."]
    assert discrepancies_with(state, tile("west1>A", 0)) == said
    assert discrepancies_with(state, tile("west1>A", -90)) == said


def test_two_signals_in_a_lane_have_no_definite_article() -> None:
    """Where two signals lie in a lane, nobody can tell which one "the signal" is."""
    state, wrong = streets(signals={"west1>A": "A>B"}), tile("west1>A", 0)
    x, y = wrong.mm or (0.0, 0.0)
    beside = replace(wrong, code="TC-SIG02", mm=(x + 60, y))
    assert discrepancies_with(state, wrong, beside) == [
        "A signal is in lane west1>A: put it in the supply.",
        "Turn a signal in lane west1>A so that it points to lane A>B.",
    ]


def test_a_missing_or_surplus_signal_is_reported() -> None:
    """A missing signal is reported, to be put into its lane. A surplus signal is reported, to be put into the
    supply."""
    state = streets(signals={"west1>A": "A>B"})
    assert discrepancies_with(state) == ["Put a signal in lane west1>A, pointing to lane A>B."]
    assert discrepancies_with(state, tile("west1>A", 90), tile("C>A", 0, number=2)) == [
        "A signal is in lane C>A: put it in the supply; or if it was meant as a move, pick it up and "
        "put it in lane C>A, pointing to a lane."
    ]


def face_down(sighting: CardSeen) -> CardSeen:
    """A sighting of the same tile face down."""
    return replace(sighting, code=sighting.code + BACK_SUFFIX)


def test_a_signal_that_lies_face_down_is_to_be_turned_up() -> None:
    """A signal that lies face down is not reported as missing, but as one to turn over. It makes no move."""
    state = streets(signals={"west1>A": "A>B"})
    assert discrepancies_with(state, face_down(tile("west1>A", 90))) == ["Turn the signal in lane west1>A face up."]
    assert discrepancies_with(state, face_down(tile("C>A", 90))) == [
        "A signal is in lane C>A: put it in lane west1>A, pointing to lane A>B, face up."
    ]
    assert move_of(begin(), face_down(tile("west1>A", 90))) is None


def test_a_signal_moved_out_of_its_lane_places_none() -> None:
    """A signal that is pushed from its lane into an empty one must be put back, even if it is turned there so that it
    points to a lane. A signal that is moved there from a place beside all lanes is a new one."""
    playing = table()
    playing.observe(MatSeen(t=0, mat="MAT-TC"))
    playing.observe(tile("west1>A", 90))
    version = view(playing).version
    pushed = replace(tile("north1>A", 0, t=1), change="moved")
    playing.observe(replace(pushed, angle=45))
    playing.observe(replace(pushed, t=1.5, change="turned"))
    assert view(playing).version == version
    assert [str(each.message) for each in view(playing).tabletop.discrepancies] == [
        "A signal is in lane north1>A: put it in lane west1>A, pointing to lane A>B."
    ]
    playing.observe(replace(tile("west1>A", 90, t=2), change="moved"))
    playing.observe(replace(pushed, code="TC-SIG02", t=3))
    assert view(playing).state["signals"] == {"west1>A": "A>B", "north1>A": "A>north1"}


def test_a_signal_laid_face_down_is_half_a_move() -> None:
    """A player who puts a signal down face down is asked to turn it over. This is no discrepancy yet."""
    playing = table()
    playing.observe(MatSeen(t=0, mat="MAT-TC"))
    playing.observe(face_down(tile("west1>A", 90)))
    found = view(playing).tabletop
    assert found.begun_move
    assert english(found.begun_move.next_step) == "Turn the signal in west1>A face up, or take it off."
    assert found.discrepancies == ()


def test_a_tile_beside_its_lane_is_named_with_the_lane() -> None:
    """A tile on the mat outside of all zones is a discrepancy that names the nearby lane, although it may be a spare
    tile from the box."""
    x, y = (sum(values) / 4 for values in zip(*mat_of().zone("west1>A").polygon, strict=True))
    beside = replace(tile("west1>A", 90), mm=(x, y + 30), zone=mat_of().zone_at((x, y + 30)))
    assert beside.zone is None
    said = [
        "A signal is next to lane west1>A: put it in the supply; or if it was meant as a move, pick it up and "
        "put it in lane west1>A, pointing to a lane."
    ]
    assert discrepancies_with(streets(), beside) == said
    off_the_mat = replace(beside, mm=(-20.0, y))
    assert discrepancies_with(streets(), off_the_mat) == []


def test_any_tile_will_do() -> None:
    """Any tile may be used for any signal."""
    state = streets(signals={"west1>A": "A>B", "C>A": "A>north1"})
    where = {"TC-SIG09": "C>A", "TC-SIG03": "west1>A"}
    assert assign_copies(layout(state, REFEREE), GAME.physical.components, where).cards == {
        "west1>A": ("TC-SIG03",),
        "C>A": ("TC-SIG09",),
    }


def test_a_table_put_right_has_no_discrepancy() -> None:
    """In every position of a game, there is no discrepancy once every signal is in its place."""
    state, rng, world = begin(3), Random(4), TableScene()
    for _ in range(40):
        state = state.play(rng.choice([*state.legal_moves()]))
        where = {piece.code: mat_of().zone_at((piece.x, piece.y)) for piece in world.on_mat}
        world = tidy(
            world, assign_copies(layout(state, REFEREE), GAME.physical.components, where), mat_of(), {}, frozenset()
        )
        seen = [CardSeen(t=0, code=piece.code, zone=mat_of().zone_at((piece.x, piece.y)), mm=(piece.x, piece.y),
                         angle=piece.angle, change="appeared") for piece in world.on_mat]  # fmt: skip
        assert discrepancies_with(state, *seen) == []
    assert world.on_mat


def table(**setup: Any) -> Table:
    made = Table(Journal(None), hasty_clock())
    made.start("traffic-congestion", 2, setup, {}, NAMES, "seed")
    return made


def view(table: Table) -> View:
    found = table.view(Seat(0))
    assert found is not None
    return english(found)


def test_a_tile_that_is_laid_places_the_signal() -> None:
    """Putting a tile down places its signal once. Straightening the tile, putting it down again or moving it makes no
    move; if it is then in a wrong place, that is a discrepancy."""
    playing = table()
    playing.observe(MatSeen(t=0, mat="MAT-TC"))
    playing.observe(tile("west1>A", 88))
    assert view(playing).state["signals"] == {"west1>A": "A>B"}
    assert view(playing).tabletop.discrepancies == ()
    for t, angle in enumerate((92, 0), 1):
        playing.observe(tile("west1>A", angle, t=t))
    assert (view(playing).state["signals"], view(playing).turn) == ({"west1>A": "A>B"}, 1)
    assert [each.message for each in view(playing).tabletop.discrepancies] == [
        "Turn the signal in lane west1>A so that it points to lane A>B."
    ]
    playing.observe(tile("A>B", 90, t=4))
    assert view(playing).state["signals"] == {"west1>A": "A>B"}


def waiting(*cars: str) -> Table:
    """A table on which cars wait in the west lane of A. They were entered before a tile was put down there. The camera
    sees the mat."""
    playing = table()
    playing.observe(MatSeen(t=0, mat="MAT-TC"))
    for number, lane in enumerate(cars):
        playing.submit(Seat(number % 2), {"seat": number % 2, "move": "enter", "lane": lane})
    playing.observe(tile("west1>A", 90))
    assert view(playing).state["signals"] == {"west1>A": "A>B"}
    return playing


@pytest.mark.parametrize("change", ["turned", "moved"])
def test_a_tile_that_is_turned_lets_the_cars_go(change: Literal["turned", "moved"]) -> None:
    """ "Move cars through a signal, then change": turning the tile moves the cars where it pointed before and changes
    the signal. This is recorded once, however often the tile is seen."""
    playing = waiting("west1>A", "west1>A")
    turned = replace(tile("west1>A", 178, t=10), change=change)
    for seen in (turned, replace(turned, t=11, angle=184)):
        playing.observe(seen)
        state = view(playing).state
        assert (state["lanes"]["A>B"], state["lanes"]["west1>A"]) == (["blue", "red"], [])
        assert (state["signals"], state["turn"]) == ({"west1>A": "A>C"}, 0)
    assert view(playing).tabletop.discrepancies == ()
    playing.undo(Seat(0))
    said = "Turn the signal in lane west1>A so that it points to lane A>B."
    assert [each.message for each in view(playing).tabletop.discrepancies] == [said]
    playing.observe(replace(turned, t=12, angle=91))
    assert (view(playing).state["signals"], view(playing).tabletop.discrepancies) == ({"west1>A": "A>B"}, ())


def test_a_tile_turned_where_no_car_waits_is_put_right() -> None:
    """Turning a tile where no car waits is a discrepancy that says why it does not count and where it should point."""
    playing = waiting()
    playing.observe(replace(tile("west1>A", 0, t=10), change="turned"))
    assert view(playing).state["signals"] == {"west1>A": "A>B"}
    assert "no car" in view(playing).notice.lower()
    assert "so that it points to" in view(playing).tabletop.discrepancies[0].message


TURN_BACK = ["Turn the signal in lane west1>A so that it points to lane A>B."]


def said(playing: Table) -> list[str]:
    return [str(each.message) for each in view(playing).tabletop.discrepancies]


@pytest.mark.parametrize("change", ["turned", "moved"])
def test_a_signal_that_was_just_placed_is_adjusted_without_a_move(change: Literal["turned", "moved"]) -> None:
    """Ann puts down a signal and turns it a few seconds later. The cars that wait there don't go: the phones say how to
    turn it back. Once it is turned back, they say nothing."""
    playing = waiting("west1>A", "west1>A")
    version = view(playing).version
    turned = replace(tile("west1>A", 178, t=4), change=change)
    for seen in (turned, replace(turned, t=8, angle=0)):
        playing.observe(seen)
        assert said(playing) == TURN_BACK
    playing.observe(replace(turned, t=12, angle=91))
    assert (said(playing), view(playing).notice, view(playing).version) == ([], "", version)


def test_an_adjusted_signal_can_be_a_correction_or_a_go() -> None:
    """Ann adjusts her signal. Her phone offers to change her last move, and the phone of Ben, who is next, offers the
    Go. If Ann changes her move, everything agrees, and turning the signal later is a Go."""
    playing = waiting("west1>A", "west1>A")
    playing.observe(replace(tile("west1>A", 178, t=4), change="turned"))
    placed = {"seat": 0, "move": "signal", "lane": "west1>A", "to": "A>C"}
    then = {"seat": 1, "move": "go", "lane": "west1>A", "then": {"to": "A>C"}}
    assert (explained(playing, 0), explained(playing, 1)) == ([(placed, True)], [(then, False)])
    playing.correct(Seat(0), placed)
    assert (view(playing).state["signals"], view(playing).turn, said(playing)) == ({"west1>A": "A>C"}, 1, [])
    playing.observe(replace(tile("west1>A", 90, t=10), change="turned"))
    assert (view(playing).state["signals"], view(playing).turn, said(playing)) == ({"west1>A": "A>B"}, 0, [])
    assert view(playing).state["lanes"]["A>C"] == ["blue", "red"]


def test_a_signal_that_was_just_turned_is_adjusted_without_a_move() -> None:
    """Ben turns a signal for his Go, and turns it on a few seconds later. Nobody takes this for a move of Ann's, which
    would be refused because no car waits any more."""
    playing = waiting("west1>A", "west1>A")
    for t, angle in ((10, 178), (13, 0)):
        playing.observe(replace(tile("west1>A", angle, t=t), change="turned"))
    assert (view(playing).state["signals"], view(playing).turn, view(playing).notice) == ({"west1>A": "A>C"}, 0, "")
    assert said(playing) == ["Turn the signal in lane west1>A so that it points to lane A>C."]


def test_a_signal_may_be_turned_in_two_steps() -> None:
    """Ben begins to turn the signal that Ann has placed, and turns it on two seconds later: this is a Go."""
    playing = waiting("west1>A", "west1>A")
    for t, angle in ((10, 135), (12, 178)):
        playing.observe(replace(tile("west1>A", angle, t=t), change="turned"))
    assert (view(playing).state["signals"], view(playing).turn, said(playing)) == ({"west1>A": "A>C"}, 0, [])


@pytest.mark.parametrize("seconds", [1, 20])
def test_a_signal_may_be_turned_in_two_steps_after_a_move_on_a_phone(seconds: int) -> None:
    """Ben enters a Go that changes the signal, and then turns the signal bit by bit. Where it points in between is not
    Ann's move."""
    playing = waiting("west1>A", "west1>A")
    playing.submit(Seat(1), {"seat": 1, "move": "go", "lane": "west1>A", "then": {"to": "A>C"}})
    playing.submit(Seat(0), {"seat": 0, "move": "enter", "lane": "west1>A"})
    version = view(playing).version
    for t, angle in ((10, 0), (10 + seconds, 178)):
        playing.observe(replace(tile("west1>A", angle, t=t), change="turned"))
    assert (view(playing).state["signals"], view(playing).version, said(playing)) == ({"west1>A": "A>C"}, version, [])


def test_a_signal_may_be_turned_back_in_two_steps_after_an_undo() -> None:
    """Ben's Go is undone on a phone, and the signal is turned back bit by bit. He has not made another Go."""
    playing = waiting("west1>A", "west1>A")
    playing.observe(replace(tile("west1>A", 178, t=10), change="turned"))
    playing.undo(Seat(1))
    for t, angle in ((20, 0), (28, 91)):
        playing.observe(replace(tile("west1>A", angle, t=t), change="turned"))
    assert (view(playing).state["signals"], view(playing).turn, said(playing)) == ({"west1>A": "A>B"}, 1, [])


def test_a_second_tile_turns_nothing() -> None:
    """A second tile that is put onto a tile, or pushed onto it, is reported as surplus and does not change the
    signal."""
    playing = waiting("west1>A", "west1>A")
    other = tile("west1>A", 180, number=2, t=1)
    for seen in (other, replace(other, t=2, change="moved"), replace(other, t=3, change="turned", angle=0)):
        playing.observe(seen)
    assert view(playing).state["signals"] == {"west1>A": "A>B"}


def test_a_signal_that_would_cross_another_is_refused_with_its_reason() -> None:
    """If a tile would cross another signal's path, the refusal has the same reason as on the phone."""
    playing = table()
    playing.observe(MatSeen(t=0, mat="MAT-TC"))
    playing.observe(tile("west1>A", 90))
    playing.observe(tile("north1>A", 180, number=2))
    assert view(playing).state["signals"] == {"west1>A": "A>B"}
    assert "would cross" in view(playing).notice


def test_places_are_those_of_the_board_that_is_played_on() -> None:
    """The camera reports zones of the usual board. The positions of tiles in mm are used to find the lanes of the
    current board."""
    playing, mat = table(board="grid-3x3"), mat_of(board="grid-3x3")
    playing.observe(MatSeen(t=0, mat="MAT-TC"))
    usual = mat_of().zone_at(middle(mat, "E>F"))
    assert usual != "E>F"
    playing.observe(CardSeen(t=1, code="TC-SIG01", zone=usual, mm=middle(mat, "E>F"), angle=0, change="appeared"))
    assert view(playing).state["signals"] == {"E>F": "F>C"}


def test_a_tile_from_an_earlier_game_is_seen_on_the_current_board() -> None:
    """A tile left from another game is reported in the lane of the current board at its position."""
    playing = Table(Journal(None), hasty_clock())
    mat = mat_of(board="grid-3x3")
    playing.observe(MatSeen(t=0, mat="MAT-TC"))
    playing.observe(CardSeen(t=1, code="TC-SIG01", zone=None, mm=middle(mat, "E>F"), angle=0, change="appeared"))
    playing.start("traffic-congestion", 2, {"board": "grid-3x3"}, {}, NAMES, "seed")
    assert [each.message for each in view(playing).tabletop.discrepancies] == [
        "A signal is in lane E>F: put it in the supply; or if it was meant as a move, pick it up and "
        "put it in lane E>F, pointing to a lane."
    ]


def test_no_instruction_is_left_when_a_signal_has_been_put_away() -> None:
    """After an undo, the signal is to be put back in the supply. Once it has left its lane, nothing is left to do."""
    playing = table()
    playing.observe(MatSeen(t=0, mat="MAT-TC"))
    playing.observe(tile("west1>A", 90))
    playing.undo(None)
    playing.observe(CardGone(t=5, code=tile("west1>A", 90).code))
    assert view(playing).tabletop.physical_instructions == ()


def explained(table: Table, seat: int) -> list[tuple[dict[str, object], bool]]:
    """The moves that a phone offers to explain the table, and for each whether it would replace the last move."""
    view = table.view(Seat(seat))
    assert view
    return [(move_json.to_json(each.move), each.replaces_last) for each in view.choices.explanations]


def test_the_player_in_turn_can_accept_what_lies_on_the_table() -> None:
    """A signal that was on the table before the camera started is not a move but a discrepancy. Only the phone of the
    player in turn offers the move that explains it. After this move, there is no discrepancy."""
    playing = table()
    playing.observe(MatSeen(t=0, mat="MAT-TC"))
    playing.observe(replace(tile("west1>A", 90), was_initially_present=True))
    assert len(view(playing).tabletop.discrepancies) == 1
    move = {"seat": 0, "move": "signal", "lane": "west1>A", "to": "A>B"}
    assert (explained(playing, 0), explained(playing, 1)) == ([(move, False)], [])
    playing.submit(Seat(0), move)
    assert (view(playing).state["signals"], view(playing).tabletop.discrepancies) == ({"west1>A": "A>B"}, ())


def test_the_last_move_can_be_replaced_by_what_lies_on_the_table() -> None:
    """Ann turns a signal, which was already recorded, to where she meant it to point. Her phone offers to replace the
    move; Ben's phone does not."""
    playing = table()
    playing.observe(MatSeen(t=0, mat="MAT-TC"))
    playing.observe(tile("west1>A", 90))
    playing.observe(tile("west1>A", 0, t=2))
    move = {"seat": 0, "move": "signal", "lane": "west1>A", "to": "A>north1"}
    assert (explained(playing, 0), explained(playing, 1)) == ([(move, True)], [])
    with pytest.raises(IllegalMove, match="only replace your own last move"):
        playing.correct(Seat(1), {**move, "seat": 1})
    with pytest.raises(IllegalMove):
        playing.correct(Seat(0), {**move, "lane": "A>north1"})
    assert view(playing).state["signals"] == {"west1>A": "A>B"}, "a refused correction leaves the last move"
    playing.correct(Seat(0), move)
    assert (view(playing).state["signals"], view(playing).turn) == ({"west1>A": "A>north1"}, 1)
    assert view(playing).tabletop.discrepancies == ()


def test_a_component_can_be_ignored_until_it_moves() -> None:
    """Somebody can tell the table to ignore a spare tile on the mat. When the tile moves, it is reported again."""
    playing = table()
    playing.observe(MatSeen(t=0, mat="MAT-TC"))
    x, y = (sum(values) / 4 for values in zip(*mat_of().zone("west1>A").polygon, strict=True))
    beside = replace(tile("west1>A", 90), mm=(x, y + 30), zone=None)
    playing.observe(beside)
    assert [each.is_stray for each in view(playing).tabletop.discrepancies] == [True]
    assert playing.ignore(Seat(1), beside.code) == view(playing).version
    assert view(playing).tabletop.discrepancies == ()
    playing.observe(replace(beside, t=3, mm=(x, y + 36), change="moved"))
    assert [each.code for each in view(playing).tabletop.discrepancies] == [beside.code]


def test_a_misplaced_signal_can_not_be_ignored() -> None:
    """A signal that points the wrong way can't be ignored; it must be turned. The refusal is the same for a signal that
    is not in view, so that it does not reveal what the camera sees."""
    playing = table()
    playing.observe(MatSeen(t=0, mat="MAT-TC"))
    playing.observe(tile("west1>A", 90))
    playing.observe(tile("west1>A", 0, t=2))
    for code in ("TC-SIG01", "TC-SIG02"):
        with pytest.raises(IllegalMove, match="have no place in this game"):
            playing.ignore(Seat(0), code)
    assert len(view(playing).tabletop.discrepancies) == 1
