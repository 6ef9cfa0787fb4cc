"""Commute in German: whole sentences, and a page that says for each button what its move does."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from html import unescape

import pytest

from companion.games.commute import display_names, text
from companion.games.commute.end_screen import ending as ending_sentence
from companion.games.commute.game import GAME
from companion.games.commute.moves import UhOh
from companion.games.commute.page.content import content
from companion.games.commute.uh_oh_cards import uh_oh_cards
from companion.games.rules import HOUSE, SPECTATOR, Seat
from companion.text.refusal_errors import IllegalMove, SetupError
from companion.text.translation import Translator
from tests.commute_games import asks, begun, must_bump, seen, until
from tests.commute_positions import GAME_IN_TOWN, act, bump, choose, start, travel, under_way
from tests.rendered_texts import english, german, in_german, refused_in_german
from tests.test_commute_text import HANDS, NAMES, swapping
from tests.test_commute_text import log_after as log_after_in

effect_summary, ending, pause_label, prompt = map(
    in_german, (display_names.effect_summary, ending_sentence, text.pause_label, text.prompt)
)
log_after = partial(log_after_in, code="de")

GERMAN = {"Accept-Language": "de"}


def test_the_log_of_journeys_is_german() -> None:
    """The German log covers journeys to a space, to work and home, by a player's own move or by a bump, with one minute
    and with several."""
    state = under_way(["c", "d", "h2"], HANDS)
    assert log_after(state, 0, "travel", card="AH", to="d") == (
        "Ann spielt Herz-Ass und geht nach d, +5 Minuten. Dort steht Bob und muss weitergeschickt werden."
    )
    assert log_after(travel(state, "AH", "d"), 0, "bump", card="2H", to="p") == (
        "Ann spielt Herz 2 und schickt Bob nach p, +5 Minuten, rote Linie."
    )
    assert (
        log_after(state, 0, "travel", card="2H", to="k")
        == "Ann spielt Herz 2 und geht nach k, +7 Minuten, blaue Linie."
    )
    assert log_after(state, 0, "travel", card="AH", to="m") == "Ann spielt Herz-Ass und geht nach m, +2 Minuten."
    there = log_after(under_way(["l", "h1", "h2"], HANDS), 0, "travel", card="AH", to="work")
    assert there == "Ann spielt Herz-Ass und geht zur Arbeit, +1 Minute. Ann kommt an."
    evening = under_way(["a", "work", "work"], HANDS, commute=1)
    assert (
        log_after(evening, 0, "travel", card="AH", to="h0")
        == "Ann spielt Herz-Ass und geht nach Hause, +1 Minute. Ann kommt an."
    )


def test_the_log_of_a_swap_is_german_and_keeps_its_secrets() -> None:
    """The German log names the card of a swap only to players who may see it."""
    state = choose(swapping(), 1)
    assert log_after(state, 0, "choose", Seat(0), option="2H") == "Ann bietet Herz 2 zum Tausch an."
    assert log_after(state, 0, "choose", Seat(1), option="2H") == "Ann bietet eine Karte zum Tausch an."
    said = log_after(choose(state, "2H"), HOUSE, "pick", Seat(2), from_=1, card="5D")
    assert said == "Aus der Hand von Bob wird eine Karte gezogen. Ann und Bob tauschen Karten."


def test_cards_and_effects_are_german() -> None:
    """The German text says what a card asks, what it did and what it would do."""
    state = travel(under_way(["e", "h1", "h2"], HANDS), "AH", "f")
    assert log_after(state, HOUSE, "uh_oh", to=0, card="U05") == (
        "Ann zieht „Wo ist meine Stempelkarte?“: „Jemand ist mit deiner Stempelkarte weg. Sie zurückzuholen dauert "
        "6 Minuten.“ Ann: +6 Minuten."
    )
    cards = uh_oh_cards()
    assert effect_summary(cards["U04"].effect) == "+10 Minuten und +5 Ansehen oder −1 Ansehen"
    assert effect_summary(cards["U07"].effect) == "morgens +2 Minuten, abends −2 Minuten"
    assert effect_summary(cards["U16"].effect) == "auf Stationen −2 Minuten, sonst +2 Minuten"


def test_prompts_are_german() -> None:
    """German prompts exist for the player who acts, for those who wait, between commutes and at the end."""
    state = under_way(["c", "d", "h2"], HANDS)
    assert (
        prompt(state, Seat(0), NAMES)
        == "Du bist dran: Spiel eine Karte und geh zur Arbeit. Komm möglichst bei 100 Minuten an."
    )
    assert prompt(state, Seat(1), NAMES) == "Ann spielt eine Karte und geht zur Arbeit."
    sent = travel(state, "AH", "d")
    assert prompt(sent, Seat(1), NAMES) == "Ann muss dich mit einer Karte weiterschicken."
    assert prompt(sent, Seat(2), NAMES) == "Ann muss Bob mit einer Karte weiterschicken."
    assert prompt(swapping(), Seat(2), NAMES) == "Ann wählt, mit wem getauscht wird."
    assert [meter.name for meter in german(GAME.physical.meters(state))][:2] == ["{0}: Minuten", "{0}: Ansehen"]
    last = under_way(["l", "work", "work"], HANDS, arrived=(False, True, True), minutes=(90, 100, 110))
    said = log_after(last, 0, "travel", card="2H", to="work")
    assert said.endswith(
        "Der Morgen von Runde 1 ist vorbei: "
        "Ann 92 Minuten (Ansehen −8), Bob 100 Minuten (Ansehen +0), Cid 110 Minuten (Ansehen −17)."
    )
    between = travel(last, "2H", "work")
    assert pause_label(between) == "Für den Abend austeilen"
    assert prompt(between, SPECTATOR, NAMES).startswith("Der Morgen ist vorbei.")
    assert (
        ending(between.replace(reputation=(3, 3, -1), is_over=True), NAMES)
        == "Ann und Bob teilen sich den Sieg, mit je 3 Ansehen."
    )
    assert ending(between.replace(reputation=(-3, -8, -9), is_over=True), NAMES) == "Ann gewinnt mit −3 Ansehen."


def test_refusals_are_german() -> None:
    """Refusals of a card, a space, an answer and a set-up are in German."""
    state = under_way(["c", "d", "h2"], HANDS)
    with refused_in_german(
        IllegalMove, match="Karo 9 hast du nicht auf der Hand. Spielen kannst du Herz-Ass, Herz 2, Herz 3"
    ):
        travel(state, "9D", "d")
    with refused_in_german(IllegalMove, match="Mit Herz-Ass kommst du nicht nach work. Erreichbar: d, m, n, b"):
        travel(state, "AH", "work")
    with refused_in_german(IllegalMove, match="Das geht jetzt nicht: Platz 0 muss eine Karte spielen und losgehen"):
        bump(state, "AH", "d")
    with refused_in_german(IllegalMove, match="Als Nächstes kommt eine Karte für Platz 0"):
        act(start(2).state, HOUSE, "deal", to=1, card="7H")
    with refused_in_german(
        SetupError, match=re.escape("rounds ist 'x'; möglich sind 0.5 bis 50, in halben Schritten.")
    ):
        start(2, rounds="x")


def test_components_and_places_are_german() -> None:
    """Discrepancies name components and places in German. A line of a user's board keeps its name."""
    words = GAME.physical.components.vocabulary(NAMES)
    assert [german(words.component(component)) for component in ("CM-10S", "CM-U01", "CM-P1")] == [
        "Pik 10",
        "„Alle aussteigen!“",
        "die gelbe Figur",
    ]
    assert [german(words.place(place)) for place in ("s12", "work", "hand-1", "discard")] == [
        "Feld s12",
        "Arbeitsplatz",
        "Hand von Bob",
        "Ablage",
    ]
    state = under_way(["c", "d", "h2"], HANDS)
    paths = {german(GAME_IN_TOWN.text.label(state, made, Seat(0), NAMES)) for made in state.legal_moves()}
    assert ("Gehen", "Herz-Ass", "n, +3 Minuten, „Uh-Oh!“") in paths


def test_the_page_of_a_seat_speaks_german() -> None:
    """Each journey on the page has its kind and its cost in German, and the effect of a card is shown once."""
    web_table = begun()
    view = until(web_table, must_bump)
    seat, target = int(view.turn), view.names[view.state["pending"]["target"]]  # type: ignore[arg-type]
    page = unescape(web_table.phone(seat).get("/play", headers=GERMAN).text)
    assert f"Du bist bei {target} gelandet. Schick die Figur mit einer Karte weiter." in page
    stops = [stop for pick in german(content(seen(web_table))).picks for stop in pick.stops]
    assert stops
    for stop in stops:
        assert re.search(rf'<h2 id="to-{stop.key}">{stop.heading}</h2>', page)
        assert re.match(rf"{target} (nach {stop.spot.id}|zur Arbeit|nach Hause) schicken$", stop.heading)
        assert all(f"Mit {way.card.title} schicken" in page for way in stop.moves)


def test_beside_an_uh_oh_card_that_asks_no_other_is_shown() -> None:
    """If one act draws three cards and the last one asks, the page shows only this one. Otherwise the map and the hand
    would not fit on a phone. The log has all three."""
    web_table = begun()
    view = until(web_table, asks("choice"))
    entry = view.log[-1]
    ((number, drawn),) = ((number, move) for number, move in enumerate(entry.moves) if isinstance(move, UhOh))
    other = replace(drawn, card=next(card for card in uh_oh_cards() if card != drawn.card))
    crowded = {"moves": (other, other, *entry.moves), "words": (entry.words[number],) * 2 + entry.words}
    shown = english(content(replace(view, log=(*view.log[:-1], replace(entry, **crowded))))).uh_oh_cards
    assert shown == english(content(view)).uh_oh_cards[-1:]
    assert shown[0].is_open


def test_an_uh_oh_card_and_its_answers_are_german() -> None:
    """The player who is asked sees the card's text and the answers in German. The answers make the same moves as on the
    English page."""
    web_table = begun()
    view = until(web_table, asks("choice"))
    drawn, other = german(content(seen(web_table))), english(content(view))
    assert [answer.move for answer in drawn.answers] == [answer.move for answer in other.answers]
    assert drawn.uh_oh_cards[-1].title != other.uh_oh_cards[-1].title
    page = unescape(web_table.phone(int(view.turn)).get("/play", headers=GERMAN).text)  # type: ignore[arg-type]
    assert all(
        words in page
        for words in (
            drawn.uh_oh_cards[-1].title,
            drawn.uh_oh_cards[-1].text,
            "Wähl eine der Möglichkeiten auf der Karte.",
        )
    )
    assert all(answer.label in page for answer in drawn.answers)


def test_the_effect_of_a_card_is_shown_once_in_german() -> None:
    """Below a card the page shows its effect, not the card's text again."""
    web_table = begun(rounds="5")
    until(
        web_table,
        lambda view: any(isinstance(move, UhOh) and move.card in ("U05", "U08") for move in view.log[-1].moves),
    )
    cards = german(content(seen(web_table))).uh_oh_cards
    card = next(card for card in cards if card.title in ("Wo ist meine Stempelkarte?", "Blaskapelle"))
    assert card.outcome == f"{card.by.name}: +{6 if card.title.startswith('Wo') else 4} Minuten."


@pytest.mark.parametrize(("code", "signs"), [("en", "RED GREEN"), ("de", "ROT GRÜN"), ("es", "ROJA VERDE")])
def test_the_signs_of_a_metro_line_have_its_color_in_a_word(code: str, signs: str) -> None:
    """The signs of metro lines on the map say the line's color as a word in the reader's language, because a letter
    would look like that of a house. A line of a user's own board keeps its name, which is shortened if it is long."""
    said = [Translator(code).render(display_names.line_sign(line)) for line in ("red", "green", "zoo", "northeastern")]
    assert said == [*signs.split(), "ZOO", "NORTHEA…"]
