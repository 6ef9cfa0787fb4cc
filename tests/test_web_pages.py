"""The pages without a browser: who may open which, forms without the script, and secrets that must not leak."""

from __future__ import annotations

import gzip
import re
from random import Random
from typing import Any

import pytest
from markupsafe import escape

from companion.games import GAMES
from companion.games.rules import HOUSE, SPECTATOR, Seat
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.observations import CardSeen, DeviceHealth, MatSeen
from companion.text.player_names import clean_name
from companion.text.translation import Translator
from tests.page_states import act
from tests.secrets_game import SECRETS, secrets_web_table
from tests.systems_failing_tables import SEED, hasty_clock, new_table, play_to_the_end, seen
from tests.web_table import Phone, WebTable, empty_web_table, new_web_table, unwrapped, without_ids
from web.access.lobby import Lobby
from web.events.table_feed import TableFeed

ALERT = re.compile(r'class="alert[ "]')

PAGES = ("/play", "/table", "/log", "/log.txt", "/join", "/host", "/api/view")
BEGIN = {"game": "systems-failing", "player": ["Ann", "Bob"], "option-difficulty": "medium", "dealer-cards": "table"}


def hidden(page: str, name: str) -> str:
    """The value of a field, hidden or not."""
    found = re.search(rf'name="{name}" value="([^"]*)"', unwrapped(page))
    assert found, name
    return found[1]


def mark(page: str) -> str:
    """A short digest of a page's content."""
    found = re.search(r'data-mark="([^"]+)"', page)
    assert found
    return found[1]


def press(phone: Phone, name: str, value: str, page: str | None = None) -> Any:
    """Presses a button of the seat's page in a browser without the script."""
    shown = phone.get("/play").text if page is None else page
    form = {"version": hidden(shown, "version"), "id": hidden(shown, "id"), name: value}
    return phone.client.post("/play", data=form)


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
    """The host link works after a restart, so that it can be kept. When a browser that was a host is lost, its link no
    longer works."""
    web_table = empty_web_table()
    key = web_table.lobby.host_key
    assert Lobby(web_table.table).host_key == key
    phone = web_table.phone()
    phone.get(f"/host?key={key}")
    phone.client.post("/host", data={"alone": "1"})
    assert web_table.lobby.host_key != key
    assert Lobby(web_table.table).host_key == web_table.lobby.host_key
    assert web_table.phone().get(f"/host?key={key}").status_code == 403


def test_a_phone_comes_to_the_next_game_by_itself() -> None:
    """Between two games a phone's page waits and then shows its seat again, also if the join page was opened meanwhile.
    A phone without a seat gets the join page and is not told that it lost a seat."""
    web_table = new_web_table()
    host, ann = web_table.host(), web_table.phone(0)
    bob = web_table.phone()
    bob.client.post("/join", data={"code": web_table.lobby.code, "seat": "watch"})
    host.client.post("/host", data={"end": hidden(host.get("/host").text, "end")})
    assert "Waiting for the host" in ann.get("/play").text
    door = {"X-Fragment": mark(ann.get("/join").text)}
    assert web_table.phone().get("/play").headers["Location"] == "/join"
    waits = {"X-Fragment": mark(bob.get("/play").text)}
    host.client.post("/host", data=BEGIN)
    assert ann.get("/play").status_code == 200
    assert bob.get("/play", headers=waits).headers["Location"] == "/join"
    assert ann.get("/join", headers=door).headers["Location"] == "/play"
    assert ann.get("/join", headers={"X-Fragment": mark(ann.get("/join").text)}).status_code == 200
    assert ann.get("/join").status_code == 200


def test_a_phone_without_a_seat_in_the_next_game_is_told_so() -> None:
    """In a game with fewer seats, the third phone is told that it has none. The others keep their seats, and it gets
    its seat back later."""
    web_table = empty_web_table()
    web_table.table.start("traffic-congestion", 3, {}, {}, ("Ann", "Bob", "Cy"), "s")
    phones = [web_table.phone(seat) for seat in range(3)]
    web_table.table.start("systems-failing", 2, {}, {}, ("Ann", "Bob"), "s")
    assert [phone.get("/play").status_code for phone in phones] == [200, 200, 303]
    door = phones[2].get("/join").text
    assert "Systems Failing is running, and every seat is taken. If one is yours, the host can free it" in door
    web_table.lobby.free(1)
    assert "Tap a free seat, or just watch." in phones[2].get("/join").text
    assert "is running" not in phones[0].get("/join").text
    web_table.table.start("traffic-congestion", 3, {}, {}, ("Ann", "Bob", "Cy"), "s")
    assert [phone.view()["seat"] for phone in phones] == [0, None, 2]


def test_the_join_page_suggests_a_name() -> None:
    """The join page suggests the name that was typed before, or the name that the host gave to the seat."""
    web_table = new_web_table()
    ann = web_table.phone(0)
    assert hidden(ann.get("/join").text, "name") == "Ann"
    ann.client.post("/join", data={"seat": "0", "name": "Anna"})
    web_table.table.end()
    assert hidden(ann.get("/join").text, "name") == "Anna"
    web_table.table.start("systems-failing", 2, {}, {}, ("", "Bob"), "s")
    assert web_table.table.names[0] == "Player 1"
    assert hidden(ann.get("/join").text, "name") == "Anna"
    web_table.table.start("systems-failing", 2, {}, {}, ("Annie", "Bob"), "s")
    assert hidden(ann.get("/join").text, "name") == "Annie"


def test_the_host_begins_a_game_by_form() -> None:
    """The game has the names, options and dealers of the form. Replacing a running game needs an extra tick."""
    web_table = empty_web_table()
    host = web_table.host()
    assert host.client.post("/host", data=BEGIN).status_code == 303
    view = web_table.table.view()
    assert view is not None
    assert (view.names, view.state["difficulty"], view.turn) == (("Ann", "Bob"), "medium", HOUSE)
    again = host.client.post("/host", data=BEGIN)
    assert again.status_code == 422
    assert "may end" in again.text
    assert host.client.post("/host", data={**BEGIN, "sure": "1"}).status_code == 303


def test_another_game_is_offered_as_the_last_was() -> None:
    """The form suggests the options, dealers and names of the last game. If that game is over, no tick is required,
    because nothing is lost."""
    web_table = empty_web_table()
    host = web_table.host()
    host.client.post("/host", data={**BEGIN, "dealer-cards": "table"})
    page = host.get("/host").text
    checked = dict(re.findall(r'name="([^"]*)" value="([^"]*)" checked', unwrapped(page)))
    assert checked["option-difficulty"] == "medium"
    assert (checked["dealer-cards"], checked["dealer-roles"]) == ("table", "companion")
    assert 'value="Ann"' in page
    assert 'name="sure"' in page
    host.client.post("/host", data={"end": hidden(page, "end")})
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
    """The host's page calls a game that is over finished, and offers its replay. A player's phone leads to the replay
    and to a picture to share, and names the host, who can start the next game. Only the host's phone has the button."""
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
    theirs, dock = player.get("/play").text.split('data-key="dock"')
    assert "Ann can start the next game." in dock
    assert 'href="/games/1.png"' in dock
    assert 'href="/games/1"' in theirs
    assert "Play again" not in dock
    own, dock = host.get("/play").text.split('data-key="dock"')
    assert 'form="again" name="again" value="1">Play again' in dock
    assert 'href="/host"' in own


def test_the_names_of_phones_that_wait_are_offered() -> None:
    """The host need not type the names of phones that joined before the first game. Names of the last game stay, and a
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


def test_players_are_offered_again_for_another_game() -> None:
    """The form suggests as many players as before, by name, if the game allows that number; also after the last game
    was ended."""
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


def test_no_discrepancies_are_shown_after_the_end() -> None:
    """After the end no discrepancies are shown, because the cards may be packed up."""
    web_table = new_web_table()
    web_table.table.observe(MatSeen(t=0, mat="MAT-SF"))
    web_table.table.observe(CardSeen(t=1, code="SF-R1", zone="zone-1", mm=(150, 60), angle=0, change="appeared"))
    assert "Fix on the table" in web_table.phone(0).get("/play").text
    play_to_the_end(web_table.table, Random(1))
    assert seen(web_table.table).tabletop.discrepancies
    for path in ("/play", "/table"):
        assert "Put right" not in web_table.phone(1 if path == "/play" else None).get(path).text


def test_the_host_ends_the_game() -> None:
    """The host is asked once to confirm. Then no game runs, and the host page offers a new one. An outdated page ends
    no other game."""
    web_table = new_web_table()
    host, ann = web_table.host(), web_table.phone(0)
    page = host.get("/host").text
    game = hidden(page, "end")
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


def test_joiners_between_emoji_are_kept() -> None:
    """Zero-width joiners between emoji or letters in a name are kept. A name of joiners alone is refused."""
    assert clean_name(" \U0001f468\u200d\U0001f467  Ann\u200d ") == "\U0001f468\u200d\U0001f467 Ann"
    assert clean_name("\u200d \u200c") == ""
    assert clean_name("x" * 23 + "\u200d\U0001f467") == "x" * 23


def test_a_seat_is_taken_once() -> None:
    """A phone with the join code takes a seat and a name. Nobody else can take that seat until the host frees it."""
    web_table = new_web_table()
    code, ann, other = web_table.lobby.code, web_table.phone(), web_table.phone()
    wrong = ann.client.post("/join", data={"code": "WRONG", "seat": "0", "name": "Anna"})
    assert wrong.status_code == 403
    assert 'value="Anna"' in wrong.text, "what was typed is kept"
    assert ann.client.post("/join", data={"code": code.lower(), "seat": "0", "name": "Anna"}).status_code == 303
    assert web_table.table.names == ("Anna", "Bob")
    assert ann.get("/").headers["Location"] == "/play"
    refused = other.client.post("/join", data={"code": code, "seat": "0"})
    assert refused.status_code == 409
    assert "The host can free it" in refused.text
    web_table.host().client.post("/host", data={"free": "0"})
    assert ann.get("/play").headers["Location"] == "/join"
    told = ann.get("/play", headers={"X-Fragment": "1"}, follow_redirects=True).text
    assert "seat was freed" in told
    assert other.client.post("/join", data={"code": code, "seat": "0"}).status_code == 303


def test_a_phone_may_watch_and_hand_its_seat_over() -> None:
    """A spectator is sent to the big screen. Leaving a seat frees it, and the phone needs no code to join again."""
    web_table = new_web_table()
    ann, bob = web_table.phone(0), web_table.phone()
    assert bob.client.post("/join", data={"code": web_table.lobby.code, "seat": "watch"}).status_code == 303
    assert bob.get("/").headers["Location"] == "/table"
    assert ann.client.post("/join", data={"seat": "watch"}).status_code == 303
    assert bob.client.post("/join", data={"seat": "0"}).status_code == 303
    assert bob.view()["seat"] == 0


def test_wrong_codes_are_limited_for_each_address() -> None:
    """After five wrong codes an address must wait. Other addresses, phones that use the QR code, and phones that have
    joined do not have to."""
    web_table = new_web_table()
    phone, ann = web_table.phone(), web_table.phone(0)
    statuses = [phone.post("/api/join", {"code": "XXXX"}).status_code for _ in range(6)]
    assert statuses == [403] * 5 + [429]
    assert phone.post("/api/join", {"code": web_table.lobby.code}).status_code == 429
    assert ann.post("/api/join", {"seat": 1, "code": "XXXX"}).status_code == 200
    elsewhere = {"environ_base": {"REMOTE_ADDR": "192.168.1.77"}}
    assert web_table.phone().post("/api/join", {"code": web_table.lobby.code}, **elsewhere).status_code == 200
    assert phone.post("/api/join", {"code": web_table.lobby.secret}).status_code == 200


def test_the_join_code_is_shown_inside_only() -> None:
    """The join page and the big screen show the code only to joined phones and on the machine itself."""
    web_table = new_web_table()
    stranger = {"REMOTE_ADDR": "192.168.1.77"}
    for path in ("/join", "/table"):
        assert web_table.lobby.code not in web_table.phone().get(path, environ_base=stranger).text
        assert web_table.lobby.code in web_table.phone(None).get(path).text or path == "/join"
    ann = web_table.phone(0)
    assert web_table.lobby.code in ann.get("/join", environ_base=stranger).text
    assert 'class="qr"' in ann.get("/table", environ_base=stranger).text


@pytest.mark.parametrize("path", ["/", "/join", "/play", "/table", "/log", "/log.txt", "/host", "/nothing"])
def test_no_page_breaks_without_a_game(path: str) -> None:
    """Without a game every page works for strangers, for the host and for a waiting phone."""
    web_table = empty_web_table()
    waiting = web_table.phone()
    waiting.post("/api/join", {"code": web_table.lobby.code})
    for phone in (web_table.phone(), web_table.host(), waiting):
        assert phone.get(path).status_code < 500


@pytest.mark.sampled
@pytest.mark.parametrize("path", ["/host", "/join", "/play"])
@pytest.mark.parametrize(
    "form", [{}, {"seat": "x"}, {"seat": "٣"}, {"free": "-1"}, {"move": "["}, {"do": "fly"}, {"version": "1e9"}]
)
def test_no_form_breaks(path: str, form: dict[str, str]) -> None:
    """Nonsense in a form gives a page with a message."""
    web_table = new_web_table()
    for phone in (web_table.phone(), web_table.phone(0), web_table.host()):
        assert phone.client.post(path, data={"version": "0", "id": "a", **form}).status_code < 500
        assert phone.client.post(path, data=b"\xff\x00", content_type="text/plain").status_code < 500


def test_the_page_says_whose_turn_it_is() -> None:
    """The top of the page says whose turn it is. The player in turn has the buttons; the other one reads whom to wait
    for."""
    web_table = new_web_table()
    ann, bob = web_table.phone(0).get("/play").text, web_table.phone(1).get("/play").text
    assert re.search(r"<h1[^>]*>\s*Your turn", ann)
    assert re.search(r"<h1[^>]*>\s*Ann’s turn", bob)
    assert "Scavenge" in ann
    assert 'name="move"' not in bob
    assert "Nothing for you to do right now." in bob


def test_the_buttons_are_exactly_the_legal_moves() -> None:
    """Every legal move has exactly one button, and there are no other buttons."""
    web_table = new_web_table()
    ann = web_table.phone(0)
    page = unwrapped(ann.get("/play").text)
    values = re.findall(r'name="(?:move|ask)" value="([^"]*)"', page)
    legal = web_table.app.json.dumps(ann.view()["legal"])
    written = [web_table.app.json.loads(value.replace("&#34;", '"')) for value in values]
    assert sorted(map(str, written)) == sorted(map(str, web_table.app.json.loads(legal)))
    assert all(("ask" in tag) == ("transfer" in tag) for tag in re.findall(r'name="(?:move|ask)" value="[^"]*"', page))


def test_one_button_stands_out() -> None:
    """The primary button is a repair if one is possible, otherwise the first button."""
    web_table = new_web_table()
    ann = web_table.phone(0)

    def looks() -> list[tuple[str, str]]:
        return re.findall(r'class="(action[^"]*)" data-key="([^"]*)"', ann.get("/play").text)

    first, *others = looks()
    assert first == ("action opens", "do-repair")
    assert len(others) > 3
    assert all(look.startswith("action second") for look, _ in others)
    ann.move({"seat": 0, "move": "discard"})
    first, *others = looks()
    assert first == ("action", "do-scavenge-draw-2-cubes")
    assert all(look.startswith("action second") for look, _ in others)


def test_the_buttons_work_without_the_script() -> None:
    """Without the script a form makes the move and leads back to the page. Undo shows physical instructions, and an
    outdated page is refused with a message."""
    web_table = new_web_table()
    ann = web_table.phone(0)
    old = ann.get("/play").text
    assert press(ann, "move", '{"seat":0,"move":"discard"}').status_code == 303
    assert press(ann, "do", "undo").status_code == 303
    assert "Put back on the table" in ann.get("/play").text
    stale = press(ann, "move", '{"seat":0,"move":"scavenge"}', old)
    assert stale.status_code == 409
    assert "Look again" in stale.text
    assert press(ann, "do", "redo").status_code == 303


def test_a_question_is_answered_without_the_script() -> None:
    """Without the script the other phone shows the request with Yes and No. The requesting phone waits and can withdraw
    it."""
    web_table = new_web_table()
    ann, bob = web_table.phone(0), web_table.phone(1)
    move = next(move for move in seen(web_table.table).choices.legal if move.consenting_seat() is not None)
    value = web_table.app.json.dumps({"seat": 0, "move": "transfer", "color": vars(move)["color"]})
    press(ann, "ask", value)
    assert "Ann asks" in bob.get("/play").text
    assert "They said yes out loud" in ann.get("/play").text
    press(ann, "do", "no")
    assert "Ann asks" not in bob.get("/play").text
    press(ann, "ask", value)
    assert press(bob, "do", "yes").status_code == 303
    assert seen(web_table.table).state["actions_left"] == 3


def test_the_first_deal_is_not_shown_as_the_last_event() -> None:
    """The first deal is not shown as the last event, because it would be cut off; the log has all of it. Later events
    are shown."""
    web_table = new_web_table()
    ann = web_table.phone(0)
    assert 'class="last"' not in ann.get("/play").text
    web_table.table.submit(Seat(0), {"seat": 0, "move": "end_turn"})
    assert 'class="last"' in ann.get("/play").text


def test_a_lost_game_has_no_physical_instructions() -> None:
    """After a lost game no physical instructions are shown."""
    web_table = new_web_table()
    ann = web_table.phone(0)
    assert "to do on the table" in ann.get("/play").text
    while (view := seen(web_table.table)).turn is not None:
        if view.choices.pause_label:
            web_table.table.proceed(None)
        else:
            web_table.table.submit(view.turn, {"seat": view.turn, "move": "end_turn"})  # type: ignore[arg-type]
    assert seen(web_table.table).tabletop.physical_instructions
    assert "alert instructions" not in ann.get("/play").text


def test_an_empty_mat_is_no_discrepancy() -> None:
    """With an empty mat, players who use only phones see no list of missing components. The set-up instructions can be
    unfolded."""
    web_table = new_web_table()
    web_table.table.observe(MatSeen(t=0, mat="MAT-SF"))
    for path, phone in (("/play", web_table.phone(0)), ("/table", web_table.phone())):
        page = phone.get(path).text
        assert "The camera doesn’t see the game on the mat yet. Set up the table, or play on phones only" in page
        assert "Fix on the table" not in page
        assert "to do on the table" not in page
        assert ('value="phones-only">Play on phones only</button>' in page) == (path == "/play")


def test_a_phone_says_that_nobody_uses_the_table() -> None:
    """A tap on "Play on phones only" removes all that is about the table from every page, for later games too, and then
    the camera makes no moves. The host can use the camera again."""
    web_table = new_web_table()
    ann, host = web_table.phone(0), web_table.host()
    web_table.table.observe(MatSeen(t=0, mat="MAT-SF"))
    web_table.table.observe(DeviceHealth(device="camera", ok=True, message="It sees the mat."))
    assert ann.client.post("/play", data={"do": "phones-only"}).status_code == 303
    web_table.table.observe(CardSeen(t=1, code="SF-R1", zone="zone-1", mm=(150, 60), angle=0, change="appeared"))
    for page in (ann.get("/play").text, web_table.phone().get("/table").text):
        assert not ALERT.search(page)
    assert Table(web_table.table.journal).phones_only()
    assert 'value="phones" checked' in host.get("/host").text
    assert host.client.post("/host", data={"use-camera": "1"}).status_code == 303
    assert "Fix on the table" in ann.get("/play").text


def test_a_table_with_a_camera_starts_with_cardboard() -> None:
    """Until somebody has chosen, a start proposes cardboard if there is a camera, also one that reports a fault."""
    web_table = empty_web_table()
    host = web_table.host()
    for ok, missing, usual in ((False, True, "phones"), (False, False, "cardboard"), (True, False, "cardboard")):
        web_table.table.observe(DeviceHealth(device="camera", ok=ok, message="It is so.", missing=missing))
        assert f'value="{usual}" checked' in host.get("/host").text


def test_pages_show_one_alert_at_most() -> None:
    """Of several alerts a page shows the most urgent one; the next one follows when that is done."""
    web_table = new_web_table()
    ann = web_table.phone(0)
    web_table.table.observe(MatSeen(t=0, mat="MAT-SF"))
    web_table.table.observe(CardSeen(t=1, code="SF-R1", zone="zone-1", mm=(150, 60), angle=0, change="appeared"))
    web_table.table.show_notice("Somebody has joined.")
    page = ann.get("/play").text
    assert len(ALERT.findall(page)) == 1
    assert "Fix on the table" in page
    web_table.table.set_phones_only(phones_only=True)
    page = ann.get("/play").text
    assert len(ALERT.findall(page)) == 1
    assert "Somebody has joined." in page


def test_the_first_start_asks_who_plays_and_with_what() -> None:
    """The form asks who plays, and with which cardboard. Everything else has a default, under "More options", which is
    open if the last game had other values."""
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


def test_a_discrepancy_stands_on_every_phone() -> None:
    """A card in the wrong place is shown on every phone until it is in place. The recorded state does not change."""
    web_table = new_web_table()
    ann, bob = web_table.phone(0), web_table.phone(1)
    version = web_table.table.revision.version
    web_table.table.observe(MatSeen(t=0, mat="MAT-SF"))
    web_table.table.observe(CardSeen(t=1, code="SF-R1", zone="zone-1", mm=(150, 60), angle=0, change="appeared"))
    for phone in (ann, bob):
        assert "Fix on the table" in phone.get("/play").text
    assert "Fix on the table" in web_table.phone().get("/table").text
    assert web_table.table.revision.version == version


def test_the_host_sees_the_devices() -> None:
    """The host page lists each device with one sentence."""
    web_table = new_web_table()
    web_table.table.observe(DeviceHealth(device="camera", ok=False, message="No picture comes; plug it in."))
    assert "No picture comes; plug it in." in web_table.host().get("/host").text


def test_names_are_shown_as_text() -> None:
    """A name is never treated as markup, and is one short line."""
    web_table = new_web_table()
    phone = web_table.phone()
    phone.post("/api/join", {"code": web_table.lobby.code, "seat": 0, "name": "<script>\n\u202ehi" + "x" * 99})
    assert web_table.table.names[0] == "<script>hi" + "x" * 14
    for path in ("/play", "/table", "/log", "/join"):
        assert "<script>hi" not in phone.get(path).text


def test_private_pages_are_not_kept_by_caches() -> None:
    """Pages of a seat are never cached. Static files may be cached until they change."""
    ann = new_web_table().phone(0)
    for path in (*PAGES, "/"):
        assert ann.get(path).headers["Cache-Control"] == "no-store", path
    style = re.search(r'href="(/static/style.css[^"]*)"', ann.get("/play").text)
    assert style
    assert "max-age" in ann.get(style[1]).headers["Cache-Control"]


@pytest.mark.parametrize("game", GAMES)
def test_nothing_comes_from_elsewhere_and_the_first_view_is_light(game: str) -> None:
    """No page refers to another host. The page, its style sheet and its script are under 100 KB together, as
    transferred."""
    table, rng = Table(Journal(None)), Random(1)
    table.start(game, GAMES[game].rules.seats[-1], {}, {}, (), "1")
    while seen(table).version < 20 and seen(table).turn is not None:
        act(table, "", rng)
    turn = seen(table).turn
    phone = WebTable(table).phone(turn if isinstance(turn, int) else 0)
    page = phone.get("/play").text
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)
    files = re.findall(r'(?:src|href)="(/static/[^"]+)"', page)
    answers = [phone.get(path, headers={"Accept-Encoding": "gzip"}) for path in ("/play", *files)]
    assert gzip.decompress(answers[0].data).decode().count("<main") == 1
    assert sum(len(answer.data) for answer in answers) < 100_000


def test_a_fragment_is_the_page_without_its_frame() -> None:
    """The script fetches the same main element that the page contains."""
    ann = new_web_table().phone(0)
    fragment = ann.get("/play", headers={"X-Fragment": "1"}).data
    assert b"<html" not in fragment
    assert without_ids(fragment).strip() in without_ids(ann.get("/play").data)


def same_history(seed: str) -> WebTable:
    """A table where people deal, so that its pages depend only on what was reported and not on the seed."""
    table: Table = new_table(seed=seed, dealers={"cards": "table", "cubes": "table", "roles": "table"})
    for _ in range(14):
        table.submit(Seat(0), {"seat": "house", **_line(seen(table).choices.reports[-1])}, None)
    return WebTable(table)


def _line(move: Any) -> dict[str, Any]:
    return {"move": move.NAME, **{key: value for key, value in vars(move).items() if key != "seat"}}


def test_no_page_depends_on_the_seed() -> None:
    """Two tables with the same public history and different seeds give every viewer the same bytes."""
    one, two = same_history("one"), same_history("two")
    two.lobby.join_code, two.lobby.host_key = one.lobby.join_code, one.lobby.host_key
    for pair in ((one.phone(), two.phone()), (one.phone(1), two.phone(1)), (one.host(), two.host())):
        for path in PAGES:
            assert without_ids(pair[0].get(path).data) == without_ids(pair[1].get(path).data), path


@pytest.fixture
def a_fifth_game_with_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Adds a fifth game, which has secrets and no template, to `GAMES`."""
    monkeypatch.setitem(GAMES, "secrets", SECRETS)  # type: ignore[arg-type]


def worlds_that_differ_for(seat: int) -> tuple[WebTable, WebTable]:
    """Two tables that only the other seat can tell apart."""
    first: dict[Any, tuple[WebTable, Any]] = {}
    for number in range(1000):
        web_table = secrets_web_table(f"seed {number}")
        own, other = (seen(web_table.table, s).state["cards"][s] for s in (seat, 1 - seat))
        if own in first and first[own][1] != other:
            return first[own][0], web_table
        first[own] = (web_table, other)
    raise AssertionError("no such pair of seeds")


@pytest.mark.usefixtures("a_fifth_game_with_secrets")
@pytest.mark.parametrize("seat", [0, 1])
def test_two_worlds_that_a_seat_cannot_tell_apart_look_the_same(seat: int) -> None:
    """No byte of a page, view, log or event reveals to a seat or a spectator what another seat holds."""
    one, two = worlds_that_differ_for(seat)
    two.lobby.join_code, two.lobby.host_key = one.lobby.join_code, one.lobby.host_key
    for web_table in (one, two):
        web_table.phone(0).move({"seat": 0, "move": "guess", "card": 3})
    holders = [web_table.phone() for web_table in (one, two)]
    for web_table, phone in zip((one, two), holders, strict=True):
        if seat == 0:
            web_table.lobby.free(0)
        assert phone.post("/api/join", {"code": web_table.lobby.code, "seat": seat}).status_code == 200
    for path in PAGES:
        assert without_ids(holders[0].get(path).data) == without_ids(holders[1].get(path).data), path
    for viewer in (Seat(seat), SPECTATOR):
        feeds = [TableFeed(web_table.table, lambda: viewer, "1.0", Translator("en")) for web_table in (one, two)]  # noqa: B023
        told = ["".join(feed.new_events()) for feed in feeds]
        assert "event: act" in told[0]
        assert told[0] == told[1]
    refused = [phone.move({"seat": 1, "move": "guess", "card": 99}).data for phone in holders]
    assert refused[0] == refused[1]


@pytest.mark.usefixtures("a_fifth_game_with_secrets")
def test_all_hands_are_shown_to_screens_with_the_hosts_link_only() -> None:
    """The link that shows all hands is only on the host page. It does not work for seats, and the next game needs a new
    one."""
    web_table = secrets_web_table()
    cards = [seen(web_table.table, seat).state["cards"][seat] for seat in (0, 1)]
    host, screen, ann = web_table.host(), web_table.phone(), web_table.phone(0)
    link = re.search(r'href="(/table\?hands=\w+)"', host.get("/host").text)
    assert link
    assert "hands=" not in ann.get("/host").text + ann.get("/table").text

    def shown(phone: Phone, address: str) -> list[str]:
        return re.findall(r"<dt>(?:Ann|Bob)</dt><dd>([\d?])</dd>", unwrapped(phone.get(address).text))

    assert shown(screen, link[1]) == [str(card) for card in cards]
    assert "This screen shows all hands" in screen.get(link[1]).text
    for phone, address in ((screen, "/table"), (screen, "/table?hands=wrong"), (ann, link[1])):
        assert shown(phone, address) == ["?", "?"]
    web_table.table.start("secrets", None, {}, {}, ("Ann", "Bob"), "another")
    assert shown(screen, link[1]) == ["?", "?"]


@pytest.mark.usefixtures("a_fifth_game_with_secrets")
def test_the_seats_differ_where_they_should() -> None:
    """Each holder does see their own card, so the two worlds of the test above are different."""
    web_table = secrets_web_table()
    ann, bob = web_table.phone(0), web_table.phone(1)
    assert ann.view()["state"]["cards"][0] != "?"
    assert ann.view()["state"]["cards"][1] == "?"
    assert ann.get("/log").data != bob.get("/log").data


@pytest.mark.usefixtures("a_fifth_game_with_secrets")
def test_a_game_without_a_template_is_played_by_generic_buttons() -> None:
    """A game without a template shows its state and a sheet of buttons up to the end, and the host's form offers it."""
    web_table = empty_web_table()
    host = web_table.host()
    assert "Secrets" in host.get("/host?game=secrets").text
    host.client.post("/host", data={"game": "secrets", "player": ["Ann", "Bob"], "dealer-cards": "companion"})
    assert '<details class="panel anew" data-key="anew">' in unwrapped(host.get("/host").text)
    assert '<details class="panel anew" data-key="anew" open>' in unwrapped(host.get("/host?game=secrets").text)
    phones = [web_table.phone(0), web_table.phone(1)]
    for turn in range(4):
        page = phones[turn % 2].get("/play").text
        assert "Guess" in page
        assert "<dt>cards</dt>" in page
        assert press(phones[turn % 2], "move", f'{{"seat":{turn % 2},"move":"guess","card":5}}').status_code == 303
    for path in ("/play", "/table"):
        assert banner(phones[0].get(path).text) == ("turn over", "Ann and Bob have guessed.")


def banner(page: str) -> tuple[str, str]:
    """The classes and the headline of the banner."""
    found = re.search(r'<section class="([^"]*)" data-key="turn".*?<h1[^>]*>\s*(.*?)\s*</h1>', page, re.DOTALL)
    assert found
    return found[1], found[2]


@pytest.mark.parametrize("seed", ["1", "2"])
def test_the_end_is_announced_in_the_games_own_words(seed: str) -> None:
    """The headline is the game's own text about its end, shown once. Its color says whether the game is won."""
    web_table = new_web_table(difficulty="hard")
    ann = web_table.phone(0)
    assert banner(ann.get("/play").text)[0] == "turn mine"
    play_to_the_end(web_table.table, Random(seed))
    page, view = ann.get("/play").text, seen(web_table.table)
    assert view.prompt
    assert banner(page) == (f"turn over {'won' if view.state['result']['won'] else 'lost'}", escape(view.prompt))
    assert page.split('data-key="turn"')[1].split("</section>")[0].count(escape(view.prompt)) == 1


@pytest.mark.usefixtures("a_fifth_game_with_secrets")
def test_labels_know_the_state_and_who_looks() -> None:
    """The label of a move is made for its seat, because it may contain that seat's secret."""
    web_table = secrets_web_table()
    view = seen(web_table.table)
    own = view.state["cards"][0]
    assert set(view.choices.labels) == set(view.choices.legal)
    assert [
        view.choices.labels[move][1] for move in view.choices.legal if "my own" in view.choices.labels[move][1]
    ] == [f"{own}, my own"]
    assert f"{own}, my own" in web_table.phone(0).get("/play").text
    assert "my own" not in web_table.phone(1).get("/play").text
    assert seen(web_table.table, 1).choices.labels == {}


@pytest.mark.parametrize("language", ["en", "de", "es"])
@pytest.mark.parametrize("game", ["systems-failing", "traffic-congestion"])
def test_the_turn_is_announced_once(game: str, language: str) -> None:
    """The heading says whose turn it is, so the text below it does not repeat that."""
    table = Table(Journal(None), hasty_clock())
    table.start(game, 2, {}, {}, ("Ann", "Bob"), SEED)
    while not isinstance(seen(table).turn, int):
        table.proceed(Seat(0))
    turn = seen(table).turn
    phone = WebTable(table).phone(1 - turn)  # type: ignore[operator]
    page = unwrapped(phone.get("/play", headers={"Accept-Language": language}).text)
    heading, text = re.search(r'<h1 id="turn-title"[^>]*>(.*?)</h1><p>(.*?)</p>', page).groups()  # type: ignore[union-attr]
    name = seen(table).names[turn]  # type: ignore[index]
    assert name in heading
    assert text
    assert name not in text
