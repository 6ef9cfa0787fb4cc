"""The Engineer's undo in System WON."""

from __future__ import annotations

import pytest

from companion.games.rules import CERTAIN, HOUSE, SPECTATOR, Seat, play
from companion.games.system_won.game import GAME
from companion.games.system_won.rules import State
from companion.match.chance_player import ChancePlayer
from companion.text.refusal_errors import GameOver, NotYourTurn
from tests.system_won_positions import (
    act,
    cant_be_dealt,
    deal,
    faces_due,
    hand,
    house,
    known,
    refused,
    shown,
    table,
    use,
)

ROLES = "operations contractor engineer"


def undone(state: State) -> State:
    """The state after the Engineer, seat 2, has undone a turn."""
    return use(state, "undo", seat=2)


def without_roles_used(state: State) -> dict[str, object]:
    """The JSON of a position without `roles_used`."""
    return {key: value for key, value in shown(state).items() if key != "roles_used"}


def test_there_must_be_a_turn_to_undo() -> None:
    """ "After a turn was taken": before the first turn there is nothing to undo, and a move that does not count as a
    turn can't be undone."""
    state = table(roles=ROLES)
    assert "no turn to undo" in refused(state, "ability", seat=2, use="undo")
    state = act(state, "arrange", seat=1, order=[4, 3, 2, 1, 0])
    assert "no turn to undo" in refused(use(state, "skip", seat=0, count=1), "ability", seat=2, use="undo")


@pytest.mark.parametrize(
    ("name", "keys", "drawn"),
    [
        ("specify", {"target": 1, "rank": 2}, ""),
        ("discard", {"slot": 1}, "G1"),
        ("play", {"slot": 0}, "G1"),
        ("play", {"slot": 1}, "G1"),
        ("ability", {"use": "play_two", "slots": [0, 1]}, "G1 G5"),
    ],
)
def test_the_position_before_the_turn_comes_back(name: str, keys: dict[str, object], drawn: str) -> None:
    """ "Hands and their order, knowledge, piles, deck order, countdown, pending turns" are restored, whatever the turn
    was."""
    before = act(table(roles="contractor operations engineer", specifications=4), "arrange", order=[1, 0, 2, 3, 4])
    before = act(before, "arrange", order=[1, 0, 2, 3, 4])
    after = undone(deal(act(before, name, **keys), drawn))
    assert without_roles_used(after) == without_roles_used(before)
    assert after.unseen_in_hands == 0


def test_a_returned_card_comes_again_at_the_next_draw() -> None:
    """ "A card that returned to the deck … comes again at the next draw", no matter who draws. No other card can be
    drawn."""
    state = undone(deal(act(table(roles=ROLES), "discard", slot=0), "G1"))
    assert (state.turn, shown(state)["deck"]) == (0, 25)
    state = act(state, "specify", target=1, rank=2)
    state = act(state, "play", slot=0)
    assert faces_due(state) == {"G1": CERTAIN, "?": 0}
    assert cant_be_dealt(state, "G3")
    state = deal(state, "G1")
    assert hand(state, 1).endswith("G1")
    assert len(faces_due(act(state, "discard", slot=0))) > 10, "after it, any card may come"


def test_two_returned_cards_come_in_their_order() -> None:
    """ "Deck order": of two returned cards, the one that was drawn first is on top."""
    state = table(roles="contractor operations engineer")
    state = undone(deal(use(state, "play_two", slots=[0, 1]), "G1 G5"))
    state = deal(act(state, "discard", slot=0), "G1")
    assert cant_be_dealt(act(state, "discard", slot=0), "G1")
    assert faces_due(act(state, "discard", slot=0)) == {"G5": CERTAIN, "?": 0}


def test_the_former_holder_does_not_see_a_returned_card() -> None:
    """A returned card is "`?` again to its former holder": no view shows which card is on top of the deck."""
    worlds = [undone(deal(act(table(roles=ROLES), "discard", slot=0), face)) for face in ("G1", "B2")]
    for viewer in (Seat(0), SPECTATOR):
        assert worlds[0].as_known_to(viewer).to_json() == worlds[1].as_known_to(viewer).to_json()
        assert worlds[0].as_known_to(viewer) == worlds[1].as_known_to(viewer)


def test_no_role_becomes_unused_again() -> None:
    """A used role stays used, "the undone turn's own included": the Contractor's two cards go back to the hand, but the
    ability is spent."""
    state = table(roles="contractor operations engineer")
    state = undone(deal(use(state, "play_two", slots=[0, 1]), "G1 G5"))
    assert shown(state)["roles_used"] == ["contractor", "engineer"]
    assert "once" in refused(state, "ability", use="play_two", slots=[0, 1])


def test_moves_after_the_undone_turn_are_undone_too() -> None:
    """An arrangement, a skip and a restored specification after the turn are undone with it. The roles that were used
    for them stay used."""
    before = table(roles="designer operations engineer", specifications=3)
    state = act(before, "specify", target=1, rank=2)
    state = use(use(state, "skip", seat=1, count=2), "restore", seat=0)
    state = act(state, "arrange", seat=0, order=[4, 3, 2, 1, 0])
    state = undone(state)
    assert without_roles_used(state) == without_roles_used(before)
    assert shown(state)["roles_used"] == ["operations", "designer", "engineer"]


def test_pending_turns_come_back() -> None:
    """If the undone turn used up an extra turn or a skip, it is pending again. An extra turn can be undone too."""
    for ability, keys, pending in (
        ("extra_turn", {"target": 1}, {"extra": [1], "skip": 0}),
        ("skip", {"count": 2}, {"extra": [], "skip": 2}),
    ):
        state = act(use(table(roles=ROLES), ability, **keys), "specify", target=1, rank=2)
        assert shown(state)["pending"] == {"extra": [], "skip": 0}
        state = undone(state)
        assert (state.turn, shown(state)["pending"]) == (0, pending)
    state = act(use(table(roles=ROLES), "extra_turn", target=2), "specify", target=1, rank=2)
    state = undone(act(state, "specify", target=0, rank=2))
    assert (state.turn, shown(state)["pending"]) == (2, {"extra": [], "skip": 0})
    assert act(state, "specify", target=0, rank=2).turn == 1, "play goes on as it would have"


def test_the_countdown_comes_back() -> None:
    """If the turn that drew the last card is undone, there is no countdown until that card is drawn again. An undo in
    the last round raises `turns_left` by one."""
    state = deal(act(table(roles=ROLES, deck="G1"), "discard", slot=0), "G1")
    assert (state.turns_left, state.deck_size) == (3, 0)
    back = undone(state)
    assert (back.turns_left, back.deck_size, back.turn) == (None, 1, 0)
    assert deal(act(back, "discard", slot=0), "G1").turns_left == 3
    later = act(act(state, "specify", target=0, rank=2), "specify", target=0, rank=2)
    assert (later.turns_left, undone(later).turns_left, undone(later).turn) == (1, 2, 2)


def test_a_recycling_is_undone() -> None:
    """If discards were recycled into the deck, they leave it again and come back in their order."""
    before = table(roles="contractor operations engineer", discard="R3 G1 R3", deck="Y1 Y2")
    state = house(use(before, "recycle"), "recycle", cards=["R3", "G1"])
    assert (state.deck_size, state.discard) == (4, ("R3",))
    state = undone(state)
    assert without_roles_used(state) == without_roles_used(before)
    assert set(faces_due(act(state, "play", slot=0))) == {"Y1", "Y2", "?"}


def test_a_returned_card_can_be_shuffled_away() -> None:
    """A returned card is on top only until the deck is shuffled."""
    state = table(roles="contractor operations engineer", discard="R3 G1", deck="Y1 Y2")
    state = undone(deal(act(state, "discard", slot=0), "Y2"))
    state = house(use(state, "recycle"), "recycle", cards=["R3", "G1"])
    assert {f for f, w in faces_due(act(state, "discard", slot=0)).items() if w} == {"Y1", "Y2", "R3", "G1"}


def test_undo_is_used_once() -> None:
    """The Engineer can use one ability: a second undo is illegal, and so is an undo after playing another player's
    card."""
    state = undone(act(table(roles=ROLES), "specify", target=1, rank=2))
    state = act(state, "specify", target=1, rank=2)
    assert "once" in refused(state, "ability", seat=2, use="undo")
    state = deal(
        use(act(table(roles=ROLES), "specify", target=1, rank=2), "play_other", seat=2, target=0, slot=0), "G1"
    )
    assert "once" in refused(state, "ability", seat=2, use="undo")


def test_undo_waits_for_the_draw_and_not_beyond_the_end() -> None:
    """ "At any time after a turn was taken and before the end": a turn is taken once its card is drawn."""
    state = act(table(roles=ROLES), "discard", slot=0)
    with pytest.raises(NotYourTurn):
        undone(state)
    state = act(table(roles=ROLES, deck="", regular_turns_left=0), "discard", slot=0)
    assert state.turn is None
    with pytest.raises(GameOver):
        undone(state)


def test_the_engineer_may_undo_any_turn() -> None:
    """The Engineer may undo anybody's turn, at any time except while the house acts."""
    state = act(table(roles=ROLES, active_player=2, next_regular_player=0), "specify", target=1, rank=2)
    assert undone(state).turn == 2
    state = act(table(roles=ROLES, active_player=1, next_regular_player=2), "specify", target=0, rank=2)
    assert (state.turn, undone(state).turn) == (2, 1)


def test_knowledge_comes_back() -> None:
    """Specifications of the undone turn are taken back; earlier ones stay."""
    state = act(table(roles=ROLES), "specify", target=1, rank=2)
    before = known(state, 1)
    state = undone(act(state, "specify", target=0, rank=2))
    assert (known(state, 1), known(state, 0)[1]["rank"]) == (before, None)


def test_the_returned_card_comes_before_a_prescribed_deck() -> None:
    """With a prescribed deck, the returned card is drawn first, and the others keep their order, even if the same face
    comes again later."""
    deck = ["G1", "B1", "G1", "R1", "G1"]
    hands = ["R1", "R1", "Y1", "Y1", "Y1", "B1", "B1", "Y2", "Y2", "R2"]
    start = GAME.rules.begin(2, {"deck": hands + deck, "roles": ["designer", "engineer"]})
    state, dealer, ply, came = start.state, ChancePlayer("x", start.script), 0, list[str]()
    for step in ("deal", "discard", "undo", "discard", "discard", "discard", "discard"):
        if step == "undo":
            state = use(state, "undo", seat=1)
        elif step == "discard":
            state = act(state, "discard", slot=0)
        while state.turn == HOUSE:
            made = dealer.next_move(state, ply)
            came += [made.face] if step != "deal" else []
            state, ply = play(state, made), ply + 1
    assert came == ["G1", "G1", "B1", "G1", "R1"]
