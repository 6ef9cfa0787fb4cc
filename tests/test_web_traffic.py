"""Traffic Congestion's page without a browser: the moves it offers, refusals with reasons, and previews of Go."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import pytest

from companion.games import move_json
from companion.games.rules import SPECTATOR, Move, Seat, Viewer
from companion.games.traffic_congestion.effects import apply_move
from companion.games.traffic_congestion.legality import refusal
from companion.games.traffic_congestion.log_lines import consequences
from companion.games.traffic_congestion.moves import Enter, Go, LaneId
from companion.games.traffic_congestion.page.content import TrafficContent
from companion.games.traffic_congestion.page.content import content as page_content
from companion.games.traffic_congestion.page.lane_controls import LaneButton
from companion.games.traffic_congestion.phases import advance
from companion.games.view import View
from tests.rendered_texts import english
from tests.traffic_games import RUSH, begun, played, seen, won
from tests.web_table import WebTable, unwrapped


def buttons(page: str) -> list[str]:
    """The moves of the buttons on a page."""
    return [unescape(line) for line in re.findall(r'name="move" value="([^"]*)"', unwrapped(page))]


def offered(drawn: TrafficContent) -> list[str]:
    """The moves on the sheets of a board."""
    buttons = [lane.enter for lane in drawn.lanes if lane.enter]
    buttons += [way.button for lane in drawn.lanes for way in lane.signal_choices]
    buttons += [button for lane in drawn.lanes if lane.go for button in (lane.go.keep, lane.go.remove)]
    return [button.move for button in buttons if button.move]


def content(view: View) -> TrafficContent:
    """The content of the page, in English."""
    return english(page_content(view))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["crossroads", "grid-2x2", "grid-3x3"])
def test_every_legal_move_is_on_the_board_once(name: str) -> None:
    """The sheets of the lanes offer exactly the legal moves, each once."""
    for web_table in played(40, 3, board=name):
        view = seen(web_table)
        assert sorted(offered(content(view))) == sorted(map(move_json.write, view.choices.legal))


def test_the_page_has_a_button_for_each_legal_move() -> None:
    """The page has a button for each legal move. None of them is repeated in the dock."""
    web_table = begun(*RUSH)
    assert sorted(buttons(web_table.phone(0).get("/play").text)) == sorted(
        map(move_json.write, seen(web_table).choices.legal)
    )


def test_the_dock_sends_to_the_board_whoever_may_act() -> None:
    """The dock of the player in turn has no move of its own and refers to the board."""
    web_table = begun(*RUSH)
    web_table.table.set_phones_only(phones_only=True)
    assert "Tap the board" in web_table.phone(0).get("/play").text
    assert "Nothing for you to do right now" in web_table.phone(1).get("/play").text


def test_players_not_in_turn_may_look_but_not_act() -> None:
    """On the phones of other players, the sheets say whose turn it is and what prevents a move, but have no buttons.
    The big screen has no buttons at all."""
    web_table = begun(*RUSH)
    page = web_table.phone(1).get("/play").text
    assert buttons(page) == []
    assert "It’s not your turn" in page
    assert "would cross" in page
    screen = web_table.phone().get("/table").text
    assert "popovertarget" not in screen
    assert "west1&gt;A" in screen


def test_the_end_closes_the_sheets() -> None:
    """After the last move the board has no sheets. It can still be scrolled by keyboard, and the winner's meter is
    full."""
    web_table = won()
    page = web_table.phone(0).get("/play").text
    assert "You win with 20 blue cars home!" in page
    assert 'value="20" aria-label="Ann, blue cars home"' in unwrapped(page)
    assert set(re.findall(r'popovertarget="([^"]+)"', page)) <= {"sheet-rule"}
    assert buttons(page) == []
    assert re.search(r'<section class="streets"[^>]* tabindex="0"', page)
    assert not re.search(r'<section class="streets"[^>]* tabindex="0"', begun(*RUSH).phone(0).get("/play").text)


def test_the_end_is_a_victory_for_one() -> None:
    """At the end, the banner has one color for the winner and another for the other players. On the big screen it has
    neither."""
    home = won()
    kinds = [re.findall(r'<section class="turn (over[^"]*)"', page) for page in (*_plays(home, 2), _table(home))]
    assert kinds == [["over won"], ["over lost"], ["over"]]


def _plays(web_table: WebTable, seats: int) -> Iterator[str]:
    return (web_table.phone(seat).get("/play").text for seat in range(seats))


def _table(web_table: WebTable) -> str:
    return web_table.phone().get("/table").text


def test_each_refusal_is_the_rules_own() -> None:
    """If a move is not offered, the reason shown is the one with which the rules would refuse the move."""
    for home in played(40, 4):
        view = seen(home)
        position = view.position.replace(active_player=view.viewer)
        for lane in content(view).lanes:
            for way in lane.signal_choices:
                said = (
                    {"lane": lane.state.id, "then": {"to": way.to}}
                    if lane.state.to
                    else {"lane": lane.state.id, "to": way.to}
                )
                move = move_json.from_json(
                    view.game, view.seats, {"seat": view.viewer, "move": "go" if lane.state.to else "signal", **said}
                )
                assert (way.button.refusal or None) == english(refusal(position, move))
                assert bool(way.button.move) == (not way.button.refusal)


@pytest.mark.slow
def test_what_a_lane_offers_depends_only_on_its_surroundings() -> None:
    """The view of a lane is made from the cars and signals near it, and kept. It says the same as the rules say about
    the whole position, for every seat and for spectators."""
    for home in played(150, 4):
        viewers: list[Viewer] = [*map(Seat, range(3)), SPECTATOR]
        for viewer in viewers:
            view = home.table.view(viewer)
            assert view is not None
            seat = viewer if isinstance(viewer, int) else view.position.active_player
            position = view.position.replace(active_player=seat)
            for lane in page_content(view).lanes:
                assert (lane.state.cars, lane.state.to) == (
                    position.queue(lane.state.id),
                    position.signals.get(lane.state.id, ""),
                )
                moves: list[tuple[LaneButton, Move]] = (
                    [(lane.enter, Enter(seat=seat, lane=LaneId(lane.state.id)))] if lane.enter else []
                )
                if lane.go:
                    keep = Go(seat=seat, lane=LaneId(lane.state.id), then="keep")
                    moves += [
                        (lane.go.keep, keep),
                        (lane.go.remove, Go(seat=seat, lane=LaneId(lane.state.id), then="remove")),
                    ]
                    after = advance(apply_move(position, keep)) if not refusal(position, keep) else None
                    expected = consequences(position, keep, after, view.names) if after else ()
                    assert lane.go.consequence_texts == tuple(expected)
                for button, move in moves:
                    assert (button.refusal or None) == refusal(position, move)
                    assert button.move == (move_json.write(move) if move in view.choices.legal else "")


def test_the_crossing_path_lights_up() -> None:
    """For a signal that would cross another one, the path of the other signal is drawn. For a legal signal, no path is
    drawn."""
    drawn = content(seen(begun(*RUSH)))
    lane = next(lane for lane in drawn.lanes if lane.state.id == "north1>A")
    ways = {way.to: way for way in lane.signal_choices}
    ahead = dict(drawn.signals)["west1>A"]
    assert ways["A>C"].crossed_path == ahead
    assert ways["A>C"].button.refusal == "The path from north1>A to A>C would cross the one from west1>A to A>B."
    assert ways["A>west1"].crossed_path is None
    assert not ways["A>west1"].button.refusal


def test_the_page_shows_the_reason_beside_the_drawing() -> None:
    """The lane's sheet lists the exit that is not possible, with the path that would be crossed and the reason."""
    page = begun(*RUSH).phone(0).get("/play").text
    sheet = page.split('id="sheet-lane-north1_A"')[1].split('id="sheet-lane-')[0]
    refused = next(item for item in sheet.split("<li ") if 'data-key="A&gt;C"' in item)
    assert 'class="signal crossed"' in refused
    assert "would cross the one from west1&gt;A to A&gt;B" in refused
    assert "<button" not in refused


def test_why_no_car_may_enter() -> None:
    """If a car can't enter a lane because the lane's signals lead to the player's own exit, the lane says so. On
    another player's turn, it refers to the viewer's own color."""
    web_table = begun({"move": "signal", "lane": "west1>A", "to": "A>north1"})
    ann, ben = (
        next(lane.enter for lane in content(seen(web_table, seat)).lanes if lane.state.id == "west1>A" and lane.enter)
        for seat in (0, 1)
    )
    assert "to A>north1, where blue cars score" in ann.refusal
    assert (ben.refusal, ben.move) == ("", '{"seat":1,"move":"enter","lane":"west1>A"}')


@pytest.mark.slow
def test_a_go_is_shown_before_it_is_done() -> None:
    """The preview of a Go shows which cars move, which stay, and the result. The move then does exactly that."""
    rides = 0
    for home in played(80, 5):
        view = seen(home)
        for lane in content(view).lanes:
            if lane.go is None or not lane.go.keep.move:
                continue
            rides += 1
            before = view.position
            after = before.play(_move(view, lane.go.keep.move))
            assert lane.go.moving + lane.go.staying == before.queue(lane.state.id)
            assert after.queue(lane.state.id) == lane.go.staying
            if lane.go.to not in before.network.scoring_colors:
                assert after.queue(lane.go.to) == before.queue(lane.go.to) + lane.go.moving
            gained = {view.names[n]: after.scores[n] - before.scores[n] for n in range(view.seats)}
            for name, points in gained.items():
                assert (f"{name} scores {points}." in lane.go.consequence_texts) == (points > 0)
    assert rides > 50


def _move(view: View, line: str) -> Move:
    return move_json.read(view.game, view.seats, line)


def test_the_preview_tells_who_scores_and_what_is_lost() -> None:
    """The preview says that a blue car scores in the north and that a red car goes back to the supply."""
    web_table = begun(
        {"move": "enter", "lane": "north1>A"},
        {"move": "enter", "lane": "north1>A"},
        {"move": "signal", "lane": "north1>A", "to": "A>north1"},
        {"move": "enter", "lane": "east1>B"},
    )
    page = web_table.phone(0).get("/play").text
    sheet = page.split('id="sheet-lane-north1_A"')[1].split('id="sheet-lane-')[0]
    assert "Move to A&gt;north1" in sheet
    assert 'aria-label="blue, red"' in sheet
    assert "Ann scores 1." in sheet
    assert 'Back to the supply: <span class="named">1 ' in sheet
