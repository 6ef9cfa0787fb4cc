"""Languages: every text is translated, and every phone gets texts in its own language."""

from __future__ import annotations

import argparse
import ast
import calendar
import gettext
import json
import pickle
import re
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from html import unescape
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from babel.messages.catalog import Catalog

from companion.commands import service_settings
from companion.devices.gpio import Gpio, Pins, mock_pins
from companion.diagnostics import checks
from companion.drawing.canvas import BOLD, MEDIUM, SEMIBOLD, drawable
from companion.games import GAMES, notation
from companion.games.rules import Seat
from companion.games.view import View
from companion.match.journal import Journal
from companion.service import Service
from companion.table.table import Table
from companion.tabletop.observations import ButtonPressed, CardSeen, DeviceHealth, MatSeen
from companion.text import translation
from companion.text.messages import NamingPlayers, Number, PlayerName, _, listed, plural
from companion.text.toml_files import DataError
from companion.text.translation import LANGUAGES, Translator
from scripts import gather_texts as texts_script
from scripts.gather_texts import CORE, KEYWORDS, texts_by_catalog, texts_in_python, untranslated
from tests.game_completeness import COMPLETE, OTHERS, TRANSLATED, catalog, skip_untranslated
from tests.game_variants import with_text
from tests.rendered_texts import english, german
from tests.repetitions import repetitions
from tests.secrets_game import SECRETS, secrets_web_table
from tests.systems_failing_tables import SEED, act, hasty_clock, new_table, seen
from tests.web_table import Phone, WebTable, empty_web_table, new_web_table
from web.access.lobby import Lobby
from web.app import create_app
from web.events.table_feed import TableFeed
from web.graphics.token_icons import texts_with_icons
from web.setup import camera_setup

SPOKEN = (CORE, *GAMES)
ROOT = Path(__file__).parents[1]
NOTICE = re.compile(r'class="alert notice".*?<p>(.*?)</p>', re.S)
GERMAN = {"Accept-Language": "de-DE,de;q=0.9,en;q=0.5"}


@pytest.fixture(scope="module")
def gathered() -> dict[str, Catalog]:
    """Every text in the source, by part."""
    return texts_by_catalog()


def messages(found: Catalog) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yields each translated text with its translation; both are tuples of singular and plural where there are two
    forms."""
    for message in found:
        if message.id and message.string:
            yield (
                tuple([message.id] if isinstance(message.id, str) else message.id),
                (tuple([message.string] if isinstance(message.string, str) else message.string)),
            )


@pytest.mark.parametrize("part", SPOKEN)
@pytest.mark.parametrize("code", COMPLETE)
def test_a_catalog_holds_every_text_of_its_part_translated(gathered: dict[str, Catalog], code: str, part: str) -> None:
    """No text is missing, unused or marked as a guess: `python scripts/gather_texts.py` would change nothing."""
    skip_untranslated(part)
    found = catalog(code, part)
    assert {message.id for message in found if message.id} == {m.id for m in gathered[part] if m.id}
    assert untranslated(found) == []
    assert [message.id for message in found if message.fuzzy and message.id] == []


@pytest.mark.parametrize("part", [CORE, *GAMES])
def test_apostrophes_are_curly(gathered: dict[str, Catalog], part: str) -> None:
    """No text has a straight apostrophe between letters, or after a plural: all are like "can’t" and "players’"."""
    texts = [text for message in gathered[part] if message.id for text in texts_of(message.id)]
    assert [text for text in texts if re.search(r"\w'(\w|\s)", text)] == []


def test_apostrophes_are_curly_in_untranslated_texts() -> None:
    """Texts that the code says without translation have curly apostrophes too: on the command line, in drills, in print
    and in the description of the API."""
    identifiers = {"box's line"}
    found = (
        (path.name, text)
        for package in ("companion", "vision", "web")
        for path in (ROOT / package).rglob("*.py")
        for text in strings_in(path)
        if text not in identifiers and re.search(r"[A-Za-z]'[A-Za-z]|s' |^'s\b", text)
    )
    assert [*found] == []


def strings_in(path: Path) -> Iterator[str]:
    """Yields the texts in a module, without docstrings and programs."""
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            yield node.value


def texts_of(id: str | tuple[str, ...]) -> tuple[str, ...]:
    """The text of a message; of a message with a plural, both."""
    return (id,) if isinstance(id, str) else tuple(id)


@pytest.mark.parametrize("part", TRANSLATED)
@pytest.mark.parametrize("code", OTHERS)
def test_a_translation_has_the_names_of_its_text(code: str, part: str) -> None:
    """A translation has exactly the {names} of its text, so that inserting values neither fails nor loses one."""
    for texts, translated in messages(catalog(code, part)):
        wanted = [set(re.findall(r"\{.*?\}", text)) for text in texts]
        for said in translated:
            assert set(re.findall(r"\{.*?\}", said)) in wanted, (texts, said)


@pytest.mark.parametrize("code", OTHERS)
def test_a_text_of_several_parts_is_translated_alike_in_all(code: str) -> None:
    """A text in several parts has the same translation in all of them. The parts are merged, so one of two translations
    would be lost silently."""
    said: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for part in TRANSLATED:
        for texts, translated in messages(catalog(code, part)):
            said.setdefault(texts, set()).add(translated)
    assert {texts: found for texts, found in said.items() if len(found) > 1} == {}


@pytest.mark.parametrize("part", TRANSLATED)
@pytest.mark.parametrize("code", OTHERS)
def test_a_translation_begins_and_ends_as_its_text(code: str, part: str) -> None:
    """A translation begins and ends with the same spaces as its text, because some texts are joined to others."""
    for texts, translated in messages(catalog(code, part)):
        for said in translated:
            assert (said[:1].isspace(), said[-1:].isspace()) == (texts[0][:1].isspace(), texts[0][-1:].isspace()), said


@pytest.mark.parametrize("font", [BOLD, MEDIUM, SEMIBOLD])
@pytest.mark.parametrize("code", OTHERS)
def test_pictures_and_prints_have_every_letter(code: str, font: str) -> None:
    """The fonts of pictures and PDF files have every letter and every mark around words that a translation uses."""
    said = "".join(text for part in TRANSLATED for _texts, texts in messages(catalog(code, part)) for text in texts)
    letters = "".join(sorted({each for each in said if each.isalpha() or each in "¡¿«»„“”–−…"}))
    assert len(letters) > 50
    assert drawable(letters, font) == letters


@pytest.mark.parametrize("part", TRANSLATED)
@pytest.mark.parametrize("code", OTHERS)
def test_prompts_of_the_own_turn_begin_alike(code: str, part: str) -> None:
    """The heading says whose turn it is, and the page omits that beginning from the sentence below. So all prompts of
    one's own turn begin alike."""
    beginning = Translator(code).gettext("Your turn: ")
    for texts, translated in messages(catalog(code, part)):
        if texts[0].startswith("Your turn: "):
            assert all(said.startswith(beginning) for said in translated), translated


def test_a_text_is_gathered_wherever_it_stands() -> None:
    """Texts are collected from f-strings, concatenated lines, plurals and constants. Expressions that are no literals
    are ignored."""
    source = b"""f"{_('in')} {x}"; _("two " "parts", n=2); plural("one", "many", n)
gettext_noop("kept"); _(name); plural(a, "b", 1)"""
    found = [texts for _line, _name, texts, _comments in texts_in_python(BytesIO(source), KEYWORDS, (), {})]
    assert found == [("in",), ("two parts",), ("one", "many"), ("kept",)]


def test_singular_and_plural_follow_each_languages_rules() -> None:
    """The number selects singular or plural, by the rules of each language; also for tokens."""
    texts = [plural("{n} minute", "{n} minutes", n) for n in (0, 1, 2)]
    said = {code: [*map(Translator(code).render, texts)] for code in LANGUAGES}
    assert said["en"] == ["0 minutes", "1 minute", "2 minutes"]
    assert said["de"] == ["0 Minuten", "1 Minute", "2 Minuten"]
    assert said["es"] == ["0 minutos", "1 minuto", "2 minutos"]


def test_numbers_have_the_decimal_sign_of_the_language() -> None:
    """Numbers use the decimal sign of the language."""
    numbers = [Number(2.55), Number(-3), Number(1234.5), Number(2.55, 2), Number(2, 0)]
    assert [*map(Translator("de").render, numbers)] == ["2,5", "−3", "1.234,5", "2,55", "2"]
    assert str(Number(2.55)) == "2.5"


def test_a_text_without_a_translation_stays_as_it_is() -> None:
    """An empty text, a name, and any text in an unknown language stay as they are."""
    texts = [_(""), _("Ann"), _("{name} said no.", name="{n}")]
    assert [*map(Translator("de").render, texts)] == ["", "Ann", "{n} hat Nein gesagt."]
    assert Translator("tlh").render(_("Seat")) == "Seat"


def test_a_folder_with_a_catalog_is_a_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A language needs only its folder: then it has a name, texts without a translation are in English, and
    `scripts/gather_texts.py` adds and counts them."""
    monkeypatch.setattr(translation, "CATALOGS", tmp_path)
    monkeypatch.setattr(texts_script, "CATALOGS", tmp_path)
    monkeypatch.setattr(texts_script, "LANGUAGES", {})
    folder = tmp_path / "fo"
    folder.mkdir()
    (folder / f"{CORE}.po").write_text('msgid "Seat"\nmsgstr "Pláss"\n')
    assert translation.languages(tmp_path) == {"en": "English", "fo": "Føroyskt"}
    faroese = Translator("fo")
    assert [faroese.gettext(text) for text in ("Seat", "Log")] == ["Pláss", "Log"]
    assert not faroese.facts.is_complete
    texts_script.main(["fo"])
    every, missing = map(int, re.findall(r"\d+", capsys.readouterr().out)[:2])
    assert every - missing == 1
    assert {file.stem for file in folder.iterdir()} == set(SPOKEN)


def test_the_facts_about_a_language_are_checked(tmp_path: Path) -> None:
    """A mistake in `language.toml` is an error with its line. Without the file a language is a draft."""
    assert translation.LanguageFacts.load(tmp_path) == translation.LanguageFacts(False, ())
    (tmp_path / "language.toml").write_text('[language]\nstatus = "done"\ncolor_endings = []\n')
    with pytest.raises(DataError, match=r"language\.toml, line 2: status is 'done'"):
        translation.LanguageFacts.load(tmp_path)


def test_answers_vary_by_language() -> None:
    """The header Vary names the language, so that no cache serves one phone's language to another."""
    assert "Accept-Language" in new_web_table().phone().get("/join").headers["Vary"]


def test_the_api_refuses_in_the_language_of_the_phone() -> None:
    """The code of a refusal is always the same; its message is in the phone's language."""
    phone = new_web_table().phone(0)
    stale = {"move": {"seat": 0, "move": "scavenge"}, "id": "x", "version": 99}
    english, german = (phone.post("/api/moves", stale, headers=asked).json["error"] for asked in ({}, GERMAN))
    assert english["code"] == german["code"] == "stale"
    assert (english["message"][:9], german["message"][:8]) == ("The game ", "Das Spie")


def test_an_event_stream_speaks_the_language_of_its_phone() -> None:
    """Two streams of one table each use their phone's language, whatever the other one sends meanwhile."""
    table = new_table()
    before = seen(table)
    act(table, Random(1))
    table.undo(Seat(0))
    last = f"{before.id}.{before.version}"
    feeds = [TableFeed(table, lambda: Seat(0), last, Translator(code)) for code in ("en", "de")]
    english, german = (json.loads("".join(feed.new_events()).split("data: ")[-1])["words"][0] for feed in feeds)
    assert (english.split(":")[0], german.split(":")[0]) == ("Ann undid", "Ann macht rückgängig")


def test_a_notice_of_the_table_is_read_in_each_phones_language() -> None:
    """A notice that a device caused in its own thread is shown in each phone's language: for a refusal, a press without
    a meaning, and the dial."""
    web_table = new_web_table()
    ann, bob = web_table.phone(0), web_table.phone(1)

    def read() -> tuple[str, str]:
        both = ann.get("/play").text, bob.get("/play", headers=GERMAN).text
        return tuple(re.search(r'class="alert notice".*?<p>(.*?)</p>', page, re.S)[1] for page in both)  # type: ignore

    web_table.table.observe(ButtonPressed(button="undo"))
    assert read() == ("There’s nothing to undo.", "Es gibt nichts rückgängig zu machen.")
    web_table.table.observe(ButtonPressed(button="next", seat=1))
    assert read() == ("It’s Ann’s turn now.", "Jetzt ist Ann dran.")
    web_table.table.rename(Seat(0), "Anna")
    assert read() == ("It’s Anna’s turn now.", "Jetzt ist Anna dran.")


def test_a_refusal_is_read_in_two_languages_at_the_same_time() -> None:
    """One refusal is rendered in English for one phone and in German for another."""
    web_table = new_web_table()
    web_table.table.observe(ButtonPressed(button="next", seat=1))
    made = seen_by_table(web_table).notice
    phones = [web_table.phone(0), web_table.phone(1)]
    for phone, code in zip(phones, ("en", "de"), strict=True):
        phone.client.set_cookie("tablekeeper-language", code)
    with ThreadPoolExecutor(2) as pool:
        for _each in range(5):
            pages = pool.map(lambda phone: phone.get("/play").text, phones)
            assert [NOTICE.findall(page) for page in pages] == [["It’s Ann’s turn now."], ["Jetzt ist Ann dran."]]
    assert seen_by_table(web_table).notice == made


def seen_by_table(web_table: WebTable) -> View:
    view = web_table.table.view()
    assert view
    return view


def test_a_text_is_pure_data() -> None:
    """Equal texts compare equal, have the same hash and can be pickled. A text has no language."""
    one, two = (
        _("{why} {n}", why=listed(["1", plural("{n} card", "{n} cards", 2)]), n=Number(2.5, 1)) for _each in range(2)
    )
    assert one == two == pickle.loads(pickle.dumps(one))
    assert len({one, two, _("other")}) == 2
    assert str(one) == "1 and 2 cards 2.5"
    assert one.with_values(why="x", n=1) != one


def test_a_text_in_an_f_string_raises() -> None:
    """Formatting a text into a string raises an error, because the string could no longer be translated."""
    with pytest.raises(TypeError, match="lose its translation"):
        assert f"{_('Seat')}"
    with pytest.raises(TypeError, match="lose its translation"):
        assert "{}".format(_("Seat"))
    with pytest.raises(TypeError):
        assert _("Seat") + " 1"  # type: ignore[operator]
    assert f"{_('Seat')!s}" == "Seat"


def test_names_stand_in_for_seats_where_they_are_known() -> None:
    """The rules know only seats; a match replaces them by the players' names."""
    text = _("It’s {name}’s turn now.", name=PlayerName(1))
    assert str(text) == "It’s seat 1’s turn now."
    assert Translator("de").render(text) == "Jetzt ist Platz 1 dran."
    assert Translator("de").render(NamingPlayers(text, ("Ann", "Ben"))) == "Jetzt ist Ben dran."


def test_names_are_isolated_where_a_language_runs_the_other_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a right-to-left sentence, a name in Latin letters is isolated; a number needs no isolation."""
    monkeypatch.setattr(translation, "_direction", lambda code: "rtl")
    text = _("{name} has {n}", name="Ann", n=3)
    assert Translator("de").render(text) == "\u2068Ann\u2069 has 3"


def test_no_module_stores_a_language() -> None:
    """A text is rendered in a language that is passed as an argument, never found in a context variable."""
    sources = [file for package in ("companion", "vision", "web") for file in (ROOT / package).rglob("*.py")]
    assert len(sources) > 200
    assert [file for file in sources if "contextvars" in file.read_text("utf-8")] == []
    translating = {file for file in sources if "companion.text.translation import" in file.read_text("utf-8")}
    assert {file.relative_to(ROOT).parts[0] for file in translating} == {"web"}


def test_a_refused_observation_changes_nothing() -> None:
    """A refused observation of a device changes nothing in the recorded state."""
    table = new_table()
    version = seen(table).version
    table.observe(ButtonPressed(button="undo"))
    assert (seen(table).version, seen(table).choices.can_redo) == (version, False)


def test_a_request_is_read_in_each_phones_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pending request is rendered in the language of the phone that shows it, not of the phone that asked."""
    game = with_text(GAMES["systems-failing"], label=lambda state, move, viewer, names: (_("Yes"), str(move)))
    monkeypatch.setitem(GAMES, game.name, game)  # type: ignore[arg-type]
    table = new_table()
    wanted = next(move for move in seen(table).choices.legal if move.consenting_seat() is not None)
    table.request_consent(Seat(0), notation.to_json(wanted))
    view = table.view(Seat(1))
    assert view
    assert (english(view).choices.request_label[0], german(view).choices.request_label[0]) == ("Yes", "Ja")


def test_past_games_are_in_the_language_of_the_phone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of past games is rendered for each phone again, even if another phone has seen it in another language
    before."""
    web_table = new_web_table()
    web_table.table.end()
    phone = web_table.host()
    assert "ended early" in phone.get("/games").text
    assert "vorzeitig beendet" in phone.get("/games", headers=GERMAN).text
    assert "ended early" in phone.get("/games").text


def test_a_color_in_a_sentence_has_its_picture_in_every_language() -> None:
    """A color word in a sentence gets its icon, with any ending that the language adds, but not inside another word."""
    game, app = GAMES["systems-failing"], new_web_table().app
    with app.test_request_context():
        assert texts_with_icons(game)("a red cube, redo").count("<svg") == 1
    with app.test_request_context(headers=GERMAN):
        said = texts_with_icons(game)("ein roter Würfel, 2 blaue, Rotes, grün; Brot, rotieren, red")
    with app.test_request_context(headers={"Accept-Language": "es"}):
        in_spanish = texts_with_icons(game)("un cubo rojo, 2 azules, dos verdes; rojizo, un negrosol, red")
    assert re.findall(r"</span>(\w+)</span>", said) == ["roter", "blaue", "grün"]
    assert re.findall(r"</span>(\w+)</span>", in_spanish) == ["rojo", "azules", "verdes"]


def test_a_devices_message_is_in_the_language_of_the_phone() -> None:
    """A device's message is stored as a text with its values, also through a pipe, and rendered later with the texts
    inside it. Devices have readable names."""
    message = _("{why} Tablekeeper keeps trying by itself.", why=_("No answer from {path}.", path="/dev/box"))
    kept = pickle.loads(
        pickle.dumps(
            DeviceHealth(device="gpio", ok=False, message=message, remedy=_("The camera program has stopped."))
        )
    )
    assert str(kept.message) == "No answer from /dev/box. Tablekeeper keeps trying by itself."
    web_table = new_web_table()
    web_table.table.observe(kept)
    host = web_table.host()
    english, german = host.get("/host").text, host.get("/host", headers=GERMAN).text
    assert f"{kept.message!s} The camera program has stopped." in english
    assert "Buttons and lamp" in english
    said, label = map(Translator("de").render, (kept.message_with_remedy, _("Buttons and lamp (GPIO)")))
    assert "/dev/box" in said
    assert "tried" not in said
    assert said in german
    assert label in german


def parsed(config: Path) -> argparse.Namespace:
    """The arguments of a service that reads this settings file."""
    parser = argparse.ArgumentParser()
    service_settings.add_settings(parser)
    return parser.parse_args(["--config", str(config)])


def test_an_error_in_a_file_is_in_the_language_of_the_phone(tmp_path: Path) -> None:
    """An error in a board that the host uploads, or in the settings that were read at start, is shown in the phone's
    language. Keys stay as they are."""
    web_table, file = new_web_table(), tmp_path / "own.toml"
    host = Phone(create_app(web_table.table, web_table.lobby, board_folder=tmp_path).test_client())
    host.get(f"/host?key={web_table.lobby.host_key}")
    for written, in_english, in_german in (
        ("[board]", "own.toml, line 1: the file must have one [roads], not 0.", "own.toml, Zeile 1: die Datei"),
        ("[x]", "own.toml, line 1: [x] is unknown. Known keys are", "own.toml, Zeile 1: [x] ist unbekannt."),
        ("[", "own.toml, line 1: ", "own.toml, Zeile 1: "),
    ):
        for headers, said in (({}, in_english), (GERMAN, in_german)):
            form = {"upload-board": "commute", "board": (BytesIO(written.encode()), "own.toml")}
            assert said in unescape(host.client.post("/host", data=form, headers=headers).text)

    file.write_text("[pins]\nled = 17\n")
    _settings, trouble = service_settings.resolve_settings(parsed(file))
    web_table.table.observe(DeviceHealth(device="configuration", ok=False, message=trouble))
    english, german = (unescape(host.get("/host", headers=asked).text) for asked in ({}, GERMAN))
    assert "own.toml, line 2: led shares BCM 17 with another pin. Give each its own." in english
    assert "own.toml, Zeile 2: led teilt sich BCM 17" in german


def test_a_full_disk_is_reported_in_the_language_of_the_phone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A full disk during a button press is reported in the phone's language, as is the readiness of devices, with their
    readable names."""
    web_table = new_web_table()
    act(web_table.table, Random(1))

    def full(*_values: object) -> None:
        raise sqlite3.OperationalError("no room")

    monkeypatch.setattr(web_table.table.journal._database, "_db", SimpleNamespace(execute=full))
    Service(web_table.table, [])._observe(ButtonPressed(button="undo"))
    with closing(Gpio(mock_pins(), Pins())) as gpio:
        web_table.table.observe(DeviceHealth(device="gpio", ok=True, message=gpio.message))
    journal, pins = ("Couldn’t save this", "nicht speichern"), ("next 11, draw 13", "Weiter 11, Ziehen 13")
    for code, journal_says, pins_say in zip(("en", "de"), journal, pins, strict=True):
        said = {
            health.device: Translator(code).render(health.message_with_remedy) for health in web_table.table.health()
        }
        assert journal_says in said["journal"]
        assert pins_say in said["gpio"]


class Pseudo(gettext.NullTranslations):
    """A language that puts every text into brackets."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"


class Said(HTMLParser):
    """All texts of a page: those that are shown, and labels and descriptions that are read aloud."""

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


def forgotten(said: str) -> list[str]:
    """The words of three or more letters outside of brackets that are not a player's name."""
    while said != (fewer := re.sub(r"⟦[^⟦⟧]*⟧", " ", said)):
        said = fewer
    return [word for word in re.findall(r"[^\W\d_]{3,}", said) if word not in NAMES]


@pytest.fixture
def pseudo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "_texts", lambda code: Pseudo())


@pytest.mark.usefixtures("pseudo")
def test_words_that_can_not_be_translated_are_found() -> None:
    """The check finds words outside of brackets, in visible text and in labels, and none within nested brackets."""
    say = Translator("de").render
    assert forgotten(f"{say(_('Seat'))} left, {say(_('{name} said no.', name=_('Seat')))}") == ["left"]
    page = f'<p title="over">D07 {say(_("Seat"))} here</p><script>var code;</script><script>{{"a": "there"}}</script>'
    assert forgotten(" ".join(Said(page).words)) == ["over", "here", "there"]


PAGES = (
    *("/host", "/join", "/play", "/table", "/log", "/games", "/games/1", "/people", "/people/1", "/settings"),
    *("/offline", "/nothing"),
)


def untranslatable(web_table: WebTable, phone: Phone, *paths: str) -> list[tuple[str, list[str]]]:
    """The words on these pages that can't be translated, page by page: those that a phone shows outside of brackets."""
    answers = ((path, phone.get(path, follow_redirects=True).text) for path in paths)
    said = ((path, " ".join(Said(page).words).replace(web_table.lobby.code, "")) for path, page in answers)
    return [(path, found) for path, words in said if (found := forgotten(words))]


@pytest.mark.usefixtures("pseudo")
def test_pages_without_a_game_say_nothing_that_can_not_be_translated() -> None:
    """Every text is translatable on the host's page with each game, on the join page, in the lobby and in refusals."""
    web_table = empty_web_table()
    phone = web_table.host()
    assert phone.post("/api/join", {"name": "Ann"}).status_code == 200
    assert untranslatable(web_table, phone, *PAGES, *(f"/host?game={name}" for name in GAMES)) == []


@pytest.mark.usefixtures("pseudo")
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
            table.request_consent(Seat(int(move.seat)), notation.to_json(move))
            assert untranslatable(web_table, ann, "/play") + untranslatable(web_table, ben, "/play") == []
    table.undo(Seat(0))
    assert untranslatable(web_table, ann, "/play", "/log") == []
    table.end()
    assert untranslatable(web_table, ann, "/games", "/games/1?at=12") == []


@pytest.mark.usefixtures("pseudo")
@pytest.mark.parametrize("name", GAMES)
def test_pages_for_reports_say_nothing_that_can_not_be_translated(name: str) -> None:
    """Every text is translatable where people deal and enter what they dealt."""
    skip_untranslated(name)
    table = Table(Journal(None), hasty_clock())
    table.start(name, None, {}, dict.fromkeys(GAMES[name].rules.chance_sources, "table"), ("Ann", "Ben"), SEED)
    web_table = WebTable(table)
    assert untranslatable(web_table, web_table.phone(0), "/play", "/table") == []


@pytest.mark.usefixtures("pseudo")
def test_the_pages_of_any_game_say_nothing_that_can_not_be_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages of a game without a template show its state under the names that its JSON uses; everything else is
    translatable."""
    game = with_text(
        SECRETS,
        log_line=lambda *told: _(str(SECRETS.text.log_line(*told))),
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


@pytest.mark.usefixtures("pseudo")
def test_the_page_to_set_up_says_nothing_that_can_not_be_translated(tmp_path: Path) -> None:
    """Every text on /setup is translatable, except for the names of the doctor's checks, which the command line uses
    too."""
    table = Table(Journal(None), hasty_clock())
    lobby = Lobby(table)
    by_name = {
        "zbar": lambda: checks.zbar(None),
        "disk": lambda: checks.disk(tmp_path),
        "clock": checks.clock,
        "network": lambda: checks.network("192.0.2.1", 0),
        "rights": lambda: checks.device_access(tmp_path),
        "box": lambda: checks.box(None),
    }
    context = camera_setup.SetupContext(table, lobby, lambda: None, "", by_name, has_simulator=True)
    client = create_app(table, lobby, setup=camera_setup.blueprint(context)).test_client()
    client.get(f"/host?key={lobby.host_key}")
    said = " ".join(Said(client.get("/setup").text).words)
    assert set(forgotten(said)) <= {*by_name, "journal", "tablekeeper", "doctor", "camera"}
    assert forgotten(client.get("/setup/now").json["error"]["message"]) == []


def test_a_list_has_commas_and_one_and() -> None:
    """A list is punctuated as its language requires."""
    lists = [listed(words) for words in ((), ("1",), ("1", "2"), ("1", "2", "4"))]
    assert [*map(str, lists)] == ["", "1", "1 and 2", "1, 2 and 4"]
    assert Translator("de").render(lists[3]) == "1, 2 und 4"


@pytest.mark.usefixtures("pseudo")
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
        forgotten(
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
    """A letter of an English color would be wrong in other languages: in German, "G" is green or yellow ("gelb")."""
    icons = re.findall(r'<span class="piece .*?</span>', new_web_table().phone(0).get("/play", headers=GERMAN).text)
    assert icons
    assert not any("<b>" in icon for icon in icons)
