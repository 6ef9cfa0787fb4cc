"""System WON in German: whole sentences, the same buttons, and no more information than in English."""

from __future__ import annotations

import html
import re
from functools import partial

import pytest

from companion.games import move_json
from companion.games.rules import SPECTATOR, Seat, play
from companion.games.system_won import text
from companion.games.system_won.log_lines import log_line
from companion.games.system_won.page.roles import MY_ABILITY
from companion.games.system_won.text import ABILITY_TEXTS
from companion.text.translation import LANGUAGES
from tests.rendered_texts import in_german, rendered
from tests.system_won_positions import act, deal, move, random_game, table, use
from tests.system_won_positions import refused as refused_in
from tests.systems_failing_tables import seen
from tests.test_system_won_text import NAMES, ROLES
from tests.test_system_won_text import log_after as log_after_in
from tests.test_web_won import dealt, moves_on, own_hand, won
from tests.web_table import Phone, WebTable, without_ids

label, meters, prompt = map(in_german, (text.label, text.meters, text.prompt))
log_after = partial(log_after_in, code="de")
refused = partial(refused_in, code="de")

GREEN_4 = {"use": "play_from_discard", "card": "G4"}
GERMAN = {"Accept-Language": "de-DE"}


def page_of(phone: Phone, path: str = "/play", code: str = "de") -> str:
    return html.unescape(phone.get(path, headers={"Accept-Language": code}).text)


def test_acts_are_logged_in_german() -> None:
    """The German log covers specifications of one card or several, an error, a system, and abilities."""
    state = table(systems="B4", roles=ROLES, specifications=7)
    assert log_after(state, "specify", target=1, rank=2) == "Ann gibt einen Hinweis: Karten 3 und 4 von Bob sind 2er."
    words = log_after(state, "specify", target=1, color="blue")
    assert words == "Ann gibt einen Hinweis: Karte 5 von Bob ist als einzige blau."
    assert log_after(state, "discard", slot=0) == "Ann wirft eine rote 1 ab."
    assert log_after(state, "play", slot=1) == "Ann spielt eine rote 2 (Fehler)."
    assert log_after(state, "play", slot=4) == "Ann spielt eine blaue 5. Das blaue System ist vollständig."
    assert log_after(state, "ability", use="restore") == "Ann (Planung) deckt eine Hinweiskarte wieder auf."


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_text_names_a_card_by_the_letter_of_its_english_color(code: str) -> None:
    """Logs, buttons, refusals and pages name cards in words, because in German "G4" could be a green or a yellow
    card."""
    words = [refused_in(table(roles="technician designer engineer", discard="R1"), "ability", code=code, **GREEN_4)]
    for state in random_game(3):
        for made in (*state.legal_moves(), *(made for made, _ in state.chances())):
            words += rendered(text.label(state, made, SPECTATOR, NAMES), code)
            words.append(rendered(log_line(state, made, play(state, made), SPECTATOR, NAMES), code))
    phone = won(roles="engineer,operations,technician").phone(0)
    words += [re.sub(r"<[^>]*>", " ", page_of(phone, path, code)) for path in ("/play", "/table", "/log")]
    assert not [each for each in words if re.search(r"\b[RYGB][1-5]?\b", each)]


def test_the_end_is_logged_in_german() -> None:
    """The German texts give the number of remaining turns, in singular and plural, and the score with its rating."""
    state = act(table(deck="G1"), "discard", slot=0)
    last = deal(state, "G1")
    assert prompt(last, Seat(2), NAMES).startswith("Bob kann einen Hinweis geben, eine Karte abwerfen oder spielen. ")
    assert "Der Stapel ist leer: noch 3 Züge. Nur Hinweise, kein anderes Reden." in prompt(last, Seat(2), NAMES)
    last = act(act(last, "discard", slot=0), "discard", slot=0)
    assert "Das ist der letzte Zug der Partie." in prompt(last, SPECTATOR, NAMES)
    over = act(table(deck="", regular_turns_left=0, systems="R2", errors="B3"), "discard", slot=0)
    assert prompt(over, Seat(0), NAMES).startswith("Punktestand 1: Verkehrsinfarkt. Nichts geht mehr")


def test_prompts_and_buttons_are_german() -> None:
    """Prompts for the player in turn and for dealing, buttons and meters are in German."""
    state = table(roles="contractor designer engineer", discard="R3")
    assert prompt(state, Seat(0), NAMES).startswith("Du bist dran: Tipp auf eine eigene Karte")
    drawing = act(state, "discard", slot=0)
    assert prompt(drawing, Seat(0), NAMES).startswith("Zieh eine Karte. Sieh sie nicht an")
    assert (
        prompt(use(state, "recycle"), Seat(0), NAMES)
        == "Nehmt 1 zufällige Karte aus der Ablage und mischt sie in den Stapel."
    )
    assert label(state, move(state, "specify", target=2, rank=3), Seat(0), NAMES) == (
        "Hinweis geben",
        "Cid",
        "alle 3er",
    )
    two = move(state, "ability", use="play_two", slots=[0, 4])
    assert label(state, two, Seat(0), NAMES) == ("Meine Fähigkeit", "Zwei Karten spielen", "Karte 1", "Karte 5")
    assert [meter.name for meter in meters(state)] == ["Punkte", "Fehler", "Übrige Hinweise", "Karten im Stapel"]


def test_refusals_are_german() -> None:
    """Refusals of an ability without its role, of a pile, and of a specification that matches no card are in German."""
    state = table(roles=ROLES)
    assert refused(state, "ability", use="recycle") == "Das kann nur die Rolle „Bau\u00adleitung“."
    assert refused(state, "specify", target=1, color="red") == (
        "Ein Hinweis muss auf mindestens eine Karte passen. Hier passt keine."
    )
    assert refused(state, "play", slot=7) == "Die Hand hat die Karten 0 bis 4."


@pytest.fixture
def web_table() -> WebTable:
    """A game with hands that people dealt on Ann's turn. Phones remember negative specifications."""
    return dealt("R1 B1 B2 R3 B5", "Y1 Y2 Y3 Y4 Y5", "G1 R2 G3 G4 G5", aids="negation")


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_legal_move_has_its_button_in_every_language(code: str) -> None:
    """Every legal move has a button on the board's sheets or in the dock."""
    web_table = won(roles="engineer,operations,technician")
    for seat in range(3):
        page = web_table.phone(seat).get("/play", headers={"Accept-Language": code}).text
        assert {move_json.write(move) for move in seen(web_table.table, seat).choices.legal} <= moves_on(page)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_button_of_an_ability_explains_it_in_every_language(code: str) -> None:
    """In every language, the text of an ability is above the ways to use it, and nowhere else on the page."""
    web_table = won(roles="engineer,operations,technician")
    engineer = seen(web_table.table).state["roles"].index("engineer")
    web_table.table.submit(Seat(0), {"seat": 0, "move": "discard", "slot": 0})
    notes = page_of(web_table.phone(engineer), code=code).split('class="ability-list"')[1].split("</ul>")[0]
    assert all(rendered(ABILITY_TEXTS[use], code) in notes for use in ("play_other", "undo"))
    assert rendered(MY_ABILITY, code) not in notes


def test_cards_and_marks_are_read_aloud_in_german(web_table: WebTable) -> None:
    """The German labels for screen readers give colors with the right endings, negative specifications, and the number
    of cards that a specification points at."""
    assert web_table.phone(0).move({"seat": 0, "move": "specify", "target": 2, "color": "red"}).status_code == 200
    ben, cy = page_of(web_table.phone(1)), own_hand(page_of(web_table.phone(2)))
    assert 'aria-label="rote 2 von Cy: Hinweis geben"' in ben
    assert "Cy einen Hinweis geben: 4 Karten sind grün" in ben
    assert "Cy einen Hinweis geben: 1 Karte mit einer 2" in ben
    assert 'aria-label="Meine Karte 2, rot"' in cy
    assert (cy.count('aria-label="rot"'), cy.count('aria-label="nicht rot"')) == (2, 8), "in the hand and on each sheet"
    assert 'aria-label="System rot: noch nichts gebaut"' in ben


def test_two_worlds_are_the_same_page_in_german(web_table: WebTable) -> None:
    """Two worlds that differ only in the viewer's own hand have the same German page and refusals."""
    other = dealt("B4 R4 R5 B3 G2", "Y1 Y2 Y3 Y4 Y5", "G1 R2 G3 G4 G5", aids="negation")
    other.lobby.join_code, other.lobby.host_key = web_table.lobby.join_code, web_table.lobby.host_key
    phones = web_table.phone(0), other.phone(0)
    for path in ("/play", "/table", "/log"):
        one, two = (without_ids(phone.get(path, headers=GERMAN).data) for phone in phones)
        assert one == two
    one, two = (
        phone.post(
            "/api/moves", {"move": {"seat": 0, "move": "play", "slot": 7}, "id": "x", "version": 15}, headers=GERMAN
        )
        for phone in phones
    )
    assert one.data == two.data
    assert "Die Hand hat" in one.json["error"]["message"]


def test_a_log_that_forgets_does_so_in_german() -> None:
    """A log limited to the latest specification hides the earlier ones in German too, even after an undo."""
    web_table = dealt("R1 B2 B2 R3 B5", "Y1 Y2 Y3 Y4 Y5", "G1 R2 G3 G4 G5", aids="none")
    phones = [web_table.phone(seat) for seat in range(3)]
    for seat in (0, 1):
        rank = {"seat": seat, "move": "specify", "target": seat + 1, "rank": 1}
        assert phones[seat].move(rank).status_code == 200
    log = page_of(phones[0], "/log")
    assert "Ann gibt einen Hinweis zur Hand von Ben." in log
    assert re.search(r"Ben gibt einen Hinweis: Karte 1 von Cy ist die einzige 1\.", log)
    assert "von Ben ist" not in log
    web_table.table.undo(None, None)
    log = page_of(phones[0], "/log")
    assert "Der Tisch macht einen Hinweis rückgängig." in log
    assert "von Cy ist" not in log
