"""Positions of Systems Failing for tests, with a separate list of cards, so that editing the game's data breaks no test
of a rule.

Disasters D01–D10 appear in zone 1, D11–D20 in zone 2, D21–D30 in zone 3. If the last digit of the number is 1 to 4, it
is the card's damage; otherwise the damage is 2. Each card needs a red and a blue cube, but a card whose number ends in
9 needs two red cubes and a blue one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

from companion.games import move_json
from companion.games.rules import HOUSE, play
from companion.games.systems_failing.catalog import Catalog, Disaster, Escape, catalog
from companion.games.systems_failing.chance import initial_stacks
from companion.games.systems_failing.cube_multiset import COLORS, WHITE, Cubes
from companion.games.systems_failing.game import GAME
from companion.games.systems_failing.position_parts import CardInPlay, StartingDisasters, ZoneCards
from companion.games.systems_failing.rules import State
from companion.match.chance_player import ChancePlayer

ROLES = ("scientist", "medic")
"""The roles in `ship`: seat 0 may ignore green, seat 1 red."""


@cache
def cards() -> Catalog:
    """The catalog of these tests, with the game's own meters, roles and totals."""
    disasters = {f"D{n:02}": _disaster(n) for n in range(1, 31)}
    escapes = {f"E{n}": Escape(f"E{n}", tuple(c for c in COLORS if c != COLORS[-n])) for n in range(1, 7)}
    return replace(catalog(), disasters=disasters, escapes=escapes)


def _disaster(n: int) -> Disaster:
    digit = n % 10
    needs = ("red", "red", "blue") if digit == 9 else ("red", "blue")
    return Disaster(f"D{n:02}", f"Trouble {n}", (n - 1) // 10 + 1, digit if 1 <= digit <= 4 else 2, needs)


def begin(**setup: Any) -> State:
    """The position before the first deal."""
    return GAME.rules.begin(2, setup).state.replace(catalog=cards())


Zones = Mapping[int, Sequence[str]]


def ship(
    zones: Zones | None = None,
    pools: tuple[str, str] = ("", ""),
    escape: str = "E1",
    discard: str = "",
    whites: int | None = None,
    **fields: Any,
) -> State:
    """A position in round 1 in which seat 0 must act.

    A card in play is written `"D01 red blue"`, with the cubes on it. The bag contains all other cubes, the deck all
    other cards. `fields` sets other fields of the position.
    """
    laid: dict[int, ZoneCards] = {n: tuple(map(_laid, (zones or {}).get(n, ()))) for n in (1, 2, 3)}
    active = _laid(escape)
    base = begin(**{key: fields.pop(key) for key in ("difficulty", "side") if key in fields})
    stability = fields.pop("stability", base.stability)
    out = {card.card for zone in laid.values() for card in zone} | set(discard.split())
    deck = frozenset((*cards().disasters, *cards().failing_cards)) - out
    failing = len(deck & set(cards().failing_cards))
    hands = (Cubes(pools[0].split()), Cubes(pools[1].split()))
    used = sum((card.cubes for card in (active, *laid[1], *laid[2], *laid[3])), hands[0] + hands[1])
    in_bag = 2 + stability - fields.get("whites_on_deck", 0) if whites is None else whites
    return base.replace(
        **{
            "phase": "actions",
            "actions_left": 4,
            "stability": stability,
            "zones": (laid[1], laid[2], laid[3]),
            "pools": hands,
            "active_escape": active,
            "escape_deck": frozenset(cards().escapes) - {active.card},
            "bag": Cubes(dict.fromkeys(COLORS, 5)) - used + Cubes({WHITE: in_bag}),
            "roles": ROLES,
            "starting_disasters": StartingDisasters(),
            "deck": deck,
            "stacks": initial_stacks(len(deck) - failing, failing),
            "discard": tuple(discard.split()),
            **fields,
        },
    )


def _laid(words: str) -> CardInPlay:
    card, *cubes = words.split()
    return CardInPlay(card, Cubes(cubes))


def act(state: State, move: str, seat: int | None = None, **keys: Any) -> State:
    """The state after a seat's move, by default that of the seat in turn. Cubes are listed in words."""
    if "cubes" in keys:
        keys["cubes"] = keys["cubes"].split()
    value = {"seat": state.active_player if seat is None else seat, "move": move, **keys}
    return play(state, move_json.from_json(GAME, 2, value))


def house(state: State, move: str, **keys: Any) -> State:
    """The state after a move of the house."""
    return play(state, move_json.from_json(GAME, 2, {"seat": HOUSE, "move": move, **keys}))


def draw(state: State, cubes: str) -> State:
    """The state after the house drew these cubes for the player who is due them."""
    for cube in cubes.split():
        to = next(chance.to for chance, _ in state.chances())  # type: ignore[attr-defined]
        state = house(state, "draw", to=to, cube=cube)
    return state


def reveal(state: State, names: str) -> State:
    """The state after the house revealed these cards."""
    for card in names.split():
        state = house(state, "reveal", card=card)
    return state


def hands_dealt(state: State) -> State:
    """The state after the hands are dealt: before the first starting disaster or, if the set-up prescribes the
    disasters, before the first action."""
    for name, role in zip((0, 1), ROLES, strict=True):
        state = reveal(state, "E1") if not state.active_escape else state
        state = house(state, "role", to=name, role=role)
    return draw(state, "red red blue blue green green orange orange yellow yellow black black")


def to_phase(state: State, phase: str) -> State:
    """The state when `phase` is reached. Until then, players only end their turns, and the house draws at random."""
    rng = Random(1)
    while state.phase != phase:
        if state.turn == HOUSE:
            state = play(state, rng.choice([move for move, weight in state.chances() if weight]))
        else:
            state = act(state, "end_turn")
    return state


def zones(state: State) -> dict[int, list[str]]:
    """The cards in each zone, top first."""
    return {n: [laid.card for laid in zone] for n, zone in enumerate(state.zones, 1)}


def pool(state: State, seat: int) -> str:
    """The cubes of a seat, in words."""
    return " ".join(state.pools[seat].colors())


def placed(state: State, card: str) -> str:
    """The cubes on a card, in words."""
    laid = state.card_in_play(card)
    assert laid
    return " ".join(laid.cubes.colors())


def random_game(seed: int | str, **setup: Any) -> list[State]:
    """Yields every position of a game between players who repair whenever they can, and otherwise move at random."""
    start, rng = GAME.rules.begin(2, setup), Random(f"{seed}")
    state, the_house, states = start.state, ChancePlayer(str(seed), start.script), [start.state]
    while state.turn is not None:
        if state.turn == HOUSE:
            state = play(state, the_house.next_move(state, len(states)))
        else:
            moves = list(state.legal_moves())
            repairs = [move for move in moves if move.NAME == "repair"]
            state = play(state, rng.choice(repairs if repairs and rng.random() < 0.6 else moves))
        states.append(state)
    return states


FULL = ("red red red blue blue blue", "green green green orange orange orange")


def resting(**keys: object) -> State:
    """A position in which both turns are over, both pools are full and the house is about to move the disasters."""
    zone_cards = keys.pop("zones", {})
    pools = keys.pop("pools", FULL)
    return act(act(ship(zone_cards, pools, **keys), "end_turn"), "end_turn")  # type: ignore[arg-type]
