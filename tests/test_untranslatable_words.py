"""No page contains words that can't be translated, because every text is marked for translation."""

from __future__ import annotations

import calendar
import gettext
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from random import Random

import pytest

from companion.diagnostics import computer_checks, device_checks, network_checks, storage_checks
from companion.games import GAMES, move_json
from companion.games.rules import Seat
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.observations import CardSeen, MatSeen
from companion.text import translation
from companion.text.messages import _
from companion.text.translation import LANGUAGES, Translator
from tests.game_completeness import skip_untranslated
from tests.game_variants import with_text
from tests.rendered_texts import german
from tests.repetitions import repetitions
from tests.secrets_game import SECRETS, secrets_web_table
from tests.systems_failing_tables import SEED, act, hasty_clock, new_table, seen
from tests.test_language import GERMAN
from tests.web_table import Phone, WebTable, empty_web_table, new_web_table
from web.access.lobby import Lobby
from web.app import create_app
from web.graphics import token_icons
from web.setup import camera_setup


class BracketedLanguage(gettext.NullTranslations):
    """A language that puts every text into brackets."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"


class PageTexts(HTMLParser):
    """Collects all texts of a page: those that are shown, and the labels and descriptions for screen readers."""

    ATTRIBUTES = ("aria-label", "title", "placeholder", "alt")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self._within = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._within = tag if tag in ("style", "script") else ""
        self.words += [value or "" for name, value in attrs if name in self.ATTRIBUTES]

    def handle_endtag(self, tag: str) -> None:
        self._within = ""

    def handle_data(self, data: str) -> None:
        if not self._within:
            self.words.append(data)
        elif self._within == "script" and data.strip().startswith("{"):
            self.words += json.loads(data).values()


NAMES = {"Ann", "Ben", "Bob", "Tablekeeper", *LANGUAGES.values(), *calendar.month_abbr}


def words_outside_brackets(said: str) -> list[str]:
    """The words of three or more letters outside of brackets that are not a player's name."""
    while said != (fewer := re.sub(r"⟦[^⟦⟧]*⟧", " ", said)):
        said = fewer
    return [word for word in re.findall(r"[^\W\d_]{3,}", said) if word not in NAMES]


@pytest.fixture
def bracketed_language(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All languages put texts in brackets. No text is kept that was rendered before the test or in it."""
    monkeypatch.setattr(translation, "_texts", lambda code: BracketedLanguage())
    token_icons._html_with_icons.cache_clear()
    yield
    token_icons._html_with_icons.cache_clear()


@pytest.mark.usefixtures("bracketed_language")
def test_words_that_can_not_be_translated_are_found() -> None:
    """The check finds words outside of brackets, in visible text and in labels, but finds none within nested
    brackets."""
    say = Translator("de").render
    assert words_outside_brackets(f"{say(_('Seat'))} left, {say(_('{name} said no.', name=_('Seat')))}") == ["left"]
    page = f'<p title="over">D07 {say(_("Seat"))} here</p><script>var code;</script><script>{{"a": "there"}}</script>'
    assert words_outside_brackets(" ".join(PageTexts(page).words)) == ["over", "here", "there"]


PAGES = (
    *("/host", "/join", "/play", "/table", "/log", "/games", "/games/1", "/people", "/people/1", "/settings"),
    *("/offline", "/nothing"),
)


def untranslatable(web_table: WebTable, phone: Phone, *paths: str) -> list[tuple[str, list[str]]]:
    """The words on these pages that can't be translated, page by page: those that a phone shows outside of brackets."""
    answers = ((path, phone.get(path, follow_redirects=True).text) for path in paths)
    said = ((path, " ".join(PageTexts(page).words).replace(web_table.lobby.code, "")) for path, page in answers)
    return [(path, found) for path, words in said if (found := words_outside_brackets(words))]


@pytest.mark.usefixtures("bracketed_language")
def test_pages_without_a_game_say_nothing_that_can_not_be_translated() -> None:
    """Every text is translatable on the host's page with each game, on the join page, in the lobby and in refusals."""
    web_table = empty_web_table()
    phone = web_table.host()
    assert phone.post("/api/join", {"name": "Ann"}).status_code == 200
    assert untranslatable(web_table, phone, *PAGES, *(f"/host?game={name}" for name in GAMES)) == []


@pytest.mark.usefixtures("bracketed_language")
@pytest.mark.parametrize("name", GAMES)
def test_pages_of_a_game_say_nothing_that_can_not_be_translated(name: str) -> None:
    """Every text is translatable on the pages of a running game, for the host, players and spectators, and in the
    replay."""
    skip_untranslated(name)
    table, rng = Table(Journal(None), hasty_clock()), Random(3)
    table.start(name, None, {}, {}, ("Ann", "Ben"), SEED)
    web_table = WebTable(table)
    host, ann, ben = web_table.host(), web_table.phone(0), web_table.phone(1)
    for _turn in range(repetitions(4)):
        for _each in range(5):
            act(table, rng)
        assert untranslatable(web_table, ann, *PAGES, "/help") + untranslatable(web_table, host, *PAGES) == []
        requests = (
            move for seat in (0, 1) for move in seen(table, seat).choices.legal if move.consenting_seat() is not None
        )
        for move in [*requests][:1]:
            table.request_consent(Seat(int(move.seat)), move_json.to_json(move))
            assert untranslatable(web_table, ann, "/play") + untranslatable(web_table, ben, "/play") == []
    table.undo(Seat(0))
    assert untranslatable(web_table, ann, "/play", "/log") == []
    table.end()
    assert untranslatable(web_table, ann, "/games", "/games/1?at=12") == []


@pytest.mark.usefixtures("bracketed_language")
@pytest.mark.parametrize("name", GAMES)
def test_pages_for_reports_say_nothing_that_can_not_be_translated(name: str) -> None:
    """Every text is translatable on the pages on which people enter what they have dealt."""
    skip_untranslated(name)
    table = Table(Journal(None), hasty_clock())
    table.start(name, None, {}, dict.fromkeys(GAMES[name].rules.chance_sources, "table"), ("Ann", "Ben"), SEED)
    web_table = WebTable(table)
    assert untranslatable(web_table, web_table.phone(0), "/play", "/table") == []


@pytest.mark.usefixtures("bracketed_language")
def test_the_pages_of_any_game_say_nothing_that_can_not_be_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages of a game without a template show its state under the names that its JSON uses; everything else is
    translatable."""
    game = with_text(
        SECRETS,
        log_line=lambda *args: _(str(SECRETS.text.log_line(*args))),
        label=lambda *asked: tuple(map(_, SECRETS.text.label(*asked))),
        prompt=lambda *asked: _(SECRETS.text.prompt(*asked)),
    )
    monkeypatch.setitem(GAMES, game.name, game)  # type: ignore[arg-type]
    web_table = secrets_web_table()
    host, ann = web_table.host(), web_table.phone(0)
    for seat in (0, 1, 0, 1):
        found = (*untranslatable(web_table, host, *PAGES), *untranslatable(web_table, ann, *PAGES))
        assert {word for _path, words in found for word in words} <= {"cards", "guesses"}
        web_table.table.submit(Seat(seat), {"seat": seat, "move": "guess", "card": 3})
    assert untranslatable(web_table, ann, "/log", "/games") == []


@pytest.mark.usefixtures("bracketed_language")
def test_the_page_to_set_up_says_nothing_that_can_not_be_translated(tmp_path: Path) -> None:
    """Every text on /setup is translatable, except for the names of the doctor's checks, which the command line uses
    too."""
    table = Table(Journal(None), hasty_clock())
    lobby = Lobby(table)
    by_name = {
        "zbar": lambda: computer_checks.zbar(None),
        "disk": lambda: storage_checks.disk(tmp_path),
        "clock": computer_checks.clock,
        "network": lambda: network_checks.network("192.0.2.1", 0),
        "rights": lambda: device_checks.device_access(tmp_path),
        "box": lambda: device_checks.box(None),
    }
    context = camera_setup.SetupContext(table, lobby, lambda: None, "", by_name, has_simulator=True)
    client = create_app(table, lobby, setup=camera_setup.blueprint(context)).test_client()
    client.get(f"/host?key={lobby.host_key}")
    said = " ".join(PageTexts(client.get("/setup").text).words)
    assert set(words_outside_brackets(said)) <= {*by_name, "journal", "tablekeeper", "doctor", "camera"}
    assert words_outside_brackets(client.get("/setup/now").json["error"]["message"]) == []


@pytest.mark.usefixtures("bracketed_language")
def test_discrepancies_say_nothing_that_can_not_be_translated() -> None:
    """Every discrepancy is one whole translatable sentence that contains the names."""
    table = new_table()
    mat = GAMES["systems-failing"].physical.components.mat
    assert mat
    table.observe(MatSeen(t=0, mat=mat.name))
    for n, code in enumerate(("SF-D07", "SF-D01", "SF-E1", "SF-S1")):
        zone = (*mat.zones, None)[n] if n < 3 else None
        middle = (200.0, 150.0)
        table.observe(CardSeen(t=n, code=code, zone=zone and zone.name, mm=middle, angle=0.0, change="appeared"))
    found = table.view(Seat(0))
    assert found
    view = german(found)
    assert len(view.tabletop.discrepancies) > 3
    assert (
        words_outside_brackets(
            " ".join(
                (
                    *(item.message for item in view.tabletop.discrepancies),
                    *view.tabletop.uncertain_count_messages,
                    *view.tabletop.physical_instructions,
                )
            )
        )
        == []
    )


def test_icons_have_signs_and_no_letters() -> None:
    """Icons have signs instead of letters, because the first letter of an English color would be ambiguous in other
    languages: in German, "G" could be green or yellow ("gelb")."""
    icons = re.findall(r'<span class="piece .*?</span>', new_web_table().phone(0).get("/play", headers=GERMAN).text)
    assert icons
    assert not any("<b>" in icon for icon in icons)
