"""A player hands a seat over to the companion while a request waits for an answer."""

from __future__ import annotations

from random import Random

from companion.games import move_json
from companion.games.rules import Seat
from companion.games.systems_failing.moves import Transfer
from companion.table.companion_player import MOVE_PAUSE_S, CompanionPlayer
from companion.table.table import Table
from tests.short_games import start_short_game
from tests.systems_failing_tables import act_some, seen
from tests.web_table import Phone, WebTable, unwrapped


def table_with_request(now: list[float]) -> tuple[WebTable, list[Phone]]:
    """A table of Systems Failing at which Ann has asked Bob for a cube, and their phones."""
    web_table = start_short_game("systems-failing", now)
    table, rng = web_table.table, Random(7)
    phones = [web_table.phone(seat) for seat in range(2)]
    while seen(table).turn != 0 or not (moves := transfers(table)):
        act_some(table, rng, 1)
    table.request_consent(Seat(0), move_json.to_json(moves[0]), seen(table).version)
    return web_table, phones


def transfers(table: Table) -> list[Transfer]:
    return [move for move in seen(table, Seat(0)).choices.legal if isinstance(move, Transfer)]


def test_the_companion_answers_for_a_player_who_leaves_during_a_request() -> None:
    """Bob is asked, and hands his seat over. The companion answers for him, and Ann need not ask again."""
    now = [100.0]
    web_table, (_, bob) = table_with_request(now)
    assert "Ann asks" in unwrapped(bob.get("/play").text)
    assert bob.client.post("/play", data={"hand-over": "1", "policy": "careful"}).status_code == 303
    assert "Ann asks" not in unwrapped(bob.get("/play").text)
    player, version = CompanionPlayer(web_table.table, lambda: now[0], Random(1)), seen(web_table.table).version
    player.step()
    now[0] += MOVE_PAUSE_S
    player.step()
    assert seen(web_table.table).version == version + 1
    assert seen(web_table.table).log[-1].moves[0].NAME == "transfer"


def test_a_player_who_comes_back_before_the_companion_answers_is_still_asked() -> None:
    """Bob hands his seat over and takes it back at once. He is asked again, and his answer counts."""
    now = [100.0]
    web_table, (ann, bob) = table_with_request(now)
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
    move. If Ann takes her seat back instead, nobody is left waiting."""
    now = [100.0]
    for agrees in (True, False):
        web_table, (ann, bob) = table_with_request(now)
        assert ann.client.post("/play", data={"hand-over": "0", "policy": "careful"}).status_code == 303
        player, version = CompanionPlayer(web_table.table, lambda: now[0], Random(1)), seen(web_table.table).version
        player.step()
        now[0] += 10 * MOVE_PAUSE_S
        player.step()
        assert seen(web_table.table).version == version
        if agrees:
            assert bob.client.post("/play", data={"do": "yes"}).status_code == 303
            assert seen(web_table.table).log[-1].moves[0].seat == 0
        else:
            assert ann.client.post("/play", data={"take-back": "0"}).status_code == 303
            assert "Ann asks" not in unwrapped(bob.get("/play").text)
            assert seen(web_table.table).turn == 0
            assert transfers(web_table.table)
