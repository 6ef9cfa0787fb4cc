"""People let the companion play a seat, and take the seat back: on the host page, on the seat's phone and over HTTP."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from companion.games import move_json
from companion.games.rules import Seat
from companion.match.journal import Journal
from companion.table.companion_player import HANDS_PAUSE_S, CompanionPlayer
from companion.table.table import Table
from tests.page_states import act
from tests.systems_failing_tables import SEED, hasty_clock, seen
from tests.web_table import Phone, WebTable, code_of, empty_web_table, new_web_table, unwrapped
from web.error_responses import RequestError

START = {"game": "system-won", "seats": 3, "players": ["Ann"], "companions": {"1": "simple", "2": "careful"}}
PLAYS_FOR_YOU = "The companion plays for you"
NOTHING_TO_DO = "Nothing for you to do right now."


def notices(web_table: WebTable) -> list[str]:
    """The notices of the current game."""
    return [str(notice.text).translate({0x2068: None, 0x2069: None}) for notice in web_table.lobby.notices.of_game(1)]


def test_the_companion_plays_seats_without_a_person() -> None:
    """In a game that the host has started over HTTP, the companion's seats have its name and are not free. The
    companion does not become one of the people with statistics."""
    web_table = empty_web_table()
    host = web_table.host()
    found = host.post("/api/start", START)
    assert found.status_code == 200
    assert found.json["companions"] == {"1": "simple", "2": "careful"}
    assert [name.strip("\u2068\u2069") for name in web_table.table.names] == ["Ann", "Companion", "Companion 2"]
    assert web_table.lobby.phones.taken_seat_count == 2
    people = host.get("/people").text
    assert "Ann" in people
    assert "Companion" not in people


@pytest.mark.parametrize(("game", "names"), [("system-won", True), ("commute", True), ("traffic-congestion", False)])
def test_every_phone_reads_default_names_in_its_own_language(game: str, names: bool) -> None:
    """The companion and players without a name are called in each reader's language, whatever the host's is: on all
    pages of a running game, in the log, and in past games. The stored game has the English words."""
    web_table = empty_web_table()
    host, rng, table = web_table.host(), Random(3), web_table.table
    start = {**START, "game": game, "seats": 4, "companions": {"1": "careful"}}
    host.client.post("/api/start", json=start, headers={"Accept-Language": "de"})
    assert table.journal.games()[0].header.players == ("Ann", "Companion", "Player 3", "Player 4")
    phone = web_table.phone(0)
    while len(seen(table).log) < 30:
        act(table, "", rng)
    in_language = {
        "en": ("Companion", "Player 3"),
        "de": ("Begleiter", "Person 3"),
        "es": ("Asistente", "Persona 3"),
    }
    for path in ("/play", "/table", "/log", "/join", "/host", "/games", "/games/1"):
        for code, own in in_language.items():
            page = (host if path == "/host" else phone).get(path, headers={"Accept-Language": code}).text
            assert all(name in page for name in own[: 2 if path != "/games/1" or names else 1]), (path, code)
            others = {each for other, both in in_language.items() if other != code for each in both} - {"Companion"}
            assert not [each for each in others if re.search(rf"\b{each}\b", page)], (path, code)
            assert code == "en" or not re.search(r"\bCompanion\b", page), (path, code)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", ("Ben (no phone)", "Cleo (companion)")),
        ("de", ("Ben (ohne Handy)", "Cleo (Begleiter)")),
        ("es", ("Ben (sin teléfono)", "Cleo (asistente)")),
    ],
)
def test_the_dock_says_who_has_no_phone(code: str, said: tuple[str, ...]) -> None:
    """Each name in the dock is set apart from the words about it."""
    web_table = empty_web_table()
    web_table.table.start("system-won", 3, {}, {}, ("Ann", "Ben", "Cleo"), SEED, companions={2: "careful"})
    page = web_table.phone(0).get("/play", headers={"Accept-Language": code}).text
    who = unwrapped(re.sub("</?small>|[\u2068\u2069]", "", page.split('<span class="who">')[1].split("</form>")[0]))
    assert [each for each in said if each not in who] == []


def test_the_dock_names_the_companion_once() -> None:
    """Where the companion has the seat from the start, its name says so. A default name of a person does not."""
    web_table = empty_web_table()
    names = ("Ann", "Companion", "Player 3")
    web_table.table.start("system-won", 3, {}, {}, names, SEED, companions={1: "careful", 2: "careful"})
    page = re.sub("</?small>|[\u2068\u2069]", "", web_table.phone(0).get("/play").text)
    who = unwrapped(page.split('<span class="who">')[1].split("</form>")[0])
    assert "Companion (" not in who
    assert "Player 3 (companion)" in who


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "The companion waits a moment, so that you can undo more."),
        ("de", "Der Begleiter wartet kurz, damit ihr noch mehr rückgängig machen könnt."),
        ("es", "El asistente espera un momento, por si hay algo más que deshacer."),
    ],
)
def test_after_an_undo_phones_say_why_the_companion_waits(code: str, said: str) -> None:
    web_table = empty_web_table()
    web_table.table.start("systems-failing", 2, {}, {}, ("Ann", "Bob"), SEED)
    phone = web_table.phone(0)
    web_table.table.submit(Seat(0), {"move": "end_turn", "seat": 0})
    web_table.table.hand_over(Seat(1), "careful")
    assert said not in unwrapped(phone.get("/play", headers={"Accept-Language": code}).text)
    assert seen(web_table.table).turn == 1
    move = seen(web_table.table, 1).choices.legal[0]
    web_table.table.submit(Seat(1), move_json.to_json(move))
    web_table.table.undo(Seat(0))
    assert seen(web_table.table).turn == 1
    assert said in unwrapped(phone.get("/play", headers={"Accept-Language": code}).text)


def test_the_form_of_a_new_game_offers_the_companion_for_each_seat() -> None:
    """For System WON the form offers two strengths. It suggests the choice of the last game. The choice for seats that
    the game does not have is ignored."""
    web_table = empty_web_table()
    host = web_table.host()
    form = {"game": "system-won", "seats": "2", "player": ["Ann", "Bob"], "companion": ["", "simple", "careful", ""]}
    assert host.client.post("/host", data=form).status_code == 303
    assert web_table.table.companion_seats == {1: "simple"}
    page = unwrapped(host.get("/host?game=system-won").text)
    assert '<option value="simple" selected>The companion, easy</option>' in page
    assert '<option value="careful">The companion, strong</option>' in page
    assert '<option value="careful">The companion</option>' in unwrapped(host.get("/host?game=commute").text)


@pytest.mark.parametrize("path", ["/host?game=commute", "/host?game=traffic-congestion"])
def test_the_companion_keeps_its_seat_when_the_host_changes_the_game(path: str) -> None:
    """A seat that the companion has played in one strength is the companion's in a game with another strength too, and
    so is it after the game has ended."""
    web_table = empty_web_table()
    host = web_table.host()
    assert host.post("/api/start", {**START, "companions": {"1": "simple"}}).status_code == 200
    chosen = '<option value="careful" selected>The companion</option>'
    assert unwrapped(host.get(path).text).count(chosen) == 1
    web_table.table.end()
    assert unwrapped(host.get(path).text).count(chosen) == 1


@pytest.mark.parametrize(
    ("code", "host_says", "lobby_says"),
    [
        ("en", "played by the companion, {}", "the companion plays, {}: tap to take over"),
        ("de", "vom Begleiter gespielt, {}", "der Begleiter spielt, {}: zum Übernehmen antippen"),
        ("es", "juega el asistente, {}", "juega el asistente, {}: toca para jugar tú"),
    ],
)
def test_pages_say_how_strong_a_companion_is(code: str, host_says: str, lobby_says: str) -> None:
    """Where the companion can play with two strengths, the host page and the page with the seats name each. Otherwise
    they name none."""
    web_table = empty_web_table()
    host, headers = web_table.host(), {"Accept-Language": code}
    assert host.post("/api/start", START).status_code == 200
    strengths = {"en": ("easy", "strong"), "de": ("leicht", "stark"), "es": ("fácil", "fuerte")}[code]
    for path, words in (("/host", host_says), ("/join", lobby_says)):
        page = unwrapped(host.get(path, headers=headers).text)
        assert [words.format(strength) in page for strength in strengths] == [True, True]
    web_table.table.end()
    assert host.post("/api/start", {**START, "game": "commute", "companions": {"1": "careful"}}).status_code == 200
    for path, words in (("/host", host_says), ("/join", lobby_says)):
        page = unwrapped(host.get(path, headers=headers).text)
        assert words.replace(", {}", "") in page


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"companions": {"0": "careful", "1": "careful", "2": "careful"}}, 422, "no_companion"),
        ({"companions": {"7": "careful"}}, 422, "no_companion"),
        ({"companions": {"1": "random"}}, 422, "no_companion"),
        ({"dealers": {"cards": "unseen"}}, 422, "no_companion"),
        ({"companions": {"x": "careful"}}, 400, "bad_request"),
        ({"companions": [1]}, 400, "bad_request"),
    ],
)
def test_a_start_that_the_companion_cannot_play_is_refused(change: dict[str, Any], status: int, code: str) -> None:
    """If the companion can't play one of the chosen seats, no game is started, and the message says why."""
    web_table = empty_web_table()
    assert code_of(web_table.host().post("/api/start", {**START, **change})) == (status, code)
    assert web_table.table.view() is None


def hand_over_by_api(phone: Phone, seat: int, policy: str | None) -> Any:
    """Hands a seat over to the companion over HTTP, or takes it back if the policy is None."""
    return phone.post("/api/companion", {"seat": seat, "policy": policy})


def test_a_phone_hands_its_own_seat_over_and_takes_it_back() -> None:
    """When a phone hands its own seat over, the log tells everyone. Meanwhile the phone offers no moves, only a button
    to take the seat back."""
    web_table = new_web_table()
    ann, bob = web_table.phone(0), web_table.phone(1)
    assert ann.client.post("/play", data={"hand-over": "0", "policy": "careful"}).status_code == 303
    assert bob.view()["companions"] == {"0": "careful"}
    page = ann.get("/play").text
    assert PLAYS_FOR_YOU in page
    assert "<title>Your turn" not in page
    assert 'name="move"' not in page
    assert "The companion is playing." in bob.get("/play").text
    assert PLAYS_FOR_YOU not in bob.get("/play").text
    assert ann.client.post("/play", data={"take-back": "0"}).status_code == 303
    assert ann.view()["companions"] == {}
    assert 'name="move"' in ann.get("/play").text
    assert notices(web_table)[-2:] == ["The companion now plays for Ann.", "Ann is back and plays again."]


def test_news_of_the_companion_are_no_warning() -> None:
    """The notice that a player is back is not shown as a warning. The notice that the host has freed a seat is."""
    web_table = empty_web_table()
    web_table.table.start("system-won", 2, {}, {}, ("Ann", "Bob"), SEED)
    _, bob = web_table.phone(0), web_table.phone(1)
    web_table.lobby.hand_over(0, "careful")
    web_table.lobby.take_back(0)
    assert '<div class="alert notice calm" role="status">' in unwrapped(bob.get("/play").text)
    web_table.lobby.free(0)
    assert '<div class="alert notice" role="status">' in unwrapped(bob.get("/play").text)


def test_the_host_hands_over_any_seat_and_other_phones_only_their_own() -> None:
    """The host can hand over any seat, for example of somebody who has left; other phones can hand over only their own.
    The seat of the last person can't be handed over."""
    web_table = new_web_table()
    host, ann = web_table.host(), web_table.phone(0)
    assert host.client.post("/host", data={"hand-over": "1", "policy": "careful"}).status_code == 303
    assert web_table.table.companion_seats == {1: "careful"}
    assert code_of(hand_over_by_api(ann, 1, None)) == (403, "not_your_seat")
    assert code_of(hand_over_by_api(web_table.phone(), 1, None)) == (403, "not_your_seat")
    assert code_of(hand_over_by_api(host, 2, "careful")) == (404, "no_such_seat")
    assert code_of(hand_over_by_api(ann, 0, "careful")) == (422, "no_companion")  # the last person
    assert code_of(hand_over_by_api(empty_web_table().host(), 0, "careful")) == (404, "no_game")
    assert hand_over_by_api(host, 1, None).json == {"seat": 1, "policy": None}
    assert web_table.table.companion_seats == {}


def test_a_person_takes_over_the_companions_seat() -> None:
    """The join page offers the companion's seat. When somebody takes it, the companion no longer plays it."""
    web_table = new_web_table()
    web_table.table.hand_over(Seat(1), "careful")
    stranger = web_table.phone()
    stranger.post("/api/join", {"code": web_table.lobby.code})
    assert "tap to take over" in stranger.get("/join").text
    bob = web_table.phone(1)
    assert web_table.table.companion_seats == {}
    assert bob.view()["companions"] == {}


def test_a_seat_of_an_earlier_game_can_not_be_freed_or_handed_over() -> None:
    """A seat can't be freed or handed over after the game has ended, when a phone keeps the seat only for the next
    game."""
    web_table = new_web_table()
    web_table.phone(1)
    host = web_table.host()
    web_table.table.end()
    assert host.client.post("/host", data={"free": "1"}).status_code == 404
    for name in ("hand-over", "take-back"):
        assert host.client.post("/host", data={name: "1", "policy": "careful"}).status_code == 404
    with pytest.raises(RequestError):
        web_table.lobby.hand_over(1, "careful")


def test_outdated_forms_are_refused() -> None:
    """A form that does not name a valid seat is refused, and changes nothing."""
    web_table = new_web_table()
    ann = web_table.phone(0)
    assert ann.client.post("/play", data={"take-back": "x"}).status_code == 400
    assert web_table.table.companion_seats == {}


def test_people_read_what_to_do_for_the_companion_on_the_big_screen_too() -> None:
    """At a real table somebody must move the companion's cars, so the big screen says what to do, and no phone says
    that there is nothing to do. After a person's move, only the phones say what to do."""
    now = [0.0]
    web_table = WebTable(Table(Journal(None), lambda: now[0]))
    web_table.table.start("traffic-congestion", 2, {}, {}, ("Ann", "Bob"), SEED, companions={1: "careful"})
    ann, screen, player = (
        web_table.phone(0),
        web_table.phone(),
        CompanionPlayer(web_table.table, lambda: now[0], Random(1)),
    )
    assert ann.move(ann.view()["legal"][0]).status_code == 200
    assert "On the table" in ann.get("/play").text
    assert "Do this for" not in screen.get("/table").text
    player.step()
    now[0] += HANDS_PAUSE_S
    player.step()
    for page in (ann.get("/play"), screen.get("/table")):
        assert "Do this for Bob" in page.text.translate({0x2068: None, 0x2069: None})
        assert NOTHING_TO_DO not in page.text
    assert ann.move(ann.view()["legal"][0]).status_code == 200
    assert "On the table" in ann.get("/play").text
    assert NOTHING_TO_DO not in ann.get("/play").text
    web_table.table.set_phones_only(phones_only=True)
    assert NOTHING_TO_DO in ann.get("/play").text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("companions", "has_moved", "is_back", "counts"),
    [
        ({1: "careful"}, False, False, False),
        ({}, False, False, False),
        ({}, False, True, True),
        ({}, True, False, False),
        ({}, True, True, True),
    ],
    ids=["never there", "left before a move", "came back", "left after a move", "came back after a move"],
)
def test_a_game_counts_for_those_who_play_it_to_the_end(
    companions: dict[int, str], has_moved: bool, is_back: bool, counts: bool
) -> None:
    """A game does not count for a person whose seat the companion played at the end, whenever it took over."""
    table, rng = Table(Journal(None), hasty_clock()), Random(5)
    table.start("systems-failing", 2, {"difficulty": "easy"}, {}, ("Ann", "Bob"), SEED, companions=companions)
    while has_moved and not any(entry.seat == 1 for entry in seen(table).log):
        act(table, "", rng)
    if not companions:
        table.hand_over(Seat(1), "careful")
    if is_back:
        table.take_back(Seat(1))
    while seen(table).turn is not None:
        act(table, "", rng)
    table.end()
    lines = WebTable(table).host().get("/people/games.csv").text.splitlines()
    assert [line.split(",")[5] for line in lines[1:]] == (["Ann", "Bob"] if counts else ["Ann"])


def test_past_games_say_whom_the_companion_played_for() -> None:
    """The list of past games and the replay say which seats the companion played, even after later games. If a person
    took the seat back, that person counts as the player."""
    web_table = WebTable(Table(Journal(None)))
    host, names = web_table.host(), ("Ann", "Bob")
    for companions in ({1: "careful"}, {0: "careful"}, {}):
        web_table.table.start("traffic-congestion", 2, {}, {}, names, SEED, companions=companions)
        if 0 in companions:
            web_table.table.take_back(Seat(0))
        web_table.table.end()
    page = host.get("/games").text
    assert page.count("Bob (companion)") == 1
    assert "Ann (companion)" not in page
    assert "Ann, Bob (companion) ·" in host.get("/games/1").text
    assert "(companion)" not in host.get("/games/2").text
    german = {"headers": {"Accept-Language": "de"}}
    for path in ("/games", "/games/1"):
        assert "Ann, Bob (Begleiter)" in host.get(path, **german).text, path
