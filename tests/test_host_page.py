"""The host page without a browser: who is a host, and how a game is started and ended."""

from __future__ import annotations

import re
from random import Random

import pytest

from companion.games import GAMES
from companion.games.rules import HOUSE, Seat
from companion.tabletop.observations import DeviceHealth
from tests.systems_failing_tables import play_to_the_end, seen
from tests.test_web_pages import BEGIN
from tests.web_table import empty_web_table, field_value, new_web_table, unwrapped
from web.access.lobby import Lobby


def test_the_first_browser_is_the_host() -> None:
    """The first browser is sent to the host page. Later ones are sent to the join page and may not open the host
    page."""
    web_table = empty_web_table()
    first, second = web_table.phone(), web_table.phone()
    assert first.get("/").headers["Location"] == "/host"
    assert first.get("/host").status_code == 200
    assert second.get("/").headers["Location"] == "/join"
    assert second.get("/host").status_code == 403
    assert "host link" in second.get("/host").text


def test_the_host_link_makes_another_browser_a_host() -> None:
    """The printed link makes any browser a host; a wrong key does nothing. The earlier host stays one until a host
    revokes the others."""
    web_table = empty_web_table()
    lost, found = web_table.phone(), web_table.phone()
    lost.get("/")
    assert "hosts this table" not in lost.get("/host").text
    assert found.get("/host?key=wrong").status_code == 403
    assert found.get(f"/host?key={web_table.lobby.host_key}").headers["Location"] == "/host"
    assert found.get("/host").status_code == lost.get("/host").status_code == 200
    assert "2 browsers host this table" in found.get("/host").text
    assert found.client.post("/host", data={"alone": "1"}).status_code == 303
    assert found.get("/host").status_code == 200
    assert lost.get("/host").status_code == 403
    assert lost.client.post("/host", data={"alone": "1"}).status_code == 403


def test_the_host_link_stays_until_one_browser_becomes_the_only_host() -> None:
    """The host link works after a restart, so that it can be kept. After one browser becomes the only host, for example
    because another was lost, the old link no longer works."""
    web_table = empty_web_table()
    key = web_table.lobby.host_key
    assert Lobby(web_table.table).host_key == key
    phone = web_table.phone()
    phone.get(f"/host?key={key}")
    phone.client.post("/host", data={"alone": "1"})
    assert web_table.lobby.host_key != key
    assert Lobby(web_table.table).host_key == web_table.lobby.host_key
    assert web_table.phone().get(f"/host?key={key}").status_code == 403


def test_the_host_begins_a_game_by_form() -> None:
    """The game that the host starts has the names, options and dealers of the form. To replace a running game, the host
    must tick a box."""
    web_table = empty_web_table()
    host = web_table.host()
    assert host.client.post("/host", data=BEGIN).status_code == 303
    view = web_table.table.view()
    assert view is not None
    assert (view.names, view.state["difficulty"], view.turn) == (("Ann", "Bob"), "medium", HOUSE)
    again = host.client.post("/host", data=BEGIN)
    assert again.status_code == 422
    assert "Tick the box to end the running game" in again.text
    assert host.client.post("/host", data={**BEGIN, "sure": "1"}).status_code == 303


def test_another_game_is_offered_as_the_last_was() -> None:
    """The form for a new game suggests the options, dealers and names of the last game. If that game is over, the host
    need not tick the box, because nothing is lost."""
    web_table = empty_web_table()
    host = web_table.host()
    host.client.post("/host", data={**BEGIN, "dealer-cards": "table"})
    page = host.get("/host").text
    checked = dict(re.findall(r'name="([^"]*)" value="([^"]*)" checked', unwrapped(page)))
    assert checked["option-difficulty"] == "medium"
    assert (checked["dealer-cards"], checked["dealer-roles"]) == ("table", "companion")
    assert 'value="Ann"' in page
    assert 'name="sure"' in page
    host.client.post("/host", data={"end": field_value(page, "end")})
    ended = unwrapped(host.get("/host").text)
    assert dict(re.findall(r'name="([^"]*)" value="([^"]*)" checked', ended)) == checked
    assert 'value="Ann"' in ended
    assert 'name="sure"' not in ended
    over = new_web_table()
    play_to_the_end(over.table, Random(1))
    host = over.host()
    assert 'name="sure"' not in host.get("/host").text
    assert host.client.post("/host", data=BEGIN).status_code == 303


def test_after_a_game_everyone_reads_what_comes_next() -> None:
    """After a game, the host page says that the game is finished, and offers its replay. A player's phone leads to the
    replay and to a picture to share, and names the host, who can start the next game. Only the host's phone has the
    button."""
    web_table = new_web_table()
    host, player = web_table.host(), web_table.phone(1)
    host.post("/api/join", {"seat": 0, "name": "Ann"})
    assert "Now: Systems Failing" in host.get("/host").text
    play_to_the_end(web_table.table, Random(1))
    page = host.get("/host").text
    assert "Now:" not in page
    assert "Finished: Systems Failing" in page
    assert "once it has ended" not in page
    assert 'href="/games/1"' in page
    assert "Close this game" in page
    dock = player.get("/play").text.split('data-key="dock"')[1]
    assert "Ann can start the next game." in dock
    assert 'href="/games/1.png"' in dock
    assert 'href="/games/1"' in dock
    assert "Play again" not in dock
    dock = host.get("/play").text.split('data-key="dock"')[1]
    assert 'form="again" name="again" value="1">Play again' in dock
    assert 'href="/host"' in dock


def test_the_names_of_phones_that_wait_are_offered() -> None:
    """The form for a new game suggests the names of phones that have already joined. Names of the last game stay, and a
    phone's name replaces only default names."""

    def offered(page: str) -> list[str]:
        return re.findall(r'<input name="player".*?value="([^"]*)"', page)

    web_table = empty_web_table()
    host = web_table.host()
    for name in ("Ann", "Bob", "Ann"):
        assert web_table.phone().post("/api/join", {"code": web_table.lobby.code, "name": name}).status_code == 200
    page = unwrapped(host.get("/host?game=commute").text)
    assert sorted(offered(page)) == ["", "", "", "Ann", "Bob"]
    assert offered(page)[2:] == ["", "", ""]
    assert '<option value="Ann">' in page
    web_table.table.start("commute", 3, {}, {}, ("Cy", "", "Dora"), "s")
    assert offered(unwrapped(host.get("/host?game=commute").text))[:4] in (
        ["Cy", "Ann", "Dora", "Bob"],
        ["Cy", "Bob", "Dora", "Ann"],
    )


@pytest.mark.parametrize("names", [("Ann", "ann"), ("Ann", "Ａnn"), ("Player 2", "")])
def test_two_players_of_one_name_are_refused(names: tuple[str, str]) -> None:
    """With equal names the log would say “Ann gives Ann a cube”, and both would share their statistics."""
    web_table = empty_web_table()
    form = {"game": "systems-failing", "seats": "2", "player": [*names], "material": "phones"}
    answer = unwrapped(web_table.host().client.post("/host", data=form).text)
    assert f"Two players are called {names[1] or names[0]}. Give each a name of their own." in answer
    assert not web_table.table.names


def test_a_refused_start_keeps_what_the_host_has_entered() -> None:
    """If a start is refused, the form still has what the host has entered, and not the values of the last game."""
    web_table = empty_web_table()
    web_table.table.start("system-won", 3, {}, {}, ("Cy", "Dora", "Eve"), "s")
    web_table.table.end()
    form = {
        "game": "system-won",
        "seats": "2",
        "player": ["Ann", "Ann"],
        "companion": ["", "careful"],
        "material": "phones",
        "option-roles": "none",
        "dealer-cards": "table",
    }
    page = unwrapped(web_table.host().client.post("/host", data=form).text)
    assert "Two players are called Ann." in page
    assert re.findall(r'<input name="player".*?value="([^"]*)"', page)[:3] == ["Ann", "Ann", ""]
    assert '<option value="2" selected>' in page
    for field in (
        'name="material" value="phones"',
        'name="option-roles" value="none"',
        'name="dealer-cards" value="table"',
    ):
        assert f"{field} checked>" in page
    assert re.search(r'<option value="careful" selected>', page)


def test_players_are_offered_again_for_another_game() -> None:
    """The form for another game suggests the same players as before, by name, if the game allows this number, even
    after the last game was ended early."""
    web_table = empty_web_table()
    web_table.table.start("commute", 4, {}, {}, ("Ann", "Bob", "Cy", "Dora"), "s")
    web_table.table.rename(Seat(3), "Dot")
    host = web_table.host()
    for _ in range(2):
        page = host.get("/host?game=traffic-congestion").text
        assert '<option value="4" selected>' in page
        assert [name for name in ("Ann", "Bob", "Cy", "Dot") if f'value="{name}"' not in page] == []
        page = host.get("/host?game=systems-failing").text
        assert 'name="seats"' not in page
        assert 'name="player" maxlength="24" placeholder="Player 2"' in unwrapped(page)
        assert 'value="Bob" list' in unwrapped(page)
        assert 'value="Cy" list' not in unwrapped(page)
        if web_table.table.names:
            web_table.table.end()


def test_the_host_ends_the_game() -> None:
    """To end a game, the host must confirm once. Then no game is running, and the host page offers a new one. An
    outdated page can't end another game."""
    web_table = new_web_table()
    host, ann = web_table.host(), web_table.phone(0)
    page = host.get("/host").text
    game = field_value(page, "end")
    assert page.index("End the game") < page.index("Yes, end it now")
    assert ann.client.post("/host", data={"end": game}).status_code == 403
    assert host.client.post("/host", data={"end": "99"}).status_code == 409
    assert web_table.table.view() is not None
    assert host.client.post("/host", data={"end": game}).status_code == 303
    assert web_table.table.view() is None
    assert "Start a game" in host.get("/host").text
    assert host.client.post("/host", data={"end": game}).status_code == 409
    assert host.client.post("/host", data=BEGIN).status_code == 303
    assert host.client.post("/host", data={"end": game}).status_code == 409
    assert ann.get("/play").status_code == 200


def test_a_phone_without_a_name_is_called_after_its_seat() -> None:
    """In the list of phones, a player who gave no name has the seat's usual name, after the game too."""
    web_table = new_web_table()
    host = web_table.host()
    host.post("/api/join", {"code": web_table.lobby.code, "seat": 1})
    web_table.table.end()
    page = host.get("/host").text
    assert "<b>Player 2</b>" in page
    assert "<b>No name</b>" not in page


def test_the_first_start_asks_who_plays_and_with_what() -> None:
    """The form for a new game asks who plays, and which printed parts people use. Everything else has a default, under
    "More options", which is open if the last game had other values."""
    web_table = empty_web_table()
    host = web_table.host()
    for game in GAMES.values():
        page = host.get(f"/host?game={game.name}").text
        form = page.split('data-key="start"')[1].split("</form>")[0]
        before, more = form.split('<details class="more" data-key="more">')
        asked = set(re.findall(r'name="([\w-]+)"', before)) | set(
            re.findall(r'name="([\w-]+)"', more.split("</details>")[-1])
        )
        assert asked - {"seats"} == {"game", "player"} | ({"material"} if game.physical.components.mat else set())
        usual = {option.name: option.default for option in game.rules.options if option.choices}
        assert {name: re.findall(rf'name="option-{name}" value="([^"]*)"\s+checked', more) for name in usual} == {
            name: [value] for name, value in usual.items()
        }
    answer = {"game": "systems-failing", "player": ["Ann", "Ben"], "material": "phones", "option-side": "beginner"}
    assert host.client.post("/host", data={**answer, "dealer-cards": "table"}).status_code == 303
    assert seen(web_table.table).dealers["cards"] == "companion"
    assert '<details class="more" data-key="more" open>' in host.get("/host").text


def test_no_two_fields_of_the_form_have_the_same_name() -> None:
    """For each seat, the field for the player's name and the choice of who plays the seat have different labels for
    screen readers."""
    fields = re.findall(
        r'<(?:input|select) name="(?:player|companion)"[^>]*', empty_web_table().host().get("/host").text
    )
    labels = [re.findall(r'aria-label="([^"]*)"', field) for field in fields]
    assert labels == [["Seat 1: name"], ["Seat 2: name"], ["Seat 1: who plays"], ["Seat 2: who plays"]]


def test_the_host_sees_the_devices() -> None:
    """The host page lists each device with one sentence."""
    web_table = new_web_table()
    web_table.table.observe(DeviceHealth(device="camera", ok=False, message="No picture comes; plug it in."))
    assert "No picture comes; plug it in." in web_table.host().get("/host").text


@pytest.mark.parametrize(("name", "has_cards_on_phones"), [("system-won", True), ("systems-failing", False)])
def test_the_form_says_where_the_cards_are(name: str, has_cards_on_phones: bool) -> None:
    """Where phones can take the place of cards, the form says beside "Table and phones" that nobody needs cards on the
    table while the companion deals."""
    page = unwrapped(new_web_table().host().get(f"/host?game={name}").text)
    assert ("When the companion deals, the cards are on the phones" in page) == has_cards_on_phones
