"""The generic page, which shows games without a page of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

from companion.games import GAMES, default_text
from companion.games.ending import Ending
from companion.games.game import Game, GameRules, GameText
from companion.games.rules import HOUSE, HouseMove, Move, Names, Seat, Start, Viewer
from companion.match.journal import Journal
from companion.table.table import Table
from companion.text.refusal_errors import SetupError
from tests.browser import CHROMIUM, new_page
from tests.rendered_texts import english
from tests.repetitions import thorough_except
from tests.systems_failing_tables import hasty_clock
from tests.web_table import WebTable, served, unwrapped
from web.generic_page.content import ItemList, TitledRows, content

CARDS = ("Chancellor", "Handmaid", "Countess", "Ambassador")
NAMES = ("Maximiliane-Charlotte", "Bartholomäus", "Ann", "Konstantin Alexander")
SIZES = ({"width": 390, "height": 844}, {"width": 320, "height": 640})


@dataclass(frozen=True, kw_only=True)
class Deal(HouseMove):
    NAME: ClassVar[str] = "deal"
    CHANCE_SOURCE: ClassVar[str] = "cards"
    to: Seat
    card: str

    @property
    def face(self) -> str:
        return self.card

    def as_known_to(self, viewer: Viewer, before: Any) -> Move:
        return self if viewer in (self.to, "referee") else replace(self, card="?")


@dataclass(frozen=True, kw_only=True)
class Play(Move):
    NAME: ClassVar[str] = "play"
    card: str
    target: Seat | None = None


@dataclass(frozen=True, kw_only=True)
class Pass(Move):
    NAME: ClassVar[str] = "pass"


@dataclass(frozen=True)
class Court:
    """A position in which each player holds a card that the others may not know."""

    hands: tuple[str, ...] = ()
    turn_of: Seat = Seat(0)
    protected: tuple[Seat, ...] = (Seat(1), Seat(3))
    favorite: Seat | None = Seat(2)
    tokens: Mapping[Seat, int] | None = None
    plays: int = 0

    @property
    def turn(self) -> Any:
        return HOUSE if len(self.hands) < len(NAMES) else None if self.plays > 2 else self.turn_of

    @property
    def ending(self) -> Ending | None:
        return Ending(None, (0, 2)) if self.turn is None else None

    def play(self, move: Move) -> Court:
        if isinstance(move, Deal):
            return replace(self, hands=(*self.hands, move.card))
        return replace(self, plays=self.plays + 1, turn_of=Seat((self.turn_of + 1) % len(NAMES)))

    def legal_moves(self) -> Iterator[Move]:
        if isinstance(self.turn, int):
            others = [Seat(seat) for seat in range(len(NAMES)) if seat != self.turn]
            for card in CARDS:
                yield from (Play(seat=self.turn, card=card, target=target) for target in others)
            yield Pass(seat=self.turn)

    def chances(self) -> Iterator[tuple[HouseMove, int]]:
        yield Deal(to=Seat(len(self.hands)), card=CARDS[len(self.hands)]), 1

    def as_known_to(self, viewer: Viewer) -> Court:
        return replace(
            self, hands=tuple(card if viewer in (seat, "referee") else "?" for seat, card in enumerate(self.hands))
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "turn": self.turn,
            "over": self.turn is None,
            "hands": list(self.hands),
            "protected": list(self.protected),
            "favorite": self.favorite,
            "tokens": {str(seat): seat + 1 for seat in range(len(NAMES))},
            "last_announcement": {"by": 1, "target": None, "claimed_card": "Chancellor", "believed": False},
            "cards_left": {"Chancellor": 2, "Ambassador": 1},
            "discard_pile": [],
            **({"winners": [0, 2]} if self.turn is None else {}),
        }


def _label(state: Court, move: Move, viewer: Viewer, names: Names) -> tuple[str, ...]:
    if isinstance(move, Play):
        return (f"Play the {move.card}", f"against {names[move.target]}" if move.target is not None else "alone")
    return ("Pass",)


COURT: Game[Court] = Game(
    rules=GameRules(
        name="court",
        title="Court",
        summary="Who holds what?",
        seats=range(len(NAMES), len(NAMES) + 1),
        version=1,
        moves=(Deal, Play, Pass),
        begin=lambda seats, setup: Start(Court()),
        chance_sources={"cards": "The cards"},
        has_hidden_information=True,
    ),
    text=GameText(
        log_line=lambda before, move, after, viewer, names: f"{move.NAME} it is.",
        label=_label,
        prompt=lambda state, viewer, names: "Play a card.",
    ),
)


@pytest.fixture
def web_table(monkeypatch: pytest.MonkeyPatch) -> WebTable:
    """A table at which four players play Court."""
    monkeypatch.setitem(GAMES, "court", COURT)  # type: ignore[arg-type]
    table = Table(Journal(None), hasty_clock())
    table.start("court", None, {}, {}, NAMES, "s")
    return WebTable(table)


def tiles(web_table: WebTable, seat: int) -> dict[str, Any]:
    """The content of the seat's page, by key."""
    view = web_table.table.view(Seat(seat))
    assert view
    return {key: value for key, _, value in english(content(view)).tiles}


def test_seats_are_called_by_their_players_names(web_table: WebTable) -> None:
    """Seats are shown by their players' names. They are recognized by the types of the position's fields, by their
    keys, and in lists and objects with one entry per seat."""
    shown = tiles(web_table, 0)
    assert shown["hands"] == TitledRows(tuple(zip(NAMES, ("Chancellor", "?", "?", "?"), strict=True)), by_seat=True)
    assert shown["protected"] == ItemList((NAMES[1], NAMES[3]), "none")
    assert shown["favorite"] == NAMES[2]
    assert shown["tokens"] == TitledRows(tuple(zip(NAMES, "1234", strict=True)), by_seat=True)
    announced = (("by", NAMES[1]), ("target", "none"), ("claimed card", "Chancellor"), ("believed", "no"))
    assert shown["last_announcement"] == TitledRows(announced, by_seat=False)
    assert shown["cards_left"] == TitledRows((("Chancellor", "2"), ("Ambassador", "1")), by_seat=False)
    assert shown["discard_pile"] == ItemList((), "none")
    assert not {"turn", "over"} & set(shown)


def test_only_the_companion_deals_hidden_cards_that_nobody_can_report(web_table: WebTable) -> None:
    """A game with hidden cards has no choice of who deals, until it says which seat may report which card, or
    what the camera's sightings mean."""
    assert "dealer-cards" not in web_table.host().get("/host?game=court").text
    assert "dealer-cards" in web_table.host().get("/host?game=commute").text
    with pytest.raises(SetupError, match="cards=table: Court can only be dealt by the companion"):
        web_table.table.start("court", None, {}, {"cards": "table"}, NAMES, "s")


def test_whoever_won_is_named(web_table: WebTable) -> None:
    """The winner is named even if the game has no text for its end."""
    for turn in range(3):
        web_table.table.submit(Seat(turn), {"seat": turn, "move": "pass"})
    assert tiles(web_table, 1)["winners"] == ItemList((NAMES[0], NAMES[2]), "none")
    assert f'<dd><span class="item">{NAMES[0]}</span>' in unwrapped(web_table.phone(1).get("/play").text)


def test_default_texts_name_a_card_as_people_do() -> None:
    """In the log of a game without texts of its own, a card is called "the Baron", for example, or "a card" for players
    who may not know which card it is."""
    deal, play = Deal(to=Seat(2), card="baron"), Play(seat=Seat(2), card="baron", target=Seat(1))
    known, hidden = (default_text.log_line(Court(), deal, Court(), Seat(seat), NAMES) for seat in (2, 0))
    assert (str(known), str(hidden)) == ("Deal the Baron for Ann.", "Deal a card for Ann.")
    assert str(default_text.log_line(Court(), play, Court(), Seat(0), NAMES)) == (
        "Ann: play the Baron, target Bartholomäus."
    )
    assert [*map(str, default_text.label(Court(), play, Seat(2), NAMES))] == [
        "Play",
        "the Baron",
        "target Bartholomäus",
    ]


BROKEN_WORDS = """() => {
  const broken = [];
  const texts = document.createTreeWalker(document.querySelector("#page"), NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    for (const word of node.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].filter((box) => box.width).map((box) => Math.round(box.top)));
      if (lines.size > 1) broken.push(word[0]);
    }
  }
  return broken;
}"""
"""Every word of the page that is broken across lines."""


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium")
@pytest.mark.parametrize("size", thorough_except(SIZES, SIZES[1]), ids=lambda size: str(size["width"]))
def test_no_word_is_broken_and_nothing_sticks_out(browser: Any, web_table: WebTable, size: dict[str, int]) -> None:
    """No word is broken and nothing is cut off on the seat's page, in an open sheet and on the big screen."""
    with served(web_table) as server:
        page = new_page(browser, size, base_url=f"http://127.0.0.1:{server.port}")
        page.goto(f"/join?code={web_table.lobby.code}")
        page.get_by_role("button", name=NAMES[0]).click()
        page.locator("main.play").wait_for()
        page.wait_for_load_state()
        for reach in (lambda: None, lambda: page.locator(".action.opens").first.click(), lambda: page.goto("/table")):
            reach()
            assert page.evaluate(BROKEN_WORDS) == []
            assert page.evaluate("document.documentElement.scrollWidth") == size["width"]
        assert page.complaints == []
        # The control: a word wider than its place is broken, and found.
        widen = "document.querySelector('.tiles dd').textContent = 'A' + 'a'.repeat(80)"
        assert page.evaluate(f"() => {{ {widen}; return ({BROKEN_WORDS})() }}") == ["A" + "a" * 80]
