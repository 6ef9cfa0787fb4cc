"""The rules of Traffic Congestion, sentence by sentence. The board is the grid A B / C D unless a test names
another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from companion.games.game import choose_at_random
from companion.games.rules import Seat, Start
from companion.games.traffic_congestion.board import COLORS
from companion.games.traffic_congestion.game import GAME
from companion.games.traffic_congestion.legality import is_gridlocked
from companion.games.traffic_congestion.moves import Pass
from companion.games.traffic_congestion.rules import State
from companion.playouts import series
from companion.playouts.series import play_out
from companion.text.refusal_errors import GameOver, IllegalMove, NotYourTurn
from tests.traffic_positions import GRID, act, begin, go, offered, streets, waiting

FIVE = "red red red red red"
ALL_WAYS = {"A>north1", "A>B", "A>C", "A>west1"}


def pointing(state: State, lane: str) -> set[str]:
    """The lanes to which a signal may be placed from a lane."""
    return {move["to"] for move in offered(state) if move["move"] == "signal" and move["lane"] == lane}


def turning(state: State, lane: str) -> set[str]:
    """The lanes to which a signal may be turned after cars went through it."""
    thens = [move["then"] for move in offered(state) if move["move"] == "go" and move["lane"] == lane]
    return {then["to"] for then in thens if isinstance(then, dict)}


def entering(state: State) -> set[str]:
    """The lanes where the player may enter a car."""
    return {move["lane"] for move in offered(state) if move["move"] == "enter"}


def test_each_player_has_a_color() -> None:
    """ "Each player chooses a distinct color. The possible colors … are Blue, Red, Yellow, and Green"; "by default
    seats take them in the order blue, red, yellow, green"; "Seats count from 0; seat 0 begins"."""
    assert COLORS == ("blue", "red", "yellow", "green")
    for seats in (2, 3, 4):
        state = begin(seats)
        assert (state.colors, state.turn) == (COLORS[:seats], 0)
        assert state.to_json()["scores"] == dict.fromkeys(COLORS[:seats], 0)


def test_a_turn_is_one_action() -> None:
    """ "Each turn the current player may perform 1 of the three following types of actions." Then it is the next seat's
    turn."""
    state = begin(3)
    for lane, after in (("north1>A", 1), ("north2>B", 2), ("east1>B", 0)):
        with pytest.raises(NotYourTurn):
            act(state, "enter", lane, seat=(state.active_player + 1) % 3)
        state = act(state, "enter", lane)
        assert state.turn == after
    assert [waiting(state, lane) for lane in ("north1>A", "north2>B", "east1>B")] == ["blue", "red", "yellow"]


def test_there_are_three_kinds_of_action() -> None:
    """The actions are Enter, Signal and Go. At the start nothing can move, and nobody may pass."""
    assert {move["move"] for move in offered(begin())} == {"enter", "signal"}
    state = streets({"north1>A": "red"}, {"north1>A": "A>C"})
    assert {move["move"] for move in offered(state)} == {"enter", "signal", "go"}


def test_a_car_enters_at_the_back() -> None:
    """A car enters behind those that are waiting: "Enqueue a car at the back of an entrance lane"; "a seat enters cars
    of its own color only"."""
    state = act(act(streets({"north1>A": "red"}), "enter", "north1>A"), "enter", "north1>A")
    assert waiting(state, "north1>A") == "red blue red"


def test_cars_enter_at_entrances_only() -> None:
    """Cars can enter only at entrances: "Entrance lanes are those lanes that come from outside of the board." """
    state = begin()
    assert entering(state) == {
        "north1>A", "north2>B", "east1>B", "east2>D", "south1>C", "south2>D", "west1>A", "west2>C",
    }  # fmt: skip
    for lane in ("A>B", "A>north1"):
        with pytest.raises(IllegalMove, match=f"{lane} isn’t an entrance"):
            act(state, "enter", lane)


def test_a_full_lane_takes_no_car() -> None:
    """No car can enter a full lane: "Lanes have a maximum capacity of 5 cars. If a lane has 5 cars, then it is
    considered full." """
    state = streets({"north1>A": "red red red red"})
    state = act(state, "enter", "north1>A")
    assert waiting(state, "north1>A") == "red red red red blue"
    assert "north1>A" not in entering(state)
    with pytest.raises(IllegalMove, match="north1>A is full"):
        act(state, "enter", "north1>A")


def test_no_car_enters_with_a_direct_path_home() -> None:
    """ "A player may not enter a car if the entrance lane has a direct path to an exit lane of the car's color": "that
    color can't enter there", but other colors can."""
    state = streets(signals={"west1>A": "A>north1", "south1>C": "C>west2"})
    with pytest.raises(IllegalMove, match="lead from west1>A to A>north1, where blue cars score"):
        act(state, "enter", "west1>A")
    assert "west1>A" not in entering(state)
    assert "south1>C" in entering(state)
    assert waiting(act(streets(signals=state.signals, active_player=1), "enter", "west1>A"), "west1>A") == "red"


def test_a_direct_path_may_lead_through_any_number_of_lanes() -> None:
    """ "Following signals from the entrance lane, through any number of lanes, reaches an exit on the car's color
    side." If one of the signals is missing or points elsewhere, there is no direct path."""
    way = {"south1>C": "C>D", "C>D": "D>B", "D>B": "B>A", "B>A": "A>north1"}
    assert "south1>C" not in entering(streets(signals=way))
    for missing in way:
        assert "south1>C" in entering(streets(signals={lane: to for lane, to in way.items() if lane != missing}))
    assert "south1>C" in entering(streets(signals=way | {"B>A": "A>west1"}))
    assert "south1>C" in entering(streets(signals=way, colors=["yellow", "red"]))


def test_cars_on_the_way_make_a_path_no_less_direct() -> None:
    """A path is direct if its signals lead to the exit, even if there are cars on the way or the lanes are full."""
    way = {"west1>A": "A>B", "A>B": "B>north2"}
    assert "west1>A" not in entering(streets({"A>B": FIVE}, way))


def test_signals_in_a_circle_lead_nowhere() -> None:
    """Signals that lead around in a circle reach no exit, so they prevent no car from entering."""
    circle = {"A>B": "B>D", "B>D": "D>C", "D>C": "C>A", "C>A": "A>B"}
    state = streets(signals={"north1>A": "A>B", **circle})
    assert "north1>A" in entering(state)
    back = streets(signals={"north1>A": "A>B", "A>B": "B>A", "B>A": "A>B"})
    assert "north1>A" in entering(back)


def test_a_signal_joins_a_lane_to_one_that_leaves_its_intersection() -> None:
    """ "The player may place a directional signal at the end of any non-exit lane." It "joins a lane to one that leaves
    the same intersection"; U-turns are legal."""
    state = begin()
    for lane in ("north1>A", "west1>A", "B>A", "C>A"):
        assert pointing(state, lane) == ALL_WAYS
    after = act(state, "signal", "B>A", "A>B")
    assert after.to_json()["signals"] == {"B>A": "A>B"}
    with pytest.raises(IllegalMove, match="C>D doesn’t start at intersection A"):
        act(state, "signal", "B>A", "C>D")
    with pytest.raises(IllegalMove, match="north1>A doesn’t start at intersection A"):
        act(state, "signal", "B>A", "north1>A")


def test_exits_have_no_signals() -> None:
    """ "Any non-exit lane" can have a signal; an exit can't."""
    for move in ("signal", "go"):
        more = {"to": "A>B"} if move == "signal" else {"then": "keep"}
        with pytest.raises(IllegalMove, match="A>north1 is an exit"):
            act(begin(), move, "A>north1", **more)


def test_paths_may_not_cross() -> None:
    """A signal is legal "as long as the path from this signal to the lane it is pointing to does not cross any already
    existing paths". The refusal names the path that it would cross."""
    state = streets(signals={"west1>A": "A>B"})
    assert pointing(state, "north1>A") == ALL_WAYS - {"A>C"}
    with pytest.raises(IllegalMove, match="from north1>A to A>C would cross the one from west1>A to A>B"):
        act(state, "signal", "north1>A", "A>C")
    assert pointing(state, "C>A") == {"A>B", "A>C"}
    assert pointing(state, "B>A") == ALL_WAYS - {"A>C"}
    assert pointing(state, "C>D") == {"D>B", "D>C", "D>east2", "D>south2"}


def test_paths_that_share_an_end_do_not_cross() -> None:
    """ "Sharing an end lane is not crossing": all four may lead into the same lane."""
    state = begin()
    for lane in ("north1>A", "B>A", "C>A", "west1>A"):
        state = act(state, "signal", lane, "A>west1")
    assert set(state.signals.values()) == {"A>west1"}


def test_u_turns_may_be_left_out() -> None:
    """ "U-turns are legal unless `--option u_turns=false`", both when a signal is placed and when it is turned."""
    state = streets({"west1>A": "red"}, {"west1>A": "A>B"}, u_turns=False)
    assert pointing(state, "C>A") == {"A>B"}
    assert pointing(begin(), "C>A") - pointing(begin(u_turns=False), "C>A") == {"A>C"}
    assert turning(state, "west1>A") == {"A>north1", "A>C"}
    with pytest.raises(IllegalMove, match="A>C would be a U-turn"):
        act(state, "signal", "C>A", "A>C")
    with pytest.raises(IllegalMove, match="A>west1 would be a U-turn"):
        go(state, "west1>A", "A>west1")


def test_driving_on_the_left_changes_what_crosses() -> None:
    """ "Cars will travel on the right side of the street …, but players may arbitrarily decide to adapt the game to
    countries where cars travel on the left"; "left swaps the two lanes of each street, which changes what crosses": a
    path from north to south then separates other lanes."""
    right, left = (streets(signals={"north1>A": "A>C"}, driving=side) for side in ("right", "left"))
    assert pointing(right, "west1>A") == {"A>west1", "A>C"}
    assert pointing(left, "west1>A") == {"A>north1", "A>west1", "A>C"}
    assert pointing(right, "B>A") == {"A>north1", "A>B", "A>C"}
    assert pointing(left, "B>A") == {"A>B", "A>C"}
    assert right.to_json()["driving"] == "right"
    assert left.to_json()["driving"] == "left"


def test_a_lane_has_one_signal() -> None:
    """ "A lane with a signal gets a new one only by Go." """
    state = streets(signals={"west1>A": "A>B"})
    assert pointing(state, "west1>A") == set()
    with pytest.raises(IllegalMove, match="west1>A already has a signal, to A>B"):
        act(state, "signal", "west1>A", "A>C")


@pytest.mark.parametrize(
    ("there", "moved"), [("", 5), ("green", 4), ("green green", 3), ("green green green green", 1)]
)
def test_as_many_cars_move_as_there_is_room_for(there: str, moved: int) -> None:
    """ "A player may move the maximum number of cars from the head of a lane through a signal to the lane the signal
    points to": a Go "moves min(cars waiting, free places) cars, at least one, keeping their order"."""
    cars = ["red", "blue", "yellow", "blue", "red"]
    state = go(streets({"west1>A": " ".join(cars), "A>B": there}, {"west1>A": "A>B"}), "west1>A")
    assert waiting(state, "A>B").split() == [*there.split(), *cars[:moved]]
    assert waiting(state, "west1>A").split() == cars[moved:]


def test_fewer_cars_than_room_all_move() -> None:
    """If the next lane has room for all waiting cars, all of them move."""
    state = go(streets({"west1>A": "red blue", "A>B": "blue"}, {"west1>A": "A>B"}), "west1>A")
    assert (waiting(state, "west1>A"), waiting(state, "A>B")) == ("", "blue red blue")


def test_go_needs_a_signal_a_car_and_room() -> None:
    """Without a signal, a waiting car or room for it, there is no Go: "Go needs a signal and moves … at least one." """
    with pytest.raises(IllegalMove, match=r"west1>A has no signal\. Place one first"):
        go(streets({"west1>A": "red"}), "west1>A")
    with pytest.raises(IllegalMove, match="No cars are waiting in west1>A"):
        go(streets(signals={"west1>A": "A>B"}), "west1>A")
    with pytest.raises(IllegalMove, match="A>B is full, so no car can go there from west1>A"):
        go(streets({"west1>A": "red", "A>B": FIVE}, {"west1>A": "A>B"}), "west1>A")


def test_anyone_may_move_anyones_cars() -> None:
    """ "A player may move the maximum number of cars", whatever their color and whoever placed the signal."""
    state = go(streets({"south1>C": "blue"}, {"south1>C": "C>A"}, active_player=1), "south1>C")
    assert waiting(state, "C>A") == "blue"


def test_then_the_signal_is_kept_removed_or_changed() -> None:
    """ "The player may then choose to remove the signal, keep the signal the same, or change the signal to a new
    direction." """
    state = streets({"west1>A": "red"}, {"west1>A": "A>B"})
    assert go(state, "west1>A", "keep").signals == {"west1>A": "A>B"}
    assert go(state, "west1>A", "remove").signals == {}
    assert go(state, "west1>A", "A>C").signals == {"west1>A": "A>C"}
    assert all(waiting(go(state, "west1>A", then), "A>B") == "red" for then in ("keep", "remove", "A>C"))


def test_a_changed_signal_may_not_cross_either() -> None:
    """A signal may be changed only to "a new direction that does not form a path that crosses already established
    paths", which are those of other lanes. "Its own old path never hinders the change"."""
    state = streets({"west1>A": "red"}, {"west1>A": "A>C", "north1>A": "A>B"})
    assert turning(state, "west1>A") == {"A>B", "A>west1"}
    state = streets({"west1>A": "red"}, {"west1>A": "A>C", "B>A": "A>west1"})
    assert turning(state, "west1>A") == {"A>B", "A>west1"}
    with pytest.raises(IllegalMove, match="from west1>A to A>north1 would cross the one from B>A to A>west1"):
        go(state, "west1>A", "A>north1")


def test_changing_a_signal_to_where_it_points_is_keeping_it() -> None:
    """A signal can't be changed to the direction that it already has: "Changing it to where it points is illegal (that
    is keeping)." """
    state = streets({"west1>A": "red"}, {"west1>A": "A>B"})
    with pytest.raises(IllegalMove, match=r"already points to A>B\. Keep it"):
        go(state, "west1>A", "A>B")


def test_a_refused_change_moves_no_car() -> None:
    """If the change of the signal is refused, no car moves either."""
    state = streets({"west1>A": "red"}, {"west1>A": "A>B"})
    with pytest.raises(IllegalMove):
        go(state, "west1>A", "C>D")
    assert waiting(state, "west1>A") == "red"


@pytest.mark.parametrize(
    ("exit_lane", "scorer"), [("A>north1", "blue"), ("A>east1", "red"), ("A>south1", "yellow"), ("A>west1", "green")]
)
def test_cars_that_leave_on_their_side_score(exit_lane: str, scorer: str) -> None:
    """ "If a car is in an exit lane, it is removed from the board and scored if the exit lane exits in the direction of
    the corresponding directional arrow": "blue north, red east, yellow south, green west". On another side, cars "go
    back to their owner's supply". In both cases, "exits are always empty"."""
    entrance = "north1>A"
    state = streets({entrance: "blue red yellow green blue"}, {entrance: exit_lane}, seats=4, board="crossroads")
    after = go(state, entrance)
    scored = 2 if scorer == "blue" else 1
    assert after.to_json()["scores"] == {**dict.fromkeys(COLORS, 0), scorer: scored}
    assert all(not cars for cars in after.to_json()["lanes"].values())


def test_there_is_no_end_of_cars() -> None:
    """ "No supply limit": a color may have as many cars on the board as fit."""
    full = dict.fromkeys(("north1>A", "north2>B", "east1>B", "east2>D", "south1>C", "south2>D", "west1>A"), "blue " * 5)
    assert "west2>C" in entering(streets(full))


def test_twenty_cars_win_at_once() -> None:
    """ "A player wins if 20 cars of their color have exited on the proper side of the board." The "first to 20 wins, at
    once (the winning Go still carries out its `then`)". After that, "the last state stays, `turn` is null, nothing is
    legal"."""
    state = streets({"west1>A": "blue blue"}, {"west1>A": "A>north1"}, (18, 19))
    after = go(state, "west1>A", "remove")
    shown = after.to_json()
    assert (shown["winner"], shown["over"], shown["turn"]) == (0, True, None)
    assert (shown["scores"], shown["signals"]) == ({"blue": 20, "red": 19}, {})
    assert offered(after) == []
    with pytest.raises(GameOver):
        act(after, "enter", "west2>C", seat=1)


def test_nineteen_are_not_enough_and_more_than_twenty_count() -> None:
    """Nineteen cars do not win. If one move takes the score past twenty, all of its cars count."""
    state = streets({"west1>A": "blue blue blue"}, {"west1>A": "A>north1"}, (16, 0))
    assert (go(state, "west1>A").winner, go(state, "west1>A").turn) == (None, 1)
    state = streets({"west1>A": "blue blue blue"}, {"west1>A": "A>north1"}, (18, 0))
    assert (go(state, "west1>A").winner, go(state, "west1>A").scores) == (0, (21, 0))


def test_a_seat_may_win_by_anothers_move() -> None:
    """Cars score for their own color, whoever moves them."""
    state = streets({"west1>A": "blue"}, {"west1>A": "A>north1"}, (19, 0), active_player=1)
    assert go(state, "west1>A").winner == 0


@pytest.mark.parametrize(("player", "winner"), [(0, 0), (1, 1), (2, 0)])
def test_of_several_at_twenty_the_acting_seat_wins(tmp_path: Path, player: int, winner: int) -> None:
    """ "With a board where one exit serves several colors, the acting seat wins before others, else the next in turn
    order." Here seats 0 and 1 reach twenty with the same move. If seat 2, which does not score, makes the move, the
    next in turn order wins."""
    path = tmp_path / "shared.toml"
    path.write_text(GRID.replace('red = "east"', 'red = "north"'), "utf-8")
    state = streets({"west1>A": "red blue"}, {"west1>A": "A>north1"}, (19, 19, 19), player, seats=3, board=str(path))
    after = go(state, "west1>A")
    assert (after.scores, after.winner) == ((20, 20, 19), winner)


def jammed(free: str = "", **more: Any) -> State:
    """A position in which every lane with cars is full and points into a full lane. Only the entrance `free` is
    empty."""
    ring = {"north1>A": "A>B", "west1>A": "A>B", "C>A": "A>B", "B>A": "A>B"}
    ring |= {"north2>B": "B>A", "east1>B": "B>A", "A>B": "B>A", "D>B": "B>A"}
    ring |= {"south1>C": "C>A", "west2>C": "C>A", "A>C": "C>A", "D>C": "C>A"}
    ring |= {"south2>D": "D>B", "east2>D": "D>B", "B>D": "D>B", "C>D": "D>B"}
    full = {lane: FIVE for lane in ring if not lane[0].isupper() or lane in ("A>B", "B>A", "C>A", "D>B")}
    return streets({lane: cars for lane, cars in full.items() if lane != free}, ring, **more)


def test_passing_is_the_last_resort() -> None:
    """ "`pass` is legal only with no other legal move": then it is the only legal move, and after it the next seat is
    in turn."""
    with pytest.raises(IllegalMove, match="only pass if you can’t do anything else"):
        act(begin(), "pass")
    state = jammed()
    assert list(state.legal_moves()) == [Pass(seat=Seat(0))]
    after = act(state, "pass")
    assert (after.turn, after.queues, after.signals) == (1, state.queues, state.signals)


def test_a_single_other_move_forbids_to_pass() -> None:
    """Passing is illegal if even one other move is legal, such as entering a car."""
    state = jammed(free="west2>C")
    assert offered(state) == [{"seat": 0, "move": "enter", "lane": "west2>C"}]
    with pytest.raises(IllegalMove, match="only pass if you can’t do anything else"):
        act(state, "pass")


def test_gridlock_ends_nothing() -> None:
    """Neither rule text ends the game in a gridlock, so everyone passes forever. The log says so, and scores stay."""
    state = jammed(scores=(7, 3))
    for turn in (0, 1, 0, 1, 0):
        assert (state.turn, is_gridlocked(state), GAME.playouts.is_stuck(state)) == (turn, True, True)
        assert offered(state) == [{"seat": turn, "move": "pass"}]
        state = act(state, "pass")
    shown = state.to_json()
    assert (shown["turn"], shown["over"], shown["winner"], shown["scores"]) == (1, False, None, {"blue": 7, "red": 3})


def test_simulation_leaves_a_gridlock() -> None:
    """A simulation stops when everyone would pass forever."""
    state = jammed()
    assert play_out(GAME, Start(state), choose_at_random, "1") == (state, 0)


def test_simulation_leaves_a_game_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulation stops in a position in which four cars can go around in circles and no other car can ever move. Such
    a position came up in a random game."""
    ring = {"A>B": "B>D", "B>D": "D>C", "D>C": "C>A", "C>A": "A>B"}
    entrances = {"north1>A": "A>B", "west1>A": "A>B", "north2>B": "B>D", "east1>B": "B>D"}
    entrances |= {"south1>C": "C>A", "west2>C": "C>A", "south2>D": "D>C", "east2>D": "D>C"}
    full = dict.fromkeys({**ring, **entrances}, FIVE)
    signals = {**ring, **entrances, "C>D": "D>B", "A>C": "C>D", "D>B": "B>A"}
    state = streets({**full, "A>C": "yellow blue blue blue"}, signals, u_turns=False, driving="left")
    monkeypatch.setattr(series, "MAX_MOVES", 300)
    end, moves = play_out(GAME, Start(state), choose_at_random, "1")
    assert isinstance(end, State)
    assert (moves, end.turns_taken, end.winner, is_gridlocked(end)) == (300, 300, None, False)


def test_one_color_that_can_move_is_no_gridlock() -> None:
    """Blue must pass while red may still enter, so this is no gridlock."""
    home = {"west2>C": "C>west2"}
    state = jammed(free="west2>C", colors=["green", "red"])
    signals = {**state.signals, **home}
    state = streets({lane: " ".join(cars) for lane, cars in state.queues.items()}, signals, colors=["green", "red"])
    assert [move["move"] for move in offered(state)] == ["pass"]
    assert not is_gridlocked(state)
    state = act(state, "pass")
    assert [move["move"] for move in offered(state)] == ["enter"]
    state = act(state, "enter", "west2>C")
    assert {move["move"] for move in offered(state)} == {"go"}


def test_moves_of_lanes_that_are_not_there_are_refused() -> None:
    """ "An unknown lane is `illegal_move` or `bad_move`": a lane of another board is an illegal move."""
    state = begin(board="crossroads")
    for move, more in (("enter", {}), ("signal", {"to": "A>north1"}), ("go", {"then": "keep"})):
        with pytest.raises(IllegalMove):
            act(state, move, "I>south3", **more)
    with pytest.raises(IllegalMove):
        act(state, "signal", "north1>A", "I>south3")
