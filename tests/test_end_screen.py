"""After a game: the figures, the hands, the picture that people share, and the next game with the same people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np
import pytest

from companion.drawing.canvas import Canvas
from companion.games import GAMES, notation
from companion.games.rules import SPECTATOR, Seat, Viewer
from companion.games.view import LogEntry, View
from companion.games.what_if_origin import WhatIfOrigin
from companion.match.fair_shuffle import Share
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.match.replay import Replay
from companion.table.table import Table
from companion.text.messages import TextLike
from companion.text.translation import Translator
from tests.commute_positions import TOWN
from tests.page_states import over, played
from tests.secrets_game import SECRETS, secrets_web_table
from tests.systems_failing_tables import SEED, hasty_clock, play_to_the_end, seen
from tests.test_uploaded_boards import HostedTable
from tests.web_table import Phone, WebTable, unwrapped
from web.access.lobby import Lobby
from web.access.phone_session import viewer_of
from web.events.shuffle_shares import ShareRounds
from web.events.table_feed import TableFeed
from web.pages import shared_pictures
from web.pages.companion_forms import last_companions
from web.results.end_picture import end_picture
from web.results.end_screens import EndScreen, end_screen

OPTIONS = {
    "commute": {"rounds": "0.5"},
    "systems-failing": {"difficulty": "easy"},
    "traffic-congestion": {"board": "crossroads"},
}


def finished(name: str, seats: int = 2, **options: str) -> Table:
    """A table at which careful players have played to the end. The game is not closed."""
    return played(name, over, seats=seats, options=options or OPTIONS.get(name, {}))


@pytest.fixture(scope="module")
def tables() -> Callable[[str], Table]:
    """Returns the table of a finished game, which nobody changes."""
    return cache(finished)


@pytest.fixture(scope="module")
def replays(tables: Callable[[str], Table]) -> Callable[[str], Replay]:
    """Returns the replay of a finished game."""
    return cache(lambda name: Replay.from_stored(tables(name).journal.games()[0]))


def ending(replay: Replay) -> EndScreen:
    found = end_screen(replay)
    assert found
    return found


def figures(replay: Replay) -> dict[str, str]:
    return {str(figure.label): str(figure.value) for figure in replay.key_figures()}


def moves(replay: Replay, name: str) -> int:
    """How many moves of this name, or uses of this ability, the journal has."""
    lines = [notation.loads(line) for record in replay.stored.records for line in record.moves]
    return sum(name in (line["move"], line.get("use")) for line in lines)


@pytest.mark.slow
def test_figures_tell_how_each_game_went(replays: Callable[[str], Replay]) -> None:
    """The figures agree with the moves in the journal and with the last position."""
    won, failing = replays("system-won"), replays("systems-failing")
    congestion, commute = replays("traffic-congestion"), replays("commute")
    state = won.history.state.to_json()
    assert figures(won) == {
        "Hints given": f"{moves(won, 'specify') + 2 * moves(won, 'specify_two')}",
        "Errors": f"{len(state['errors'])}",
        "Discards": f"{len(state['discard'])}",
    }
    state = failing.history.state.to_json()
    escapes = len(failing.history.state.repaired_escapes)  # type: ignore[attr-defined]
    assert figures(failing) == {
        "Rounds": f"{state['round']}",
        "Disasters repaired": f"{moves(failing, 'repair') - escapes}",
        "Escape": f"{escapes} of 6",
    }
    told = figures(congestion)
    assert told["Turns"] == f"{sum(moves(congestion, name) for name in ('enter', 'signal', 'go', 'pass'))}"
    assert told["Signals placed"] == f"{moves(congestion, 'signal')}"
    assert int(told["Most cars home in one turn"]) > 0
    assert figures(commute)["“Uh-Oh!” cards"] == f"{moves(commute, 'uh_oh')}"
    assert figures(commute)["Best morning"].endswith(" min")


def test_a_game_without_figures_of_its_own_counts_the_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth game has a screen at its end too, with the number of its moves and the time."""
    monkeypatch.setitem(GAMES, "secrets", SECRETS)
    web_table = secrets_web_table()
    phones = [web_table.phone(seat) for seat in (0, 1)]
    assert 'data-key="end"' not in phones[0].get("/play").text
    for n in range(4):
        phones[n % 2].move({"seat": n % 2, "move": "guess", "card": 5})
    page = unwrapped(phones[0].get("/play").text)
    assert "<dt>Moves</dt><dd>4</dd>" in page
    assert "<dt>Time</dt><dd>0 min</dd>" in page


@pytest.mark.parametrize("name", ["commute", "system-won"])
def test_hands_are_shown_only_once_they_are_open(replays: Callable[[str], Replay], name: str) -> None:
    """At the end all cards of all hands are shown, and none before the end."""
    replay = replays(name)
    hands = [[(card.emblem, card.text) for card in hand] for hand in replay.open_hands()]
    faces = replay.history.state.to_json()["hands"]
    assert [len(hand) for hand in hands] == [len(hand) for hand in faces]
    suits = {"R": "red", "Y": "yellow", "G": "green", "B": "blue"}
    expected = [
        [
            (f"suit-{face[-1]}", face[:-1]) if name == "commute" else (f"suit-{suits[face[0]]}", face[1:])
            for face in hand
        ]
        for hand in faces
    ]
    assert hands == expected
    running = Table(Journal(None), hasty_clock())
    running.start(name, 2, {}, {}, ("Ann", "Ben"), SEED)
    before = Replay.from_stored(running.journal.games()[0])
    assert before.open_hands() == ()
    assert end_screen(before) is None


def test_players_are_ranked_by_what_decides_the_game(replays: Callable[[str], Replay]) -> None:
    """The winner comes first, marked as the winner, with a score that no other player exceeds. The chart shows the same
    scores. In a cooperative game nobody is ranked."""
    end = ending(replays("traffic-congestion"))
    assert [each.is_winner for each in end.standings] == [True, False]
    assert str(end.standings[0].score) == "20"
    assert [str(chart.title) for chart in end.charts] == ["Cars home"]
    assert {line.name: f"{line.last}" for line in end.charts[0].lines} == {
        each.name: str(each.score) for each in end.standings
    }
    common = ending(replays("systems-failing"))
    assert [(each.name, each.score, each.is_winner) for each in common.standings] == [
        ("Ann", None, False),
        ("Ben", None, False),
    ]


@pytest.mark.parametrize("name", GAMES)
def test_a_picture_of_each_end_is_drawn(tables: Callable[[str], Table], name: str) -> None:
    """The picture is a PNG file in the phone's language, and the phone's page leads to it."""
    web_table = WebTable(tables(name))
    phone, german = web_table.phone(0), web_table.phone(1)
    assert 'href="/games/1.png"' in unwrapped(phone.get("/play").text)
    answer = phone.get("/games/1.png")
    assert answer.mimetype == "image/png"
    picture = cv2.imdecode(np.frombuffer(answer.data, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape[1] == 1080
    assert len(np.unique(picture[::20, ::20].reshape(-1, 3), axis=0)) > 20, "it is no empty sheet"
    other = german.get("/games/1.png", headers={"Accept-Language": "de"})
    assert other.data != answer.data


def test_the_picture_of_a_what_if_game_says_so(
    replays: Callable[[str], Replay], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The picture of a game that was played on from an earlier position is labeled "What if"."""
    replay, drawn = replays("systems-failing"), list[str]()
    header = replace(replay.stored.header, what_if=WhatIfOrigin(3, replay.stored.started, 12))
    monkeypatch.setattr(Canvas, "text", lambda self, x, y, text, *_, **__: drawn.append(text))
    for stored in (replay.stored, replace(replay.stored, header=header)):
        end_picture(ending(Replay.from_stored(stored)), Translator("de").render)
    assert len([text for text in drawn if text.startswith("Was wäre, wenn · ")]) == 1


def test_points_below_zero_have_a_true_minus_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the screen and in the picture, points below zero have a minus sign and not a hyphen, as in the sentence above
    them."""
    table, drawn = Table(Journal(None), hasty_clock()), list[str]()
    table.start("system-won", 2, {"roles": "none"}, {}, ("Ann", "Ben"), SEED)
    while isinstance(turn := seen(table).turn, int):
        table.submit(Seat(turn), {"move": "play", "seat": turn, "slot": 0})
    page = WebTable(table).phone(0).get("/play").text
    points = next(unescape(each) for each in page.split('<b aria-hidden="true">')[1:] if "<small>/20" in each)
    assert points.startswith("−")
    monkeypatch.setattr(Canvas, "text", lambda self, x, y, text, *_, **__: drawn.append(text))
    end_picture(ending(Replay.from_stored(table.journal.games()[0])), Translator("en").render)
    assert next(text for text in drawn if text.endswith("/20")).startswith("−")


def test_nobody_is_nameless_in_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """The picture's font has few letters. Accents that it lacks are left out, and a name in another script gives way to
    a default name."""
    web_table = WebTable(finished("commute"))
    phone, drawn = web_table.phone(0), list[EndScreen]()
    web_table.table.rename(Seat(0), "漢字")
    web_table.table.rename(Seat(1), "Łukasz Śmith 🦊")

    def noted(end: EndScreen, translate: Callable[[TextLike], str]) -> bytes:
        drawn.append(end)
        return end_picture(end, translate)

    monkeypatch.setattr(shared_pictures, "end_picture", noted)
    assert phone.get("/games/1.png").status_code == 200
    assert {each.name for each in drawn[0].standings} == {"Player 1", "Lukasz Smith"}
    assert "漢字" in phone.get("/play").text


def test_pictures_are_for_phones_that_have_joined_and_games_that_are_over() -> None:
    """Strangers are sent to the join page. A running game, and one that was given up, has no picture."""
    table = Table(Journal(None), hasty_clock())
    table.start("system-won", 2, {}, {}, ("Ann", "Ben"), SEED)
    web_table = WebTable(table)
    assert web_table.phone().get("/games/1.png").status_code == 303
    phone = web_table.phone(0)
    assert phone.get("/games/1.png").status_code == 403
    table.end()
    assert phone.get("/games/1.png").status_code == 403
    assert phone.get("/games/2.png").status_code == 404


def again(host: Phone, id: int = 1) -> Any:
    return host.client.post("/host", data={"again": f"{id}"})


def test_the_same_people_play_again_and_another_one_starts() -> None:
    """One tap starts a game with the same options. Everybody moves up one seat with their phone, so that the next
    player starts, and sees that seat's cards only."""
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
    """In the next game the companion plays for the same player, who has moved up one seat."""
    table = Table(Journal(None), hasty_clock())
    names = ("Ann", "Ben", "The companion")
    table.start("system-won", 3, {}, {}, names, SEED, companions={2: "careful"})
    play_to_the_end(table, Random(4))
    assert again(WebTable(table).host()).status_code == 303
    assert seen(table).names == ("Ben", "The companion", "Ann")
    assert last_companions(table) == {1: "careful"}


def test_two_taps_start_one_game() -> None:
    """The second tap finds that the next game has begun, and leads to it."""
    web_table = WebTable(finished("systems-failing"))
    host = web_table.host()
    assert [again(host).status_code for _ in range(2)] == [303, 303]
    assert len(web_table.table.journal.games()) == 2


def test_only_the_host_starts_the_next_game_and_only_after_the_end() -> None:
    """Other phones have no button and are refused. If the last move was undone meanwhile, the game goes on."""
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
    """The game goes on, everybody keeps their seat, and the host reads why."""
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
    """If the disk is full, everybody stays where they were."""
    web_table = WebTable(finished("systems-failing"))
    phones, host = [web_table.phone(seat) for seat in (0, 1)], web_table.host()

    def fail(*_: object) -> None:
        raise JournalError("The disk is full.")

    monkeypatch.setattr(web_table.table, "start", fail)
    assert again(host).status_code == 503
    assert [phone.view()["seat"] for phone in phones] == [0, 1]
    assert seen(web_table.table).names == ("Ann", "Ben")


def during_next_view(table: Table, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Lets `act` happen while somebody waits for the next view."""
    view, waiting = table.view, [act]

    def interrupted(viewer: Viewer = SPECTATOR) -> View | None:
        if waiting:
            waiting.pop()()
        return view(viewer)

    monkeypatch.setattr(table, "view", interrupted)


def test_nobody_sees_the_hand_of_their_old_seat_in_the_next_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody sees it, not even in an answer for which the phone's seat was looked up just before everybody moved up."""
    web_table = WebTable(finished("system-won"))
    phones, host = [web_table.phone(seat) for seat in (0, 1)], web_table.host()
    during_next_view(web_table.table, monkeypatch, lambda: again(host))
    assert phones[0].view()["seat"] == 1


def test_no_log_tells_of_the_hand_of_the_old_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log of the next game is the one that the new seat may read."""
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
    """Events that are made while everybody moves up are made again for the new seat."""
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
    """Once the next game is stored, the phones have their new seats, now and after a restart."""
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
    """If the seats can't be stored, there is no next game either, and everybody stays where they were."""
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
    """The next game is on the same uploaded board."""
    web_table = HostedTable(tmp_path / "boards")
    web_table.upload("our-town.toml", TOWN)
    assert web_table.start("our-town").status_code == 200
    play_to_the_end(web_table.table, Random(4))
    assert again(web_table.host).status_code == 303
    first, second = web_table.table.journal.games()
    assert second.header.setup == first.header.setup
    assert seen(web_table.table, Seat(0)).turn is not None
