"""Commute's page without a browser: the moves it offers, their costs, and who may see which card."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from companion.games import move_json
from companion.games.commute import page as commute_page
from companion.games.commute.board_reader import boards
from companion.games.commute.emblems import SUIT_COLORS
from companion.games.commute.moves import UhOh
from companion.games.commute.page.city_map import city
from companion.games.commute.page.content import CommuteContent
from companion.games.commute.page.content import content as page_content
from companion.games.commute.page.pawn_places import PHONE_ASPECT, PHONE_SCALE
from companion.games.commute.page.reputation_chart import BOTTOM, HEIGHT, MIN_LABEL_SPACING, TOP, WIDTH, chart
from companion.games.commute.page.stop_places import LABEL_SIZE, LOWEST_ASPECT, stop_places
from companion.games.commute.position_parts import CommuteResult
from companion.games.commute.reachability import walk_ends
from companion.games.rules import REFEREE
from companion.games.view import View
from tests.commute_games import act, asks, begun, must_bump, played, seen, until
from tests.commute_positions import town
from tests.rendered_texts import english
from tests.web_table import unwrapped


def buttons(page: str) -> list[str]:
    """The moves of the buttons on a page."""
    return [unescape(line) for line in re.findall(r'name="move" value="([^"]*)"', page)]


def offered(drawn: CommuteContent) -> Iterator[str]:
    """Yields the moves that a board offers."""
    yield from (way.move for pick in drawn.picks for stop in pick.stops for way in stop.moves)
    yield from (answer.move for answer in drawn.answers)


def content(view: View) -> CommuteContent:
    """The content of the page, in English."""
    return english(page_content(view))


@pytest.fixture(scope="module")
def random_game() -> list[tuple[View, CommuteContent]]:
    """Each position of a random game as its player sees it, with the content of the page."""
    return [(view, content(view)) for view in played(begun())]


@pytest.mark.slow
def test_every_legal_move_is_on_the_board_once(random_game: list[tuple[View, CommuteContent]]) -> None:
    """The board offers exactly the legal journeys, bumps and answers, each once."""
    kinds = set()
    for view, page in random_game:
        assert sorted(offered(page)) == sorted(map(move_json.write, view.choices.legal))
        kinds |= {type(move).NAME for move in view.choices.legal}
    assert kinds == {"travel", "bump", "choose"}


@pytest.mark.parametrize("wanted", [lambda view: True, must_bump, asks("choice"), asks("line"), asks("card")])
def test_the_page_has_a_button_for_each(wanted: object) -> None:
    """The page of the player in turn has one button for each legal move. None of them is repeated in the dock. Other
    pages have no such buttons."""
    web_table = begun()
    view = until(web_table, wanted)  # type: ignore[arg-type]
    mine, other = (web_table.phone(int(view.turn) + n if n == 0 else (int(view.turn) + 1) % 3) for n in (0, 1))  # type: ignore[arg-type]
    assert sorted(buttons(mine.get("/play").text)) == sorted(map(move_json.write, view.choices.legal))
    assert buttons(other.get("/play").text) == []
    assert buttons(web_table.phone().get("/table").text) == []


def test_a_journey_says_what_it_costs_and_what_waits(random_game: list[tuple[View, CommuteContent]]) -> None:
    """Each stop of a journey shows its minutes, their sum and the player's total afterwards. The goal is listed first,
    then the cheapest stop."""
    for _, page in random_game:
        for pick in page.picks:
            costs = [int(stop.cost.replace("−", "-")) for stop in pick.stops if not stop.arrives]
            assert costs == sorted(costs)
            assert all(not stop.arrives for stop in pick.stops[1:])
            for stop in pick.stops:
                assert stop.uh_oh == (stop.spot.kind == "uh_oh")
                assert any("Uh-Oh" in line for line in stop.events) == stop.uh_oh
                assert any("must send" in line for line in stop.events) == stop.bumps
                assert any("arrive" in line for line in stop.events) == stop.arrives


def test_minutes_are_those_of_card_and_space() -> None:
    """A player's own journey costs the minutes of the card and of the space. A bumped player only pays for the
    space."""
    web_table = begun()
    view = until(
        web_table, lambda view: any(stop.spot.minutes == "4" for pick in content(view).picks for stop in pick.stops)
    )
    stop = next(stop for pick in content(view).picks for stop in pick.stops if stop.spot.minutes == "4")
    value = stop.moves[0].card.rank.replace("A", "1")
    assert stop.cost == f"+{int(value) + 4}"
    assert stop.cost_breakdown == f"4 for the space, {value} for the card"
    assert stop.minutes_after == view.state["minutes"][view.turn] + int(value) + 4
    view = until(web_table, must_bump)
    stop = next(stop for pick in content(view).picks for stop in pick.stops if stop.spot.kind not in ("house", "work"))
    assert stop.cost_breakdown.endswith("nothing for the card")
    assert stop.cost.strip("+") == stop.spot.minutes


def test_the_log_and_the_labels_name_the_same_minutes(random_game: list[tuple[View, CommuteContent]]) -> None:
    """A journey's label and its line in the log give the minutes that the sheet gives: those of card and space
    together."""
    compared = 0
    for (before, page), (after, _) in pairwise(random_game):
        costs = {way.move: stop.cost for pick in page.picks for stop in pick.stops for way in stop.moves}
        line = move_json.write(after.log[-1].moves[0])
        if line in costs:
            made = next(move for move in before.choices.legal if move_json.write(move) == line)
            assert f", {costs[line]} minute" in str(before.choices.labels[made][-1]) or costs[line] == "+0"
            assert f", {costs[line]} minute" in str(after.log[-1].words[0]) or costs[line] == "+0"
            compared += 1
    assert compared > 10


def test_a_bump_is_led_step_by_step() -> None:
    """The player who must bump is told whom they landed on. All others see whose piece moves next."""
    web_table = begun()
    view = until(web_table, must_bump)
    target = view.names[view.state["pending"]["target"]]
    page = web_table.phone(int(view.turn)).get("/play").text  # type: ignore[arg-type]
    assert f'aria-label="Sending {target} on"' in page
    assert f"Send {target} " in page
    assert content(view).traveler.name == target
    other = next(seat for seat in range(3) if seat != view.turn)
    assert "Sending" not in web_table.phone(other).get("/play").text
    assert content(seen(web_table, other)).traveler.name == target


def test_cards_that_nobody_has_seen_are_played_by_value() -> None:
    """To play an unseen card ("?"), a player chooses a value, then the space, then the suit, from the cards that are
    still possible."""
    web_table = begun(2, {"cards": "table"})
    for to in (0, 0, 0, 1, 1, 1):
        act(web_table, seat="house", move="deal", to=to, card="?")
    view = seen(web_table)
    picks = content(view).picks
    assert [pick.title for pick in picks] == ["any ace", *(f"any {number}" for number in range(2, 11))]
    assert all(len(stop.moves) == 4 for pick in picks for stop in pick.stops)
    assert sorted(offered(content(view))) == sorted(map(move_json.write, view.choices.legal))
    assert content(view).hand[0].title == "a face-down card"


def test_an_uh_oh_card_lies_open_for_all_and_asks_one() -> None:
    """Everyone reads the card and sees who drew it. Only the player who is asked sees the answers."""
    web_table = begun()
    view = until(web_table, asks("choice"))
    mine, theirs = content(view), content(seen(web_table, (int(view.turn) + 1) % 3))  # type: ignore[arg-type]
    assert mine.uh_oh_cards[-1].is_open
    assert mine.uh_oh_cards[-1].by.seat == view.position.uh_oh.tasks[0].seat
    assert (mine.uh_oh_cards[-1].title, mine.uh_oh_cards[-1].text) == (
        theirs.uh_oh_cards[-1].title,
        theirs.uh_oh_cards[-1].text,
    )
    assert mine.answers
    assert not theirs.answers


def test_a_card_shows_its_effect() -> None:
    """An “Uh-Oh!” card that asks no question is shown with its effect until the next act."""
    web_table = begun(rounds="5")
    view = until(
        web_table,
        lambda view: any(isinstance(move, UhOh) and move.card in ("U05", "U08") for move in view.log[-1].moves),
    )
    card = next(card for card in content(view).uh_oh_cards if card.title in ("Who has my time card?", "Marching band"))
    assert not card.is_open
    assert card.outcome == f"{card.by.name}: +{6 if card.title.startswith('Who') else 4} minutes."
    assert card.outcome in web_table.phone(0).get("/play").text


def test_a_shut_line_is_struck_out() -> None:
    """A closed line is marked on the map and in words, for everyone."""
    web_table = begun(rounds="5")
    view = until(web_table, lambda view: view.state["closed"])
    line = next(iter(view.state["closed"]))
    page = web_table.phone().get("/table").text
    assert f"{line} line closed" in page
    assert re.search(rf'class="track line-{line} \w+ closed"', page)


def test_only_the_own_cards_are_shown() -> None:
    """A player sees their own cards, and how many cards the others have. A big screen shows no cards, unless it is
    meant to show all hands."""
    web_table = begun()
    for seat in range(3):
        drawn = content(seen(web_table, seat))
        assert [card.rank for card in drawn.hand] != ["?"] * 3
        others = [player for player in drawn.players if player.seat != seat]
        assert all(card.rank == "?" for player in others for card in player.cards)
        assert all(len(player.cards) == 3 for player in others)
    public, whole = web_table.table.view(), web_table.table.view(REFEREE)
    assert public
    assert whole
    assert all(card.rank == "?" for player in content(public).players for card in player.cards)
    assert all(card.rank != "?" for player in content(whole).players for card in player.cards)


@pytest.mark.slow
def test_a_page_holds_no_card_of_another() -> None:
    """In a whole game, no page contains a card of another hand, neither in text nor in an attribute."""
    web_table = begun()
    for number, view in enumerate(played(web_table)):
        if number % 12 or not isinstance(view.turn, int):
            continue
        seat, whole = (view.turn + 1) % 3, web_table.table.view(REFEREE)
        assert whole
        page = web_table.phone(seat).get("/play").text.split('class="panel history"')[0].split('class="news"')
        hidden = {title for player in content(whole).players if player.seat != seat for title in _titles(player.cards)}
        public = {title for part in page[1:] for title in hidden if title in part.split("</p>")[0]}
        assert not [title for title in hidden - public if title in page[0]]
        web_table.lobby.free(seat)


def _titles(cards: object) -> list[str]:
    return [card.title for card in cards]  # type: ignore[attr-defined]


def test_a_game_of_one_morning_does_not_count_rounds() -> None:
    """In half a round, the page says that it is morning. With rounds to come, it says which round it is."""
    assert re.search(r"Morning *</span>", unwrapped(begun(rounds="0.5").phone(0).get("/play").text))
    assert "Morning, round 1 of 1½" in begun(rounds="1.5").phone(0).get("/play").text


def test_between_commutes_the_results_come_first() -> None:
    """Between commutes the page shows the results, with a chart point for each commute so far, and the button to
    deal."""
    web_table = begun()
    view = until(web_table, lambda view: view.choices.pause_label)
    drawn = content(view)
    assert drawn.is_between_commutes
    assert drawn.chart
    assert [len(course.points) for course in drawn.chart.lines] == [2, 2, 2]
    assert [row.name for row in drawn.chart.rows] == ["M1"]
    page = web_table.phone(0).get("/play").text
    assert "Deal for the evening" in page
    assert 'class="standing first"' in page


@pytest.mark.slow
def test_the_end_says_who_won_and_offers_nothing() -> None:
    """At the end the last chart stays, no move is offered, and each phone says whether its player has won."""
    web_table = begun()
    list(played(web_table))
    view = seen(web_table)
    winner = view.state["winners"][0]
    loser = next(seat for seat in range(3) if seat not in view.state["winners"])
    pages = [web_table.phone(seat).get("/play").text for seat in (winner, loser)]
    assert ["turn over won" in page for page in pages] == [True, False]
    assert ["turn over lost" in page for page in pages] == [False, True]
    assert all(not buttons(page) and "Reputation after each commute" in page for page in pages)


def _results(*reputation: tuple[int, ...]) -> list[CommuteResult]:
    return [CommuteResult((100,) * len(each), each) for each in reputation]


def test_a_chart_holds_every_value() -> None:
    """The grid and the points are inside the chart, with higher values above. Letters at the ends don't overlap, even
    for equal values."""
    assert chart([], 4) is None
    for tallies in ([(0, 0, 0, 0, 0)], [(-3, 20, 7, 7, 7), (-140, 12, 8, 8, 9)], [(5, 5, 5, 5, 5)]):
        drawn = chart(_results(*tallies), 4)
        assert drawn
        for course in drawn.lines:
            assert all(0 <= x <= WIDTH and TOP - 0.1 <= y <= HEIGHT - BOTTOM + 0.1 for x, y in course.points)
        labels = sorted(course.label for course in drawn.lines)
        assert all(below - above >= MIN_LABEL_SPACING - 0.01 for above, below in pairwise(labels))
        values = [value for _, value in drawn.grid]
        assert values[0] <= min(map(min, tallies)) <= max(map(max, tallies)) <= values[-1]
        assert [y for y, _ in drawn.grid] == sorted((y for y, _ in drawn.grid), reverse=True)
        assert 2 <= len(values) <= 9


@pytest.mark.parametrize("drawn", [boards()["metropolis"], town()], ids=lambda drawn: drawn.name)
def test_a_map_shows_every_space_street_and_track(drawn: object) -> None:
    """The map draws each space, street and track once. Metro lines differ in the words on their signs and in
    their pattern, not only in color. No letter stands for two things."""
    assert drawn is not None
    found = city(drawn, {"h1": 0}, {"red": 1})  # type: ignore[arg-type]
    edges = [*found.streets, *(path for _, path in found.tracks)]
    assert len(set(edges)) == len(edges) == len(drawn.edges)  # type: ignore[attr-defined]
    assert set(found.spots) == set(drawn.spaces)  # type: ignore[attr-defined]
    for spot in found.spots.values():
        assert re.fullmatch(r"--x:0\.\d+;--y:0\.\d+", spot.place)
        assert (spot.owner == 0) == (spot.id == "h1")
    assert len({line.sign for line in found.lines}) == len({line.pattern for line in found.lines}) == len(found.lines)
    assert all(len(str(line.sign)) > 1 for line in found.lines)
    assert {line.name for line, _ in found.signs} == {line.name for line in found.lines}
    assert [line.name for line in found.lines if line.closed] == ["red"]


def test_the_places_for_pawns_are_found_only_once() -> None:
    """Finding the places for pawns takes long, so it is not done again at each turn of a closed metro line."""
    board = boards()["metropolis"]
    before, after = (city(board, {"h1": 0}, {"red": turns}).spots for turns in (2, 1))
    assert all(after[id].pawns is spot.pawns for id, spot in before.items())


def test_the_map_has_the_name_of_wherever_somebody_stands(random_game: list[tuple[View, CommuteContent]]) -> None:
    """The map names each occupied space once, so that "travels to s44" can be found on a phone without room for all
    names."""
    found = set()
    for view, page in random_game:
        ends = {"work", *(space for space in view.state["positions"] if space.startswith("h"))}
        named = [piece.space for piece in page.pieces if piece.space]
        assert sorted(named) == sorted({*view.state["positions"]} - ends)
        found |= {*named}
    assert len(found) > 20
    web_table = begun()
    act(web_table, **move_json.to_json(seen(web_table, 0).choices.legal[0]))
    (piece,) = (piece for piece in content(seen(web_table, 0)).pieces if piece.space)
    assert f">{piece.space}</small>" in web_table.phone(0).get("/play").text


def test_pieces_that_share_a_space_stand_side_by_side() -> None:
    """Pieces that share a space, as at work in the evening, are drawn side by side, each with its letter and key."""
    web_table = begun(5)
    view = until(web_table, lambda view: view.choices.pause_label)
    pieces = content(view).pieces
    assert [piece.aside for piece in pieces] == [-2, -1, 0, 1, 2]
    assert len({piece.place for piece in pieces}) == 1
    assert [piece.player.letter for piece in pieces] == ["A", "B", "C", "D", "E"]


def test_suits_have_the_colors_of_the_printed_cards() -> None:
    """The four suits have different colors, which are the same on phones, in print and on the end screen."""
    assert commute_page.__file__
    style = Path(commute_page.__file__).with_name("style").joinpath("hand.css").read_text()
    assert dict(re.findall(r"\.pcard\.suit-(\w) \{\s*color: (#\w+);", style)) == {
        suit: f"#{color.hexval()[2:]}" for suit, color in SUIT_COLORS.items() if suit != "S"
    }


@pytest.mark.parametrize("aspect", [PHONE_ASPECT, 1.0, LOWEST_ASPECT])
def test_the_labels_of_stops_are_apart_on_every_phone(aspect: float) -> None:
    """However high the map of a phone is, the labels of the stops to which a card leads do not overlap, and none is cut
    off, even if pieces stand on some of the stops."""
    board = boards()["metropolis"]
    frame = city(board, {}, {}).box
    walks = {ends for start in board.spaces for ends in walk_ends(board, board.work, frozenset(), start)}
    for stops in sorted(walks)[::20]:
        places = stop_places(
            board, (frame.left, frame.top, frame.width, frame.height), stops, frozenset(sorted(stops)[::9])
        )
        labels = [
            (
                (board.spaces[id].xy[0] - frame.left) / PHONE_SCALE + place.right,
                (board.spaces[id].xy[1] - frame.top) * frame.width / frame.height / aspect / PHONE_SCALE + place.down,
            )
            for id, place in places.items()
        ]
        for (x, y), (other_x, other_y) in combinations(labels, 2):
            assert abs(x - other_x) >= LABEL_SIZE[0] or abs(y - other_y) >= LABEL_SIZE[1], stops
        right = frame.width / PHONE_SCALE
        assert all(LABEL_SIZE[0] / 2 <= x <= right - LABEL_SIZE[0] / 2 for x, _y in labels)
        assert all(LABEL_SIZE[1] / 2 <= y <= right / aspect - LABEL_SIZE[1] / 2 for _x, y in labels)
