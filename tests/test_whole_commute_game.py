"""A whole game of Commute: two phones in real browsers, one phone without a browser, cards dealt by hand, and the
simulated table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from companion.games.commute.board import Board
from companion.games.commute.board_reader import boards
from companion.games.commute.suits_and_ranks import DECK, VALUES, title
from companion.match.history import fold
from companion.match.journal import Journal
from tests.browser import CHROMIUM, PHONE, TABLET
from tests.browser_party import Party
from tests.running_service import RunningService

BOARD = boards()["metropolis"]
CORNER = "s34"
"""A space where two players meet: cards of 8 and 9 lead around the block and back to it."""


class CommuteGroup:
    """A group that plays Commute in browsers and at the simulated table. People shuffle and deal, so the test
    determines the cards."""

    def __init__(self, party: Party, stacked: Mapping[int, str]) -> None:
        self.party = party
        self._stacked = {seat: cards.split() for seat, cards in stacked.items()}
        self._dealt: set[str] = set()
        self._commute = ""

    @property
    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.party.view()["state"]
        return state

    def post(self, phone: int, **move: Any) -> Any:
        """Submits a phone's move without using the phone's page. Returns the state after the move."""
        return self.party.post(phone, **move)

    # Dealing

    def due(self) -> tuple[int, str]:
        """The player who is due a card, and the card: the next stacked card, or else the highest card that is left."""
        reports = self.party.view()["reports"]
        (seat,) = {report["to"] for report in reports if report["move"] == "deal"}
        commute = f"{self.state['round']} {self.state['commute']}"
        if commute != self._commute:
            self._commute, self._dealt = commute, set()
        wanted = self._stacked.get(seat, [])
        later = {card for cards in self._stacked.values() for card in cards}
        left = (card for card in DECK if card not in self._dealt and (wanted or card not in later))
        card = wanted.pop(0) if wanted else max(left, key=VALUES.__getitem__)
        self._dealt.add(card)
        return seat, card

    def deal(self) -> None:
        """Lets everybody report the cards that they draw, until a player must act."""
        while self.state["turn"] == "house":
            seat, card = self.due()
            self.post(seat, seat="house", move="deal", to=seat, card=card, told=True)

    def tap_what_was_dealt(self) -> None:
        """Taps the value and the suit of the card that a player was dealt. Checks that no other phone asks for them."""
        (seat, card), version = self.due(), self.party.view()["version"]
        phone = self.party.page_of[seat]
        other = next(page for page in self.party.phones if page is not phone)
        assert other.locator(".report .ranks").count() == 0
        phone.locator(f".report .rank-{VALUES[card]}").check(force=True)
        phone.locator(f".report .suit-button[aria-label='{title(card)}']").click()
        self.party.after(version, f"the {title(card)} told")

    def show_what_was_dealt(self) -> None:
        """Shows the card that a player was dealt to the camera, and takes it into the hand."""
        (_, card), version = self.due(), self.party.view()["version"]
        self.lay(f"CM-{card}", "show")
        self.party.after(version, f"the {title(card)} shown")
        self.party.do("put-away", code=f"CM-{card}")

    # Hands on the table

    def lay(self, component: str, zone: str, aside: float = 0.0) -> None:
        """Puts a component into the middle of a zone, or `aside` mm away."""
        x, y = self.party.middle(zone)
        self.party.do("put", code=component, x=x + aside, y=y)

    def walk(self, card: str, piece: str, to: str) -> dict[str, Any]:
        """Puts a card on the discard pile and then moves a piece, which the camera recognizes together as one move."""
        version = self.party.view()["version"]
        self.lay(f"CM-{card}", "discard")
        self.lay(piece, to)
        state: dict[str, Any] = self.party.after(version, f"{piece} to {to} with {card}")["state"]
        return state

    def tap(self, seat: int, card: str, to: str) -> None:
        """Taps a card, a highlighted space, and the confirmation on a phone."""
        version, phone = self.party.view()["version"], self.party.page_of[seat]
        phone.locator(f".hand input[aria-label='{title(card)}']").check(force=True)
        phone.locator(f".stops:visible .stop[popovertarget$='-{to}']").click()
        phone.locator(".sheet:popover-open .action").first.click()
        self.party.after(version, f"the tap on {to}")

    # Uneventful turns

    def hurry(self) -> None:
        """Moves the player in turn as close to the goal as possible, without landing on other pieces or “Uh-Oh!”
        spaces."""
        state = self.state
        seat = state["turn"]
        goal = BOARD.work if state["commute"] == "morning" else BOARD.houses[seat]
        far = distances(BOARD, goal)

        def worth(move: Mapping[str, Any]) -> tuple[bool, int]:
            space = BOARD.spaces[move["to"]]
            return (space.kind == "uh_oh" or (space.id in state["positions"] and space.id != goal), far[space.id])

        self.post(seat, **min(self.party.view(seat)["legal"], key=worth))
        self.deal_unless_over(state["commute"])

    def deal_unless_over(self, commute: str) -> None:
        """Refills hands, unless the commute is over: the hands for the next commute are not dealt."""
        if not self.state["over"] and self.state["commute"] == commute:
            self.deal()


def distances(board: Board, goal: str) -> dict[str, int]:
    """The number of steps to the goal from each space. It ignores houses on the way."""
    found, ring = {goal: 0}, [goal]
    while ring:
        ring = [there for here in ring for there in board.neighbors[here] if there not in found]
        found.update(dict.fromkeys(ring, max(found.values()) + 1))
    return found


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium")
def test_a_whole_game_of_commute(browser: Any, tmp_path: Path) -> None:
    """A morning and an evening are played. Cards are reported on phones and shown to the camera; a card is discarded
    together with the move of its piece; spaces are tapped; an “Uh-Oh!” card asks a question; an act is undone; a phone
    reloads; and two players bump each other until a hand is empty. After the game has been scored and has ended, the
    journal replays to the same end. No phone is ever told another player's hand."""
    with RunningService(tmp_path, "--simulate") as service:
        party = Party(browser, service, "commute", (PHONE, "dark"), None, (TABLET, "light"), has_host_page=False)
        party.begin(dealer_cards="table", dealer_uh_oh="table", option_rounds="1")
        party.until(lambda: party.state()["in_view"], "the mat of Commute")
        game = CommuteGroup(party, {0: "10H 9H 7H 8H", 1: "10D 9D 8D 5D", 2: "3S 9S 8S"})
        deals(game)
        by_camera_and_phone(game)
        an_uh_oh_card_asks(game)
        to_and_fro(game)
        to_the_end(game)
        assert party.complaints == [], "".join(service.said)
        end = [party.view(seat)["state"] for seat in range(3)]
        assert service.stop() == 0
    journal = Journal(tmp_path / "journal.sqlite3")
    kept = journal.running_game()
    assert kept
    state = fold(kept).state
    assert [state.to_json()] * 3 == end, "all hands are open at the end"
    assert state.to_json()["winners"]
    journal.close()


def deals(game: CommuteGroup) -> None:
    """The first card is tapped on the phone, the second is shown to the camera, and the others are reported too."""
    game.tap_what_was_dealt()
    game.show_what_was_dealt()
    with game.party.locked():
        game.deal()
    for seat in range(3):
        hands = game.party.view(seat)["state"]["hands"]
        assert "?" not in hands[seat]
        assert all(set(hand) == {"?"} for other, hand in enumerate(hands) if other != seat)
    game.party.put_right()


def by_camera_and_phone(game: CommuteGroup) -> None:
    """The first player moves a piece. The second player chooses a move, another player undoes it on a page, and the
    second player chooses it again."""
    party = game.party
    assert game.walk("10H", "CM-P1", "s3")["positions"][0] == "s3"
    game.deal()
    game.post(1, seat=1, move="travel", card="10D", to=CORNER)
    party.agree(*party.phones)
    assert game.state["positions"][1] == CORNER
    party.put_right()
    version = party.view()["version"]
    party.page_of[2].get_by_role("button", name="Undo").click()
    assert party.after(version, "the undo")["state"]["positions"][1] == "h2"
    discrepancies = party.page_of[0].locator(".discrepancies")
    discrepancies.get_by_text("The violet piece", exact=False).wait_for()
    assert "put it in house B." in discrepancies.inner_text()
    game.post(1, seat=1, move="travel", card="10D", to=CORNER)
    game.deal()


def an_uh_oh_card_asks(game: CommuteGroup) -> None:
    """The third player lands on an “Uh-Oh!” space. Every phone shows the face-up card, and the player who drew it
    chooses."""
    party, space = game.party, "s14"
    game.post(2, seat=2, move="travel", card="3S", to=space)
    version = party.view()["version"]
    game.lay("CM-U04", "uh-oh")
    party.after(version, "the card on the mat")
    for phone in party.phones:
        phone.locator(".uh-oh-card.open").wait_for()
    party.page_of[2].reload()
    answers = party.page_of[2].locator(".uh-oh-card.open .answer")
    assert answers.all_inner_texts() == ["1: +10 minutes and +5 reputation", "2: −1 reputation"]
    version = party.view()["version"]
    answers.nth(1).click()
    assert party.after(version, "the answer")["state"]["reputation"] == [0, 0, -1]
    game.deal()


def to_and_fro(game: CommuteGroup) -> None:
    """The first player lands on the second player's space. Each bumps the other around the block, back to the same
    corner, until the first player has no card left. Then the first player is dealt a card, shows it and plays it, and
    the second player's piece moves."""
    party = game.party
    game.tap(0, "7H", CORNER)
    for phone in party.phones:
        phone.locator(".piece-at.moves").wait_for()
    party.page_of[0].locator(".steps").wait_for()
    with party.locked(party.page_of[2]):
        bumps(game)


def bumps(game: CommuteGroup) -> None:
    """The two players bump each other, and the last bump moves the second player's piece."""
    party = game.party
    game.tap(0, "9H", CORNER)
    assert game.state["pending"] == {"kind": "bump", "seat": 1, "target": 0}
    game.post(1, seat=1, move="bump", card="9D", to=CORNER)
    game.post(0, seat=0, move="bump", card="8H", to=CORNER)
    state = game.post(1, seat=1, move="bump", card="8D", to=CORNER)
    assert (state["turn"], state["hands"][0], state["pending"]["seat"]) == ("house", [], 0)
    game.lay("CM-P1", CORNER, -15)
    game.lay("CM-P2", CORNER, 15)
    game.show_what_was_dealt()
    party.page_of[0].locator(".steps").wait_for()
    (card,) = party.view(0)["state"]["hands"][0]
    to = next(move["to"] for move in party.view(0)["legal"] if BOARD.spaces[move["to"]].kind == "street")
    state = game.walk(card, "CM-P2", to)
    assert (state["positions"][:2], state["pending"]) == ([CORNER, to], None)
    game.deal()


def to_the_end(game: CommuteGroup) -> None:
    """Everybody hurries to work, reads the chart, hands the cards back, and hurries home."""
    party = game.party
    party.put_right()  # otherwise a piece that is out of place would be taken for a move
    with party.locked():
        while game.state["commute"] == "morning":
            game.hurry()
    party.page_of[0].get_by_text("Return your cards").wait_for()
    party.page_of[0].locator(".standing.first .chart").wait_for()
    assert all(reputation < 0 for reputation in game.state["reputation"])
    with party.locked():
        game.deal()
        while not game.state["over"]:
            game.hurry()
    for seat, phone in party.page_of.items():
        won = seat in game.state["winners"]
        phone.locator(f".turn.over.{'won' if won else 'lost'}").wait_for()
        assert phone.locator(".standing.first .chart .course").count() == 3
