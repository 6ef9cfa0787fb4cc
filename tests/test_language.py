"""Languages: catalogs with every text, and translations of texts, numbers and names."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from companion.drawing.canvas import BOLD, MEDIUM, SEMIBOLD, drawable
from companion.games import GAMES
from companion.games.systems_failing.components import FIRST_MARKER
from companion.games.traffic_congestion.component_set import BACK_SUFFIX, SIGNAL_KIND
from companion.games.turn_prompt import own_turn, turn_of
from companion.tabletop.discrepancies import discrepancies
from companion.tabletop.expected_layout import Layout
from companion.tabletop.observations import ButtonPressed, CardSeen, MatSeen
from companion.tabletop.physical_instructions import physical_instructions
from companion.tabletop.tracked_table import TrackedTable
from companion.text import translation
from companion.text.messages import NamingPlayers, Number, PlayerName, _, listed, plural
from companion.text.toml_files import DataError
from companion.text.translation import LANGUAGES, Translator
from scripts import gather_texts as texts_script
from scripts.gather_texts import CORE, KEYWORDS, texts_by_catalog, texts_in_python, untranslated
from tests.game_completeness import COMPLETE, OTHERS, TRANSLATED, catalog, skip_untranslated
from tests.systems_failing_tables import new_table, seen
from tests.web_table import new_web_table
from web.graphics.token_icons import texts_with_icons

SPOKEN = (CORE, *GAMES)
ROOT = Path(__file__).parents[1]
GERMAN = {"Accept-Language": "de-DE,de;q=0.9,en;q=0.5"}


@pytest.fixture(scope="module")
def gathered() -> dict[str, Catalog]:
    """Every text in the source, by part."""
    return texts_by_catalog()


def messages(found: Catalog) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yields each translated text with its translation. Both are tuples: singular and plural if there are two forms,
    otherwise a single text."""
    for message in found:
        if message.id and message.string:
            yield (
                tuple([message.id] if isinstance(message.id, str) else message.id),
                (tuple([message.string] if isinstance(message.string, str) else message.string)),
            )


@pytest.mark.parametrize("part", SPOKEN)
@pytest.mark.parametrize("code", COMPLETE)
def test_a_catalog_holds_every_text_of_its_part_translated(gathered: dict[str, Catalog], code: str, part: str) -> None:
    """Each catalog contains exactly the texts of its part, and each text is translated and not marked as a guess:
    `python scripts/gather_texts.py` would change nothing."""
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
    """Texts that are not translated also have curly apostrophes: on the command line, in drills, in prints and in the
    description of the API."""
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
    """Yields the strings in a module, except docstrings and strings that are programs."""
    nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
    docstrings = {node.value for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            yield node.value


def texts_of(id: str | tuple[str, ...]) -> tuple[str, ...]:
    """The text of a message. For a message with a plural: both texts."""
    return (id,) if isinstance(id, str) else tuple(id)


@pytest.mark.parametrize("part", TRANSLATED)
@pytest.mark.parametrize("code", OTHERS)
def test_a_translation_has_the_names_of_its_text(code: str, part: str) -> None:
    """A translation has exactly the {names} of its text, so that inserting values neither fails nor loses one. It may
    use a form of a name, such as {place.into}."""
    for texts, translated in messages(catalog(code, part)):
        wanted = [set(re.findall(r"\{.*?\}", text)) for text in texts]
        for said in translated:
            assert set(re.findall(r"\{.*?\}", re.sub(r"\.(at|into|out_of|beside|this)\}", "}", said))) in wanted, (
                texts,
                said,
            )


@pytest.mark.parametrize("code", OTHERS)
def test_a_text_of_several_parts_is_translated_alike_in_all(code: str) -> None:
    """A text that is in several parts has the same translation in all of them. Otherwise one of the translations would
    be silently lost, because the parts are merged."""
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


RETIRED = {
    "de": r"Gastgeber|\b(Mit)?[Ss]pieler\b|Startspieler|\bStuhl",
    "es": r"\bjugador|[Aa]nfitri|\bmóvil|\w[áé]is\b|\bvosotros|\bustedes",
}
"""Words that translations do not use, by language: see the top of each language's `language.toml`."""


@pytest.mark.parametrize("part", TRANSLATED)
@pytest.mark.parametrize("code", RETIRED)
def test_translations_avoid_masculine_forms_and_synonyms(code: str, part: str) -> None:
    for texts, translations in messages(catalog(code, part)):
        for said in translations:
            assert not re.search(RETIRED[code], said), (texts[0], said)


@pytest.mark.parametrize("font", [BOLD, MEDIUM, SEMIBOLD])
@pytest.mark.parametrize("code", OTHERS)
def test_pictures_and_prints_have_every_letter(code: str, font: str) -> None:
    """The fonts of pictures and PDF files have every letter and every mark around words that a translation uses."""
    said = "".join(text for part in TRANSLATED for _texts, texts in messages(catalog(code, part)) for text in texts)
    letters = "".join(sorted({each for each in said if each.isalpha() or each in "¡¿«»„“”–−…"}))
    assert len(letters) > 50
    assert drawable(letters, font) == letters


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_prompt_is_whole_with_and_without_whose_turn_it_is(code: str) -> None:
    """If a heading already says whose turn it is, the prompt is only the sentence after that; otherwise it has both.
    Nothing is cut out of a translation."""
    said = Translator(code).render
    left = plural("{n} action left.", "{n} actions left.", 3)
    own, other = own_turn(left), turn_of("Ann", left)
    assert said(own) == f"{said(_('Your turn'))}: {said(left)}"
    assert said(other) == f"{said(_('{name}’s turn', name='Ann'))}: {said(left)}"
    assert (own.instruction, other.instruction) == (left, left)


def test_a_text_is_gathered_wherever_it_stands() -> None:
    """Texts are collected from f-strings, concatenated lines, plurals and constants. Expressions that are not literals
    are ignored."""
    source = b"""f"{_('in')} {x}"; _("two " "parts", n=2); plural("one", "many", n)
gettext_noop("kept"); _(name); plural(a, "b", 1)"""
    found = [texts for _line, _name, texts, _comments in texts_in_python(BytesIO(source), KEYWORDS, (), {})]
    assert found == [("in",), ("two parts",), ("one", "many"), ("kept",)]


def test_singular_and_plural_follow_each_languages_rules() -> None:
    """A number selects singular or plural according to the rules of each language, also for tokens."""
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


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_line_breaks_before_a_unit_or_an_ellipsis(code: str) -> None:
    """There is no line break between a number and its unit, or before an ellipsis. "5 minutes" may break, because the
    unit is a whole word."""
    language = Translator(code)
    assert "5\u00a0min" in language.render(_("{n} min", n=5))
    assert "\u00a0°C" in language.gettext("The processor is at {n} °C.")
    assert " %" not in language.gettext("The disk has used up about {n}% of its life.")
    assert " …" not in language.gettext("Reading the photo…")
    assert language.ngettext("{n} minute", "{n} minutes", 2).lower().startswith("{n} min")


def test_a_text_without_a_translation_stays_as_it_is() -> None:
    """An empty text, a name, and any text in an unknown language stay as they are."""
    texts = [_(""), _("Ann"), _("{name} said no.", name="{n}")]
    assert [*map(Translator("de").render, texts)] == ["", "Ann", "{n} hat Nein gesagt."]
    assert Translator("tlh").render(_("Seat")) == "Seat"


@pytest.mark.slow
def test_a_folder_with_a_catalog_is_a_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder with a catalog is enough for a new language: it has a name, texts without a translation are in English,
    and `scripts/gather_texts.py` adds and counts these texts."""
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


@pytest.mark.parametrize(("argument", "status"), [("--help", 0), ("--fo", 2), ("xx-nowhere", 2), ("../de", 2)])
def test_only_the_code_of_a_language_makes_a_folder(
    argument: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`scripts/gather_texts.py` makes a folder only for the code of a language, not for an option or anything else."""
    monkeypatch.setattr(texts_script, "CATALOGS", tmp_path)
    monkeypatch.setattr(texts_script, "LANGUAGES", {})
    with pytest.raises(SystemExit) as stop:
        texts_script.main([argument])
    assert stop.value.code == status
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("code", "sentences"),
    [
        ("en", ("Move the blue car from the supply to lane north1>A.", "Put the first-player marker in Ben’s place.")),
        ("de", ("Leg das blaue Auto aus der Reserve auf Spur Nord1>A.", "Leg den Startmarker an den Platz von Ben.")),
        (
            "es",
            (
                "Mover el coche azul de la reserva general al carril norte1>A.",
                "Poner el marcador de inicio en el lugar de Ben.",
            ),
        ),
    ],
)
def test_instructions_for_the_table_have_articles_and_prepositions(code: str, sentences: tuple[str, ...]) -> None:
    """In what people must do on the table, places and things have the article, the case and the preposition that the
    sentence needs."""
    names = ("Ann", "Ben")
    streets, ship = (
        GAMES[each].physical.components.vocabulary(names) for each in ("traffic-congestion", "systems-failing")
    )
    moved = Layout({}, {"supply": {"blue": 1}, "north1>A": {}}), Layout({}, {"supply": {}, "north1>A": {"blue": 1}})
    put = Layout({}), Layout({"role-1": (FIRST_MARKER,)})
    found = (*physical_instructions(*moved, streets), *physical_instructions(*put, ship))
    assert tuple(map(Translator(code).render, found)) == sentences


@pytest.mark.parametrize(
    ("code", "sentences"),
    [
        (
            "en",
            (
                "D07 is next to the core: put it face down on top of the disaster deck.",
                "Pick up what is next to “Show the camera”, and show it there.",
                "Turn the signal in lane north1>A face up.",
            ),
        ),
        (
            "de",
            (
                "Leg D07, jetzt neben dem Kern, verdeckt oben auf den Katastrophenstapel.",
                "Nimm auf, was neben dem Feld „Der Kamera zeigen“ liegt, und zeig es dort.",
                "Leg die Ampel auf Spur Nord1>A offen hin.",
            ),
        ),
        (
            "es",
            (
                "D07 está al lado del núcleo: debe ir boca abajo sobre el mazo de desastres.",
                "Recoger lo que hay al lado de la zona «Mostrar a la cámara» y mostrarlo ahí.",
                "Poner boca arriba el semáforo del carril norte1>A.",
            ),
        ),
    ],
)
def test_fixes_for_the_table_have_articles_and_prepositions(code: str, sentences: tuple[str, ...]) -> None:
    """In what people must fix, places have the preposition that the sentence needs, also beside a place. The only
    signal in a lane has the definite article."""
    found = []
    for game, place, card, expected in (
        ("systems-failing", "core", "SF-D07", Layout({})),
        ("system-won", "show", "SW-R1A", Layout({})),
        ("traffic-congestion", "north1>A", f"{SIGNAL_KIND}01{BACK_SUFFIX}", Layout({"north1>A": (SIGNAL_KIND,)})),
    ):
        components = GAMES[game].physical.components
        mat = components.mat
        assert mat
        is_inside = place == "north1>A"
        spot = next(
            (float(x), float(y))
            for x in range(0, int(mat.size[0]), 4)
            for y in range(0, int(mat.size[1]), 4)
            if mat.zone_at((x, y)) == (place if is_inside else None) and mat.zones_by_distance((x, y))[0].name == place
        )
        seen = CardSeen(t=0, code=card, zone=mat.zone_at(spot), mm=spot, angle=0, change="appeared")
        table = TrackedTable().after(MatSeen(t=0, mat=mat.name)).after(seen)
        found += [each.message for each in discrepancies(expected, table, components, ("Ann", "Ben"))]
    assert tuple(map(Translator(code).render, found)) == sentences


def test_the_facts_about_a_language_are_checked(tmp_path: Path) -> None:
    """A mistake in `language.toml` is an error with its line. Without the file a language is a draft."""
    assert translation.LanguageFacts.load(tmp_path) == translation.LanguageFacts(False, ())
    (tmp_path / "language.toml").write_text('[language]\nstatus = "done"\ncolor_endings = []\n')
    with pytest.raises(DataError, match=r"language\.toml, line 2: status is 'done'"):
        translation.LanguageFacts.load(tmp_path)
    good = '[language]\nstatus = "draft"\ncolor_endings = []\n'
    (tmp_path / "language.toml").write_text(f'{good}[places]\n"Zone *" = ["in Zone *"]\n')
    with pytest.raises(DataError, match=r"language\.toml, line 4: Zone \* contains 1 names; it must contain 4"):
        translation.LanguageFacts.load(tmp_path)


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
    """The rules know only seats. If a match knows the players' names, they replace the seats."""
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
    """No module stores a language, for example in a context variable: the language of a text is always passed as an
    argument."""
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


def test_a_color_in_a_sentence_has_its_picture_in_every_language() -> None:
    """A color word in a sentence gets its icon, with any ending that the language adds, but not inside another word.
    A number before it stays on its line."""
    game, app = GAMES["systems-failing"], new_web_table().app
    with app.test_request_context():
        assert texts_with_icons(game)("a red cube, redo").count("<svg") == 1
    with app.test_request_context(headers=GERMAN):
        said = texts_with_icons(game)("ein roter Würfel, 2 blaue, Rotes, grün; Brot, rotieren, red")
    with app.test_request_context(headers={"Accept-Language": "es"}):
        in_spanish = texts_with_icons(game)("un cubo rojo, 2 azules, dos verdes; rojizo, un negrosol, red")
    assert re.findall(r"</span>(\w+)</span>", said) == ["roter", "blaue", "grün"]
    assert re.findall(r'<span class="named">(\d+\s)<', said) == ["2 "]
    assert re.findall(r"</span>(\w+)</span>", in_spanish) == ["rojo", "azules", "verdes"]


def test_a_list_has_commas_and_one_and() -> None:
    """A list is punctuated as its language requires."""
    lists = [listed(words) for words in ((), ("1",), ("1", "2"), ("1", "2", "4"))]
    assert [*map(str, lists)] == ["", "1", "1 and 2", "1, 2 and 4"]
    assert Translator("de").render(lists[3]) == "1, 2 und 4"
