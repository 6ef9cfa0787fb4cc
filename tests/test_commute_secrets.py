"""What seats of Commute may not know: other hands and face-down cards. Two worlds that look the same to a seat keep
looking the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from companion.games import move_json
from companion.games.commute.chance import unidentified_cards
from companion.games.commute.game import GAME
from companion.games.commute.position_parts import SwapTask
from companion.games.commute.rules import State
from companion.games.commute.suits_and_ranks import DECK, UNSEEN
from companion.games.rules import HOUSE, REFEREE, SPECTATOR, Move, Seat, Viewer, play
from companion.match.chance_player import ChancePlayer
from companion.match.json_lines_protocol import JsonLinesProtocol
from companion.text.refusal_errors import BadMove, IllegalMove
from tests.commute_positions import GAME_IN_TOWN, act, choose, deal, move, random_game, refill, start, travel, under_way

HANDS = ("AH 2H 3H", "4D 5D 6D", "7C 8C 9C")


def hands(state: State, viewer: Viewer) -> Any:
    return state.as_known_to(viewer).to_json()["hands"]


def test_a_seat_sees_its_own_hand_only() -> None:
    """ "The other hands are lists of "?" ": a seat sees only its own hand. Spectators see no hand, and the referee sees
    all."""
    state = under_way(["c", "h1", "h2"], HANDS)
    hidden = ["?", "?", "?"]
    assert hands(state, Seat(1)) == [hidden, ["4D", "5D", "6D"], hidden]
    assert hands(state, SPECTATOR) == [hidden] * 3
    assert hands(state, REFEREE) == [hand.split() for hand in HANDS]


def test_a_dealt_card_is_seen_by_its_owner_only() -> None:
    """A dealt card is seen only by its owner: "And so are the cards in deals … that K may not see." """
    state = start(2).state
    made = move(state, HOUSE, "deal", to=0, card="7H")
    shown = {
        viewer: move_json.to_json(made.as_known_to(viewer, state))["card"] for viewer in (0, 1, SPECTATOR, REFEREE)
    }  # type: ignore[arg-type]
    assert shown == {0: "7H", 1: "?", SPECTATOR: "?", REFEREE: "7H"}


def swapping(gives: str, gets: str) -> State:
    """A position in which seats 0 and 1 are about to swap cards. Seat 2 is not involved."""
    effect = {"kind": "swap", "gives": gives, "gets": gets}
    state = under_way(["e", "h1", "h2"], HANDS, cards={"U01": effect})
    return choose(act(travel(state, "AH", "f"), HOUSE, "uh_oh", to=0, card="U01"), 1)


def seen(state: State, made: Move) -> list[Any]:
    """What each seat is told about the card in a move."""
    referee_answers = (move_json.to_json(made.as_known_to(Seat(seat), state)) for seat in (0, 1, 2))
    return [value.get("option", value.get("card")) for value in referee_answers]


def test_the_first_card_of_a_swap_is_its_owners_secret() -> None:
    """Until both cards of a swap are chosen, only its owner knows the first card. No other view contains it."""
    state = swapping("chosen", "random")
    made = move(state, 0, "choose", option="2H")
    assert seen(state, made) == ["2H", "?", "?"]
    other = play(state, move(state, 0, "choose", option="3H"))
    for viewer in (Seat(1), Seat(2), SPECTATOR):
        assert play(state, made).as_known_to(viewer).to_json() == other.as_known_to(viewer).to_json()


def test_the_second_card_of_a_swap_is_known_to_both() -> None:
    """The move that completes a swap shows the second card to both players. A third seat learns neither card."""
    state = choose(swapping("chosen", "random"), "2H")
    made = move(state, HOUSE, "pick", from_=1, card="5D")
    assert seen(state, made) == ["5D", "5D", "?"]
    assert hands(play(state, made), Seat(1))[1] == ["4D", "6D", "2H"]
    state = act(swapping("random", "chosen"), HOUSE, "pick", from_=0, card="3H")
    assert seen(state, move(state, 1, "choose", option="4D")) == ["4D", "4D", "?"]


def test_a_random_first_card_of_a_swap_is_its_owners_secret() -> None:
    """If the first card is drawn at random, only its owner sees which one it is."""
    state = swapping("random", "random")
    assert seen(state, move(state, HOUSE, "pick", from_=0, card="3H")) == ["3H", "?", "?"]


def test_answers_without_a_card_are_public() -> None:
    """Answers without a card, such as the partner of a swap, are public."""
    effect = {"kind": "swap", "gives": "chosen", "gets": "random"}
    state = under_way(["e", "h1", "h2"], HANDS, cards={"U01": effect})
    state = act(travel(state, "AH", "f"), HOUSE, "uh_oh", to=0, card="U01")
    assert seen(state, move(state, 0, "choose", option=1)) == [1, 1, 1]


def test_a_face_down_card_is_revealed_when_it_is_played() -> None:
    """ " "?": dealt at the table, not seen; revealed when played": playing it shows its face."""
    state = under_way(["c", "h1", "h2"], ["? 2H ?", *HANDS[1:]])
    assert state.deck_size == 40 - 9
    after = travel(state, "AS", "d")
    assert (after.hands[0], after.deck.discard, after.deck_size) == (("2H", "?"), ("AS",), state.deck_size)
    assert "AS" not in unidentified_cards(after)


def test_a_known_card_is_played_before_a_face_down_one() -> None:
    """If a hand has a known card of the named face, that card is played rather than a face-down one."""
    assert travel(under_way(["c", "h1", "h2"], ["? 2H ?", *HANDS[1:]]), "2H", "e").hands[0] == ("?", "?")


def test_a_face_down_card_is_none_of_the_discards() -> None:
    """A face-down card can't be a card on the discard pile."""
    state = under_way(["c", "h1", "h2"], ["? 2H ?", *HANDS[1:]], discard="AS")
    with pytest.raises(IllegalMove, match="don’t have the ace of spades"):
        travel(state, "AS", "d")
    assert "AS" not in {m.card for m in state.legal_moves()}  # type: ignore[attr-defined]


def test_playing_a_face_down_card_reveals_no_other_hand() -> None:
    """A player may play a face-down card as a face that is recorded in another hand. The card in that hand becomes "?",
    and nobody else learns about it."""
    state = under_way(["c", "h1", "h2"], ["? 2H ?", "AS 5D 6D", "7C 8C 9C"])
    world = under_way(["c", "h1", "h2"], ["? 2H ?", "4D 5D 6D", "7C 8C 9C"])
    assert list(state.legal_moves()) == list(world.legal_moves())
    after, other = travel(state, "AS", "d"), travel(world, "AS", "d")
    assert after.hands[1] == ("?", "5D", "6D")
    assert after.deck_size == other.deck_size
    for viewer in (Seat(0), Seat(2), SPECTATOR):
        assert after.as_known_to(viewer).to_json() == other.as_known_to(viewer).to_json()


def test_a_face_down_card_may_be_dealt_swapped_and_picked() -> None:
    """If people deal, a face-down card can be dealt, swapped and picked. If the companion shuffles, it knows every
    face."""
    state = start(2).state
    assert {chance.face: weight for chance, weight in state.chances()}[UNSEEN] == 0
    assert deal(state, "? AH ?").hands[0] == ("?", "AH", "?")
    effect = {"kind": "swap", "gives": "chosen", "gets": "random"}
    state = under_way(["e", "h1", "h2"], ["AH 2H ?", "? ? 6D", "7C 8C 9C"], cards={"U01": effect})
    state = choose(act(travel(state, "AH", "f"), HOUSE, "uh_oh", to=0, card="U01"), 1)
    assert {m.option for m in state.legal_moves()} == {"2H", "?"}  # type: ignore[attr-defined]
    state = choose(state, "?")
    assert {(chance.face, weight) for chance, weight in state.chances()} == {("?", 2), ("6D", 1)}
    assert act(state, HOUSE, "pick", from_=1, card="?").hands[:2] == (("2H", "?"), ("?", "6D", "?"))


def test_a_question_mark_is_no_card_to_travel_with() -> None:
    """ "A card … that the game does not have" is no move: traveling with "?" is refused, and so are an unknown space
    and an unknown option."""
    for value in ({"move": "travel", "card": "?", "to": "d"}, {"move": "travel", "card": "AH", "to": "moon"}):
        with pytest.raises(BadMove):
            move_json.from_json(GAME_IN_TOWN, 3, {"seat": 0, **value})
    for option in ("yellow", None, 1.5, True, ["2H"]):
        with pytest.raises(BadMove):
            move_json.from_json(GAME_IN_TOWN, 3, {"seat": 0, "move": "choose", "option": option})
    with pytest.raises(BadMove):
        move_json.from_json(GAME_IN_TOWN, 3, {"seat": HOUSE, "move": "deal", "to": 0, "card": "JH"})


def test_what_is_dealt_by_hand_need_only_be_possible() -> None:
    """A card dealt by hand need not follow the order of a set-up, but it can't be dealt twice."""
    state = start(2, deck=["AH", "2H"]).state
    assert deal(state, "10S AH").hands[0] == ("10S", "AH")
    with pytest.raises(IllegalMove, match="Next is a card for seat 0"):
        deal(deal(state, "10S"), "10S")


def test_a_viewer_knows_no_card_that_it_may_not_see() -> None:
    """The position as a viewer knows it has no hidden card in any field, and hiding the cards twice changes nothing."""
    for number in range(3):
        for state, _ in random_game(3, f"known/{number}", unseen=0.2, rounds=1)[::5]:
            for viewer in (Seat(0), Seat(1), Seat(2), SPECTATOR):
                known = state.as_known_to(viewer)
                assert known.as_known_to(viewer) == known
                visible = {*state.deck.discard, *(state.hands[viewer] if isinstance(viewer, int) else ())}
                assert {card for hand in known.hands for card in hand} <= visible | {UNSEEN}
                assert all(
                    task.given in (None, UNSEEN, *visible) for task in known.uh_oh.tasks if isinstance(task, SwapTask)
                )
                assert unidentified_cards(known) == {*DECK} - visible
                assert known.deck_size == state.deck_size
            assert state.as_known_to(REFEREE) == state


def test_nobody_knows_the_draws_that_a_set_up_fixes() -> None:
    """Draws that a set-up prescribes are only used by the companion's shuffle, so no viewer knows them."""
    state = start(2, deck=["AH", "2H"], uh_oh=["U05"]).state
    for viewer in (Seat(0), Seat(1), SPECTATOR):
        assert state.as_known_to(viewer) == start(2).state.as_known_to(viewer)


def shuffled(state: State, seat: int, rng: Random) -> State:
    """Another world, which this seat can't tell apart from `state`: only the cards that other players hold are
    different. A card in a swap stays, since the seat may be about to get it."""
    trades = [task for task in state.uh_oh.tasks if isinstance(task, SwapTask)]
    kept = {UNSEEN, *(trade.given for trade in trades)}
    hidden = [card for other, hand in enumerate(state.hands) if other != seat for card in hand if card not in kept]
    pool = sorted({*unidentified_cards(state), *hidden})
    faces = iter(rng.sample(pool, len(hidden)))
    others = tuple(
        hand if other == seat else tuple(card if card in kept else next(faces) for card in hand)
        for other, hand in enumerate(state.hands)
    )
    return state.replace(hands=others)


def referee_answers(state: State, seat: Seat, moves: list[dict[str, Any]]) -> Iterator[str]:
    """Yields what the referee prints for a seat after each of these `moves`, with the legal moves. Some of the moves
    are refused."""
    protocol = JsonLinesProtocol(GAME_IN_TOWN, len(state.houses), state, None, seat, legal=True)
    for answer in protocol.begin():
        yield json.dumps(answer)
    for made in moves:
        for answer in protocol.judge(json.dumps(made)):
            yield json.dumps(answer)


def nonsense(rng: Random, seat: int) -> dict[str, Any]:
    """A random move of this seat, legal or not."""
    name, to = rng.choice(["travel", "bump"]), rng.choice(["a", "b", "d", "e", "k", "work", "h0"])
    if rng.random() < 0.3:
        return {"seat": seat, "move": "choose", "option": rng.choice([0, 1, 2, "red", "?", rng.choice(DECK)])}
    return {"seat": seat, "move": name, "card": rng.choice(DECK), "to": to}


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_the_referee_prints_the_same_in_worlds_that_a_seat_cannot_tell_apart(seat: int) -> None:
    """Whatever others hold, the referee prints the same bytes for a seat's own moves, legal or not, and for public
    moves of others. Prompts, buttons and hints are the same too."""
    rng, compared = Random(f"worlds/{seat}"), 0
    for number in range(6):
        for state, made in random_game(3, f"{seat}/{number}", unseen=0.2, rounds=1)[::4]:
            if made is None:
                continue
            world = shuffled(state, seat, rng)
            own = [nonsense(rng, seat) for _ in range(3)] + ([move_json.to_json(made)] if made.seat == seat else [])
            assert [*referee_answers(state, Seat(seat), own)] == [*referee_answers(world, Seat(seat), own)]
            assert _words(state, seat) == _words(world, seat)
            assert state.as_known_to(Seat(seat)) == world.as_known_to(Seat(seat))
            compared += state != world
    assert compared > 100


def _words(state: State, seat: int) -> Any:
    names, own = ["Ann", "Bob", "Cid"], [made for made in state.legal_moves() if made.seat == seat]
    labels = [GAME.text.label(state, made, Seat(seat), names) for made in own]
    referee_answers = [GAME.text.log_line(state, made, play(state, made), Seat(seat), names) for made in own[:5]]
    return labels, referee_answers, GAME.text.prompt(state, Seat(seat), names), GAME.physical.meters(state)


@pytest.mark.slow
def test_hidden_moves_of_others_reveal_nothing() -> None:
    """Hidden moves of others reveal nothing: whatever card is dealt, picked or chosen, a seat that may not see it gets
    the same state, log and prompt."""
    names, compared = ["Ann", "Bob", "Cid"], 0
    for number in range(4):
        for state, made in random_game(3, f"moves/{number}", rounds=1):
            ways = [chance for chance, _ in state.chances()] + list(state.legal_moves())
            for viewer in (Seat(0), Seat(1), Seat(2), SPECTATOR):
                if made is None or made.as_known_to(viewer, state) == made:
                    continue
                alike = [way for way in ways if way.as_known_to(viewer, state) == made.as_known_to(viewer, state)]
                afters = [(way, play(state, way)) for way in alike]
                assert len({json.dumps(after.as_known_to(viewer).to_json()) for _, after in afters}) == 1
                assert all(after.as_known_to(viewer) == afters[0][1].as_known_to(viewer) for _, after in afters)
                assert len({GAME.text.log_line(state, way, after, viewer, names) for way, after in afters}) == 1
                assert len({GAME.text.prompt(after, viewer, names) for _, after in afters}) == 1
                compared += len(alike) > 1
    assert compared > 200


def test_refusals_of_others_are_not_printed() -> None:
    """ "Prints no refusals of other seats' moves": refused moves of other seats and of the house print nothing."""
    state = under_way(["c", "h1", "h2"], HANDS)
    protocol = JsonLinesProtocol(GAME_IN_TOWN, 3, state, None, Seat(1), legal=True)
    [*protocol.begin()]
    for value in (
        {"seat": 0, "move": "travel", "card": "4D", "to": "d"},
        {"seat": HOUSE, "move": "deal", "to": 0, "card": "4D"},
    ):
        assert [*protocol.judge(json.dumps(value))] == [{}]
    [own] = protocol.judge(json.dumps({"seat": 1, "move": "travel", "card": "4D", "to": "d"}))
    assert own["error"]["code"] == "not_your_turn"


def test_legal_lists_only_the_seats_own_moves() -> None:
    """ "`[]` when K can't act": `legal` is empty on the turns of others, including the house's."""
    state = under_way(["c", "h1", "h2"], HANDS)
    for seat, some in ((0, True), (1, False)):
        [line] = JsonLinesProtocol(GAME_IN_TOWN, 3, state, None, Seat(seat), legal=True).begin()
        assert bool(line["legal"]) == some
    [line] = JsonLinesProtocol(GAME_IN_TOWN, 3, start(3).state, None, Seat(0), legal=True).begin()
    assert line["legal"] == []


def test_moves_fed_back_give_the_same_states_whatever_the_seed() -> None:
    """ "Feeding the accepted `move`s back with `--house input` gives the same states", with any seed."""
    begun, rng = start(3, rounds=0.5, deck=["7H", "AH"]), Random(4)
    protocol = JsonLinesProtocol(GAME_IN_TOWN, 3, begun.state, ChancePlayer("one", begun.script))
    lines = [*protocol.begin()]
    while protocol.state.turn is not None:
        made = rng.choice(list(protocol.state.legal_moves()))
        lines += protocol.judge(move_json.write(made))
    again = JsonLinesProtocol(GAME_IN_TOWN, 3, start(3, rounds=0.5).state, None)
    copied = [*again.begin()]
    for line in lines[1:]:
        copied += again.judge(json.dumps(line["move"]))
    assert copied == lines
    assert refill(begun.state).hands[0][:2] == ("7H", "AH")
