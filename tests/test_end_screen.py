"""After a game: the figures, the hands, and the picture that people share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html import unescape

import cv2
import numpy as np
import pytest

from companion.drawing.canvas import Canvas
from companion.games import GAMES, move_json
from companion.games.rules import Seat
from companion.games.what_if_origin import WhatIfOrigin
from companion.match.journal import Journal
from companion.match.replay import Replay
from companion.table.table import Table
from companion.text.messages import TextLike
from companion.text.translation import Translator
from tests.page_states import over, played
from tests.secrets_game import SECRETS, secrets_web_table
from tests.systems_failing_tables import SEED, hasty_clock, seen
from tests.web_table import WebTable, unwrapped
from web.pages import end_picture_route
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
    """Returns a function that gives the table of a finished game. Tests share this table, so they must not change
    it."""
    return cache(finished)


@pytest.fixture(scope="module")
def replays(tables: Callable[[str], Table]) -> Callable[[str], Replay]:
    """Returns a function that gives the replay of a finished game."""
    return cache(lambda name: Replay.from_stored(tables(name).journal.games()[0]))


def ending(replay: Replay) -> EndScreen:
    found = end_screen(replay)
    assert found
    return found


def figures(replay: Replay) -> dict[str, str]:
    return {str(figure.label): str(figure.value) for figure in replay.key_figures()}


def moves(replay: Replay, name: str) -> int:
    """How many moves of this name, or uses of this ability, the journal contains."""
    lines = [move_json.loads(line) for record in replay.stored.records for line in record.moves]
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
    shown = figures(congestion)
    assert shown["Turns"] == f"{sum(moves(congestion, name) for name in ('enter', 'signal', 'go', 'pass'))}"
    assert shown["Signals placed"] == f"{moves(congestion, 'signal')}"
    assert int(shown["Most cars home in one turn"]) > 0
    assert figures(commute)["“Uh-Oh!” cards"] == f"{moves(commute, 'uh_oh')}"
    assert figures(commute)["Best morning"].endswith(" min")
    assert "Fastest evening" not in figures(commute)  # the game was half a round: a single morning


def test_a_game_without_figures_of_its_own_counts_the_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game without figures of its own also has an end screen, with the number of its moves and the time."""
    monkeypatch.setitem(GAMES, "secrets", SECRETS)
    web_table = secrets_web_table()
    phones = [web_table.phone(seat) for seat in (0, 1)]
    assert 'data-key="end"' not in phones[0].get("/play").text
    for n in range(4):
        phones[n % 2].move({"seat": n % 2, "move": "guess", "card": 5})
    page = unwrapped(phones[0].get("/play").text)
    assert "<dt>Moves</dt><dd>4</dd>" in page
    assert "<dt>Time</dt><dd>&lt; 1\u00a0min</dd>" in page


@pytest.mark.parametrize("name", GAMES)
def test_the_ways_on_are_in_the_dock(name: str) -> None:
    """At the end, the dock, which is always in view, has links to the board and the replay and, for the host, to
    another game. It has no button that does nothing."""
    web_table = WebTable(finished(name))
    page = web_table.phone(0).get("/play").text
    dock = page[page.index('data-key="dock"') :]
    for way in ("#board", "/games/1"):
        assert f'href="{way}">' in dock
    assert 'href="/host">' not in dock
    assert "disabled" not in dock
    host = web_table.phone(1)
    host.get(f"/host?key={web_table.lobby.host_key}")
    page = host.get("/play").text
    assert 'href="/host">' in page[page.index('data-key="dock"') :]


@pytest.mark.parametrize("name", ["commute", "system-won"])
def test_hands_are_shown_only_once_they_are_open(replays: Callable[[str], Replay], name: str) -> None:
    """The end screen shows all cards of all hands. Before the end, there is no end screen."""
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
    """For the end of each game, there is a picture. It is a PNG file in the phone's language, and the phone's page
    links to it."""
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
    """The picture of a what-if is labeled "What if"."""
    replay, drawn = replays("systems-failing"), list[str]()
    header = replace(replay.stored.header, what_if=WhatIfOrigin(3, replay.stored.started, 12))
    monkeypatch.setattr(Canvas, "text", lambda self, x, y, text, *_, **__: drawn.append(text))
    for stored in (replay.stored, replace(replay.stored, header=header)):
        end_picture(ending(Replay.from_stored(stored)), Translator("de").render)
    assert len([text for text in drawn if text.startswith("Was wäre, wenn · ")]) == 1


def test_points_below_zero_have_a_true_minus_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the end screen and in the picture, points below zero have a minus sign instead of a hyphen, as in the sentence
    above them."""
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


def test_pictures_keep_the_space_before_a_unit(
    replays: Callable[[str], Replay], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Translations have a no-break space before a unit. In the picture, which has no line breaks, it is a plain
    space."""
    drawn = list[str]()
    monkeypatch.setattr(Canvas, "text", lambda self, x, y, text, *_, **__: drawn.append(text))
    end_picture(ending(replays("systems-failing")), Translator("de").render)
    assert [text for text in drawn if text.endswith(" min")]
    assert not [text for text in drawn if "\u00a0" in text or "\u00ad" in text]


def test_nobody_is_nameless_in_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """The picture's font has few letters. Accents that it lacks are left out, and a name in another script is replaced
    by a default name."""
    web_table = WebTable(finished("commute"))
    phone, drawn = web_table.phone(0), list[EndScreen]()
    web_table.table.rename(Seat(0), "漢字")
    web_table.table.rename(Seat(1), "Łukasz Śmith 🦊")

    def noted(end: EndScreen, translate: Callable[[TextLike], str]) -> bytes:
        drawn.append(end)
        return end_picture(end, translate)

    monkeypatch.setattr(end_picture_route, "end_picture", noted)
    assert phone.get("/games/1.png").status_code == 200
    assert {each.name for each in drawn[0].standings} == {"Player 1", "Lukasz Smith"}
    assert "漢字" in phone.get("/play").text


def test_pictures_are_for_phones_that_have_joined_and_games_that_are_over() -> None:
    """Only phones that have joined get a picture; strangers are sent to the join page. There is no picture of a running
    game, or of one that was ended early."""
    table = Table(Journal(None), hasty_clock())
    table.start("system-won", 2, {}, {}, ("Ann", "Ben"), SEED)
    web_table = WebTable(table)
    assert web_table.phone().get("/games/1.png").status_code == 303
    phone = web_table.phone(0)
    assert phone.get("/games/1.png").status_code == 403
    table.end()
    assert phone.get("/games/1.png").status_code == 403
    assert phone.get("/games/2.png").status_code == 404
