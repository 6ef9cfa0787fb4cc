"""A whole game of System WON: two phones in real browsers, one phone without a browser, and cards that are shown to the
camera of the simulated table."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from companion.games.system_won.catalog import catalog
from companion.match.history import fold
from companion.match.journal import Journal
from tests.browser import CHROMIUM, PHONE, SMALL
from tests.browser_party import Look, Party
from tests.running_service import RunningService

ROLES = ("engineer", "contractor", "technician")
"""The role of each player, in their order: the Engineer has a phone with a browser."""
DECK = 25
"""The number of cards left after three hands are dealt."""


class WonParty(Party):
    """A group that knows the owner of each card that is not on the table. It must know this because there are several
    copies of a face."""

    def __init__(self, browser: Any, service: RunningService, game: str, *looks: Look | None) -> None:
        super().__init__(browser, service, game, *looks, has_host_page=False)
        self.held: dict[str, int] = {}


def hand_of(party: Party, seat: int) -> list[str]:
    """The cards of a seat, as its neighbor sees them."""
    hands: list[list[str]] = party.view((seat + 1) % 3)["state"]["hands"]
    return hands[seat]


def lying_at(state: Any, x: float, y: float) -> list[str]:
    """The components around this point."""
    return [p["code"] for p in state["on_mat"] if abs(p["x"] - x) < 20 and abs(p["y"] - y) < 20]


def show(party: WonParty) -> None:
    """Shows the next card of the deck to the camera, and takes it into the hand after it was read."""
    before = party.view()
    x, y = party.middle("show")
    (card,) = lying_at(party.do("draw", pile="pile-1", x=x, y=y), x, y)
    after = party.after(before["version"], "the recording of a card that was shown")
    shown = [len(hand) for hand in before["state"]["hands"]], [len(hand) for hand in after["state"]["hands"]]
    (party.held[card],) = (seat for seat, (had, has) in enumerate(zip(*shown, strict=True)) if has > had)
    party.do("put-away", code=card)
    party.until(lambda: party.is_right(without="Show the camera"), "that the card was taken up")


def lay(party: WonParty, face: str, zone: str) -> Any:
    """The seat in turn puts a card of this face from its hand into a zone. Returns the view after it was recorded."""
    view, beside = party.view(), party.state()["off_mat"]
    version, seat = view["version"], view["state"]["turn"]
    card = next(card for card in beside if card.startswith(f"SW-{face}") and party.held[card] == seat)
    x, y = party.middle(zone)
    party.do("put", code=card, x=x, y=y)
    return party.after(version, f"the recording of {face} in {zone}")


def deal_roles(party: Party) -> None:
    """The players report the roles that they draw, on a phone."""
    for role in ROLES:
        party.submit(0, **next(report for report in party.view()["reports"] if report["role"] == role))


def tell(party: Party, seat: int) -> None:
    """A player specifies the color of the next player's first card on the phone's page. A phone without a browser
    makes any specification."""
    version, phone = party.view()["version"], party.page_of.get(seat)
    if phone is None:
        party.submit(seat, **next(move for move in party.view(seat)["legal"] if move["move"] == "specify"))
        return
    phone.locator(".holder:not(.own) button.face").first.click()
    phone.locator(".sheet:popover-open .confirm:visible").click()
    party.after(version, "the specification")


def next_turn(party: WonParty) -> dict[str, Any]:
    """The state when a seat must act, after the card that is due was drawn. Checks that nobody was told a card of their
    own hand."""
    if party.view()["state"]["turn"] == "house":
        show(party)
    state: dict[str, Any] = party.view()["state"]
    check_secrets(party, state["turn"])
    return state


def check_secrets(party: Party, seat: int) -> None:
    """Checks that a seat is told no card of its own hand."""
    assert set(party.view(seat)["state"]["hands"][seat]) == {"?"}


def fits(state: dict[str, Any], hand: list[str]) -> list[bool]:
    """For each card of a hand, whether it can be played."""
    colors = {color[0].upper(): color for color in state["systems"]}
    return [face != "?" and state["systems"][colors[face[0]]] == int(face[1]) - 1 for face in hand]


def take_turn(party: WonParty, state: dict[str, Any]) -> None:
    """Makes a move for the seat in turn: plays a fitting card, using knowledge that no player has, or else specifies or
    discards."""
    seat = state["turn"]
    hand = hand_of(party, seat)
    colors = {color[0].upper(): color for color in state["systems"]}
    right = [face for face, does in zip(hand, fits(state, hand), strict=True) if does]
    if right:
        lay(party, right[0], f"system-{colors[right[0][0]]}")
    elif state["specifications"] > 5:
        tell(party, seat)
        turn_specifications(party)
    else:
        lay(party, hand[0], "discard")


def turn_specifications(party: Party) -> None:
    """Turns specification cards over until as many are face up as recorded."""
    up = party.view()["state"]["specifications"]
    lying = [piece for piece in party.state()["on_mat"] if piece["code"].startswith("SW-SPEC")]
    shown = [piece for piece in lying if piece["face_up"]]
    for piece in shown[up:]:
        party.do("flip", code=piece["code"])
    if len(shown) < up:
        for piece in [piece for piece in lying if not piece["face_up"]][: up - len(shown)]:
            party.do("flip", code=piece["code"])
    party.until(lambda: party.is_right(without="Turn over"), "that the specifications are right")


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium")
def test_a_whole_game_of_system_won(browser: Any, tmp_path: Path) -> None:
    """Cards are shown to the camera when drawn and put down to play or discard; specifications are made on phones.
    There is an error, an undo, and an undo of the Engineer. The game ends, the journal replays to the same end, and no
    phone is ever told a card of its own hand."""
    with RunningService(tmp_path, "--simulate") as service:
        party = WonParty(browser, service, "system-won", (PHONE, "light"), (SMALL, "dark"), None)
        party.begin(dealer_cards="table", dealer_roles="table", option_roles=",".join(ROLES))
        party.until(lambda: party.state()["in_view"], "the mat of System WON")
        deal_roles(party)
        party.put_right()
        with party.locked():
            while party.view()["state"]["deck"] > DECK:
                show(party)
        for episode in (
            told_and_taken_back,
            make_an_error,
            engineer_undoes,
            discard,
            take_turn,
            take_turn,
        ):
            episode(party, next_turn(party))
        next_turn(party)  # whether the last turn ended with a draw depends on the shuffle
        with party.locked():
            play_on_phones(party)
        for phone in party.phones:
            phone.locator(".turn.over").wait_for()
        assert party.complaints == [], "".join(service.said)
        end = [party.view(seat)["state"] for seat in range(3)]
        assert service.stop() == 0
    journal = Journal(tmp_path / "journal.sqlite3")
    kept = journal.running_game()
    assert kept
    state = fold(kept).state
    for seat in range(3):
        assert end[seat] == state.as_known_to(seat).to_json()
    assert state.to_json()["score"] > 0
    assert state.to_json()["errors"]
    journal.close()


def told_and_taken_back(party: Party, state: dict[str, Any]) -> None:
    """The first specification is made, undone on another phone, and made again."""
    seat, other = state["turn"], (state["turn"] + 1) % 3
    tell(party, seat)
    version = party.view()["version"]
    assert party.view()["state"]["specifications"] == 7
    party.agree(phone := party.page_of[other])  # the undo of an older page would be refused
    phone.get_by_role("button", name="Undo").click()
    assert party.after(version, "the undo")["state"]["specifications"] == 8
    tell(party, seat)
    turn_specifications(party)


def make_an_error(party: WonParty, state: dict[str, Any]) -> None:
    """A player puts a card that fits nowhere into the zone Play, and carries it to the errors."""
    while all(fits(state, hand := hand_of(party, state["turn"]))):  # at the start, every card of rank 1 fits
        take_turn(party, state)
        state = next_turn(party)
    wrong = [face for face, right in zip(hand, fits(state, hand), strict=True) if not right]
    assert lay(party, wrong[0], "play")["state"]["errors"] == [wrong[0]]
    party.put_right()


def discard(party: WonParty, state: dict[str, Any]) -> None:
    """A player discards a card."""
    lay(party, hand_of(party, state["turn"])[0], "discard")


def play_on_phones(party: WonParty) -> None:
    """The rest of the game is played on phones: drawn cards are not shown, fitting cards are played, and others are
    discarded."""
    while not (view := party.view())["state"]["over"]:
        seat = view["state"]["turn"]
        if seat == "house":
            party.submit(0, **view["reports"][0])
        else:
            party.submit(seat, **simple_move(party, seat))


def simple_move(party: WonParty, seat: int) -> dict[str, Any]:
    """The move of a player who only plays and discards. Cards that have been seen are discarded before unseen cards.
    Checks that the seat is told no card of its own hand."""
    view = party.view(seat)
    assert set(view["state"]["hands"][seat]) == {"?"}
    hand = hand_of(party, seat)
    if True in (right := fits(view["state"], hand)):
        return {"seat": seat, "move": "play", "slot": right.index(True)}
    slot = min(range(len(hand)), key=lambda slot: hand[slot] == "?")
    told = {"card": possible_face(view["state"], hand)} if hand[slot] == "?" else {}
    return {"seat": seat, "move": "discard", "slot": slot, **told}


def possible_face(state: dict[str, Any], hand: list[str]) -> str:
    """A possible face of an unseen card. At least one of its copies is not known to be elsewhere."""
    cards = catalog()
    known = Counter(face for faces in (hand, state["discard"], state["errors"], *state["hands"]) for face in faces)
    known.update(card.face for card in cards.cards.values() if card.rank <= state["systems"][card.color])
    return next(face for face, copies in zip(cards.faces, cards.copies, strict=True) if copies > known[face])


def lone(state: dict[str, Any], hand: list[str]) -> str:
    """A card in a hand, preferably one without an equal copy on the table: after the Engineer's undo, nobody knows
    which of two copies has returned to the hand."""
    tops = {color[0].upper(): top for color, top in state["systems"].items()}
    laid = {*state["discard"], *state["errors"]}
    return next((face for face in hand if int(face[1]) > tops[face[0]] and face not in laid), hand[0])


def engineer_undoes(party: WonParty, state: dict[str, Any]) -> None:
    """After a discard and a draw, the Engineer's phone undoes the turn. The hand and the deck are as before."""
    seat, engineer = state["turn"], state["roles"].index("engineer")
    hand = hand_of(party, seat)
    lay(party, lone(state, hand), "discard")
    show(party)
    version, phone = party.view()["version"], party.page_of[engineer]
    phone.get_by_role("button", name="My ability").click()
    phone.get_by_role("button", name="Yes, use it").click()
    undone = party.after(version, "the Engineer's undo")["state"]
    assert undone["turn"] == seat
    assert undone["deck"] == state["deck"]
    assert hand_of(party, seat) == hand
    party.put_right()
