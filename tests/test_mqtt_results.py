"""The results of games, which a table publishes until a venue has acknowledged them. The broker is in memory."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.match.journal import Journal
from companion.mqtt.result_reports import FIRST_PAUSE_S, LONGEST_PAUSE_S, MAX_GAMES
from companion.table.table import Table
from tests.memory_broker import TOPICS, MemoryLink, PublishedTable
from tests.short_games import play_carefully_to_the_end
from tests.systems_failing_tables import act_some, new_table, play_to_the_end


def finished(web_table: PublishedTable, seed: int = 1) -> None:
    """Plays the game on the table to its end."""
    play_to_the_end(web_table.table, Random(seed))
    web_table.pass_time()


def another_game(web_table: PublishedTable) -> None:
    web_table.table.start("systems-failing", None, {}, {}, ("Ann", "Bob"), "another")
    web_table.pass_time()


def results(published: PublishedTable) -> list[Any]:
    return published.link.on(TOPICS.result)


def acknowledge(published: PublishedTable, result: Any, **more: Any) -> None:
    published.say(TOPICS.acknowledgment, {"id": result["id"], **more})


def test_a_result_says_how_the_game_has_ended() -> None:
    """A result has the players, the public result, and the times of the journal."""
    published = PublishedTable(table := new_table())
    assert results(published) == []
    finished(published)
    (result,) = results(published)
    view = table.view()
    assert view
    assert view.ending
    stored = table.journal.game(view.id)
    assert result["id"].endswith(f"-{view.id}")
    assert result["result"] == {**view.state["result"], "won": view.ending.won, "winners": [], "score": None}
    assert {key: value for key, value in result.items() if key not in ("id", "result")} == {
        "table": "club-3",
        "game": "systems-failing",
        "seats": 2,
        "players": ["Ann", "Bob"],
        "scores": None,
        "started": stored.started,
        "ended": stored.records[-1].at,
        "version": view.version,
    }
    (message,) = (each for each in published.link.sent if each.topic == TOPICS.result)
    assert (message.qos, message.retain) == (1, False)


@pytest.mark.slow
def test_scores_are_by_seat() -> None:
    """If players play against each other, the result names the winners and gives each player's score."""
    table = Table(Journal(None))
    table.start("commute", 2, {"rounds": "0.5"}, {}, ("Ann", "Bob"), "seed")
    published = PublishedTable(table)
    play_carefully_to_the_end(table, Random(1))
    published.pass_time()
    (result,) = results(published)
    view = table.view()
    assert view
    assert result["scores"] == view.state["reputation"]
    assert result["result"] == {"won": None, "winners": view.state["winners"], "score": None}


def test_a_result_is_repeated_until_it_is_acknowledged() -> None:
    """A result is published again and again, after growing pauses and as soon as a new connection works, until it is
    acknowledged."""
    published = PublishedTable(new_table())
    finished(published)
    published.pass_time(FIRST_PAUSE_S - 1, rounds=2)
    assert len(results(published)) == 1
    published.pass_time(2)
    assert len(results(published)) == 2
    published.pass_time(FIRST_PAUSE_S + 1)
    assert len(results(published)) == 2
    published.link.go_down()
    published.pass_time(1)
    published.link.come_up()
    published.pass_time(rounds=2)
    assert len(results(published)) == 3
    published.pass_time(2 * LONGEST_PAUSE_S, rounds=200)
    count = len(results(published))
    assert 7 <= count <= 14
    acknowledge(published, results(published)[0])
    published.link.go_down()
    published.pass_time(1)
    published.link.come_up()
    published.pass_time(2 * LONGEST_PAUSE_S, rounds=20)
    assert len(results(published)) == count
    assert len({repr(each) for each in results(published)}) == 1


def test_results_survive_a_restart_of_the_service(tmp_path: Path) -> None:
    """After a restart, a result that has not been acknowledged is published again, the same to the byte. An
    acknowledged result is not. The result of a game that ends while there is no broker is published later."""
    web_table = PublishedTable(new_table(tmp_path / "journal.sqlite3"))
    finished(web_table, 1)
    acknowledge(web_table, results(web_table)[0])
    another_game(web_table)
    finished(web_table, 2)
    web_table.link.go_down()
    another_game(web_table)
    finished(web_table, 3)
    first, second = results(web_table)
    web_table.table.journal.close()
    again = PublishedTable(Table(Journal(tmp_path / "journal.sqlite3")))
    assert [each["id"] for each in results(again)] == [second["id"], f"{second['id'].rpartition('-')[0]}-3"]
    assert results(again)[0] == second
    assert first["id"] not in {each["id"] for each in results(again)}
    for each in results(again):
        acknowledge(again, each)
    another_game(again)
    again.table.journal.close()
    assert results(PublishedTable(Table(Journal(tmp_path / "journal.sqlite3")))) == []


def test_a_game_that_was_given_up_or_imported_has_no_result() -> None:
    """Only games that were played to their end at this table have a result, and only if they ended since the table has
    had a broker."""
    earlier = new_table()
    play_to_the_end(earlier, Random(1))
    stored = earlier.journal.running_game()
    assert stored
    web_table = PublishedTable(earlier)
    another_game(web_table)
    web_table.table.journal.add(stored)
    act_some(web_table.table, Random(2), 5)
    another_game(web_table)
    web_table.table.end()
    web_table.pass_time(rounds=3)
    assert results(web_table) == []
    note = web_table.table.journal.note("mqtt results")
    assert note["games"] == {}


def test_a_result_that_changes_is_published_anew() -> None:
    """If the last move is undone and the game ends again, the venue gets the new version of the result, even if it has
    acknowledged the old one."""
    published = PublishedTable(table := new_table())
    finished(published)
    (old,) = results(published)
    acknowledge(published, old, version=old["version"])
    table.undo(None)
    published.pass_time()
    finished(published, 5)
    new = results(published)[-1]
    assert new["id"] == old["id"]
    assert new["version"] > old["version"]
    acknowledge(published, new, version=old["version"])
    count = len(results(published))
    published.pass_time(FIRST_PAUSE_S + 1)
    assert len(results(published)) == count + 1
    acknowledge(published, new, version=new["version"])
    published.pass_time(LONGEST_PAUSE_S, rounds=10)
    assert len(results(published)) == count + 1


def test_a_result_of_an_undone_game_is_not_repeated() -> None:
    """If the end of a game is undone and the game goes on, its result is not repeated."""
    published = PublishedTable(table := new_table())
    finished(published)
    table.undo(None)
    published.pass_time(LONGEST_PAUSE_S, rounds=10)
    assert len(results(published)) == 1


@pytest.mark.parametrize("payload", [b"", b"[]", b"{", b'{"id":null}', b'{"id":["x"]}', b"\xff", b"9" * 10_000])
def test_strange_acknowledgments_are_ignored(payload: bytes) -> None:
    """Malformed acknowledgments do no harm, because a venue may send anything."""
    published = PublishedTable(new_table())
    finished(published)
    published.say(TOPICS.acknowledgment, payload)
    published.pass_time(FIRST_PAUSE_S + 1)
    assert len(results(published)) == 2


@pytest.mark.slow
def test_a_table_without_a_venue_forgets_old_results() -> None:
    """Old results are forgotten, so that the journal and the memory stay small."""
    published = PublishedTable(table := new_table(), MemoryLink())
    published.link.go_down()
    for _ in range(MAX_GAMES + 5):
        table.start("traffic-congestion", None, {}, {}, (), "seed")
        published.pass_time()
    assert len(table.journal.note("mqtt results")["games"]) <= MAX_GAMES
