"""The seats' pages without a browser: alerts, prompts, buttons, and forms without the script."""

from __future__ import annotations

import gzip
import re
from random import Random
from typing import Any

import pytest
from markupsafe import escape

from companion.games import GAMES, move_json
from companion.games.rules import Seat
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.observations import CardSeen, DeviceHealth, MatSeen, TokensCounted
from tests.page_states import act
from tests.secrets_game import secrets_web_table
from tests.systems_failing_tables import SEED, hasty_clock, play_to_the_end, seen
from tests.web_table import Phone, WebTable, empty_web_table, field_value, new_web_table, unwrapped, without_ids

ALERT = re.compile(r'class="alert[ "]')
PAGES = ("/play", "/table", "/log", "/log.txt", "/join", "/host", "/api/view")
BEGIN = {"game": "systems-failing", "player": ["Ann", "Bob"], "option-difficulty": "medium", "dealer-cards": "table"}


def press(phone: Phone, name: str, value: str, page: str | None = None) -> Any:
    """Presses a button of the seat's page in a browser without the script."""
    shown = phone.get("/play").text if page is None else page
    form = {"version": field_value(shown, "version"), "id": field_value(shown, "id"), name: value}
    return phone.client.post("/play", data=form)


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


@pytest.mark.parametrize("path", ["/", "/join", "/play", "/table", "/log", "/log.txt", "/host", "/nothing"])
def test_no_page_breaks_without_a_game(path: str) -> None:
    """Without a game every page works for strangers, for the host and for a waiting phone."""
    web_table = empty_web_table()
    waiting = web_table.phone()
    waiting.post("/api/join", {"code": web_table.lobby.code})
    for phone in (web_table.phone(), web_table.host(), waiting):
        assert phone.get(path).status_code < 500


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
    """The top of the page says whose turn it is. The player in turn has the buttons; the other player reads whom to
    wait for."""
    web_table = new_web_table()
    web_table.table.set_phones_only(phones_only=True)
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
    """Without the script, the other phone shows the request with buttons for yes and no. The requesting phone shows
    that it is waiting, and can withdraw the request."""
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
    """The first deal is not shown as the last event, because the text would be too long and cut off; the log has all of
    it. Later events are shown."""
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
    unfolded. One tap is enough to play on phones only."""
    web_table = new_web_table()
    web_table.table.observe(MatSeen(t=0, mat="MAT-SF"))
    for path, phone, to_do in (
        ("/play", web_table.phone(0), "The camera doesn’t see the game yet. Set up the table."),
        (
            "/table",
            web_table.phone(),
            "The camera doesn’t see the game on the mat yet. Set up the table, or play on phones only.",
        ),
    ):
        page = phone.get(path).text
        assert to_do in page
        assert "Fix on the table" not in page
        assert "to do on the table" not in page
        button = 'value="phones-only">Play on phones only</button>'
        assert (button in re.sub(r"<details.*?</details>", "", page, flags=re.DOTALL)) == (path == "/play")


def test_a_mat_that_was_cleared_except_for_cubes_is_for_phones_only_too() -> None:
    """People play with cubes and clear the mat except for them. If a signal belongs there, a phone says what to put up,
    and lets people play on phones only. It does not if only a cube is missing."""
    table = Table(Journal(None), hasty_clock())
    table.start("traffic-congestion", 2, {}, {}, ("Ann", "Ben"), "a seed")
    ann = WebTable(table).phone(0)
    table.observe(MatSeen(t=0, mat="MAT-TC"))
    table.submit(Seat(0), {"seat": 0, "move": "enter", "lane": "west1>A"})
    table.observe(TokensCounted(t=1, place="west1>A", tokens={"blue": 1}, certainty="certain"))
    table.submit(Seat(1), {"seat": 1, "move": "enter", "lane": "north1>A"})
    table.observe(TokensCounted(t=2, place="north1>A", tokens={}, certainty="certain"))
    button = 'value="phones-only">Play on phones only</button>'
    page = ann.get("/play").text
    assert ("Fix on the table" in page, button in page) == (True, False)
    table.observe(TokensCounted(t=3, place="north1>A", tokens={"red": 1}, certainty="certain"))
    signal = next(move for move in seen(table).choices.legal if move.NAME == "signal")
    table.submit(Seat(0), move_json.to_json(signal))
    page = ann.get("/play").text
    assert ("Fix on the table" in page, button in page) == (True, True)
    assert ann.client.post("/play", data={"do": "phones-only"}).status_code == 303
    assert "Fix on the table" not in ann.get("/play").text


def test_a_phone_says_that_nobody_uses_the_table() -> None:
    """A tap on "Play on phones only" removes everything about the real table from every page, in later games too. From
    then on the camera makes no moves, until the host uses it again."""
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
    """Until somebody has chosen otherwise, the form for a new game suggests cardboard if there is a camera, even if the
    camera reports a fault."""
    web_table = empty_web_table()
    host = web_table.host()
    for ok, missing, usual in ((False, True, "phones"), (False, False, "cardboard"), (True, False, "cardboard")):
        web_table.table.observe(DeviceHealth(device="camera", ok=ok, message="It is so.", missing=missing))
        assert f'value="{usual}" checked' in host.get("/host").text


def test_pages_show_one_alert_at_most() -> None:
    """If there are several alerts, a page shows only the most urgent one. When that is resolved, it shows the next."""
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


def test_names_are_shown_as_text() -> None:
    """Names are never treated as markup, and are shortened to one line."""
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
    """No page refers to another host. The page, its style sheet and its script together take less than 100 KB to
    transfer."""
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
    """The fragment that the script fetches is the same main element that the whole page contains."""
    ann = new_web_table().phone(0)
    fragment = ann.get("/play", headers={"X-Fragment": "1"}).data
    assert b"<html" not in fragment
    assert without_ids(fragment).strip() in without_ids(ann.get("/play").data)


@pytest.mark.usefixtures("a_fifth_game_with_secrets")
def test_a_game_without_a_template_is_played_by_generic_buttons() -> None:
    """A game without a template is offered on the host page, and its page shows the state and a sheet of buttons until
    the end."""
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
    """At the end, the headline is the game's own text about the result, and is shown once. Its color says whether the
    game was won."""
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


def test_the_log_groups_acts_by_turn_and_opens_the_replay() -> None:
    """In the log, a turn of several acts has a heading. Each line has its time, which links to the replay of the
    running game."""
    web_table = new_web_table()
    turn = seen(web_table.table).turn
    assert isinstance(turn, int)
    for _ in range(2):
        web_table.table.submit(Seat(turn), {"seat": turn, "move": "scavenge"})
    phone = web_table.phone(0)
    page = unwrapped(phone.get("/log").text)
    assert page.count(f'<b class="whose">{seen(web_table.table).names[turn]}’s turn</b>') == 1
    links = re.findall(r'<a class="when" href="(/games/1\?at=\d+)"><time datetime="20', page)
    assert len(links) == len(set(links)) == page.count("data-version=") - 1, "each line but the page's own version"
    assert phone.get(links[0]).status_code == 200
