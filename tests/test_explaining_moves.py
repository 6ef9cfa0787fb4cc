"""“Is the table right?”: the moves that a phone offers because they would explain what lies on the table, in games with
hidden cards. No offer depends on a card that the player may not know."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from companion.games import move_json
from companion.games.rules import SPECTATOR, Seat, State
from companion.games.traffic_congestion.moves import Go
from companion.tabletop.observations import CardGone, MatSeen, TokensCounted
from tests.scripted_camera_table import ScriptedCameraTable, everything_visible
from tests.system_won_tables import HANDS, SystemWonTable
from tests.test_commute_table import ANN, BOARD, GAME, CommuteTable
from tests.test_traffic_congestion_table import explained, mat_of, table, tile
from tests.traffic_games import RUSH, begun, seen
from tests.web_table import WebTable


def offers(real: ScriptedCameraTable, seat: Any) -> list[tuple[dict[str, object], tuple[str, ...], bool]]:
    """For each move that a phone offers to explain the table: the move, its label, and whether it would replace the
    last move."""
    found = real.view(seat).choices.explanations
    return [(move_json.to_json(each.move), tuple(map(str, each.label)), each.replaces_last) for each in found]


def test_a_walk_made_while_the_service_was_down_can_be_accepted() -> None:
    """Ann put her card and her piece down while the service was down. Her phone alone offers the move."""
    real = CommuteTable(cards="table").show("5D", "2H", "2S", "3C", "7H", "9S")
    space = real.by_one(0, "5D")
    real.restart()
    real.lay("CM-5D", "discard", found=True)
    real.lay(ANN, space, found=True)
    real.clock.now += 10
    assert len(real.discrepancies()) == 3, "Ann’s card and piece, and Ben’s piece, which nobody has seen yet"
    ((move, _, replaces_last),) = offers(real, 0)
    assert (move, replaces_last) == ({"seat": 0, "move": "travel", "card": "5D", "to": space}, False)
    assert offers(real, 1) == offers(real, SPECTATOR) == []
    real.table.submit(Seat(0), move)
    assert real.state["positions"][0] == space
    real.clock.now += 10
    assert len(real.discrepancies()) == 1


def test_with_cards_on_phones_a_piece_is_explained_by_every_card_that_takes_it_there() -> None:
    """Without printed cards, the piece alone is compared with the moves of the hand."""
    real = CommuteTable()
    to, cards = next((to, cards) for to, cards in real.reach(0).items() if to not in real.state["positions"])
    real.restart()
    real.lay(ANN, to, found=True)
    real.clock.now += 10
    assert [move for move, *_ in offers(real, 0)] == [
        {"seat": 0, "move": "travel", "card": card, "to": to} for card in cards
    ]
    assert offers(real, 1) == []


def test_the_last_walk_can_be_replaced_by_the_one_on_the_table() -> None:
    """Ann chose one space on her phone, and put her piece on another that the same card reaches. Her phone offers to
    change the move, and Ben’s does not."""
    real = CommuteTable(cards="table").show("5D", "2H", "2S", "3C", "7H", "9S")
    taken = real.state["positions"]
    first, second = [to for to, by in real.reach(0).items() if "5D" in by and to not in taken][:2]
    real.move(0, move="travel", card="5D", to=first)
    real.lay("CM-5D", "discard")
    real.lay(ANN, second, "moved")
    changes = [move for move, _, replaces_last in offers(real, 0) if replaces_last]
    assert changes == [{"seat": 0, "move": "travel", "card": "5D", "to": second}]
    assert offers(real, 1) == []
    real.table.correct(Seat(0), changes[0])
    assert real.state["positions"][0] == second
    assert real.discrepancies() == []


def test_whether_a_hand_holds_the_card_on_the_table_is_not_told(tmp_path: Path) -> None:
    """A card lay on Discards before the camera started. If the match knows the cards of the hands, no phone offers a
    move, whether Ann's hand holds this card or not: her choice would tell her, or open another card."""
    said = []
    for first in ("R1", "Y2"):
        real = SystemWonTable(path=tmp_path / first).deal((first, *HANDS[1:]))
        real.restart()
        real.lay("SW-R1C", "discard", found=True)
        said.append(everything_visible(real.view(0)))
        assert offers(real, 0) == offers(real, 1) == offers(real, SPECTATOR) == []
    assert said[0] == said[1]


def test_an_unseen_card_is_explained_by_every_card_of_the_hand_that_it_can_be(tmp_path: Path) -> None:
    """A red card lay on Discards before the camera started, and nobody has seen the cards of the hands. The phone of
    the player in turn asks which card it was. After a hint, only the cards that it named can be red."""
    real = SystemWonTable("unseen", path=tmp_path / "journal")
    real.restart()
    real.lay("SW-R1C", "discard", found=True)
    assert offers(real, 0) == [
        (
            {"seat": 0, "move": "discard", "slot": slot, "card": "R1"},
            ("Ann discards a red 1.", f"card {slot + 1}"),
            False,
        )
        for slot in range(5)
    ]
    assert offers(real, 1) == []
    real.move(0, move="specify", target=1, color="red", slots=[1, 3])
    assert [move["slot"] for move, *_ in offers(real, 1)] == [1, 3]
    assert [move for move, *_ in offers(real, 0)] == []


def test_a_signal_that_was_taken_off_is_explained_by_letting_its_cars_go() -> None:
    """A player takes off the signal and moves the cars afterwards. The phone offers the Go that removes the signal,
    although the cars have not moved yet."""
    playing = table()
    playing.observe(MatSeen(t=0, mat="MAT-TC"))
    playing.observe(tile("west1>A", 90))
    for seat in (1, 0):
        playing.submit(Seat(seat), {"seat": seat, "move": "enter", "lane": "west1>A"})
    playing.observe(CardGone(t=5, code=tile("west1>A", 90).code))
    assert explained(playing, 1) == [({"seat": 1, "move": "go", "lane": "west1>A", "then": "remove"}, False)]


def test_a_recorded_move_is_announced_although_something_is_to_be_fixed() -> None:
    """Ann’s signal is recorded, and a spare signal lies beside a lane. Her phone and the big screen announce the move
    above what is to be fixed, and her phone can undo it. Ben’s phone shows only what is to be fixed."""
    real = begun()
    real.table.observe(MatSeen(t=0, mat="MAT-TC"))
    real.table.observe(tile("west1>A", 90))
    x, y = (sum(values) / 4 for values in zip(*mat_of().zone("west1>A").polygon, strict=True))
    real.table.observe(replace(tile("west1>A", 90, 2), mm=(x, y + 30), zone=None))
    pages = [real.phone(0).get("/play"), real.phone(1).get("/play"), real.host().get("/table")]
    announced = ["Recorded: Ann places a signal from west1&gt;A to A&gt;B." in page.text for page in pages]
    assert announced == [True, False, True]
    assert all("Fix on the table" in page.text for page in pages)
    assert [page.text.count('value="undo">Undo</button>') for page in pages[:2]] == [1, 0]


def test_a_forgotten_signal_is_explained_only_by_the_move_that_keeps_it() -> None:
    """Ann lets her cars go and removes the signal on her phone. She carries the cars, but the signal stays. Her phone
    offers to change the move to the one that keeps the signal, and nothing else. A signal that was never on the table
    is explained by no move at all."""
    real = begun(*RUSH, board="grid-2x2")
    _see_everything(real)
    assert seen(real).tabletop.discrepancies == ()
    real.table.submit(Seat(0), {"seat": 0, "move": "go", "lane": "west1>A", "then": "remove"})
    _count_cars(real, 200)
    keeps = {"seat": 0, "move": "go", "lane": "west1>A", "then": "keep"}
    assert explained(real.table, 0) == [(keeps, True)]
    real.table.undo(Seat(0))
    _count_cars(real, 300)
    real.table.submit(Seat(0), {"seat": 0, "move": "signal", "lane": "A>B", "to": "B>north2"})
    assert [explained(real.table, seat) for seat in (0, 1)] == [[], []]


def test_a_move_is_not_offered_in_its_own_place() -> None:
    """Ann's walk leads to an “Uh-Oh!” space, and the card that was drawn there does not lie on its pile yet. Her phone
    does not offer to change the walk to the same walk."""
    real = CommuteTable()
    to, (card, *_) = next((to, by) for to, by in real.reach(0).items() if BOARD.spaces[to].kind == "uh_oh")
    real.lay(f"CM-{card}", "discard")
    real.lay(ANN, to, "moved")
    assert real.state["positions"][0] == to
    drawn = str(real.view(0).tabletop.physical_instructions)
    other = next(code for code in GAME.physical.components.kinds if code.startswith("CM-U") and code not in drawn)
    real.lay(other, None)
    real.take(other)
    (message,) = real.discrepancies()
    assert message.startswith("Put “")
    assert offers(real, 0) == []


def test_cars_that_were_moved_are_explained_by_each_move_that_moves_them() -> None:
    """Ann carries her cars through a signal. Her phone offers the moves that the cars fit: with the signal kept or
    removed. Ben's phone offers nothing."""
    real = begun(*RUSH, board="grid-2x2")
    match = real.table._game.require_match()
    _see_everything(real)
    go = next(move for move in seen(real).choices.legal if isinstance(move, Go) and move.then == "keep")
    _count_cars(real, 200, match.state.play(go))
    begun_move = seen(real).tabletop.begun_move
    assert begun_move
    offered = [move for move, _ in explained(real.table, 0)]
    assert {"seat": 0, "move": "go", "lane": go.lane, "then": "keep"} in offered
    assert all(move["move"] == "go" and move["lane"] == go.lane for move in offered)
    assert explained(real.table, 1) == []


def test_a_car_that_leaves_as_soon_as_it_has_come_begins_a_move() -> None:
    """Ben adds a car on his phone and puts it there, and Ann lets it go. The lane then looks as it did before Ben's
    move, but the camera has seen the car. So Ann's phone asks for her move and offers it; nobody asks for Ben's car."""
    real = begun({"move": "signal", "lane": "north1>A", "to": "A>west1"}, board="grid-2x2")
    _see_everything(real)
    real.table.submit(Seat(1), {"seat": 1, "move": "enter", "lane": "north1>A"})
    before = real.table._game.require_match().history.acts[-1].before
    forgotten = [str(each.message) for each in seen(real).tabletop.discrepancies]
    assert forgotten == ["Put 1 red car in lane north1>A: the camera sees none."]
    _count_cars(real, 200)
    _count_cars(real, 300, before)
    found = seen(real, 0).tabletop
    assert (found.discrepancies, found.begun_move and found.begun_move.seat) == ((), 0)
    offered = [move for move, _ in explained(real.table, 0)]
    assert {"seat": 0, "move": "go", "lane": "north1>A", "then": "keep"} in offered


def _see_everything(real: WebTable) -> None:
    """Lets the camera see the mat, the signals and the cars of the match."""
    match = real.table._game.require_match()
    real.table.observe(MatSeen(t=0, mat="MAT-TC"))
    for number, (lane, orientation) in enumerate(match.layout(SPECTATOR).orientations.items(), 1):
        real.table.observe(tile(lane, orientation.degrees, number, mat_of(board="grid-2x2"), t=number))
    _count_cars(real, 100)


def _count_cars(real: WebTable, t: float, state: State | None = None) -> None:
    """Lets the camera count the cars of the match, or of another position, in every lane."""
    match = real.table._game.require_match()
    layout = match.game.physical.layout(state or match.state, SPECTATOR)
    colors = mat_of(board="grid-2x2").token_colors
    assert colors
    for lane in colors.areas:
        real.table.observe(TokensCounted(t=t, place=lane, tokens=layout.tokens_in(lane), certainty="certain"))
