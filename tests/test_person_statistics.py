"""The statistics of people, and the files with their games."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from companion.games import GAMES
from companion.games.ending import Ending
from companion.match.journal import Journal
from companion.table.table import Table
from companion.text.csv_text import csv_text
from companion.text.messages import Day, Month, _
from companion.text.player_names import bidi_isolate, name_key
from companion.text.translation import Translator
from tests.secrets_game import SECRETS, Guess
from tests.systems_failing_tables import hasty_clock
from tests.web_table import WebTable, unwrapped
from web.people.bg_stats import ANONYMOUS, bg_stats_file
from web.people.csv_file import HEAD, games_csv
from web.people.statistics import PersonRecord, Rival, game_counts, record_of
from web.results.summaries import CommonScore, GameSummary

LOST, WON = Ending(won=False, winners=()), Ending(won=True, winners=())


def summary(
    id: int,
    players: str,
    ending: Ending,
    *,
    game: str = "systems-failing",
    month: int = 1,
    score: CommonScore | None = None,
    own_scores: tuple[int | None, ...] = (),
) -> GameSummary:
    """A finished game of half an hour. `players`: their names, separated by spaces."""
    began = datetime(2026, month, id, 20, 0, tzinfo=UTC)
    names = tuple(map(bidi_isolate, players.split()))
    title = _(GAMES[game].title)
    found = GameSummary(id, game, title, names, began, 30, 9, closed=True, ending=ending, finals=())
    return replace(found, score=score, own_scores=own_scores)


def record(name: str, *games: GameSummary) -> PersonRecord:
    return record_of(name_key(name), games, lambda name: not name.startswith("Player"))


def test_wins_streaks_and_partners() -> None:
    """If people win or lose together, wins and streaks are counted, and for each partner the games that were played
    with them."""
    ended = [WON, LOST, WON, WON, WON, LOST, WON, WON]
    games = [summary(n, "Ann Ben" if n % 2 else "Cleo ANN", ending) for n, ending in enumerate(ended, 1)]
    (found,) = record("ann", *games).games
    assert (found.figures.games, found.figures.won, found.figures.best) == (8, 6, None)
    assert (found.streak, found.longest_streak) == (2, 3)
    assert [(each.name, each.figures.games, each.figures.won) for each in found.partners] == [
        ("Ben", 4, 4),
        ("Cleo", 4, 2),
    ]
    assert found.rivals == ()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "Longest streak: 3 wins · current: 2 wins"),
        ("de", "Längste Serie: 3 Siege · aktuell: 2 Siege"),
        ("es", "Racha más larga: 3 victorias · actual: 2 victorias"),
    ],
)
def test_the_page_compares_the_current_streak_with_the_longest(
    code: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person's page has the longest and the current streak in one line, which reads alike in both halves."""
    table = Table(Journal(None), hasty_clock())
    table.start("systems-failing", None, {}, {}, ("Ann", "Ben"), "s")
    games = [summary(n, "Ann Ben", ending) for n, ending in enumerate([WON, WON, WON, LOST, WON, WON], 1)]
    monkeypatch.setattr("web.pages.people.record_of", lambda *given: record("Ann", *games))
    page = WebTable(table).phone(0).get("/people/1", headers={"Accept-Language": code})
    assert said in unwrapped(page.text)


def test_a_score_is_not_won() -> None:
    """If people reach a score together, the statistics have the best and the average score, and nobody has won or
    lost."""
    scores = [CommonScore(17, 20, 3), CommonScore(12, 20, 1), CommonScore(20, 20, 4)]
    games = [summary(n, "Ann Ben", LOST, game="system-won", score=score) for n, score in enumerate(scores, 1)]
    (found,) = record("Ben", *games).games
    assert (found.figures.won, found.figures.best) == (None, scores[2])
    assert found.figures.average == pytest.approx(49 / 3)
    assert (found.streak, found.longest_streak) == (0, 0)
    assert [(each.name, each.figures.best, each.figures.won) for each in found.partners] == [("Ann", scores[2], None)]


def test_rivals_are_compared_game_by_game() -> None:
    """If people play against each other, the statistics count for each rival the games in which either of the two was
    ahead. They also have the best and the average of the person's own scores. Default names are not listed as
    rivals."""
    games = [
        summary(1, "Ann Ben Player1", Ending(None, (0,)), game="commute", own_scores=(5, 3, 1)),
        summary(2, "Ben Ann Cleo", Ending(None, (0,)), game="commute", own_scores=(7, 4, 2)),
        summary(3, "Ann Ben Cleo", Ending(None, (2,)), game="commute", own_scores=(2, None, 9)),
        summary(4, "Ann Ben", Ending(None, (0, 1)), game="commute", own_scores=(6, 6)),
    ]
    (found,) = record("Ann", *games).games
    assert (found.figures.won, found.figures.best, found.figures.average) == (2, CommonScore(6, 6), 17 / 4)
    assert found.rivals == (Rival("Ben", 4, 1, 1), Rival("Cleo", 2, 0, 1))
    assert found.partners == ()


def test_months_come_newest_first() -> None:
    """Results are also counted by month, over all games and in each game. Somebody with two seats has played one
    game."""
    games = [
        summary(1, "Ann Ben", WON, month=2),
        summary(2, "Ann Ann", LOST, month=2),
        summary(3, "Ann Ben", WON, month=5),
        summary(4, "Ann Ben", Ending(None, (0,)), game="commute", month=5),
    ]
    found = record("Ann", *reversed(games))
    assert found.months == ((date(2026, 5, 1), 2), (date(2026, 2, 1), 2))
    assert found.minutes == 120
    assert [each.name for each in found.games] == ["systems-failing", "commute"]
    months = found.games[0].months
    assert [(day.month, each.games, each.won) for day, each in months] == [(5, 1, 1), (2, 2, 1)]
    assert [Translator(code).render(Day(date(2026, 5, 1))) for code in ("en", "de", "es")] == [
        "May 1, 2026",
        "01.05.2026",
        "1 may 2026",
    ]
    assert [Translator(code).render(Month(date(2026, 5, 1))) for code in ("en", "de")] == ["May 2026", "Mai 2026"]
    assert record("Zoe", *games).games == ()
    assert game_counts(games) == {"ann": 4, "ben": 3}


def test_a_fifth_game_has_statistics(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that says nothing about statistics is counted like the others, on the page and in the files."""
    monkeypatch.setitem(GAMES, "secrets", SECRETS)
    table = Table(Journal(None), hasty_clock())
    table.start("secrets", None, {}, {}, ("Ann", "Bob"), "s")
    for n in range(4):
        table.submit(None, {"seat": n % 2, "move": Guess.NAME, "card": 1})
    phone = WebTable(table).phone(0)
    page = phone.get("/people/1")
    assert page.status_code == 200
    assert "Secrets" in page.text
    assert "1 finished" in page.text
    assert phone.get("/people/1.csv").text.count("secrets") == 2
    assert json.loads(phone.get("/people/1.bgsplay").text)["games"][0]["name"] == "Secrets"


def test_a_table_has_a_line_for_each_player() -> None:
    """The CSV file has the result of each player. For a game that nobody can win, `won` is empty; for a game without a
    score, `score` is empty."""
    games = [
        summary(1, "Ann Ben", WON),
        summary(2, "Ann Ben", LOST, game="system-won", score=CommonScore(17, 20, 3)),
        summary(3, "Ann Ben", Ending(None, (1,)), game="commute", own_scores=(2, 4)),
    ]
    head, *rows = csv.reader(io.StringIO(games_csv(games)))
    assert head == [*HEAD]
    assert rows[0] == ["2026-01-01T20:00:00+00:00", "30", "systems-failing", "1", "0", "Ann", "1", ""]
    assert [row[5:] for row in rows] == [
        *(["Ann", "1", ""], ["Ben", "1", ""]),
        *(["Ann", "", "17"], ["Ben", "", "17"]),
        *(["Ann", "0", "2"], ["Ben", "1", "4"]),
    ]


@pytest.mark.parametrize("name", ["=1+1", "+49", "-3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠A"])
def test_a_name_is_no_formula(name: str) -> None:
    """No name in the CSV file is read as a formula by a spreadsheet. Numbers stay numbers."""
    _, (cell, number) = csv.reader(io.StringIO(csv_text(["a", "b"], [[name, -3]]), newline=""))
    assert (cell, number) == (f"'{name}", "-3")
    if name == "=1+1":
        assert "'=1+1" in games_csv([summary(1, "=1+1 Ben", WON)])


def test_the_file_for_bg_stats_is_consistent() -> None:
    """Every reference in the file leads to an entry. People without a name become the app's anonymous player, and a
    play has the same id in every file."""
    games = [
        summary(1, "Ann Ben", WON),
        summary(2, "Player1 Ann", LOST, game="system-won", score=CommonScore(17, 20, 3)),
        summary(3, "Ben ann", Ending(None, (1,)), game="commute", own_scores=(2, 4)),
    ]
    file = json.loads(bg_stats_file(games, "ben", lambda name: name != "Player1"))
    players = {player["id"]: player["name"] for player in file["players"]}
    titles = {game["id"]: game["name"] for game in file["games"]}
    assert players == {1: "ann", 2: "Ben", 3: ANONYMOUS}
    assert [player["isAnonymous"] for player in file["players"]] == [False, False, True]
    assert file["userInfo"] == {"meRefId": 2}
    assert [titles[play["gameRefId"]] for play in file["plays"]] == ["Systems Failing", "System WON", "Commute"]
    assert [(game["cooperative"], game["noPoints"]) for game in file["games"]] == [
        *((True, True), (True, False), (False, False))
    ]
    results = [
        [(players[each["playerRefId"]], each["winner"], each["score"]) for each in play["playerScores"]]
        for play in file["plays"]
    ]
    assert results == [
        [("ann", True, ""), ("Ben", True, "")],
        [(ANONYMOUS, False, "17"), ("ann", False, "17")],
        [("Ben", False, "2"), ("ann", True, "4")],
    ]
    assert file["plays"][2]["playDate"] == "2026-01-03 20:00:00"
    again = json.loads(bg_stats_file(games[1:], "", lambda name: True))
    assert [play["uuid"] for play in again["plays"]] == [play["uuid"] for play in file["plays"][1:]]
    assert len({each["uuid"] for part in ("players", "games", "plays") for each in file[part]}) == 9
    assert again["userInfo"] == {"meRefId": 0}
