"""Pages that replay a game: whose hands they show, key moments, a replay that several phones follow, and what-ifs."""

from __future__ import annotations

import re
from random import Random

import pytest

from companion.games.rules import Seat
from companion.match.game_import_export import export_lines, import_lines
from companion.match.journal import StoredGame
from companion.match.replay import Replay
from tests.systems_failing_tables import SEED, act_some
from tests.test_past_games import finished, past_of, table_of
from tests.web_table import Phone, WebTable, unwrapped
from web.access.lobby import Lobby
from web.game_start import seats_in_next_game
from web.results.game_statistics import tallies
from web.results.summaries import game_summary


@pytest.fixture(scope="module")
def won() -> WebTable:
    """A table at which a game of System WON has been played to its end and closed."""
    table = finished("system-won", 3)
    table.end()
    return WebTable(table)


def backs(page: str) -> int:
    """The number of cards that a page shows face down."""
    return page.count('class="wcard back')


def shown_step(page: str) -> str:
    found = re.search(r"step (\d+) of \d+", unwrapped(page))
    return found[1] if found else ""


def test_a_past_game_shows_all_hands_or_those_that_a_seat_knew(won: WebTable) -> None:
    """People choose what the replay shows at each step: all hands, or those that a seat or a spectator knew at that
    step."""
    phone, past = won.host(), past_of(won.table)
    hidden = {who: past.at(20, who).state["hands"] for who in (Seat(0), Seat(1), "spectator")}
    assert backs(phone.get("/games/1?at=20").text) == 0
    for key, who in (("0", Seat(0)), ("1", Seat(1)), ("table", "spectator")):
        page = phone.get(f"/games/1?at=20&as={key}").text
        assert backs(page) == sum(hand.count("?") for hand in hidden[who]) > 0  # type: ignore[index]
        assert f"?at=21&amp;as={key}" in page, "the choice stays from step to step"
    for strange in ("9", "-1", "referee", "x" * 500):
        assert backs(phone.get(f"/games/1?at=20&as={strange}").text) == 0


@pytest.mark.slow
def test_a_replay_of_commute_shows_the_hands_beside_the_scores() -> None:
    """Commute has no hands on its board. The replay shows them beside the scores, to the last step: all hands, those
    that a seat knew, or none, as people choose. The big screen shows the same when people watch together."""
    table = finished("commute", 2)
    table.end()
    phone = WebTable(table).host()
    last = past_of(table).length
    for at in (20, last):
        for key, hands in (("open", 2), ("1", 1 if at < last else 2), ("table", 0 if at < last else 2)):
            assert phone.get(f"/games/1?at={at}&as={key}").text.count('<span class="held">') == hands, (at, key)
            step(phone, at, "lead", seen_by=key)
            assert phone.get("/table").text.count('<span class="held">') == hands, (at, key)


def test_the_big_screen_shows_the_discards_of_a_shared_replay(won: WebTable) -> None:
    """Nobody can tap the big screen, so the discards of System WON are unfolded there, as during a game."""
    phone = won.host()
    step(phone, 40, "lead")
    assert re.search(r'<details data-key="discards"[^>]* open>', unwrapped(phone.get("/table").text))
    step(phone, 40, "leave")


def test_a_running_game_never_shows_more_than_a_seat_may_know() -> None:
    """While a game is running, nobody can choose whose hands to see."""
    table = table_of("system-won", seats=2)
    act_some(table, Random(2), 6)
    web_table = WebTable(table)
    phone = web_table.phone(0)
    own = phone.get("/games/1?at=5").text
    assert 'class="seen-by"' not in own
    for key in ("open", "1", "table"):
        assert backs(phone.get(f"/games/1?at=5&as={key}").text) == backs(own) > 0


def test_the_page_lists_the_key_moments_and_marks_them_on_the_slider(won: WebTable) -> None:
    """Each error in the game is in the list of key moments, with a link to its step, and has a mark on the slider."""
    page = unwrapped(won.host().get("/games/1?at=3").text)
    errors = len(past_of(won.table).history.state.errors)  # type: ignore[attr-defined]
    assert page.count("<b>Error: ") == errors > 0
    assert page.count('<i style="--at:') == page.count('class="moment"')
    assert 'form="steps"' in page


def step(phone: Phone, at: int, do: str = "", seen_by: str = "open") -> int:
    return phone.client.post("/games/1", data={"at": at, "as": seen_by, "do": do}).status_code


def test_one_phone_steps_and_everyone_else_follows() -> None:
    """The big screen and the phones that follow show the leader's step, and the hands that the leader chose. When the
    leader stops, the big screen shows the table again."""
    table = finished("system-won", 2)
    web_table = WebTable(table)
    leader, other, screen = web_table.phone(0), web_table.phone(1), web_table.phone()
    before = screen.get("/table").text
    assert other.get("/together").headers["Location"] == "/"
    mark = table.revision
    assert step(leader, 12, "lead") == 303
    assert table.revision != mark, "event streams send the new page"
    assert "The big screen follows you." in leader.get("/games/1?at=12").text
    assert "Ann shows a replay" in unwrapped(other.get("/play").text)
    for phone in (screen, other):
        assert shown_step(phone.get("/table").text) == "12"
    assert shown_step(other.get("/together").text) == "12"
    step(leader, 13, seen_by="1")
    page = screen.get("/table").text
    assert shown_step(page) == "13"
    assert backs(page) == past_of(table).at(13, Seat(1)).state["hands"][1].count("?")
    step(other, 5)
    assert shown_step(screen.get("/table").text) == "13", "a phone that does not lead steps for itself"
    step(other, 5, "leave")
    assert shown_step(screen.get("/table").text) == "13", "nor can it end what another leads"
    step(other, 6, "lead")
    step(leader, 14)
    assert shown_step(screen.get("/table").text) == "6", "another player may take the lead"
    step(other, 6, "leave")
    assert shown_step(after := screen.get("/table").text) == ""
    assert after.count("<section") == before.count("<section")


def test_in_a_running_game_followers_see_what_they_may_know() -> None:
    """A shared step of a running game shows each follower their own view, and the big screen that of a spectator. The
    next move ends the shared replay."""
    table = table_of("system-won", seats=2)
    act_some(table, Random(2), 6)
    web_table = WebTable(table)
    leader, other, screen = web_table.phone(0), web_table.phone(1), web_table.phone()
    step(leader, 4, "lead", seen_by="open")
    hands = past_of(table).at(4, Seat(1)).state["hands"]
    assert backs(other.get("/together").text) == hands[1].count("?") == len(hands[1])
    assert backs(screen.get("/table").text) == sum(map(len, hands))
    act_some(table, Random(3), 1)
    assert shown_step(screen.get("/table").text) == ""
    assert other.get("/together").headers["Location"] == "/"


def test_a_new_game_ends_a_shared_replay_and_closing_the_old_one_does_not() -> None:
    """People can close the game and still look back at it together. A new game ends the shared replay and takes over
    the big screen."""
    table = finished("traffic-congestion", 2)
    web_table = WebTable(table)
    leader = web_table.host()
    step(leader, 3, "lead")
    table.end()
    assert shown_step(leader.get("/table").text) == "3"
    table.start("traffic-congestion", 2, {}, {}, ("Ann", "Bob"), SEED)
    assert shown_step(leader.get("/table").text) == ""


def test_a_shared_replay_that_a_move_has_ended_does_not_come_back() -> None:
    """A shared replay that a move has ended does not come back, not even when the game is closed and the table is empty
    again."""
    table = table_of("system-won", seats=2)
    act_some(table, Random(2), 6)
    web_table = WebTable(table)
    leader, screen = web_table.phone(0), web_table.phone()
    step(leader, 4, "lead")
    act_some(table, Random(3), 1)
    table.end()
    assert shown_step(screen.get("/table").text) == ""


def test_nobody_leads_through_a_game_that_goes_on_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the host takes back the last act of a game at the same moment as a phone takes the lead, the replay with all
    hands is not shown, although the game was over when the replay was read."""
    table = finished("system-won", 2)
    web_table = WebTable(table)
    leader, screen = web_table.phone(0), web_table.phone()
    read = table.journal.game

    def read_and_reopen(id: int) -> StoredGame:
        stored = read(id)
        table.reopen()
        return stored

    monkeypatch.setattr(table.journal, "game", read_and_reopen)
    step(leader, 20, "lead")
    monkeypatch.undo()
    page = screen.get("/table").text
    assert shown_step(page) == ""
    assert backs(page) > 0
    step(leader, 20, "lead")
    assert shown_step(screen.get("/table").text) == "20"


def test_spectators_do_not_take_the_big_screen_from_players() -> None:
    """While a game is on the table, only players and the host can lead a shared replay. Spectators can't."""
    web_table = WebTable(finished("traffic-congestion", 2))
    watcher = web_table.phone()
    assert watcher.post("/api/join", {"code": web_table.lobby.code, "seat": None}).status_code == 200
    assert step(watcher, 3, "lead") == 403
    assert "Show on the big screen" not in watcher.get("/games/1").text
    assert web_table.phone().client.post("/games/1", data={"do": "lead"}).headers["Location"] == "/join"


def test_the_host_plays_on_from_a_turn() -> None:
    """The host starts a what-if from the replay. Its pages say that it is a what-if, and so does the list of past
    games."""
    table = finished("systems-failing")
    web_table = WebTable(table)
    host, player = web_table.host(), web_table.phone(0)
    assert "Play on from here" in host.get("/games/1?at=9").text
    assert "Play on from here" not in player.get("/games/1?at=9").text
    assert player.client.post("/games/1/what-if", data={"at": 9}).status_code == 403
    assert host.client.post("/games/1/what-if", data={"at": 9}).status_code == 303
    view = table.view()
    assert view
    assert view.what_if
    assert (view.what_if.game, view.what_if.acts, view.turn is None) == (1, 9, False)
    for path in ("/play", "/games/2"):
        assert "game 1, played on from step 9" in unwrapped(player.get(path).text)
    assert "game 1, played on from step 9" in unwrapped(web_table.phone().get("/table").text)
    assert "What if of game 1" in host.get("/games").text
    assert player.client.post("/api/undo", json={}).status_code == 422


def test_the_pages_of_an_imported_what_if_lead_to_its_original() -> None:
    """The pages of an imported what-if link to its original, even if the original has another number in this journal.
    If the original is not in it, there is no link."""
    table = finished("systems-failing")
    host = WebTable(table).host()
    assert host.client.post("/games/1/what-if", data={"at": 9}).status_code == 303
    table.end()
    original, what_if = ([*export_lines(table.journal.game(id))] for id in (1, 2))
    here = finished("traffic-congestion", 2)
    other = WebTable(here).host()
    here.end()
    assert here.journal.add(import_lines(what_if, "x")) == 2
    page = unwrapped(other.get("/games/2").text)
    assert "a game that isn’t stored here, played on from step 9" in page
    assert 'href="/games/1?' not in page
    assert "What if of game" not in other.get("/games").text
    assert here.journal.add(import_lines(original, "x")) == 3
    assert 'href="/games/3?at=9">game 3, played on from step 9' in unwrapped(other.get("/games/2").text)
    assert "What if of game 3" in other.get("/games").text


def test_in_a_what_if_people_have_the_seats_that_they_had() -> None:
    """People have changed seats for another game in the meantime. In the what-if, each phone gets its player's hand
    again, and the link to the original shows the hands as this seat knew them. Somebody who was not in the original
    gets a seat that is left."""
    web_table = WebTable(finished("system-won", 3))
    phones, host = [web_table.phone(seat) for seat in range(3)], web_table.host()
    host.client.post("/host", data={"again": "1"})
    web_table.table.rename(Seat(phones[1].view()["seat"]), "Dora")
    assert host.client.post("/games/1/what-if", data={"at": 3, "sure": "1"}).status_code == 303
    assert [phone.view()["seat"] for phone in phones] == [0, 1, 2]
    for seat, phone in enumerate(phones):
        assert set(phone.view()["state"]["hands"][seat]) == {"?"}
        assert f'href="/games/1?at=3&amp;as={seat}"' in phone.get("/play").text
    assert 'href="/games/1?at=3&amp;as=table"' in web_table.phone().get("/table").text
    stored = web_table.lobby.phones.all
    assert [guest.seat for guest in Lobby(web_table.table).phones.all] == [guest.seat for guest in stored]


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        ("ABC", "BCA", {0: 2, 1: 0, 2: 1}),
        ("AB", "BCA", {0: 2, 1: 0}),
        ("ABCD", "DA", {3: 0, 0: 1, 1: 2, 2: 3}),
        ("ABC", "CDA", {1: 1}),
        ("AAB", "BAA", {2: 0, 0: 1, 1: 2}),
        ("", "AB", {}),
    ],
)
def test_everyone_has_one_seat_after_a_move(before: str, after: str, moved: dict[int, int]) -> None:
    """A person who plays in both games gets the seat with the same name, whether or not they have a phone. No two
    people share a seat."""
    phones = dict.fromkeys(moved, "")
    assert seats_in_next_game(before, after, phones, (), are_all_seated=True) == moved


def test_a_phone_gets_a_seat_of_the_companion_only_if_no_other_is_left() -> None:
    """In a what-if, people whose names are not in the earlier game get the seats of other people first."""
    phones = {0: "", 1: ""}
    assert seats_in_next_game("AB", "CDE", phones, (), are_all_seated=True, companions={0}) == {0: 1, 1: 2}
    assert seats_in_next_game("AB", "CDE", phones, (), are_all_seated=True, companions={0, 1}) == {0: 2, 1: 0}


def test_a_phone_that_kept_an_old_seat_gives_way() -> None:
    """A phone that kept a seat of an earlier, larger game loses it if somebody else plays there now."""
    table = finished("system-won", 3)
    web_table = WebTable(table)
    phones, host = [web_table.phone(seat) for seat in range(3)], web_table.host()
    first, _, last = table.journal.game(1).header.players
    table.start("system-won", 2, {}, {}, (last, first), SEED)
    assert host.client.post("/games/1/what-if", data={"at": 3, "sure": "1"}).status_code == 303
    assert [phone.view()["seat"] for phone in phones] == [2, 0, None]


def test_two_taps_begin_one_what_if() -> None:
    """Two taps begin only one what-if: the second tap leads to the same one. After a move in it, beginning another
    what-if must be confirmed."""
    web_table = WebTable(finished("traffic-congestion", 2))
    host = web_table.host()
    for _ in range(2):
        assert host.client.post("/games/1/what-if", data={"at": 9}).status_code == 303
    assert len(web_table.table.journal.games()) == 2
    act_some(web_table.table, Random(1), 1)
    assert host.client.post("/games/1/what-if", data={"at": 9}).status_code == 422


def test_where_a_what_if_is_refused() -> None:
    """A what-if can't start after a game's last act, or from a running game. It replaces a running game only if the
    host confirms that."""
    table = finished("traffic-congestion", 2)
    web_table = WebTable(table)
    host = web_table.host()
    assert host.client.post("/games/1/what-if", data={"at": 10**6}).status_code == 422
    assert "Play on from here" not in host.get("/games/1").text
    table.start("traffic-congestion", 2, {}, {}, ("Ann", "Bob"), SEED)
    assert host.client.post("/games/1/what-if", data={"at": 5}).status_code == 422
    assert host.client.post("/games/2/what-if", data={"at": 0, "sure": "1"}).status_code == 403
    assert host.client.post("/games/9/what-if", data={"at": 0}).status_code == 404
    assert host.client.post("/games/1/what-if", data={"at": 5, "sure": "1"}).status_code == 303


def test_a_what_if_counts_nowhere() -> None:
    """Statistics leave out what-ifs."""
    table = finished("traffic-congestion", 2)
    journal = table.journal
    before = [*tallies([game_summary(past_of(table))])]
    table.play_on(past_of(table), past_of(table).length - 1, SEED)
    while (view := table.view()) and view.turn is not None:
        act_some(table, Random(1), 1)
    summaries = [game_summary(Replay.from_stored(stored)) for stored in journal.games()]
    assert summaries[1].ending
    assert [*tallies(summaries)] == before
    assert [*tallies(summaries[1:])] == []
