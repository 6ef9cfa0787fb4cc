"""Once a game with hidden cards is over, everyone sees the cards. From then on, only the host can undo the last
move."""

from __future__ import annotations

import re
from random import Random

import pytest

from companion.games import GAMES
from companion.games.rules import REFEREE, SPECTATOR, Seat, Viewer
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.observations import ButtonPressed
from companion.text.refusal_errors import IllegalMove
from tests.systems_failing_tables import SEED, play_to_the_end, seen
from tests.web_table import WebTable, unwrapped

VIEWERS: tuple[Viewer, ...] = (SPECTATOR, Seat(0), Seat(1))


def finished(name: str = "system-won") -> Table:
    """A table at which a game of two players is over, but not closed."""
    table = Table(Journal(None))
    table.start(name, 2, {"rounds": "0.5"} if name == "commute" else {}, {}, ("Ann", "Ben"), SEED)
    play_to_the_end(table, Random(4))
    return table


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, game in GAMES.items() if game.rules.has_hidden_information])
def test_everyone_sees_the_whole_position_once_the_game_is_over(name: str) -> None:
    """From the moment a game is over, all views show what the referee sees. Before that they do not."""
    table = finished(name)
    whole = seen(table, REFEREE).state
    assert [seen(table, viewer).state for viewer in VIEWERS] == [whole] * 3
    table.reopen()
    assert seen(table).state["hands"] != seen(table, REFEREE).state["hands"]
    assert seen(table, Seat(0)).state["hands"] != seen(table, REFEREE).state["hands"]


def test_phones_the_big_screen_and_the_replay_show_all_hands() -> None:
    """After the end of System WON, no page shows a card's back, not even the replay of an earlier position. The end
    screen, on phones and on the big screen, has every card of every hand."""
    web_table = WebTable(finished())
    phone = web_table.phone(0)
    hands = phone.view()["state"]["hands"]
    assert all("?" not in hand for hand in hands)
    for path in ("/play", "/table", "/games/1", "/games/1?at=30"):
        page = phone.get(path).text
        assert 'class="wcard back' not in page, path
        assert path == "/table" or 'class="wcard red r' in page
        if not path.startswith("/games"):
            shown = re.findall(r'class="open-card.*?aria-label="(\w)\w* (\d)"', page, re.DOTALL)
            assert [f"{color.upper()}{rank}" for color, rank in shown] == [face for hand in hands for face in hand]


def test_the_log_names_every_card_drawn_once_the_game_is_over() -> None:
    """The log of a finished game of System WON also names a player's own draws, as the replay does. If the game goes on
    again, the log no longer does so."""
    web_table = WebTable(finished())
    table, phone, host = web_table.table, web_table.phone(0), web_table.host()
    unnamed = re.compile(r"Ann gets (a|\d+) cards?\.")
    for path in ("/log", "/play", "/table"):
        assert not unnamed.search(unwrapped(phone.get(path).text)), path
    assert table.log_after(Seat(0), 0) == table.log_after(REFEREE, 0)
    host.client.post("/host", data={"reopen": f"{seen(table).version}"})
    assert unnamed.search(unwrapped(phone.get("/log").text))


def test_only_the_host_takes_back_the_last_move_of_a_game_whose_cards_are_open() -> None:
    """Only the host can undo the end of a game whose cards everyone has seen; phones, the button at the table and
    corrections can't. The log says so, and the cards are hidden again."""
    table = finished()
    web_table, before = WebTable(table), seen(table)
    player, host = web_table.phone(0), web_table.host()
    assert not before.choices.can_undo
    assert player.post("/api/undo").status_code == 422
    table.observe(ButtonPressed(button="undo"))
    with pytest.raises(IllegalMove):
        table.correct(Seat(0), {"seat": 0, "move": "discard", "slot": 0})
    assert player.client.post("/host", data={"reopen": f"{before.version}"}).status_code == 403
    assert seen(table).version == before.version

    assert 'name="reopen"' in host.get("/host").text
    host.client.post("/host", data={"reopen": f"{before.version}"})
    assert seen(table).version == before.version + 1
    assert seen(table).turn is not None
    assert "Everyone had already seen all cards." in unwrapped(player.get("/log").text)
    assert 'class="wcard red r' not in player.get("/play").text.split('data-key="own"')[1].split("</section>")[0]
    assert 'name="reopen"' not in host.get("/host").text
    assert player.post("/api/undo").status_code == 200, "a game that goes on can be undone as ever"


def test_a_double_tap_takes_back_one_move() -> None:
    """A double tap of the host undoes only one move: the second tap is for a position that no longer exists, so it is
    refused."""
    table = finished()
    host, version = WebTable(table).host(), seen(table).version
    for _ in range(2):
        host.client.post("/host", data={"reopen": f"{version}"})
    assert seen(table).version == version + 1


def test_a_game_without_secrets_is_undone_as_before() -> None:
    """If nothing was hidden, any phone can still undo the move that ended the game."""
    table = finished("systems-failing")
    assert not seen(table).choices.can_reopen
    assert WebTable(table).phone(0).post("/api/undo").status_code == 200
