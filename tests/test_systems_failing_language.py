"""Systems Failing in German: whole sentences, and pages whose buttons work in every language."""

from __future__ import annotations

import re
from functools import partial
from html import unescape

import pytest

from companion.games.rules import Seat
from companion.games.systems_failing import text
from companion.games.systems_failing.cube_multiset import Cubes
from companion.games.systems_failing.display_names import counted_cubes
from companion.games.systems_failing.page.content import content
from companion.text.refusal_errors import IllegalMove
from companion.text.translation import LANGUAGES, Translator
from tests.rendered_texts import german, in_german, refused_in_german, rendered
from tests.systems_failing_positions import act, begin, draw, hands_dealt, house, resting, reveal, ship
from tests.test_systems_failing_text import NAMES
from tests.test_systems_failing_text import log_after as log_after_in
from tests.web_table import WebTable, new_web_table, unwrapped
from web.button_ids import button_id
from web.moves.move_menu import buttons_by_key, move_buttons

label, meters, prompt = map(in_german, (text.label, text.meters, text.prompt))
log_after = partial(log_after_in, code="de")


def test_moves_are_logged_in_german() -> None:
    """Cases and numbers agree in the German log: for drawn and transferred cubes, and for one or two repaired cards."""
    state = ship({1: ["D01 blue", "D05 red blue"]}, ("red red", "orange blue"), active_player=0)
    assert log_after(state, "transfer", color="blue") == "Bo gibt Ann einen blauen Würfel."
    assert log_after(act(state, "scavenge"), "draw", to=0, cube="red") == "Ann zieht einen roten Würfel."
    assert log_after(state, "repair", card="D01", cubes="red") == (
        "Ann legt einen roten Würfel auf D01 Riss im Rumpf. "
        "D01 Riss im Rumpf und D05 Sture Schleuse sind repariert und abgelegt."
    )
    state = ship({1: ["D01 blue"]}, active_player=1, first_player=1)
    words = log_after(state, "repair", card="D01", cubes="", ability=True)
    assert words == "Bo kommt bei D01 Riss im Rumpf ohne rot aus. D01 Riss im Rumpf ist repariert und abgelegt."


def test_the_ship_s_troubles_are_logged_in_german() -> None:
    """The German log covers a surge, a hit of the core, a start that is too mild, and an end."""
    surge = log_after(
        act(ship({1: ["D05", "D06", "D01"], 2: ["D11", "D12", "D13"]}), "scavenge"), "draw", to=0, cube="white"
    )
    assert surge == (
        "Ann zieht einen weißen Würfel: ein Systemschub. Der Schub treibt D13 Karte ohne Sterne in Zone 1. "
        "D01 Riss im Rumpf trifft den Kern: Der Schaden steigt um 1 auf 1."
    )
    mild = log_after(reveal(hands_dealt(begin()), "D01 D11 D21"), "reveal", card="D02")
    assert "D11 Kurzer im Relais ist für den Anfang zu harmlos und wird ersetzt." in mild
    over = house(resting(zones={1: ["D04"]}, damage=9), "advance")
    assert prompt(over, Seat(1), NAMES) == "Der Kern explodiert. Ihr habt verloren."


def test_prompts_are_german() -> None:
    """German prompts address players who act and players who wait, in singular and plural."""
    state = ship()
    assert prompt(state, Seat(0), NAMES) == "Du bist dran: noch 4 Aktionen."
    assert prompt(state.replace(actions_left=1), Seat(1), NAMES) == "Ann ist dran: noch 1 Aktion."
    drawing = act(state, "scavenge")
    assert prompt(drawing, Seat(0), NAMES) == "Du ziehst 2 Würfel aus dem Beutel; ein weißer kommt auf den Stapel."
    assert prompt(draw(drawing, "red"), Seat(1), NAMES).startswith("Ann zieht 1 Würfel aus dem Beutel")
    assert [meter.name for meter in meters(state)] == ["Stabi\u00adlität", "Schaden"]
    paths = {label(state, move, Seat(0), NAMES) for move in state.legal_moves()}
    assert paths == {("Suchen: 2 Würfel ziehen",), ("Zug beenden",)}


def test_refusals_are_german() -> None:
    """Refusals of a seat name cubes in German; so do refusals of deals."""
    with refused_in_german(IllegalMove, match=re.escape("In deinem Vorrat liegt: 2 blau und 1 rot.")):
        act(ship({1: ["D01"]}, ("red blue blue", "")), "repair", card="E1", cubes="orange")
    with refused_in_german(IllegalMove, match="eine Karte vom Katastrophenstapel"):
        house(house(resting(zones={1: ["D05"]}), "advance"), "reveal", card="D05")


@pytest.fixture
def web_table() -> WebTable:
    """A game in which the first player must act."""
    return new_web_table(zones={"1": ["D01", "D02"], "2": ["D11"]}, escape=["E3"], cubes=["red", "blue", "yellow"])


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_card_s_button_opens_its_repairs(web_table: WebTable, code: str) -> None:
    """In every language a card, or the escape sequence, is a button exactly if it can be repaired now."""
    view = web_table.table.view(Seat(0))
    assert view
    drawn = rendered(content(view), code)
    with web_table.app.test_request_context(headers={"Accept-Language": code}):
        buttons = buttons_by_key(move_buttons(view.choices.legal, view))
    repairable = {move.card for move in view.choices.legal if move.NAME == "repair"}  # type: ignore[attr-defined]
    assert drawn.escape
    assert button_id(*drawn.repair) in buttons
    assert drawn.escape.id in repairable
    cards = [drawn.escape, *(card for _number, zone in drawn.zones for card in zone)]
    assert {card.id for card in cards if button_id(*card.button) in buttons} == repairable


@pytest.mark.parametrize(("code", "said"), [("en", "Repair D01 Hull breach"), ("de", "D01 Riss im Rumpf reparieren")])
def test_the_page_of_a_seat_speaks_its_language(web_table: WebTable, code: str, said: str) -> None:
    """The label of a card that is read aloud, and the target of its button, are in the seat's language."""
    page = unescape(web_table.phone(0).get("/play", headers={"Accept-Language": code}).get_data(as_text=True))
    found = re.search(rf'popovertarget="([^"]+)"\s+data-open="([^"]+)"\s+aria-label="{said}"', page)
    assert found
    assert all(f'id="{name}"' in page for name in found.groups())


def test_the_meter_that_does_not_count_is_known_in_german() -> None:
    """The German page marks the damage meter, which brings no disasters on the beginner's side."""
    view = new_web_table(side="beginner").table.view(Seat(0))
    assert view
    tracks = german(content(view)).tracks
    assert [(track.name, track.plain) for track in tracks] == [("Stabi\u00adlität", False), ("Schaden", True)]


def test_the_core_says_what_moving_disasters_do_to_it(web_table: WebTable) -> None:
    """The number beside the core has an explanation in a whole sentence, which people understand without knowing the
    game."""
    page = unwrapped(web_table.phone(0).get("/play").text)
    core = page.split('class="core column"')[1].split("</div>")[0]
    threat = content(web_table.table.view(Seat(0))).threat  # type: ignore[arg-type]
    assert threat
    assert f"<b>{threat}</b><small>damage when disasters move</small>" in core


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "Ann puts 1 blue and 1 red on E1."),
        ("de", "Ann legt 1 blau und 1 rot auf E1."),
        ("es", "Ann puso 1 azul y 1 rojo en E1."),
    ],
)
def test_the_log_lists_cubes_as_in_a_sentence(code: str, said: str) -> None:
    """When cubes of several colors are placed, the log lists them with "and"."""
    state = ship(pools=("red blue", ""))
    assert log_after_in(state, "repair", card="E1", cubes="red blue", code=code) == said


def test_spanish_colors_have_a_plural() -> None:
    """Several cubes have their color in the plural in Spanish."""
    cubes = Cubes(("orange", "orange", "blue", "blue", "yellow", "green"))
    assert Translator("es").render(counted_cubes(cubes)) == "2 naranjas, 2 azules, 1 amarillo y 1 verde"
