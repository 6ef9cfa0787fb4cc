"""Players' names, and how they are inserted into texts."""

from __future__ import annotations

import re
from random import Random

import pytest

from companion.games import GAMES, move_json
from companion.games.rules import Seat
from companion.match.journal import Journal
from companion.table.table import Table
from companion.text.player_names import MAX_NAME_LENGTH, bidi_isolate, clean_name, name_key, without_blanks
from companion.text.refusal_errors import IllegalMove
from tests.systems_failing_tables import act_some, seen
from tests.web_table import WebTable, code_of
from web.people.profiles import Profiles

HEBREW, ARABIC = "שרה לוי", "ليلى"
APART = "\u2068{}\u2069".format


def test_a_name_that_runs_against_the_words_is_set_apart() -> None:
    """Hebrew and Arabic names in English sentences are put between isolation characters. Other names are inserted as
    they are. The names themselves are never changed."""
    for name in (HEBREW, ARABIC, f"Ann {HEBREW}"):
        assert bidi_isolate(name) == APART(name)
        assert clean_name(bidi_isolate(name)) == name
    for name in ("Ann", "Ζωή", "明", "3", "Ann-Kathrin O’Neill!", ""):
        assert bidi_isolate(name) == name


def test_invisible_characters_are_removed_from_names() -> None:
    """Invisible characters are removed from names, so that no name can reverse a whole sentence."""
    assert clean_name("\u202eAnn\u2066 \u200b Lee\n") == "Ann Lee"
    assert len(clean_name("x" * 99)) == MAX_NAME_LENGTH


@pytest.mark.parametrize(
    "name", ["\u3164", "\u115f\uffa0", "\u2800", "\u200b\u200e", "\u202e", "\u0301", "\ufe0f", "\U0001d159"]
)
def test_a_name_that_shows_nothing_is_refused(name: str) -> None:
    """Wherever people enter a name, an invisible one is refused with a reason, and no profile is made for it. Names
    from older journals stay in their games."""
    assert (without_blanks(name), name_key(name)) == ("", "")
    table = Table(Journal(None))
    table.start("commute", 2, {}, {}, ("Ann", name), "s")
    web_table = WebTable(table)
    phone, host = web_table.phone(), web_table.host()
    refused = [
        phone.post("/api/join", {"code": web_table.lobby.code, "seat": 0, "name": name}),
        host.post("/api/start", {"game": "commute", "seats": 2, "players": ["Ann", name]}),
    ]
    assert [code_of(answer) for answer in refused] == [(422, "no_name")] * 2
    pages = [
        phone.client.post("/join", data={"code": web_table.lobby.code, "seat": 0, "name": name}),
        host.client.post("/host", data={"game": "commute", "seats": 2, "sure": 1, "player": ["Ann", name]}),
    ]
    assert ["That name can’t be seen." in page.text for page in pages] == [True, True]
    assert table.names == ("Ann", name)
    assert [profile.name for profile in Profiles(table, web_table.lobby).all()] == ["Ann"]


def test_blanks_in_a_name_are_spaces() -> None:
    """All kinds of blanks count as a space. Characters that join letters or emoji stay in a name, but names that differ
    only in them belong to the same person."""
    assert without_blanks("\u3164Ann\u2800Lee\u3164") == "Ann Lee"
    family, heart = "👨\u200d👩\u200d👧", "❤\ufe0f"
    assert (without_blanks(family), without_blanks(heart), without_blanks("明")) == (family, heart, "明")
    assert name_key("A\u200dnn") == name_key("ann\u3164") == "ann"


@pytest.mark.parametrize("game", GAMES)
def test_names_are_set_apart_on_every_page(game: str) -> None:
    """Names are isolated in the log, in prompts, on buttons, in charts, lists and labels, but not in form fields."""
    table, rng = Table(Journal(None)), Random(3)
    table.start(game, 2, {}, {}, (HEBREW, ARABIC), "s")
    web_table = WebTable(table)
    act_some(table, rng, 25)
    phone, host = web_table.phone(0), web_table.host()
    pages = [phone.get(path).text for path in ("/play", "/table", "/log", "/log.txt", "/join")]
    pages += [web_table.phone(1).get("/play").text, host.get("/host").text]
    table.end()
    pages += [host.get(path).text for path in ("/host", "/games", "/games/1", "/games/1.svg")]
    for name in (HEBREW, ARABIC):
        # The keys of elements and the fields of forms are no words.
        said = [re.findall(rf'.(?<!-)(?<!value="){name}.', page) for page in pages]
        assert {words for page in said for words in page} == {APART(name)}
        assert len([page for page in said if page]) > 7


def test_programs_and_the_journal_have_the_bare_name() -> None:
    """The journal, the API and form fields contain the name as it was typed."""
    table = Table(Journal(None))
    table.start("systems-failing", None, {}, {}, (HEBREW, "Ben"), "s")
    web_table = WebTable(table)
    phone = web_table.phone()
    joined = phone.post("/api/join", {"code": web_table.lobby.code, "seat": 0, "name": ARABIC})
    assert joined.json == {"seat": 0, "name": ARABIC}
    table.rename(Seat(1), HEBREW)
    kept = table.journal.running_game()
    assert kept
    assert kept.header.players == (ARABIC, HEBREW)
    assert f'value="{ARABIC}"' in phone.get("/join").text
    assert f'value="{HEBREW}"' in web_table.host().get("/host").text


@pytest.mark.parametrize("game", GAMES)
def test_refusals_at_a_table_call_players_by_their_names(game: str) -> None:
    """Refusals name the player whose turn it is or whose move it would be."""
    table = Table(Journal(None))
    table.start(game, 2, {}, {}, ("Ann", "Ben"), "s")
    web_table = WebTable(table)
    ben = web_table.phone(1)
    taken = move_json.to_json(seen(table).choices.legal[0])
    refused = [ben.move(taken), ben.move({**taken, "seat": 1})]
    assert [code_of(answer) for answer in refused] == [(403, "not_your_seat"), (422, "not_your_turn")]
    said = [answer.json["error"]["message"] for answer in refused]
    assert said == ["That’s Ann’s move, and you are Ben.", "It’s Ann’s turn now."]


def test_prompts_to_deal_use_names() -> None:
    """If people deal, the prompts for dealing use players' names. Without a table they use seat numbers
    (tests/test_json_lines_protocol.py)."""
    table = Table(Journal(None))
    table.start("commute", 2, {}, {"cards": "table"}, ("Ann", "Ben"), "s")
    with pytest.raises(IllegalMove, match="Next is a card for Ann"):
        table.submit(None, {"seat": "house", "move": "deal", "to": 1, "card": "7H"})
