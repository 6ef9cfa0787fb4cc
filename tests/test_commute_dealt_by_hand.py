"""Commute with cards that people deal: what a phone may report, and who learns about it."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from companion.__main__ import main
from companion.games import move_json
from companion.games.commute.chance import unidentified_cards
from companion.games.commute.moves import Deal, UhOh
from companion.games.commute.rules import State
from companion.games.commute.suits_and_ranks import DECK, UNSEEN
from companion.games.rules import HOUSE, Seat
from companion.match.journal import Journal
from companion.match.json_lines_protocol import JsonLinesProtocol
from companion.match.match import NotYourSeat
from companion.table.table import Table
from companion.text.refusal_errors import BadMove, IllegalMove
from tests.commute_games import NAMES, act, begun, seen
from tests.commute_positions import GAME_IN_TOWN, deal, move, start
from tests.commute_positions import act as play_in_town
from tests.systems_failing_tables import hasty_clock
from tests.test_web_events import Stream
from tests.web_table import Phone, WebTable, served, without_ids

ANN = ("5D", "2H", "9S")
WORLDS = (("3C", "7H", "9C"), ("3C", "AS", "4D"))
"""Ben's hand in the recorded state of two worlds that Ann can't tell apart."""


def tell(phone: Phone, to: int, card: str) -> Any:
    """Reports on a phone which card its player was dealt."""
    return phone.move({"seat": "house", "move": "deal", "to": to, "card": card, "told": True})


def by_hand(ben: tuple[str, ...] = WORLDS[0], **more: str) -> WebTable:
    """A game of two players whose hands were dealt and shown to the camera."""
    web_table = begun(2, {"cards": "table", **more})
    for to, hand in enumerate((ANN, ben)):
        for card in hand:
            act(web_table, seat="house", move="deal", to=to, card=card)
    return web_table


def due_for_ann(ben: tuple[str, ...]) -> WebTable:
    """The game of `by_hand` after Ann has traveled: the table waits for a report of the card that she was dealt."""
    web_table = by_hand(ben)
    act(web_table, seat=0, move="travel", card="5D", to="s5")
    assert web_table.table.view().turn == HOUSE  # type: ignore[union-attr]
    return web_table


def test_a_player_reports_only_their_own_card() -> None:
    """A player may report which card was dealt to them. Anybody may report that a card was dealt face down, but nobody
    may report another player's card."""
    web_table = begun(3, {"cards": "table"})
    ann, ben = web_table.phone(0), web_table.phone(1)
    assert {report["card"] for report in ann.view()["reports"]} == {*DECK, UNSEEN}
    assert [report["card"] for report in ben.view()["reports"]] == [UNSEEN]
    assert tell(ben, 0, "AS").json["error"]["code"] == "not_your_seat"
    assert tell(ann, 0, "AS").status_code == 200
    assert ann.view()["state"]["hands"][0] == ["AS"]
    assert ben.view()["state"]["hands"][0] == [UNSEEN]


def test_where_the_companion_deals_nothing_is_reported() -> None:
    """If the companion shuffles, nobody can report a deal."""
    web_table = begun(2)
    assert web_table.phone(0).view()["reports"] == []
    with pytest.raises(NotYourSeat):
        web_table.table.submit(Seat(0), {"seat": "house", "move": "deal", "to": 0, "card": "AS"})


def test_what_may_be_reported_does_not_depend_on_other_hands() -> None:
    """A player may report any card except those in their own hand and on the discard pile. If another hand is recorded
    with that card, the record was wrong, and that card becomes "?"."""
    homes = [due_for_ann(ben) for ben in WORLDS]
    phones = [web_table.phone(0) for web_table in homes]
    offered = [phone.view()["reports"] for phone in phones]
    assert offered[0] == offered[1]
    assert {report["card"] for report in offered[0]} == {*DECK, UNSEEN} - {"2H", "9S", "5D"}
    for web_table, phone, ben in zip(homes, phones, ((UNSEEN, "3C", "9C"), ("3C", "AS", "4D")), strict=True):
        assert tell(phone, 0, "7H").status_code == 200
        assert phone.view()["state"]["hands"] == [["2H", "9S", "7H"], [UNSEEN] * 3]
        assert sorted(web_table.phone(1).view()["state"]["hands"][1]) == sorted(ben)


def test_a_reported_card_counts_once() -> None:
    """A reported card counts only once: there are always forty cards, whether the record was right or not."""
    for ben in ("7H 4D 5D", "8C 4D 5D"):
        state = deal(start(2).state, f"AH 2H 3H {ben}")
        state = play_in_town(state, 0, "travel", card="AH", to="a")
        after = play_in_town(state, HOUSE, "deal", to=0, card="7H", told=True)
        assert isinstance(after, State)
        assert after.deck_size == state.deck_size - 1 == 33
        assert "7H" not in unidentified_cards(after)


def test_an_impossible_report_is_refused() -> None:
    """Reporting a card that is face up, that is in the player's own hand, or that was dealt to another seat is
    refused."""
    state = deal(start(2).state, "AH")
    for to, card in ((0, "AH"), (1, "2H")):
        with pytest.raises(IllegalMove, match="Next is a card for seat 0"):
            play_in_town(state, HOUSE, "deal", to=to, card=card, told=True)
    shown = move(state, HOUSE, "deal", to=0, card="2H", told=True).as_known_to(Seat(1), state)
    assert shown == Deal(to=Seat(0), card=UNSEEN)


def test_only_phones_report_cards() -> None:
    """ "Keys beyond those named are bad_move": `told` is true or absent in a phone's move, and unknown to the
    referee."""
    state = start(2).state
    deals = [{"seat": "house", "move": "deal", "to": 0, "card": "2H", "told": told} for told in (True, False, None, 1)]
    for said in deals[1:]:
        with pytest.raises(BadMove, match="told"):
            move_json.from_json(GAME_IN_TOWN, 2, said)
    for said in deals:
        [answer] = JsonLinesProtocol(GAME_IN_TOWN, 2, state, None).judge(json.dumps(said))
        assert answer["error"] == {
            "code": "bad_move",
            "message": 'deal has no "told"; its keys are move, seat, to, card.',
        }


def test_the_player_who_gave_a_random_card_reports_it() -> None:
    """ "A random card of a swap": only the phone of the player who gave the card may report which card it was."""
    web_table = by_hand(WORLDS[0], uh_oh="table")
    view = seen(web_table)
    card, to = next((m.card, m.to) for m in view.choices.legal if str(view.choices.labels[m][2]).endswith("“Uh-Oh!”"))  # type: ignore[attr-defined]
    act(web_table, seat=0, move="travel", card=card, to=to)
    act(web_table, seat="house", move="uh_oh", to=0, card="U15")
    act(web_table, seat=0, move="choose", option=1)
    ann, ben = web_table.phone(0), web_table.phone(1)
    held = [other for other in ANN if other != card]
    assert [report["card"] for report in ann.view()["reports"]] == held
    assert ben.view()["reports"] == []
    assert "Which of your cards was drawn?" in ann.get("/play").text
    assert ann.move({"seat": "house", "move": "pick", "from": 0, "card": held[1]}).status_code == 200
    assert [report["card"] for report in ben.view()["reports"]] == [*WORLDS[0]]


def panel(page: str) -> str:
    """The controls on a page for reporting a card."""
    found = re.search(r'<section class="report".*?</section>', page, re.DOTALL)
    return unescape(found[0]) if found else ""


def test_a_page_asks_for_value_and_suit() -> None:
    """The player who was dealt a card sees ten values with four suits each. Other players see who must report it, and
    no faces."""
    web_table = begun(3, {"cards": "table"})
    own, other = (panel(web_table.phone(seat).get("/play").text) for seat in (0, 1))
    assert "card 1 of 3" in own
    assert own.count('name="rank"') == 10
    assert own.count('"told":true') == 40
    assert own.count('class="suits') == 10
    assert "Ann looks at it and taps it on their own phone" in other
    assert "told" not in re.findall(r'value="({.*?})"', other)[0]
    assert len(re.findall('name="move"', other)) == 1
    assert panel(web_table.phone().get("/table").text) == ""


def test_the_page_stops_asking_when_the_card_is_reported() -> None:
    """Each player's page asks for three cards and then stops asking. The dock does not repeat these buttons."""
    web_table = begun(2, {"cards": "table"})
    phones = [web_table.phone(0), web_table.phone(1)]
    for seat, hand in enumerate((ANN, WORLDS[0])):
        for number, card in enumerate(hand, 1):
            page = phones[seat].get("/play").text
            assert f"card {number} of 3" in panel(page)
            assert "Drew a card?" not in page
            assert tell(phones[seat], seat, card).status_code == 200
    assert panel(phones[0].get("/play").text) == ""
    assert seen(web_table).turn == 0


def test_two_worlds_look_alike_in_pages_api_log_and_events() -> None:
    """In two worlds that differ in Ben's hand, except for the card that he plays, moves, refusals, reported cards and
    an undo look exactly the same to Ann: on pages, in the API, in the log and in the event stream."""
    homes = [by_hand(ben) for ben in WORLDS]
    homes[1].lobby.join_code, homes[1].lobby.host_key = homes[0].lobby.join_code, homes[0].lobby.host_key
    phones = [web_table.phone(0) for web_table in homes]

    def same() -> None:
        for path in ("/play", "/table", "/log", "/log.txt", "/api/view"):
            first, second = (phone.get(path) for phone in phones)
            assert first.status_code == 200
            assert without_ids(first.data) == without_ids(second.data), path

    def both(say: Any) -> None:
        answers = [say(phone) for phone in phones]
        assert answers[0].status_code == answers[1].status_code
        assert answers[0].data == answers[1].data
        same()

    same()
    for wrong in ("7H", "5H", "AS"):
        both(lambda phone, card=wrong: phone.move({"seat": 0, "move": "travel", "card": card, "to": "s5"}))
    both(lambda phone: phone.move({"seat": 0, "move": "travel", "card": "5D", "to": "s5"}))
    both(lambda phone: tell(phone, 1, "10S"))
    both(lambda phone: tell(phone, 0, "AS"))
    for web_table in homes:
        to = next(m.to for m in seen(web_table).choices.legal if getattr(m, "card", "") == "3C" and m.to not in ("s5",))  # type: ignore[attr-defined]
        act(web_table, seat=1, move="travel", card="3C", to=to)
        act(web_table, seat="house", move="deal", to=1, card="10H")
    same()
    both(lambda phone: phone.post("/api/undo", {"version": phone.view()["version"], "id": "undo"}))
    streams = []
    for web_table, phone in zip(homes, phones, strict=True):
        with served(web_table) as server, Stream(server.port, _cookie(phone), last="0.0") as stream:
            streams.append([stream.next() for _ in range(10)])
    assert [(event.kind, event.data) for event in streams[0]] == [(event.kind, event.data) for event in streams[1]]
    assert homes[0].phone(1).get("/play").data != homes[1].phone(1).get("/play").data, "Ben sees his own hand"


def _cookie(phone: Phone) -> str:
    cookie = phone.client.get_cookie("tablekeeper")
    assert cookie
    return f"tablekeeper={cookie.value}"


def test_an_export_for_a_seat_has_no_other_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An export for a seat contains "only what this seat may know": in two worlds that differ in Ben's hand, Ann's file
    is the same, and Ben's is not."""
    written: dict[int, list[str]] = {0: [], 1: []}
    for number, ben in enumerate(WORLDS):
        table = Table(Journal(tmp_path / f"{number}" / "journal.sqlite3"))
        table.start("commute", 2, {"rounds": "0.5"}, {"cards": "table"}, NAMES[:2], "s")
        for to, hand in enumerate((ANN, ben)):
            for card in hand:
                deal = {"seat": "house", "move": "deal", "to": to, "card": card, "told": True}
                table.submit(Seat(to), deal)
        table.submit(Seat(0), {"seat": 0, "move": "travel", "card": "5D", "to": "s5"})
        for seat, found in written.items():
            assert main(["export", "1", "--seat", f"{seat}", "--data", str(tmp_path / f"{number}")]) == 0
            lines = capsys.readouterr().out.splitlines()
            assert json.loads(lines[0])["seen_by"] == seat
            found.append("\n".join(lines[1:]))
    assert written[0][0] == written[0][1]
    assert written[1][0] != written[1][1]


def test_the_companion_deals_prescribed_decks_in_order() -> None:
    """If a set-up prescribes the decks, the companion deals playing cards and "Uh-Oh!" cards in that order, even after
    an undo."""
    deck = ["AH", "2H", "3H", "4H", "5H", "6H", "7H", "8H"]
    table = Table(Journal(None), hasty_clock())
    table.start("commute", 2, {"deck": deck, "uh_oh": ["U05", "U08"]}, {}, NAMES[:2], "any seed")
    web_table = WebTable(table)
    assert [seen(web_table, seat).state["hands"][seat] for seat in (0, 1)] == [deck[:3], deck[3:6]]
    for _ in range(2):
        view = seen(web_table)
        made = next(made for made in view.choices.legal if str(view.choices.labels[made][2]).endswith("“Uh-Oh!”"))
        table.submit(Seat(0), move_json.to_json(made))
        came = [move.card for move in seen(web_table, 1).log[-1].moves if isinstance(move, UhOh)]
        assert came == ["U05"]
        assert seen(web_table, 0).state["hands"][0][-1] == "7H"
        table.undo(None)


@pytest.mark.slow
def test_people_who_deal_are_told_to_hand_cards_back() -> None:
    """If people deal, they are told between two commutes to hand the cards back, until the first card of the next
    commute. If the companion deals, nobody is told."""
    for dealer, is_told in (("table", True), ("companion", False)):
        web_table = begun(2, {"cards": dealer})
        while not web_table.table.view().position.results:  # type: ignore[union-attr]
            _play_on(web_table)
        assert ("Return your cards" in web_table.phone(0).get("/play").text) == is_told
        assert ("Return your cards" in web_table.phone().get("/table").text) == is_told
        if is_told:
            _play_on(web_table)
            assert "Return your cards" not in web_table.phone(1).get("/play").text


def _play_on(web_table: WebTable) -> None:
    """Deals a card to the player who is due one, or makes a move for the seat in turn, to work if possible."""
    view = seen(web_table)
    if view.turn == HOUSE:
        report = next(
            report for seat in (0, 1) for report in seen(web_table, seat).choices.reports if report.face != UNSEEN
        )
        web_table.table.submit(None, move_json.to_json(report))
    else:
        made = next((made for made in view.choices.legal if getattr(made, "to", "") == "work"), view.choices.legal[-1])
        web_table.table.submit(made.seat, move_json.to_json(made))  # type: ignore[arg-type]


def test_play_accepts_what_replay_prints_of_reported_cards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`play` accepts the moves that `replay` prints and reaches the same states. The moves contain no key that only
    phones use, except for a report that contradicts the record."""
    table = Table(Journal(tmp_path / "journal.sqlite3"))
    table.start("commute", 2, {"rounds": "0.5"}, {"cards": "table"}, NAMES[:2], "s")
    for to, hand in enumerate((ANN, WORLDS[0])):
        for card in hand:
            table.submit(Seat(to), {"seat": "house", "move": "deal", "to": to, "card": card, "told": True})
    table.submit(Seat(0), {"seat": 0, "move": "travel", "card": "5D", "to": "s5"})
    assert main(["replay", "1", "--data", str(tmp_path)]) == 0
    replayed = capsys.readouterr().out.splitlines()
    moves = tmp_path / "moves.jsonl"
    moves.write_text("".join(f"{json.dumps(json.loads(line)['move'])}\n" for line in replayed[1:]))
    again = ["play", "commute", "--house", "input", "--strict", "--option", "rounds=0.5", str(moves)]
    assert main(again) == 0
    assert capsys.readouterr().out.splitlines() == replayed
    table.submit(Seat(0), {"seat": "house", "move": "deal", "to": 0, "card": WORLDS[0][0], "told": True})
    assert main(["replay", "1", "--data", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["move"]["told"]
