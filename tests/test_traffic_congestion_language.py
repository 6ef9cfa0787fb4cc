"""Traffic Congestion in German: whole sentences, German names of lanes, refusals, and the sheets of a phone."""

from __future__ import annotations

from functools import partial
from html import unescape

import pytest

from companion.games.rules import SPECTATOR, Seat
from companion.games.traffic_congestion import text
from companion.games.traffic_congestion.display_names import lane_label
from companion.games.traffic_congestion.game import GAME
from companion.text.refusal_errors import IllegalMove, SetupError
from companion.text.translation import LANGUAGES
from tests.rendered_texts import german, in_german, refused_in_german
from tests.test_traffic_congestion_text import NAMES
from tests.test_traffic_congestion_text import log_after as log_after_in
from tests.traffic_games import RUSH, begun, won
from tests.traffic_positions import GRID, act, begin, go, streets
from tests.web_table import Phone

label, meters, prompt = map(in_german, (text.label, text.meters, text.prompt))
log_after = partial(log_after_in, code="de")


def test_moves_are_logged_in_german() -> None:
    """The German log gives cars by number and color, lanes by start and end, and points in the right singular or plural
    form."""
    assert log_after(begin(), "enter", "west1>A") == "Ann setzt ein blaues Auto bei West1>A ein."
    assert log_after(begin(), "signal", "west1>A", to="A>B") == "Ann stellt eine Ampel auf, von West1>A zu A>B."
    state = streets({"west1>A": "red blue red"}, {"west1>A": "A>east1"}, active_player=1, board="crossroads")
    moved = "Bob lässt 2 rote Autos und 1 blaues Auto von West1>A nach A>Ost1 fahren"
    home = "Bob bekommt 2 Punkte. Zurück in die Reserve: 1 blaues Auto."
    assert log_after(state, "go", "west1>A", then="keep") == f"{moved}; die Ampel bleibt. {home}"
    assert log_after(state, "go", "west1>A", then="remove") == f"{moved} und nimmt die Ampel weg. {home}"
    assert (
        log_after(state, "go", "west1>A", then={"to": "A>south1"}) == f"{moved} und dreht die Ampel zu A>Süd1. {home}"
    )
    one = streets({"west1>A": "blue"}, {"west1>A": "A>north1"})
    assert log_after(one, "go", "west1>A", then="remove").endswith("Ann bekommt 1 Punkt.")


def test_prompts_and_buttons_are_german() -> None:
    """Prompts for the player in turn, for waiting players and at the end are in German, and so are buttons and
    scores."""
    assert prompt(begin(), Seat(0), NAMES) == (
        "Du bist dran: Setz ein blaues Auto ein, stell eine Ampel auf oder lass Autos fahren."
    )
    assert prompt(begin(), SPECTATOR, NAMES) == "Ann ist dran: spielt blau."
    last = streets({"west1>A": "blue"}, {"west1>A": "A>north1"}, (19, 3))
    assert prompt(go(last, "west1>A"), SPECTATOR, NAMES) == "Ann gewinnt: 20 blaue Autos zu Hause!"
    assert [meter.name.format(*NAMES) for meter in meters(last)] == ["Ann, blau", "Bob, rot"]
    paths = {label(last, move, Seat(0), NAMES) for move in last.legal_moves()}
    assert ("Ein blaues Auto einsetzen", "Nord1>A") in paths
    assert ("Autos fahren lassen", "West1>A zu A>Nord1: 1 blaues Auto", "dann die Ampel wegnehmen") in paths


def test_refusals_are_german() -> None:
    """Refusals of moves, set-ups and users' boards are in German."""
    state = streets(signals={"west1>A": "A>B", "south1>C": "C>A"})
    with refused_in_german(IllegalMove, match=r"^Der Weg von Nord1>A zu A>C würde den von West1>A zu A>B kreuzen\.$"):
        act(state, "signal", "north1>A", "A>C")
    with refused_in_german(IllegalMove, match=r"^Bei Nord1>A steht keine Ampel\. Stell erst eine auf\.$"):
        go(state, "north1>A")
    with refused_in_german(SetupError, match=r"^In colors steht 'pink'; möglich sind"):
        begin(colors=["pink"])
    twice = GRID.replace('id = "B"', 'id = "A"', 1)
    with refused_in_german(SetupError, match="A steht zweimal in der Datei"):
        begin(board={"file": "mine.toml", "text": twice})


def test_components_have_german_names() -> None:
    """Components on any board have German names, and lanes are named as on the page."""
    for board in ("crossroads", "grid-2x2", "grid-3x3"):
        start = GAME.rules.begin(2, {"board": board})
        assert start.components
        words = start.components.vocabulary(NAMES)
        lanes = start.state.to_json()["lanes"]
        assert {lane: german(words.place(lane)) for lane in lanes} == {
            lane: f"Spur {german(lane_label(lane))}" for lane in lanes
        }
    assert german(words.token("blue", 2)) == "blaue Autos"


def test_the_names_of_a_persons_own_places_stay() -> None:
    """Names on a user's board are not translated, even if they are words with another meaning."""
    assert [german(lane_label(lane)) for lane in ("harbor2>Go", "north1>You", "red>Home")] == [
        "harbor2>Go",
        "Nord1>You",
        "red>Home",
    ]


def _sheet(phone: Phone, code: str, lane: str) -> str:
    page = unescape(phone.get("/play", headers={"Accept-Language": code}).text)
    return page.split(f'id="sheet-lane-{lane}"')[1].split('id="sheet-lane-')[0]


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_buttons_of_a_sheet_do_the_same_in_every_language(code: str) -> None:
    """In every language, the buttons of a sheet make the same moves. Only their labels differ."""
    phone = begun(*RUSH).phone(0)
    found = [_sheet(phone, each, "west1_A").count('name="move" value="') for each in ("en", code)]
    assert found[0] == found[1] > 3


def test_the_sheet_of_a_lane_speaks_german() -> None:
    """The German sheet says which cars move and where to, which stay, why a move is refused, and whose turn it is."""
    web_table = begun(*RUSH)
    sheet = _sheet(web_table.phone(0), "de", "west1_A")
    for said in ("Einfahrt West.", "2 von 5 Autos", "Fahren nach A>B", "2 Autos fahren:", 'aria-label="blau, rot"'):
        assert said in sheet
    assert "Fahren, dann Ampel rechts" in sheet
    assert "Ampel bleibt</button>" in sheet
    assert "Du bist nicht dran." in _sheet(web_table.phone(1), "de", "north1_A")


def test_the_end_is_logged_in_german() -> None:
    """The banner, the winner's meter and the names of streets on the map are in German."""
    page = unescape(won().phone(0).get("/play", headers={"Accept-Language": "de"}).text)
    for said in (
        'Ann gewinnt: <span class="named">20 ',
        'aria-label="Ann, Autos zu Hause: blau"',
        ">Nord1</text>",
        "20 von 20",
    ):
        assert said in page
