"""Games with an interruption: the end is undone, a player leaves the seat during a request, or somebody deletes a
person who is playing."""

from __future__ import annotations

from random import Random

import pytest

from companion.games import GAMES, notation
from companion.games.rules import Seat
from companion.games.systems_failing.moves import Transfer
from companion.match.journal import Journal
from companion.table.companion_player import MOVE_PAUSE_S, CompanionPlayer
from companion.table.table import Table
from tests.page_states import act
from tests.systems_failing_tables import SEED, act_some, hasty_clock, seen
from tests.test_profiles import change
from tests.web_table import Phone, WebTable, unwrapped

SHORT = {"commute": {"rounds": "0.5"}}
"""The options with which a game is short, if it has any."""


def begun(game: str, now: list[float] | None = None) -> WebTable:
    """A table on which Ann and Bob play a short game on phones."""
    table = Table(Journal(None), (lambda: now[0]) if now else hasty_clock())
    table.start(game, 2, SHORT.get(game, {}), {}, ("Ann", "Bob"), SEED)
    table.set_phones_only(phones_only=True)
    return WebTable(table)


def play_to_the_end(table: Table, rng: Random) -> None:
    """Lets careful players play until the game is over."""
    while seen(table).turn is not None:
        act(table, "", rng)


def finished_count(phone: Phone) -> int:
    """How many finished games the statistics count."""
    return unwrapped(phone.get("/games").text).count("1 finished")


@pytest.mark.parametrize("name", [*GAMES])
def test_a_game_whose_end_is_undone_counts_once(name: str) -> None:
    """While the game goes on after the undo, no page counts it or shows its end. When it has ended again, only the new
    end counts."""
    web_table = begun(name)
    table, host, bob = web_table.table, web_table.host(), web_table.phone(1)
    play_to_the_end(table, Random(4))
    assert finished_count(host)
    assert "finale" in bob.get("/play").text
    if seen(table).choices.can_reopen:
        assert host.client.post("/host", data={"reopen": f"{seen(table).version}"}).status_code == 303
    else:
        table.undo(Seat(0))
    assert finished_count(host) == 0
    assert "in progress" in host.get("/games").text
    assert bob.get("/games/1.png").status_code == 403
    for path in ("/play", "/table"):
        assert "finale" not in bob.get(path).text
    assert host.client.post("/host", data={"again": "1"}).status_code == 409
    act_some(table, Random(9), 1)
    play_to_the_end(table, Random(9))
    assert finished_count(host)
    assert len(table.journal.games()) == 1
    assert bob.get("/games/1.png").status_code == 200


def asking(now: list[float]) -> tuple[WebTable, list[Phone]]:
    """A table of Systems Failing at which Ann has asked Bob for a cube, and their phones."""
    web_table = begun("systems-failing", now)
    table, rng = web_table.table, Random(7)
    phones = [web_table.phone(seat) for seat in range(2)]
    while seen(table).turn != 0 or not (moves := transfers(table)):
        act_some(table, rng, 1)
    table.request_consent(Seat(0), notation.to_json(moves[0]), seen(table).version)
    return web_table, phones


def transfers(table: Table) -> list[Transfer]:
    return [move for move in seen(table, Seat(0)).choices.legal if isinstance(move, Transfer)]


def test_the_companion_answers_for_a_player_who_leaves_during_a_request() -> None:
    """Bob is asked, and hands his seat over. The companion answers, and Ann need not ask again."""
    now = [100.0]
    web_table, (_, bob) = asking(now)
    assert "Ann asks" in unwrapped(bob.get("/play").text)
    assert bob.client.post("/play", data={"hand-over": "1", "policy": "careful"}).status_code == 303
    assert "Ann asks" not in unwrapped(bob.get("/play").text)
    player, version = CompanionPlayer(web_table.table, lambda: now[0], Random(1)), seen(web_table.table).version
    player.step()
    now[0] += MOVE_PAUSE_S
    player.step()
    assert seen(web_table.table).version == version + 1
    assert seen(web_table.table).log[-1].moves[0]["move"] == "transfer"


def test_a_player_who_comes_back_before_the_companion_answers_is_still_asked() -> None:
    """Bob hands his seat over and takes it back at once. He has the question again, and his answer counts."""
    now = [100.0]
    web_table, (ann, bob) = asking(now)
    bob.client.post("/play", data={"hand-over": "1", "policy": "careful"})
    bob.client.post("/play", data={"take-back": "1"})
    assert "Ann asks" in unwrapped(bob.get("/play").text)
    player, version = CompanionPlayer(web_table.table, lambda: now[0], Random(1)), seen(web_table.table).version
    now[0] += 10 * MOVE_PAUSE_S
    player.step()
    assert seen(web_table.table).version == version
    assert bob.client.post("/play", data={"do": "no"}).status_code == 303
    assert "Bob said no." in unwrapped(ann.get("/play").text)


def test_a_request_survives_the_handover_of_the_seat_that_asked() -> None:
    """Ann asks, and hands her seat over. The companion waits for Bob's answer, and if he agrees, Ann's seat makes the
    move. When Ann takes her seat back instead, nobody is left waiting."""
    now = [100.0]
    for agrees in (True, False):
        web_table, (ann, bob) = asking(now)
        assert ann.client.post("/play", data={"hand-over": "0", "policy": "careful"}).status_code == 303
        player, version = CompanionPlayer(web_table.table, lambda: now[0], Random(1)), seen(web_table.table).version
        player.step()
        now[0] += 10 * MOVE_PAUSE_S
        player.step()
        assert seen(web_table.table).version == version
        if agrees:
            assert bob.client.post("/play", data={"do": "yes"}).status_code == 303
            assert seen(web_table.table).log[-1].moves[0]["seat"] == 0
        else:
            assert ann.client.post("/play", data={"take-back": "0"}).status_code == 303
            assert "Ann asks" not in unwrapped(bob.get("/play").text)
            assert seen(web_table.table).turn == 0
            assert transfers(web_table.table)


@pytest.mark.parametrize("name", [*GAMES])
def test_a_person_who_is_deleted_while_they_play_plays_on(name: str) -> None:
    """The name is gone from the pages of both phones, the seat is still theirs, and the game goes on."""
    web_table = begun(name)
    table = web_table.table
    table.rename(Seat(1), "Zacharias")
    ann, zac = (web_table.phone(seat) for seat in range(2))
    zac.post("/api/join", {"code": web_table.lobby.code, "seat": 1, "name": "Zacharias"})
    act_some(table, Random(3), 6)
    assert change(web_table, zac, "Zacharias", delete="1").status_code == 303
    for phone in (ann, zac):
        for path in ("/play", "/table", "/log", "/people"):
            assert "Zacharias" not in phone.get(path).text, path
    assert zac.view()["seat"] == 1
    while seen(table).turn != 1:
        act_some(table, Random(5), 1)
    move = seen(table, Seat(1)).choices.legal[0]
    assert zac.move(notation.to_json(move)).status_code == 200
    play_to_the_end(table, Random(6))
    assert "Player 2" in unwrapped(ann.get("/play").text)
