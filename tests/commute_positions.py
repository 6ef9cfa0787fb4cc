"""Positions of Commute for tests, on a small board that is used only by tests. So a change to a shipped board breaks no
test of a rule.

    a ── b ── c ── d ── e ── f ── g ── h ── i ── j ── k ── l ── work     the long road
    h0 ── a, h1 ── c, h2 ── e, h3 ── g                                 houses
    c ── m ── n ── c                                                   a block of three
    b ── x                                                             a dead end
    e ══ p ══ q (red), b ══ k (blue)                                   metro lines

Streets add 1 minute, except that d adds 4 and i subtracts 2. f and n are “Uh-Oh!” spaces, which add 2. Stations add 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from random import Random
from typing import Any

from companion.games import move_json
from companion.games.commute import uh_oh_effect_types
from companion.games.commute.board import Board
from companion.games.commute.board_reader import read
from companion.games.commute.game import GAME
from companion.games.commute.position_parts import Deck, UhOhPosition
from companion.games.commute.rules import State
from companion.games.commute.setup import begin
from companion.games.commute.suits_and_ranks import UNSEEN
from companion.games.commute.uh_oh_cards import UhOhCard
from companion.games.game import Game
from companion.games.rules import HOUSE, Move, Seat, Start, play
from companion.match.chance_player import ChancePlayer
from companion.text.toml_files import parse

TOWN = """
[board]
name = "town"

[streets]
a = [20, 100, 1]
c = [120, 100, 1]
d = [170, 100, 4]
g = [320, 100, 1]
h = [370, 100, 1]
i = [420, 100, -2]
j = [470, 100, 1]
l = [570, 100, 1]
m = [90, 40, 1]
x = [70, 160, 1]

[uh_oh]
f = [270, 100, 2]
n = [150, 40, 2]

[stations]
e = [220, 100, 5]
p = [220, 200, 5]
q = [270, 240, 5]
b = [70, 100, 5]
k = [520, 100, 5]

[houses]
h0 = [20, 200]
h1 = [120, 200]
h2 = [180, 280]
h3 = [320, 200]

[work]
work = [570, 200]

[roads]
long-road = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "work"]
block = ["c", "m", "n", "c"]
cul-de-sac = ["b", "x"]
close-0 = ["h0", "a"]
close-1 = ["h1", "c"]
close-2 = ["h2", "e"]
close-3 = ["h3", "g"]

[lines]
red = ["e", "p", "q"]
blue = ["b", "k"]
"""


@cache
def town() -> Board:
    """The board of the town."""
    return read(parse("town.toml", TOWN))


def start(seats: int = 3, **setup: Any) -> Start[State]:
    """The start of a game in the town."""
    return begin(seats, {"board": {"file": "town.toml", "text": TOWN}, **setup})


GAME_IN_TOWN: Game[State] = GAME.on_board(start())
"""Commute with the town as its board."""


def under_way(
    positions: Sequence[str],
    hands: Sequence[str],
    *,
    cards: Mapping[str, Mapping[str, Any]] | None = None,
    discard: str = "",
    queue: tuple[Seat, ...] = (),
    uh_oh_deck: frozenset[str] = frozenset(),
    **fields: Any,
) -> State:
    """A position in the first morning in which seat 0 must move.

    Hands are written "7H AS ?". The deck holds all other cards. `cards` are the “Uh-Oh!” cards, named by their effects.
    `queue` and `uh_oh_deck` are fields of `Position.uh_oh`. `fields` sets other fields of the position.
    """
    seats = len(positions)
    base = start(seats).state
    dealt = tuple(tuple(hand.split()) for hand in hands)
    drawn = {
        id: UhOhCard(id, f"Title {id}", f"Text {id}", uh_oh_effect_types.read(effect))
        for id, effect in (cards or {}).items()
    }
    return base.replace(
        **{
            "stage": "travel",
            "locations": tuple(positions),
            "hands": dealt,
            "deck": Deck(discard=tuple(discard.split())),
            "uh_oh_cards": drawn or base.uh_oh_cards,
            "uh_oh": UhOhPosition(uh_oh_deck or frozenset(drawn) or base.uh_oh.deck, queue=queue),
            **fields,
        },
    )


def move(state: State, seat: int | str, name: str, **keys: Any) -> Move:
    """A move from its JSON fields."""
    if "from_" in keys:
        keys["from"] = keys.pop("from_")
    return move_json.from_json(GAME_IN_TOWN, len(state.houses), {"seat": seat, "move": name, **keys})


def act(state: State, seat: int | str, name: str, **keys: Any) -> State:
    """The state after `seat` made a move."""
    return play(state, move(state, seat, name, **keys))


def travel(state: State, card: str, to: str, seat: int = 0) -> State:
    """The state after `seat` traveled to `to` with a card."""
    return act(state, seat, "travel", card=card, to=to)


def bump(state: State, card: str, to: str, seat: int = 0) -> State:
    """The state after `seat` bumped the player whom it must bump."""
    return act(state, seat, "bump", card=card, to=to)


def choose(state: State, option: int | str, seat: int = 0) -> State:
    """The state after `seat` answered the question of an “Uh-Oh!” card."""
    return act(state, seat, "choose", option=option)


def deal(state: State, cards: str) -> State:
    """The state after the house dealt these cards, one by one, to the players who are due a card."""
    for card in cards.split():
        to = next(chance.to for chance, _ in state.chances())  # type: ignore[attr-defined]
        state = act(state, HOUSE, "deal", to=to, card=card)
    return state


def uh_oh(state: State, card: str) -> State:
    """The state after the house turned up an “Uh-Oh!” card."""
    to = next(chance.to for chance, _ in state.chances())  # type: ignore[attr-defined]
    return act(state, HOUSE, "uh_oh", to=to, card=card)


def refill(state: State) -> State:
    """The state after all cards that are due have been dealt, the deck's highest ranks first."""
    while state.turn == HOUSE and (due := [chance for chance, weight in state.chances() if weight]):
        if due[0].NAME != "deal":
            break
        state = play(state, due[-1])
    return state


def stroll(state: State) -> State:
    """The state after the seat that must travel made an uneventful turn."""
    quiet = {space.id for space in state.board.spaces.values() if space.kind == "street"} - set(state.locations)
    return refill(play(state, next(m for m in state.legal_moves() if m.to in quiet)))  # type: ignore[attr-defined]


def places(state: State, seat: int, card: str) -> set[str]:
    """The spaces that a seat can legally reach with `card`."""
    return {m.to for m in state.legal_moves() if m.seat == seat and m.card == card}  # type: ignore[attr-defined]


def random_game(seats: int, seed: int | str, unseen: float = 0.0, **setup: Any) -> list[tuple[State, Move | None]]:
    """Yields every position of a random game, with the move that is made in it. `unseen` is the fraction of cards that
    are dealt face down."""
    begun, rng = start(seats, **setup), Random(f"{seed}")
    state, house, game = begun.state, ChancePlayer(str(seed), begun.script), list[tuple[State, Move | None]]()
    while state.turn is not None:
        if state.turn != HOUSE:
            made = rng.choice(list(state.legal_moves()))
        elif rng.random() < unseen and any(chance.face == UNSEEN for chance, _ in state.chances()):
            made = next(chance for chance, _ in state.chances() if chance.face == UNSEEN)
        else:
            made = house.next_move(state, len(game))
        game.append((state, made))
        state = play(state, made)
    return [*game, (state, None)]
