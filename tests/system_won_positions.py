"""Positions of System WON for tests, with moves given as JSON."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from companion.games import move_json
from companion.games.rules import HOUSE, Seat, play
from companion.games.system_won.card_knowledge import HandCard
from companion.games.system_won.catalog import catalog
from companion.games.system_won.game import GAME
from companion.games.system_won.rules import State
from companion.games.system_won.upcoming_turns import UpcomingTurns
from companion.match.chance_player import ChancePlayer
from companion.text.refusal_errors import IllegalMove
from tests.rendered_texts import rendered

HANDS = "R1 R2 Y3 G4 B5 / Y1 Y1 G2 G2 B4 / B1 B1 R3 R4 Y5"
"""The hands of three players at the start of most tests."""


def table(hands: str = HANDS, deck: str | None = None, hidden: str = "", systems: str = "", **fields: Any) -> State:
    """A position in which seat 0 must act.

    Hands are written oldest card first, with `?` for a card that nobody has seen; `hidden` contains the faces of these
    cards. The deck contains the cards of `deck` or, if that is not given, all cards that are nowhere else. `systems`
    gives the highest card of each system. `fields` sets other fields of the position or of its upcoming turns; roles
    and piles are written in words.
    """
    cards = catalog()
    held = [hand.split() for hand in hands.split("/")]
    for key in ("roles", "discard", "errors", "used_roles"):
        if isinstance(fields.get(key), str):
            fields[key] = tuple(fields[key].split())
    tops = {cards.cards[face].color: cards.cards[face].rank for face in systems.split()}
    ranks = tuple(tops.get(color, 0) for color in cards.colors)
    out = Counter(face for hand in held for face in hand)
    out.update((*fields.get("discard", ()), *fields.get("errors", ())))
    out.update(card.face for card in cards.cards.values() if card.rank <= ranks[card.suit])
    unseen = Counter(dict(zip(cards.faces, cards.copies, strict=True))) - out
    if deck is not None:
        unseen = Counter((*deck.split(), *hidden.split()))
    in_hands = out["?"]
    base = GAME.rules.begin(len(held), {"roles": "none"}).state
    turns = {key: fields.pop(key) for key in ("next_regular_player", "regular_turns_left") if key in fields}
    return base.replace(
        **{
            "hands": tuple(tuple(map(HandCard, hand)) for hand in held),
            "systems": ranks,
            "unseen_copies": tuple(unseen[face] for face in cards.faces),
            "unseen_in_hands": in_hands,
            "deck_size": unseen.total() - in_hands,
            "pending_draws": (),
            "upcoming_turns": UpcomingTurns(**turns),
            **fields,
        },
    )


def move(state: State, name: str, seat: int | None = None, **keys: Any) -> Any:
    """A move from its JSON, by default of the seat in turn."""
    value = {"seat": state.turn if seat is None else seat, "move": name, **keys}
    return move_json.from_json(GAME, len(state.hands), value)


def act(state: State, name: str, seat: int | None = None, **keys: Any) -> State:
    """The state after a seat's move."""
    return play(state, move(state, name, seat, **keys))


def use(state: State, ability: str, seat: int | None = None, **keys: Any) -> State:
    """The state after a seat used an ability."""
    return act(state, "ability", seat, use=ability, **keys)


def refused(state: State, name: str, seat: int | None = None, code: str = "en", **keys: Any) -> str:
    """The reason why the rules refuse a seat's move, in English or German."""
    with pytest.raises(IllegalMove) as caught:
        act(state, name, seat, **keys)
    return str(rendered(caught.value.message, code))


def house(state: State, name: str, **keys: Any) -> State:
    """The state after a move of the house."""
    return play(state, move_json.from_json(GAME, len(state.hands), {"seat": HOUSE, "move": name, **keys}))


def deal(state: State, faces: str) -> State:
    """The state after the house dealt these cards to the players who are due them."""
    for face in faces.split():
        state = house(state, "deal", to=state.pending_draws[0], card=face)
    return state


def cant_be_dealt(state: State, face: str, to: int | None = None) -> bool:
    """Whether the rules refuse to let the house deal this face now."""
    try:
        house(state, "deal", to=state.pending_draws[0] if to is None else to, card=face)
    except IllegalMove:
        return True
    return False


def hand(state: State, seat: int) -> str:
    """The faces in a hand."""
    return " ".join(held.face for held in state.hands[seat])


def shown(state: State) -> dict[str, Any]:
    """The JSON of the whole position, as the referee knows it."""
    return state.as_known_to("referee").to_json()


def known(state: State, seat: int) -> list[dict[str, Any]]:
    """The hints about each card of a hand, as JSON."""
    marks: list[dict[str, Any]] = shown(state)["knowledge"][seat]
    return marks


def faces_due(state: State) -> dict[str, int]:
    """The faces that the house may deal now, with their weights."""
    return {chance.face: weight for chance, weight in state.chances()}


def random_game(seed: int | str, seats: int = 3, abilities: float = 0.3, **setup: Any) -> list[State]:
    """Every position of a random game. Players use a possible ability with the probability `abilities`."""
    start, rng = GAME.rules.begin(seats, setup), Random(f"{seed}")
    state, dealer, states = start.state, ChancePlayer(str(seed), start.script), [start.state]
    while state.turn is not None:
        if state.turn == HOUSE:
            state = play(state, dealer.next_move(state, len(states)))
        else:
            moves = list(state.legal_moves())
            special = [made for made in moves if made.NAME == "ability"]
            state = play(state, rng.choice(special if special and rng.random() < abilities else moves))
        states.append(state)
    return states


def seat(number: int) -> Seat:
    """A seat by its number."""
    return Seat(number)
