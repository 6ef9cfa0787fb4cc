"""System WON's page: what a seat sees of the hands, how much the page remembers, and that every move has a button."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.__main__ import main
from companion.games import GAMES, move_json
from companion.games.rules import SPECTATOR, Seat
from companion.games.system_won.moves import Discard, Play, PlayOther, Specify, Undo
from companion.games.system_won.page.shortened_log import shortened_log
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.observations import CardSeen, MatSeen
from companion.text.refusal_errors import IllegalMove
from tests.systems_failing_tables import hasty_clock, seen
from tests.test_web_events import Stream
from tests.web_table import Phone, WebTable, empty_web_table, served, unwrapped, without_ids

NAMES = ("Ann", "Ben", "Cy")
COLORS = {"R": "red", "Y": "yellow", "G": "green", "B": "blue"}


def won(seed: str = "s", dealer: str = "companion", **options: str) -> WebTable:
    """A table at which three players play System WON."""
    table = Table(Journal(None), hasty_clock())
    table.start("system-won", 3, {"roles": "none", **options}, {"cards": dealer}, NAMES, seed)
    return WebTable(table)


def moves_on(page: str) -> set[str]:
    """Every move of the buttons on a page, with each card that a form offers."""
    return {
        html.unescape(value).replace('"slot":null', f'"slot":{slot}')
        for form in unwrapped(page).split("<form")
        for value in re.findall(r'name="move" value="([^"]*)"', form)
        for slot in re.findall(r'name="json:slot" value="(\d)"', form) or [""]
    }


def tell_all(web_table: WebTable, turns: int = 6, seed: int = 1) -> None:
    """Plays some turns in which players specify and discard."""
    rng = Random(seed)
    for _ in range(turns):
        view = seen(web_table.table)
        assert isinstance(view.turn, int)
        legal = [move for move in seen(web_table.table, view.turn).choices.legal if isinstance(move, Specify | Discard)]
        web_table.table.submit(Seat(view.turn), move_json.to_json(rng.choice(legal)))


@pytest.mark.parametrize("roles", ["none", "engineer,operations,technician"])
def test_every_legal_move_has_a_button_and_nothing_else_has(roles: str) -> None:
    """Every legal move has a button on the board's sheets or in the dock. The only other buttons rearrange the hand by
    one position."""
    web_table = won(roles=roles)
    tell_all(web_table)
    for seat in range(3):
        page, view = web_table.phone(seat).get("/play").text, seen(web_table.table, seat)
        legal = {move_json.write(move) for move in view.choices.legal}
        arranging = {line for line in moves_on(page) if json.loads(line)["move"] == "arrange"}
        assert moves_on(page) - arranging == legal
        assert len(arranging) == 2 * 4 / 2


def test_telling_shows_the_complete_match_before_it_is_confirmed() -> None:
    """The sheet of a hand says for each possible specification how many cards it points at, and marks these cards."""
    web_table = won()
    page, view = web_table.phone(0).get("/play").text, seen(web_table.table, 0)
    for move in view.choices.legal:
        if isinstance(move, Specify):
            hand = view.state["hands"][move.target]
            said = str(move.color or move.rank)
            count = sum(
                said in (face[1], {"R": "red", "Y": "yellow", "G": "green", "B": "blue"}[face[0]]) for face in hand
            )
            line = move_json.write(move)
            button = re.search(f'value="{re.escape(line)}">([^<]*)', html.unescape(page))
            assert button
            assert f"Give {NAMES[move.target]} a hint: {count} " in button[1]


def own_hand(page: str) -> str:
    return page.split('data-key="own"')[1].split("</section>")[0]


@pytest.mark.parametrize(
    ("aids", "said", "denied", "counted"),
    [
        ("none", False, False, False),
        ("said", True, False, False),
        ("negation", True, True, False),
        ("counting", True, True, True),
    ],
)
def test_phones_remember_as_much_as_the_table_wants(aids: str, said: bool, denied: bool, counted: bool) -> None:
    """Depending on the option, cards show positive specifications, negative specifications, and the faces that are
    still possible by counting cards."""
    web_table = won(aids=aids)
    target = seen(web_table.table, 0).state["hands"][1]
    web_table.table.submit(Seat(0), {"seat": 0, "move": "specify", "target": 1, "rank": int(target[0][1])})
    own = own_hand(web_table.phone(1).get("/play").text)
    assert (f'aria-label="a {target[0][1]}"' in own) == said
    assert (f'aria-label="no {target[0][1]}"' in own) == denied
    assert ("It can be" in own) == counted


@pytest.mark.parametrize("aids", ["none", "said"])
def test_a_table_that_forgets_has_no_memory_in_its_log(aids: str) -> None:
    """If phones remember nothing, no page shows more than the latest specification until the game ends, even after
    undos. If phones remember, the log shows everything."""
    web_table = dealt("R1 B2 B2 R3 B5", "Y1 Y2 Y3 Y4 Y5", "G1 R2 G3 G4 G5", aids=aids)
    phones, forgets = [web_table.phone(seat) for seat in range(3)], aids == "none"
    for seat, phone in enumerate(phones):
        assert phone.move({"seat": seat, "move": "specify", "target": (seat + 1) % 3, "rank": 1}).status_code == 200
    assert phones[0].move({"seat": 0, "move": "arrange", "order": [1, 0, 2, 3, 4]}).status_code == 200

    def pages() -> list[str]:
        return [html.unescape(phones[0].get(path).text) for path in ("/play", "/table", "/log", "/log.txt")]

    for page in pages():
        assert "Cy gives a hint: Ann’s card 1 is the only 1" in page
        assert ("Ben gives a hint: Cy’s" in page) == (not forgets)
        assert ("Ben gives a hint about Cy’s hand." in page) == forgets
    for _ in range(2):
        web_table.table.undo(None, None)
    for page in pages():
        assert ("undid: Cy gives a hint: Ann’s card 1 is the only 1" in page) == (not forgets)
        assert ("The table undoes a hint." in page) == forgets
        assert ("Cy gives a hint about Ann’s hand." in page) == forgets
    web_table.table.redo(None, None)
    for page in pages():
        assert ("The table undoes a hint." in page) == forgets
    view = seen(web_table.table)
    over = replace(view, position=view.position.replace(is_over=True))
    assert shortened_log(over, over.log) == over.log


def test_own_cards_are_backs_and_others_faces_are_large() -> None:
    """A player's page never shows the fronts of their own hand outside of the counting aid. The big screen shows no
    hand."""
    web_table = won()
    for seat in range(3):
        page = web_table.phone(seat).get("/play").text
        assert 'class="wcard red' not in own_hand(page)
        assert page.split('data-key="hands"')[1].split("</section>")[0].count('<span class="wcard back') == 0
    screen = web_table.phone().get("/table").text.split('data-key="hands"')[1].split("</section>")[0]
    assert screen.count('<span class="wcard back') == 15
    assert not re.search(r'class="wcard (red|yellow|green|blue) r', screen)


def dealt(*hands: str, aids: str = "counting") -> WebTable:
    """A table at which people dealt these hands, "R1 B2 …" by seat."""
    web_table = won(dealer="table", aids=aids)
    for seat, hand in enumerate(hands):
        for card in hand.split():
            web_table.table.submit(None, {"seat": "house", "move": "deal", "to": seat, "card": card})
    return web_table


def events(web_table: WebTable, phone: Phone) -> list[object]:
    """Everything that the event stream of a seat has sent from the beginning."""
    cookie = phone.client.get_cookie("tablekeeper")
    assert cookie
    acts = web_table.table.revision.version
    with served(web_table) as server, Stream(server.port, f"tablekeeper={cookie.value}", last="0.0") as stream:
        return [stream.next_act().data for _ in range(acts)]


def test_two_worlds_give_a_seat_the_same_page() -> None:
    """If two games differ only in a seat's own hand, the seat's pages are the same to the byte, before and after moves
    and refusals."""
    others = ("Y1 Y2 Y3 Y4 Y5", "G1 R2 G3 G4 G5")
    one, two = dealt("R1 B1 B2 R3 B5", *others), dealt("B4 R4 R5 B3 G2", *others)
    two.lobby.join_code, two.lobby.host_key = one.lobby.join_code, one.lobby.host_key
    phones = [one.phone(0), two.phone(0)]

    def same(*paths: str) -> None:
        for path in paths:
            first, second = (phone.get(path) for phone in phones)
            assert first.status_code == 200
            assert without_ids(first.data) == without_ids(second.data), path

    same("/play", "/table", "/log", "/api/view")
    for move in ({"seat": 0, "move": "play", "slot": 7}, {"seat": 0, "move": "specify", "target": 1, "color": "pink"}):
        refused = [phone.move(move) for phone in phones]
        assert refused[0].status_code == 422
        assert refused[0].data == refused[1].data
    for phone in phones:
        assert phone.move({"seat": 0, "move": "specify", "target": 1, "rank": 3}).status_code == 200
    same("/play", "/table", "/log", "/api/view")
    assert one.table.log_after(SPECTATOR, 0) == two.table.log_after(SPECTATOR, 0)
    assert one.table.log_after(Seat(1), 0) != two.table.log_after(Seat(1), 0), "Ben sees what Ann is dealt"
    assert one.phone(1).get("/play").data != two.phone(1).get("/play").data, "Ben sees Ann's hand"
    assert events(one, phones[0]) == events(two, phones[1])


def press_form(phone: Phone, **fields: object) -> Any:
    """Presses a button of a sheet in a browser without scripts, which sends the page's form."""
    page = phone.get("/play").text
    version = re.search(r'name="version" value="(\d+)"', page)
    assert version
    data = {"version": version[1], "id": "x" * 12, **{key.replace("__", ":"): value for key, value in fields.items()}}
    return phone.client.post("/play", data=data)


def test_unseen_cards_are_named_when_played_and_ticked_in_specifications() -> None:
    """The sheet of a player's own unseen card asks for its face. The sheet of another hand has a checkbox for each
    unseen card."""
    web_table = won(dealer="unseen")
    ann = web_table.phone(0)
    page = ann.get("/play").text
    own = own_hand(page)
    assert own.count('name="text:card"') == 5 * 20
    assert "the game knows" not in own
    assert own.index('name="text:card"') < own.index(">Play it<"), "the face comes first"
    assert page.count('name="list:slots"') == 10
    tell = '{"seat":0,"move":"specify","target":1,"color":"red"}'
    assert press_form(ann, move=tell, list__slots=["0", "3"]).status_code == 303
    marks = seen(web_table.table, 1).state["knowledge"][1]
    assert [mark["color"] for mark in marks] == ["red", None, None, "red", None]
    ben = web_table.phone(1)
    assert press_form(ben, move='{"seat":1,"move":"play","slot":0}', text__card="R1").status_code == 303
    assert seen(web_table.table).state["systems"]["red"] == 1


def test_a_card_that_was_laid_is_asked_about_on_its_holders_phone() -> None:
    """Only the phone of the player who held the card asks which card of the hand was put down, with a button for each
    possible card."""
    web_table = won(dealer="unseen")
    web_table.table.observe(MatSeen(t=0, mat="MAT-SW"))
    web_table.table.observe(CardSeen(t=1, code="SW-R1A", zone="play", mm=middle("play"), angle=0, change="appeared"))
    asking = [web_table.phone(seat).get("/play").text for seat in range(3)]
    assert ["You played it: which of your cards was it?" in page for page in asking] == [True, False, False]
    asked_card = asking[0].split('data-key="unexplained"')[1].split("</section>")[0]
    assert moves_on(asked_card) == {f'{{"seat":0,"move":"play","slot":{slot},"card":"R1"}}' for slot in range(5)}


@pytest.mark.parametrize(("aids", "asked"), [("said", [1, 3]), ("none", [0, 1, 2, 3, 4])])
def test_a_question_remembers_no_more_than_the_table_wants(aids: str, asked: list[int]) -> None:
    """If phones remember nothing, the question offers every card of the hand, and an impossible answer is refused."""
    web_table = won(dealer="unseen", aids=aids)
    web_table.table.observe(MatSeen(t=0, mat="MAT-SW"))
    tell = {"seat": 0, "move": "specify", "target": 1, "color": "red", "slots": [1, 3]}
    web_table.table.submit(Seat(0), tell)
    web_table.table.observe(
        CardSeen(t=1, code="SW-R1A", zone="discard", mm=middle("discard"), angle=0, change="appeared")
    )
    asked_card = web_table.phone(1).get("/play").text.split('data-key="unexplained"')[1].split("</section>")[0]
    assert moves_on(asked_card) == {f'{{"seat":1,"move":"discard","slot":{slot},"card":"R1"}}' for slot in asked}
    with pytest.raises(IllegalMove):
        web_table.table.submit(Seat(1), {"seat": 1, "move": "discard", "slot": 0, "card": "R1"})


def test_a_question_leaves_out_cards_that_were_recorded() -> None:
    """The question leaves out cards that were shown, because answering with one would reveal it."""
    web_table = won(dealer="table", aids="none")
    for n in range(15):
        card = (
            "?"
            if n in (3, 4)
            else ("G2", "G3", "Y4", "", "", "B1", "B2", "B3", "B4", "B5", "Y1", "Y2", "G1", "G4", "G5")[n]
        )
        web_table.table.submit(None, {"seat": "house", "move": "deal", "to": n // 5, "card": card})
    web_table.table.observe(MatSeen(t=0, mat="MAT-SW"))
    web_table.table.observe(
        CardSeen(t=1, code="SW-R1A", zone="discard", mm=middle("discard"), angle=0, change="appeared")
    )
    asked_card = web_table.phone(0).get("/play").text.split('data-key="unexplained"')[1].split("</section>")[0]
    assert moves_on(asked_card) == {f'{{"seat":0,"move":"discard","slot":{slot},"card":"R1"}}' for slot in (3, 4)}


def middle(zone: str) -> tuple[float, float]:
    """The center of a zone of the mat."""
    mat = GAMES["system-won"].physical.components.mat
    assert mat
    xs, ys = zip(*mat.zone(zone).polygon, strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)


def test_a_draw_that_was_not_shown_is_one_button() -> None:
    """A drawn card that was not shown is reported by one button, without a sheet and without asking for its face."""
    web_table = won(dealer="table")
    page = web_table.phone(0).get("/play").text
    assert '{"seat":"house","move":"deal","to":0,"card":"?"}' in html.unescape(page)
    assert "Drawn: not seen" in page
    assert "Enter it" not in page


def test_my_ability_lists_all_that_a_role_may_do() -> None:
    """The sheet of a player's own role lists both abilities, when they may be used, and where their buttons are. The
    Engineer's undo asks for confirmation."""
    web_table = won(roles="engineer,operations,technician")
    engineer = seen(web_table.table).state["roles"].index("engineer")
    web_table.table.submit(Seat(0), {"seat": 0, "move": "discard", "slot": 0})
    sheet = web_table.phone(engineer).get("/play").text.split('class="ability-list"')[1].split("</ul>")[0]
    assert sheet.count("<b>Any time</b>") == 2
    assert "Tap that player" in sheet
    assert "Its button is" not in sheet, "the sheet has the button itself"
    assert "once per game" in sheet
    undo = next(move for move in seen(web_table.table, engineer).choices.legal if isinstance(move, Undo))
    assert seen(web_table.table, engineer).choices.labels[undo][-2:] == (
        "Undo the last turn",
        "Yes, use it (once per game)",
    )


def test_a_companion_that_deals_asks_nobody_what_a_card_was() -> None:
    """If the companion deals, it knows every card and asks nobody."""
    assert "which one was it?" not in won().phone(0).get("/play").text


def test_the_host_may_name_the_roles() -> None:
    """The roles option also accepts the host's own list, which is suggested for the next game."""
    web_table = empty_web_table()
    host = web_table.host()
    roles = "engineer,designer"
    form = {"game": "system-won", "seats": "2", "option-roles": "all", "other-roles": roles, "player": ["A", "B"]}
    assert host.client.post("/host", data=form).status_code == 303
    assert set(seen(web_table.table).state["roles"]) == {"engineer", "designer"}
    assert f'name="other-roles" value="{roles}"' in host.get("/host?game=system-won").text


def role_sheet(page: str, seat: int) -> str:
    return page.split(f'id="sheet-role-{seat}"')[1].split("</div>\n")[1]


def test_abilities_are_explained_with_their_times() -> None:
    """Tapping any role shows both of its abilities and when they may be used. For the player's own role it also shows
    where the buttons are."""
    web_table = won(roles="engineer,operations,technician")
    roles = seen(web_table.table).state["roles"]
    engineer = roles.index("engineer")
    for reader in range(3):
        page = web_table.phone(reader).get("/play").text
        sheet = role_sheet(page, engineer)
        assert re.search(r"<b>Any time</b> Play a card from another player.s hand\.", sheet)
        assert ("Tap that player" in sheet) == (reader == engineer)
        assert role_sheet(page, roles.index("technician")).count("<b>Your turn</b>") == 2
        assert page.count('popovertarget="sheet-role-') == 6, "each is opened by the role and closed by the sheet"
    assert "sheet-role-" not in web_table.phone().get("/table").text


def test_another_players_card_offers_the_engineer_to_play_it() -> None:
    """The Engineer can play another player's card at any time, by choosing the card under a heading of its own and
    confirming. Other roles are not offered this."""
    web_table = won(roles="engineer,operations,technician")
    engineer = seen(web_table.table).state["roles"].index("engineer")
    for seat in range(3):
        page = web_table.phone(seat).get("/play").text
        assert page.count("Engineer: play a card for") == (2 if seat == engineer else 0)
    web_table = won(roles="engineer,operations,technician")
    phone, other = web_table.phone(engineer), (engineer + 1) % 3
    page = html.unescape(phone.get("/play").text)
    assert re.findall(r'"use":"play_other","target":\d,"slot":(\w+)', page) == ["null", "null"]
    chosen = f'{{"seat":{engineer},"move":"ability","use":"play_other","target":{other},"slot":null}}'
    phone.client.post("/play", data={"version": seen(web_table.table).version, "move": chosen, "json:slot": "3"})
    assert seen(web_table.table).log[-1].moves[0] == PlayOther(seat=engineer, target=other, slot=3)


def test_the_board_covers_these_moves() -> None:
    """Moves with a button on a card are not repeated in the dock."""
    web_table = won(roles="engineer,operations,technician")
    for seat in range(3):
        dock = web_table.phone(seat).get("/play").text.split('class="dock"')[1]
        lines = moves_on(dock)
        covered = [
            move
            for move in seen(web_table.table, seat).choices.legal
            if isinstance(move, Specify | Play | Discard | PlayOther)
        ]
        assert not lines & {move_json.write(move) for move in covered}


def test_an_export_for_a_seat_tells_it_nothing_hidden(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If Ann can't tell two games apart, their exports for her are the same to the byte. Their exports for Ben, who
    sees her cards, differ."""
    written: dict[int, list[str]] = {0: [], 1: []}
    for number, own in enumerate(("R1 B1 B2 R3 B5", "B4 R4 R5 B3 G2")):
        table = Table(Journal(tmp_path / f"{number}" / "journal.sqlite3"))
        table.start("system-won", 2, {"roles": "none"}, {"cards": "table"}, NAMES[:2], "s")
        for seat, hand in enumerate((own, "Y1 Y2 Y3 Y4 Y5")):
            for card in hand.split():
                table.submit(None, {"seat": "house", "move": "deal", "to": seat, "card": card})
        table.submit(Seat(0), {"seat": 0, "move": "specify", "target": 1, "rank": 3})
        for seat, found in written.items():
            assert main(["export", "1", "--seat", f"{seat}", "--data", str(tmp_path / f"{number}")]) == 0
            lines = capsys.readouterr().out.splitlines()
            assert json.loads(lines[0])["seen_by"] == seat
            assert len(lines) == 12
            found.append("\n".join(lines[1:]))
    assert written[0][0] == written[0][1]
    assert written[1][0] != written[1][1]
    assert main(["export", "1", "--seat", "5", "--data", str(tmp_path / "0")]) == 2


def seated(role: str, dealer: str) -> tuple[WebTable, int]:
    """A table at which the seat in turn has this role, and the number of that seat."""
    for number in range(20):
        web_table = won(f"{number}", dealer, roles="designer,contractor,engineer")
        if seen(web_table.table).state["roles"][0] == role:
            return web_table, 0
    raise AssertionError("no such seed")


@pytest.mark.parametrize("dealer", ["companion", "unseen"])
def test_the_designer_gives_two_hints(dealer: str) -> None:
    """The Designer's form has two choices, and checkboxes for unseen cards."""
    web_table, seat = seated("designer", dealer)
    phone = web_table.phone(seat)
    page = html.unescape(phone.get("/play").text)
    offered = re.findall(r'value="(\{"target".*?\})" data-said', page)
    first, second = offered[0], next(each for each in offered if json.loads(each)["target"] == 2)
    base = re.search(r'value="(\{"seat":0,"move":"ability","use":"specify_two".*?\})">', page)
    assert base
    ticked = {"list__hints.0.slots": ["0"], "list__hints.1.slots": ["1", "2"]} if dealer == "unseen" else {}
    fields = {"json__hints.0": first, "json__hints.1": second, **ticked}
    assert press_form(phone, move=base[1], **fields).status_code == 303
    assert seen(web_table.table).state["roles_used"] == ["designer"]
    assert seen(web_table.table).state["specifications"] == 8


@pytest.mark.parametrize("dealer", ["companion", "unseen"])
def test_the_contractor_plays_two_cards(dealer: str) -> None:
    """The Contractor's form lets the player choose two of their own cards, and asks for the faces of unseen cards."""
    web_table, seat = seated("contractor", dealer)
    phone = web_table.phone(seat)
    page = html.unescape(phone.get("/play").text)
    base = re.search(r'value="(\{"seat":0,"move":"ability","use":"play_two","slots":\[null,null\].*?\})">', page)
    assert base
    named = {"json__cards.0": '"R1"', "json__cards.1": '"B1"'} if dealer == "unseen" else {}
    assert all(f'name="{key.replace("__", ":")}" value={chr(34)}{value}' in page for key, value in named.items())
    assert press_form(phone, move=base[1], **{"json__slots.0": "3", "json__slots.1": "1"}, **named).status_code == 303
    state = seen(web_table.table).state
    assert state["roles_used"] == ["contractor"]
    assert state["score"] == (2 if dealer == "unseen" else state["score"])


def test_fields_of_an_older_page_are_refused() -> None:
    """Form fields that make no sense, for example from an older page, are refused with a message."""
    web_table = won()
    for fields in ({"json__hints.0": "{}"}, {"list__a.b": "1"}, {"list__slots": "x"}):
        answer = press_form(web_table.phone(0), move='{"seat":0,"move":"play","slot":0}', **fields)
        web_table.lobby.free(0)
        assert answer.status_code == 400
