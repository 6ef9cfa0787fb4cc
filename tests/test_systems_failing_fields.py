"""The fields of the cards of Systems Failing at the table: which counts are reported and when they are forgotten, which
moves of cubes are begun, and where the cubes of the simulated table lie."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from companion.games.rules import SPECTATOR, Seat
from companion.games.systems_failing.game import GAME
from companion.games.systems_failing.mat import MAT
from companion.games.systems_failing.physical import begun_move
from companion.games.systems_failing.rules import State
from companion.simulator.draw_from_pile import MatchSnapshot
from companion.simulator.simulated_table import SimulatedTable
from companion.tabletop.begun_move import BegunMove
from companion.tabletop.discrepancies import discrepancies
from companion.tabletop.observations import CardGone, CardHidden, CardSeen, MatSeen, Observation, TokensCounted
from companion.tabletop.token_count_discrepancies import uncertain_count_messages
from companion.tabletop.tracked_table import TrackedTable
from tests.evenings.evening import Evening
from tests.evenings.hand_acts import Carry
from tests.evenings.rendered_camera import RenderedGroup
from tests.evenings.simulated_group import SimulatedGroup
from tests.evenings.world import Lying
from tests.systems_failing_positions import act, ship
from tests.systems_failing_tables import new_table
from tests.systems_failing_tables import seen as seen_by

CARD, OTHER, ESCAPE = "SF-D01", "SF-D02", "SF-E1"
STATE = ship({1: ["D01", "D02"]}, ("red blue black", "green"))
ON_CARD = act(STATE, "repair", card="D01", cubes="red")
Why = Literal["dark", "patches", "covered", "unclear"]


def counted(place: str, colors: str) -> TokensCounted:
    return TokensCounted(t=1, place=place, tokens=dict(Counter(colors.split())), certainty="certain")


def uncertain(place: str, why: Why) -> TokensCounted:
    guess = {"red": 1} if why == "unclear" else None
    return TokensCounted(t=1, place=place, tokens=guess, certainty="guessed" if guess else "unknown", why=why)


def seen(card: str, x: float = 160.0, y: float = 70.0, change: Literal["appeared", "moved"] = "appeared") -> CardSeen:
    return CardSeen(t=1, code=card, zone=MAT.zone_at((x, y)), mm=(x, y), angle=0, change=change)


def table_of(*observations: Observation) -> TrackedTable:
    """A tracked table with the mat and the cards of `STATE`, after some more observations."""
    table = TrackedTable()
    cards = (seen(CARD), seen(OTHER, y=170.0), seen(ESCAPE, 389.0, 76.0))
    for number, each in enumerate((MatSeen(t=0, mat=MAT.name), *cards, *observations)):
        table = table.after(each, now=float(number))
    return table


def messages(state: State, *observations: Observation) -> list[str]:
    """What is said about cubes on cards."""
    layout = GAME.physical.layout(state, SPECTATOR)
    found = discrepancies(layout, table_of(*observations), GAME.physical.components, ("Ann", "Bob"))
    return [str(each.message) for each in found if "field" in str(each.message)]


def begun(state: State, *observations: Observation) -> BegunMove | None:
    return begun_move(state, table_of(*observations))


@pytest.mark.parametrize(
    ("colors", "message"),
    [
        ("red", []),
        ("", ["Put 1 red cube in the field of D01: the camera sees none."]),
        ("red blue", ["Take 1 blue cube out of the field of D01."]),
    ],
)
def test_a_forgotten_cube_on_a_card_is_reported(colors: str, message: list[str]) -> None:
    """A card with a cube too many or too few is reported, and one that is right is not."""
    assert messages(ON_CARD, counted("pool-0", "blue black"), counted(CARD, colors)) == message


def test_a_cube_that_stays_on_a_discarded_card_is_reported() -> None:
    """The cubes on a card that leaves play go back to the bag."""
    message = "Take 1 red cube out of the field of D03."
    assert messages(ON_CARD, seen("SF-D03", 389.0, 284.0), counted("SF-D03", "red")) == [message]


def test_the_last_count_of_a_covered_card_that_has_left_play_is_not_reported() -> None:
    """D03 has left play, and another card lies where it was. Nobody can see whether D03 is still below, with its
    cube."""
    below, above = seen("SF-D03", 389.0, 76.0), replace(seen("SF-E5", 390.0, 77.0), t=3)
    assert messages(ON_CARD, below, counted("SF-D03", "red"), above) == []


@pytest.mark.parametrize("why", ["dark", "patches", "covered", "unclear"])
def test_nothing_is_said_about_cards_that_cannot_be_counted(why: Why) -> None:
    """Older prints have no fields, cards cover each other, and cubes may lie beside a field. Nothing is said about any
    of these, even if cubes were seen."""
    table = table_of(counted("pool-0", "blue black"), uncertain(CARD, why))
    layout = GAME.physical.layout(ON_CARD, SPECTATOR)
    assert messages(ON_CARD, counted("pool-0", "blue black"), uncertain(CARD, why)) == []
    assert uncertain_count_messages(layout, table, GAME.physical.components, ("Ann", "Bob")) == ()


@pytest.mark.parametrize(
    "later",
    [
        seen(CARD, 160.0, 75.0, "moved"),
        seen(CARD, 389.0, 284.0, "moved"),
        CardHidden(t=2, code=CARD),
        CardGone(t=2, code=CARD),
    ],
)
def test_the_count_of_a_card_that_moves_or_disappears_is_forgotten(later: Observation) -> None:
    """Whoever moves a card may move its cubes, too. What was counted before says nothing any more."""
    assert CARD in table_of(counted(CARD, "red")).token_counts
    assert CARD not in table_of(counted(CARD, "red"), later).token_counts
    assert messages(STATE, counted(CARD, "red"), later) == []


def test_the_count_of_a_card_that_lies_still_is_kept() -> None:
    """A count stays when another card moves, and when the place of the card is only computed again."""
    kept = table_of(counted(CARD, "red"), seen(OTHER, 160.0, 190.0, "moved"), seen(CARD, 161.0, 70.5))
    assert CARD in kept.token_counts


def test_a_count_of_a_card_does_not_delay_what_is_said_about_the_card() -> None:
    """A card in a wrong place is reported some time after it has come to rest there, however late its cubes are
    counted. A wrong count is reported some time after it was made."""
    layout = GAME.physical.layout(STATE, SPECTATOR)
    table = table_of(seen(CARD, 240.0, 70.0, "moved")).after(counted(CARD, "green"), now=9.0)
    found = discrepancies(layout, table, GAME.physical.components, ("Ann", "Bob"))
    since = {each.fix.act: each.since for each in found if CARD in (each.code, each.fix.place)}
    assert since == {"put": 4.0, "count": 9.0}


def test_a_repair_before_the_tap_is_begun() -> None:
    """A cube that has moved from a pool to a card which needs it is a repair that nobody has entered."""
    found = begun(STATE, counted("pool-0", "blue black"), counted(CARD, "red"), counted(OTHER, ""))
    assert found is not None
    assert found.seat == 0
    assert {CARD, "pool-0"} <= found.places
    assert begun(STATE, counted(CARD, "red"), counted("pool-0", "red blue black")) is not None  # one from the supply


@pytest.mark.parametrize(
    ("on_card", "on_other"),
    [("black", ""), ("red", "red"), ("red red", "")],  # not needed, or more than the move puts on one card
)
def test_other_cubes_on_cards_are_no_begun_move(on_card: str, on_other: str) -> None:
    """What no legal repair explains is an error."""
    assert begun(STATE, counted("pool-0", "blue"), counted(CARD, on_card), counted(OTHER, on_other)) is None


def test_the_cubes_of_a_repaired_card_may_be_gone_already() -> None:
    """People take the cubes off a card that they have repaired, before they enter the repair. A cube that only
    disappears from a card which is not repaired is an error."""
    assert begun(ON_CARD, counted("pool-0", "black"), counted(CARD, "")) is not None  # red and blue repair the card
    assert begun(ON_CARD, counted("pool-0", "blue"), counted(CARD, "")) is None


def test_an_escape_sequence_may_be_taken_before_its_repair_is_entered() -> None:
    """The card of a repaired escape sequence goes to the player. Once a cube of the repair has left the pool, a card
    that is gone belongs to the repair. It does not if no cube has left, or if the cubes can't complete the repair."""
    almost, half = (
        ship(None, ("red blue black", "green"), f"E1 {cubes}") for cubes in ("orange blue yellow", "orange")
    )
    taken = CardGone(t=2, code=ESCAPE)
    pool = counted("pool-0", "blue black")
    assert [each and each.codes for each in (begun(almost, pool, taken), begun(half, pool, taken))] == [{ESCAPE}, set()]
    assert begun(almost, counted("pool-0", "red blue black"), taken) is None


@pytest.mark.parametrize("was_right", [True, False])
def test_a_drawn_cube_that_leaves_the_pool_again_begins_a_move(was_right: bool) -> None:
    """Ann draws a red cube and moves it from her pool to a card, whose field can't be counted. Her pool is then as it
    was before the draw. If the cube was seen in her pool, nobody is told to put it there: she has begun a repair."""
    table = new_table(seed="s1")
    table.observe(MatSeen(t=0, mat=MAT.name))
    table.submit(Seat(0), {"seat": 0, "move": "scavenge"})
    pool = seen_by(table).state["pools"][0]
    assert pool["red"] == 1
    for cubes in (pool, {color: count for color, count in pool.items() if color != "red"})[0 if was_right else 1 :]:
        table.observe(TokensCounted(t=1, place="pool-0", tokens=cubes, certainty="certain"))
    tabletop = seen_by(table).tabletop
    assert (tabletop.begun_move is not None) is was_right
    asked = [each.message for each in tabletop.discrepancies if "red cube" in each.message]
    assert asked == ([] if was_right else ["Put 1 red cube in Ann’s pool: the camera sees none."])


def test_every_field_is_a_place_of_the_layout() -> None:
    """Layouts name the tokens on each card in play, and cards have fields."""
    assert MAT.token_colors
    for card in STATE.cards_in_play():
        assert f"SF-{card.card}" in MAT.token_colors.fields
        assert f"SF-{card.card}" in GAME.physical.layout(STATE, SPECTATOR).tokens


def simulated(match: Callable[[], MatchSnapshot]) -> SimulatedTable:
    table = SimulatedTable(GAME, {}, match, hand_s=0)
    table.put(CARD, 150, 80)
    table.sync_tokens(1)
    return table


def test_simulated_cubes_lie_on_the_field_and_move_with_the_card() -> None:
    """The cubes of the simulated table lie on the field of their card, and are carried along with it, at any angle."""
    table = simulated(lambda: MatchSnapshot(1, ON_CARD))
    assert MAT.token_colors
    outline = GAME.physical.components.outlines[CARD]

    def distance() -> float:
        """How far the cube is from the middle of the field."""
        (red,) = (token for token in table.scene.tokens if token.kind == "red")
        card = table.scene.find(CARD)
        assert card is not None
        turn = math.radians(card.angle)
        (x, y) = outline.code_center
        code = card.x + x * math.cos(turn) - y * math.sin(turn), card.y + x * math.sin(turn) + y * math.cos(turn)
        area = MAT.token_colors.fields[CARD].placed(code, card.angle).area  # type: ignore[union-attr]
        middle = sum(each[0] for each in area) / 4, sum(each[1] for each in area) / 4
        return math.dist((red.x, red.y), middle)

    before = distance()
    assert before < 28
    table.put(CARD, 300, 200)
    assert distance() == pytest.approx(before)
    table.rotate(CARD, 130)
    assert distance() == pytest.approx(before)
    table.put(CARD, 100, 120, 10)
    assert distance() == pytest.approx(before)


def test_simulated_cubes_leave_a_card_even_if_no_pool_changes() -> None:
    """When the cubes on a card go back to the bag, they leave the simulated table, too."""
    state = ON_CARD
    table = simulated(lambda: MatchSnapshot(1, state))
    assert [token.kind for token in table.scene.tokens].count("red") == 1
    state = ship({1: ["D02"]}, ("blue black", "green"))
    table.sync_tokens(2)
    assert [token.kind for token in table.scene.tokens].count("red") == 0


@pytest.mark.parametrize("kind", [SimulatedGroup, pytest.param(RenderedGroup, marks=pytest.mark.slow)])
def test_hands_put_cubes_on_cards_and_a_forgotten_one_is_reported(kind: type[SimulatedGroup], tmp_path: Path) -> None:
    """In an evening, with pictures, too, the hands carry cubes to the cards. A cube that is missing on one is a visible
    difference and is reported until it is there again."""
    evening = Evening("systems-failing", "G1", tmp_path, 0.0, kind)
    evening.hands.set_up()
    evening.group.start_camera()
    evening.hands.put_right()
    for _ in range(60):
        if any(evening.group.world.counted(card) for card in evening.group.world.fields):
            break
        evening.judge.step += 1
        evening._step()
    world, group = evening.group.world, evening.group
    (card, cubes), *_rest = [(card, held) for card in world.fields if (held := world.counted(card))]
    assert cubes == {kind: count for kind, count in group.layout.tokens[card].items() if count}
    color = next(iter(cubes))
    group.do(Carry(color, card, "supply"))
    group.rest()
    assert [(each.what, each.place, each.is_visible) for each in group.differences()] == [("count", card, True)]
    (message,) = evening.judge.said(SPECTATOR).discrepancies
    assert f"the field of {card.removeprefix('SF-')}: the camera sees " in message
    group.do(Carry(color, "supply", card))
    group.rest()
    assert evening.judge.said(SPECTATOR).all == ()
    lying = world.lying[card]
    world.lying["SF-R6"] = Lying(lying.x, lying.y + 50)
    assert not world.is_field_in_view(card)
    group.journal.close()
