"""Replays and statistics of past games: their steps, their charts, and who may see what."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from companion.games import GAMES, move_json
from companion.games.rules import SPECTATOR, Seat
from companion.games.view import View
from companion.match.game_import_export import import_lines
from companion.match.journal import Journal
from companion.match.replay import MAX_THINKING_S, MeterCurve, Replay
from companion.table.table import Table
from tests.page_states import over, played
from tests.systems_failing_tables import SEED, act, act_some, play_to_the_end
from tests.web_table import WebTable, unwrapped
from web.graphics.charts import HEIGHT, MIN_LABEL_DISTANCE, charts
from web.results.game_statistics import tallies
from web.results.summaries import CommonScore, duration_text, game_summary, result_text, stars


def table_of(name: str, *, seats: int | None = None, **options: str) -> Table:
    table = Table(Journal(None))
    table.start(name, seats, options, {}, ("Ann", "Ben", "Cy", "Dora"), SEED)
    return table


def finished(name: str, seats: int | None = None) -> Table:
    """A table on which a game has been played to its end. The players move at random, unless such a game takes a
    thousand moves."""
    if name == "traffic-congestion":
        return played(name, over, seats=seats, options={"board": "crossroads"})
    table, rng = table_of(name, seats=seats, **{"rounds": "1"} if name == "commute" else {}), Random(4)
    match = table._game.match
    assert match
    while match.state.turn is not None:
        if match.pause_label():
            table.proceed(None)
        else:
            legal = [move for move in match.state.legal_moves() if move.seat == match.state.turn]
            table.submit(None, move_json.to_json(rng.choice(legal)))
    return table


@pytest.fixture(scope="module")
def won() -> Table:
    return finished("system-won", 3)


def spectated(table: Table) -> View:
    view = table.view(SPECTATOR)
    assert view
    return view


def past_of(table: Table) -> Replay:
    return Replay.from_stored(table.journal.games()[-1])


@pytest.mark.parametrize("name", GAMES)
def test_every_game_can_be_stepped_through(name: str) -> None:
    """A replay goes from the position before the first act to the position after the last. Each step shows what the
    table showed at that time."""
    table, rng = table_of(name), Random(1)
    shown = [spectated(table).state]
    while len(shown) < 13 and act_some(table, rng, 1):
        shown.append(spectated(table).state)
    past = past_of(table)
    first = past.length - len(shown) + 1
    assert [past.at(first + n, SPECTATOR).state for n in range(len(shown))] == shown
    assert past.at(0, SPECTATOR).log == ()


def test_what_was_taken_back_is_left_out() -> None:
    """An act that was undone is not a step of the replay, and neither is the undo. An act that was redone is a step."""
    table = table_of("systems-failing")
    rng = Random(0)
    act(table, rng)
    before = past_of(table).length
    act(table, rng)
    table.undo(None)
    assert past_of(table).length == before
    table.redo(None)
    assert past_of(table).length == before + 1


def test_a_curve_has_a_value_for_the_start_and_each_act(won: Table) -> None:
    """A chart has a value for the start and one for each act. The last value is the current value of the meter."""
    past, view = past_of(won), spectated(won)
    assert [curve.values[-1] for curve in past.curves()] == [meter.value for meter in view.meters]
    assert {len(curve.values) for curve in past.curves()} == {past.length + 1}


def timed(table: Table, *seconds: int) -> Replay:
    """The replay of a game whose acts were recorded at these times (seconds after the start)."""
    kept = table.journal.games()[-1]
    stamps = [f"2026-01-01T{s // 3600:02}:{s // 60 % 60:02}:{s % 60:02}+00:00" for s in seconds]
    records = tuple(replace(r, at=at) for r, at in zip(kept.records, stamps, strict=True))
    return Replay.from_stored(replace(kept, started="2026-01-01T00:00:00+00:00", records=records))


def test_each_is_charged_for_the_time_the_table_waited_for_them() -> None:
    """The time before each act, including the first, is charged to the player who made the act. A break counts as at
    most MAX_THINKING_S, and a clock that was set back counts as zero."""
    table = table_of("traffic-congestion", seats=2)
    rng = Random(0)
    for _ in range(4):
        act(table, rng)
    waited = timed(table, 10, 30, 30 + 7200, 7000).seconds()
    assert waited == {0: 10 + MAX_THINKING_S, 1: 20}


def test_names_at_the_lines_ends_do_not_overlap() -> None:
    """Names at the ends of the lines don't overlap and stay inside the picture, however close the lines end."""
    table, rng = table_of("traffic-congestion", seats=4), Random(4)
    for _ in range(60):
        act(table, rng)
    past = past_of(table)
    (chart,) = charts(past.curves(), ("Ann", "Ben", "Cy", "Dora"), 0)
    ends = sorted(line.end for line in chart.lines)
    assert len(ends) == 4
    assert all(b - a >= MIN_LABEL_DISTANCE - 1e-6 for a, b in pairwise(ends))
    assert 0 <= ends[0] <= ends[-1] <= HEIGHT


def test_a_chart_has_room_for_long_labels() -> None:
    """In a chart, a large number beside the axis is not cut off. A long name at the end of a line is cut off with an
    ellipsis, and screen readers and the mouse get all of it."""
    curves = [MeterCurve("Reputation", seat, (0, -1185), -1500, 500) for seat in range(2)]
    (long,), (short,) = (
        charts(curves, ("Ann", "Maximiliane"), 0),
        charts([replace(c, values=(0, 5)) for c in curves], ("", ""), 0),
    )
    assert long.left >= len("−1,500") * 6.5
    assert long.size[0] - long.right >= len("Maximili… −1,185") * 6.5
    assert (long.left, long.right) != (short.left, short.right)
    assert [(line.name, line.label) for line in long.lines] == [("Ann", "Ann"), ("Maximiliane", "Maximili…")]


def test_a_running_game_is_replayed_as_its_phones_saw_it() -> None:
    """The replay of a running game shows each phone what it could see then. There is no file and no picture of the game
    yet, and the list of past games links to the table."""
    table = table_of("system-won", seats=2)
    act_some(table, Random(2), 6)
    web_table = WebTable(table)
    phone, other = web_table.phone(0), web_table.phone(1)
    for at in range(past_of(table).length + 1):
        hands = past_of(table).at(at, Seat(0)).state["hands"]
        page = phone.get(f"/games/1?at={at}").text
        assert page.count('class="wcard back') == hands[0].count("?") == len(hands[0])
        assert page != other.get(f"/games/1?at={at}").text
    for path in ("/games/1.jsonl", "/games/1.svg"):
        assert phone.get(path).status_code == 403
        assert path not in phone.get("/games/1").text
    assert "/games/1" not in phone.get("/games").text
    for id in ("9", "99999999999999999999"):
        assert phone.get(f"/games/{id}").status_code == 404


def test_where_phones_remember_nothing_the_running_game_is_not_replayed() -> None:
    """If players chose that phones show no earlier hints, a running game can't be replayed, because its replay would
    show them. Once the game is over, it can be replayed."""
    table = Table(Journal(None))
    table.start("system-won", 2, {"aids": "none"}, {}, ("Ann", "Ben"), SEED)
    act_some(table, Random(2), 6)
    phone = WebTable(table).phone(0)
    assert phone.get("/games/1").status_code == 403
    assert "/games/1?at=" not in phone.get("/log").text
    play_to_the_end(table, Random(2))
    assert phone.get("/games/1").status_code == 200
    assert "/games/1?at=" in phone.get("/log").text


def test_the_lines_of_the_log_show_their_time_and_open_the_replay() -> None:
    """Each act in force shows when it happened, and links to its step in the replay. An undone act and the undo have no
    link. Acts of one turn are listed under the player's name."""
    table = table_of("systems-failing")
    for _ in range(3):
        table.submit(Seat(0), {"seat": 0, "move": "scavenge"})
    table.undo(Seat(0))
    page = unwrapped(WebTable(table).phone(0).get("/log").text).split('id="page"')[1]
    versions = [entry.version for entry in reversed(spectated(table).log)]
    entries = page.split("<li ")[1:]
    assert [f'data-version="{n}"' in entry for n, entry in zip(versions, entries, strict=True)] == [True] * 5
    steps = [re.findall(r'href="/games/1\?at=(\d+)"', entry) for entry in entries]
    assert steps == [[], [], ["3"], ["2"], ["1"]]
    assert all("<time" in entry for entry in entries)
    assert ["Ann’s turn" in entry for entry in entries] == [True, False, False, False, False]
    assert past_of(table).at(3, Seat(0)).state == spectated(table).state


def test_a_game_that_is_over_and_not_closed_gives_no_file(won: Table) -> None:
    """There is no file of a game that is over but not closed, because the host can still undo its end, and the file
    would reveal what is in the deck."""
    assert WebTable(won).phone(1).get("/games/1.jsonl").status_code == 403


def test_only_joined_phones_see_a_closed_game() -> None:
    """After the host has ended a game, joined phones see all hands, the file and the picture. Other phones are sent to
    the join page."""
    table = finished("system-won", 2)
    table.end()
    table.start("system-won", 2, {}, {}, ("Ann", "Ben"), "other")
    web_table = WebTable(table)
    phone = web_table.phone(0)
    assert 'class="wcard back' not in phone.get("/games/1?at=30").text
    file = phone.get("/games/1.jsonl").text
    assert SEED not in file
    assert import_lines(file.splitlines(), "s").records == tuple(
        replace(record, request=None) for record in table.journal.games()[0].records
    )
    picture = phone.get("/games/1.svg")
    assert picture.mimetype == "image/svg+xml"
    assert "Score" in picture.text
    for path in ("/games", "/games/1", "/games/1.jsonl", "/games/1.svg"):
        assert web_table.phone().get(path).headers["Location"] == "/join"


@pytest.mark.parametrize("at", ["-5", "0", "7", "999999", "x", ""])
def test_any_step_that_is_asked_for_is_a_step(at: str) -> None:
    """If the requested step is outside the game, the nearest step is shown. Anything that is not a number gives the
    last step."""
    table = finished("systems-failing")
    table.end()
    assert WebTable(table).host().get(f"/games/1?at={at}").status_code == 200


def test_names_are_shown_as_they_are_written() -> None:
    """A player's name is never treated as markup, neither on pages nor in the picture."""
    table = Table(Journal(None))
    table.start("system-won", 2, {}, {}, ("<b>&", "Ben"), SEED)
    table.end()
    phone = WebTable(table).host()
    for path in ("/games", "/games/1", "/games/1.svg"):
        text = phone.get(path).text
        assert "<b>&" not in text
        assert html.escape("<b>&") in text


@pytest.mark.slow
def test_wins_are_counted_by_name() -> None:
    """Wins of several games are counted by name. Unfinished games don't count."""
    one = game_summary(past_of(finished("traffic-congestion", 2)))
    assert one.ending
    given_up = replace(one, ending=None)
    (tally,) = tallies([one, one, given_up])
    assert (tally.finished, tally.shared_wins) == (2, None)
    assert {player.name: player.won for player in tally.players} == {n: 2 * (n in one.winners) for n in one.players}
    assert str(result_text(replace(given_up, closed=True))) == "ended early"
    assert str(result_text(replace(given_up, closed=False))) == "in progress"
    assert str(result_text(one)) == (f"{one.winners[0]} won" if one.winners else "no winner")


@pytest.mark.slow
def test_a_seat_that_the_companion_played_at_the_end_counts_for_nobody() -> None:
    """A seat that the companion played at the end is not listed among the players. If it has a person's name, the game
    and its win don't count for this person."""
    one = game_summary(past_of(finished("traffic-congestion", 2)))
    assert one.ending
    one = replace(one, players=("Ann", "Ben"), ending=one.ending._replace(winners=(1,)))
    (tally,) = tallies(
        [one, replace(one, companion_seats=(1,)), replace(one, players=("Ann", "Companion"), companion_seats=(1,))]
    )
    assert {player.name: (player.finished, player.won) for player in tally.players} == {"Ann": (3, 0), "Ben": (1, 1)}


def test_games_that_all_win_or_lose_are_counted_as_such() -> None:
    """Cooperative games without a score are counted as won or lost, with the final values of their meters."""
    one = game_summary(past_of(finished("systems-failing")))
    assert one.ending
    (tally,) = tallies([one, replace(one, finals=((one.finals[0][0], one.finals[0][1] + 4), *one.finals[1:]))])
    assert (tally.shared_wins, tally.best, tally.average) == (2 * bool(one.ending.won), None, None)
    first = one.finals[0][1]
    assert tally.meters[0][1:] == (first + 2, first, first + 4)
    assert str(result_text(replace(one, ran_out=(), finals=(("Stability", -6),)))).endswith(
        "Stability −6"
    )  # a minus, no hyphen


def test_a_game_for_a_score_is_neither_won_nor_lost(won: Table) -> None:
    """If people play together for a score, the list shows the score with its stars, and the statistics show the best
    and the average score, of all games and of each player. Nothing says "lost"."""
    one = game_summary(past_of(won))
    assert one.score
    assert one.score.points == spectated(won).state["score"]
    scored = [
        replace(one, score=CommonScore(points, 20, stars), players=players)
        for points, stars, players in ((17, 3, ("Ann", "Ben")), (-2, 0, ("Ann", "Cy")))
    ]
    assert [str(result_text(each)) for each in scored] == ["17 of 20 points", "−2 of 20 points"]
    assert [stars(each.score) for each in scored] == ["★★★☆", "☆☆☆☆"]
    (tally,) = tallies(scored)
    assert (tally.shared_wins, tally.best, tally.average) == (None, CommonScore(17, 20, 3), 7.5)
    assert [(each.name, each.best and each.best.points, each.average) for each in tally.players] == [
        ("Ben", 17, 17.0),
        ("Ann", 17, 7.5),
        ("Cy", -2, -2.0),
    ]
    page = unwrapped(WebTable(won).phone(0).get("/games").text).split('id="page"')[1]
    assert f"{one.score.points} of 20 points".replace("-", "−") in page
    assert f"Best: {one.score.points} points".replace("-", "−") in page
    assert "lost" not in page
    assert ">wins<" not in page


def test_a_meter_is_counted_over_games_of_different_players(won: Table) -> None:
    """Statistics of a meter combine games of different players, because its name does not depend on them."""
    one = game_summary(past_of(won))
    other = past_of(won)
    header = replace(other.stored.header, players=tuple(name[::-1] for name in other.stored.header.players))
    (tally,) = tallies([one, game_summary(replace(other, stored=replace(other.stored, header=header)))])
    assert len(tally.meters) == len(one.finals) > 0


def test_a_lost_game_names_the_meter_that_ran_out() -> None:
    """The page of a lost game names the meter that caused the loss, not simply the first one."""
    table = Table(Journal(None))
    table.start("systems-failing", None, {"zones": {"1": ["D06", "D01"], "2": ["D14", "D23"]}}, {}, (), SEED)
    while (view := table.view(SPECTATOR)) and view.turn is not None:
        if view.choices.pause_label:
            table.proceed(None)
        else:
            table.submit(view.turn, {"seat": view.turn, "move": "end_turn"})
    view = table.view(SPECTATOR)
    assert view
    (out,) = (meter for meter in view.meters if meter.value >= meter.highest)
    assert str(out.name) == "Damage"
    assert str(result_text(game_summary(past_of(table)))) == f"lost · Damage {out.value}"


def test_the_list_tells_what_became_of_each_game() -> None:
    """The list says for each game whether the host ended it, it is over, or it is still running. A running game links
    to the table, the others to their replay."""
    table = Table(Journal(None))
    for _ in range(2):
        table.start("systems-failing", None, {}, {}, (), SEED)
    play_to_the_end(table, Random(1))
    table.start("systems-failing", None, {}, {}, (), SEED)
    page = unwrapped(WebTable(table).host().get("/games").text)
    listed = re.findall(r'<li><a href="([^"]*)".*?<small>[^<]*·<span[^>]*>([^<]*)</span></small>', page)
    assert [where for where, _ in listed] == ["/", "/games/2", "/games/1"]
    assert [what.split(" · ")[0] for _, what in listed] == ["in progress", "lost", "ended early"]


def test_a_game_of_older_rules_is_left_out_of_the_list() -> None:
    """A game of older rules can't be replayed. The list shows that it exists, and its page says why."""
    journal = Journal(None)
    table = Table(journal)
    table.start("systems-failing", None, {}, {}, (), SEED)
    table.end()
    journal._database._db.execute("UPDATE games SET rules_version = 0")
    phone = WebTable(table).host()
    assert "No finished games" in phone.get("/games").text
    assert "1 game was played by other rules" in phone.get("/games").text
    assert phone.get("/games/1").status_code == 409
    assert json.dumps("rules")[1:-1] in phone.get("/games/1").text


def test_a_short_game_does_not_take_zero_minutes() -> None:
    """A game of less than half a minute took "< 1 min"."""
    assert [str(duration_text(n)) for n in (0, 1, 25)] == ["< 1 min", "1 min", "25 min"]
    web_table = WebTable(finished("systems-failing"))
    for path in ("/games", "/games/1"):
        assert re.search(r"(?<!\d)0\smin", web_table.host().get(path).text) is None
