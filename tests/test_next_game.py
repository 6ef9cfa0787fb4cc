"""The next game with the same people: who may start it, who keeps which seat, and what nobody may see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.games.rules import SPECTATOR, Seat, Viewer
from companion.games.view import LogEntry, View
from companion.match.fair_shuffle import Share
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.table.table import Table
from companion.text.translation import Translator
from tests.commute_positions import TOWN
from tests.systems_failing_tables import SEED, hasty_clock, play_to_the_end, seen
from tests.test_end_screen import finished
from tests.test_uploaded_boards import HostedTable
from tests.web_table import Phone, WebTable, unwrapped
from web.access.lobby import Lobby
from web.access.phone_session import viewer_of
from web.events.shuffle_shares import ShareRounds
from web.events.table_feed import TableFeed


def again(host: Phone, id: int = 1) -> Any:
    return host.client.post("/host", data={"again": f"{id}"})


def test_the_same_people_play_again_and_another_one_starts() -> None:
    """One tap starts a game with the same options. Everybody moves up one seat, together with their phone, so that
    another player starts. Each phone sees only its new seat's cards."""
    table = finished("system-won", 3, aids="counting", communication="open")
    web_table = WebTable(table)
    phones, host = [web_table.phone(seat) for seat in range(3)], web_table.host()
    before = table.journal.last_header()
    assert before
    assert "Same players, same options. Ben starts." in unwrapped(host.get("/host").text)
    assert again(host).headers["Location"] == "/"
    after = table.journal.last_header()
    assert after
    assert (after.game, after.setup, after.dealers) == (before.game, before.setup, before.dealers)
    assert after.players == ("Ben", "Cleo", "Ann")
    assert after.seed != before.seed
    assert seen(table).id == 2
    assert [phone.view()["seat"] for phone in phones] == [2, 0, 1]
    for phone in phones:
        view = phone.view()
        assert [all(face == "?" for face in hand) for hand in view["state"]["hands"]] == [
            seat == view["seat"] for seat in range(3)
        ]


def test_the_companion_keeps_its_empty_chair() -> None:
    """In the next game, the companion plays for the same player as before, who has moved up one seat."""
    table = Table(Journal(None), hasty_clock())
    names = ("Ann", "Ben", "The companion")
    table.start("system-won", 3, {}, {}, names, SEED, companions={2: "careful"})
    play_to_the_end(table, Random(4))
    assert again(WebTable(table).host()).status_code == 303
    assert seen(table).names == ("Ben", "The companion", "Ann")
    assert table.companion_seats == {1: "careful"}


def test_who_starts_the_next_game_plays_it() -> None:
    """In the last game, the companion played for the host and for the third player. When the host starts the next game,
    the host plays again, and the companion keeps the other seat."""
    table = Table(Journal(None), hasty_clock())
    table.start("system-won", 3, {}, {}, ("Ann", "Ben", "Cleo"), SEED, companions={2: "careful"})
    web_table = WebTable(table)
    host = web_table.host()
    assert host.post("/api/join", {"code": web_table.lobby.code, "seat": 0}).status_code == 200
    web_table.lobby.hand_over(0, "careful")
    play_to_the_end(table, Random(4))
    assert again(host).status_code == 303
    assert seen(table).names == ("Ben", "Cleo", "Ann")
    assert table.companion_seats == {1: "careful"}


def test_a_game_that_was_ended_early_is_played_again() -> None:
    """After the host has ended a game early, the host page offers to play again with the same people and the same
    options. The phones keep their seats until then, and say what comes next. An old tap changes nothing later."""
    table = Table(Journal(None), hasty_clock())
    table.start("commute", 3, {"rounds": "2"}, {}, ("Ann", "Ben", "Cleo"), SEED)
    web_table = WebTable(table)
    phones, host = [web_table.phone(seat) for seat in range(3)], web_table.host()
    before = table.journal.last_header()
    assert before
    assert host.client.post("/host", data={"end": "1"}).status_code == 303
    assert "Same players, same options. Ben starts." in unwrapped(host.get("/host").text)
    assert "Commute has ended. The host can start it again, or another game." in unwrapped(phones[0].get("/play").text)
    assert again(host).headers["Location"] == "/"
    after = table.journal.last_header()
    assert after
    assert (after.game, after.setup, after.players) == (before.game, before.setup, ("Ben", "Cleo", "Ann"))
    assert [phone.view()["seat"] for phone in phones] == [2, 0, 1]
    assert again(host).status_code == 303
    assert len(table.journal.games()) == 2


def test_two_taps_start_one_game() -> None:
    """Two taps start only one game: after the second tap, the phone shows the game that has already begun."""
    web_table = WebTable(finished("systems-failing"))
    host = web_table.host()
    assert [again(host).status_code for _ in range(2)] == [303, 303]
    assert len(web_table.table.journal.games()) == 2


def test_only_the_host_starts_the_next_game_and_only_after_the_end() -> None:
    """Phones that are not hosts have no button for the next game, and are refused. If the last move has been undone in
    the meantime, the game goes on."""
    web_table = WebTable(finished("system-won"))
    player, host = web_table.phone(0), web_table.host()
    assert 'name="again"' not in player.get("/play").text
    assert "can start the next game" in player.get("/play").text
    assert 'name="again"' in host.get("/host").text
    assert again(player).status_code == 403
    web_table.table.reopen()
    assert again(host).status_code == 409
    assert len(web_table.table.journal.games()) == 1


@pytest.mark.parametrize("form", [{"again": "1"}, {"game": "systems-failing", "seats": "2"}])
def test_an_undo_while_phones_mix_the_next_shuffle_is_not_lost(
    form: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the end is undone while phones contribute to the next shuffle, the old game goes on, everybody keeps their
    seat, and the host is told why."""
    web_table = WebTable(finished("systems-failing"))
    phone, host, version = web_table.phone(0), web_table.host(), seen(web_table.table).version

    def undo_meanwhile(self: ShareRounds, shuffle: str, number: int = 0, **seats: object) -> list[Share]:
        web_table.table.undo(Seat(1))
        return []

    monkeypatch.setattr(ShareRounds, "collect", undo_meanwhile)
    answer = host.client.post("/host", data=form)
    assert (answer.status_code, "The game is still running. End it first." in unescape(answer.text)) == (409, True)
    assert (seen(web_table.table).id, seen(web_table.table).version, phone.view()["seat"]) == (1, version + 1, 0)
    assert seen(web_table.table).turn is not None


def test_phones_keep_their_seats_if_the_next_game_can_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the next game can't start because the disk is full, all phones keep their seats."""
    web_table = WebTable(finished("systems-failing"))
    phones, host = [web_table.phone(seat) for seat in (0, 1)], web_table.host()

    def fail(*_: object) -> None:
        raise JournalError("The disk is full.")

    monkeypatch.setattr(web_table.table, "start", fail)
    assert again(host).status_code == 503
    assert [phone.view()["seat"] for phone in phones] == [0, 1]
    assert seen(web_table.table).names == ("Ann", "Ben")


def during_next_view(table: Table, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Makes `act` happen while somebody waits for the next view."""
    view, waiting = table.view, [act]

    def interrupted(viewer: Viewer = SPECTATOR) -> View | None:
        if waiting:
            waiting.pop()()
        return view(viewer)

    monkeypatch.setattr(table, "view", interrupted)


def test_nobody_sees_the_hand_of_their_old_seat_in_the_next_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the next game, nobody sees the hand of their old seat, not even in an answer for which the phone's seat was
    looked up just before everybody changed seats."""
    web_table = WebTable(finished("system-won"))
    phones, host = [web_table.phone(seat) for seat in (0, 1)], web_table.host()
    during_next_view(web_table.table, monkeypatch, lambda: again(host))
    assert phones[0].view()["seat"] == 1


def test_no_log_tells_of_the_hand_of_the_old_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the next game, a phone gets the log that its new seat may read, not that of its old seat."""
    web_table = WebTable(finished("system-won"))
    phone, host = web_table.phone(0), web_table.host()
    log_after, waiting = web_table.table.log_after, [host]

    def interrupted(viewer: Viewer, version: int) -> tuple[LogEntry, ...]:
        if waiting:
            again(waiting.pop())
        return log_after(viewer, version)

    monkeypatch.setattr(web_table.table, "log_after", interrupted)
    assert phone.get("/log.txt").text == phone.get("/log.txt").text


def test_no_event_tells_of_the_hand_of_the_old_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Events that are made while everybody changes seats are made again for the new seat."""
    web_table = WebTable(finished("system-won"))
    web_table.phone(0)
    host, holder, version = web_table.host(), web_table.lobby.phones.holder(0), seen(web_table.table).version
    assert holder

    def viewer() -> Viewer:
        return next(viewer_of(guest) for guest in web_table.lobby.phones.all if guest.key == holder.key)

    feed = TableFeed(web_table.table, viewer, None, Translator("en"))
    feed.new_events()
    during_next_view(web_table.table, monkeypatch, lambda: again(host))
    events = [
        TableFeed(web_table.table, who, f"1.{version}", Translator("en")) for who in (lambda: Seat(1), lambda: Seat(0))
    ]
    own, other = feed.new_events(), [each.new_events() for each in events]
    assert own == other[0] != other[1]


def test_phones_move_with_their_players_even_if_something_fails_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the next game is stored, the phones have their new seats, even if something fails afterwards, and even after
    a restart."""
    web_table = WebTable(finished("system-won"))
    phones, host = [web_table.phone(seat) for seat in (0, 1)], web_table.host()

    def fail(**_: object) -> None:
        raise JournalError("The disk is full.")

    monkeypatch.setattr(web_table.lobby, "renew_code", fail)
    assert again(host).status_code == 503
    assert seen(web_table.table).names == ("Ben", "Ann")
    assert [phone.view()["seat"] for phone in phones] == [1, 0]
    web_table.use(Lobby(web_table.table))
    assert [phone.view()["seat"] for phone in phones] == [1, 0]


def test_a_power_cut_leaves_both_the_next_game_and_the_new_seats_or_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the new seats can't be stored, the next game does not start either, and all phones keep their seats."""
    web_table = WebTable(finished("system-won"))
    phones, host = [web_table.phone(seat) for seat in (0, 1)], web_table.host()
    save_note = web_table.table.journal.save_note

    def cut(key: str, value: object) -> None:
        if key == "desk":
            raise JournalError("The disk is full.")
        save_note(key, value)

    monkeypatch.setattr(web_table.table.journal, "save_note", cut)
    assert again(host).status_code == 503
    assert len(web_table.table.journal.games()) == 1
    assert [phone.view()["seat"] for phone in phones] == [0, 1]
    assert seen(web_table.table).turn is None


def test_an_imported_game_is_not_what_people_play_again() -> None:
    """ "Play again" repeats the last game that was played here, even if an imported game, from a machine with another
    clock, was started later."""
    web_table = WebTable(finished("systems-failing"))
    other = finished("traffic-congestion").journal.game(1)
    web_table.table.journal.add(replace(other, started="2099-01-01T00:00:00+00:00"))
    assert again(web_table.host()).status_code == 303
    assert seen(web_table.table).game.name == "systems-failing"


def test_a_board_of_ones_own_is_played_again(tmp_path: Path) -> None:
    """The next game is played on the same uploaded board."""
    web_table = HostedTable(tmp_path / "boards")
    web_table.upload("our-town.toml", TOWN)
    assert web_table.start("our-town").status_code == 200
    play_to_the_end(web_table.table, Random(4))
    assert again(web_table.host).status_code == 303
    first, second = web_table.table.journal.games()
    assert second.header.setup == first.header.setup
    assert seen(web_table.table, Seat(0)).turn is not None
