"""A careful player of Systems Failing, for simulation: it looks one action ahead, from the seat's view alone.

Each action is weighed by what it gains: an escape sequence repaired, damage kept from the core, cubes put
where nothing takes them away, cubes drawn against the danger of a white one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from companion.games.rules import Move, Seat
from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.cubes import COLORS, ONE, WHITE, Cubes
from companion.games.systems_failing.moves import Discard, EndTurn, Repair, Return, Scavenge, Transfer

View = Mapping[str, Any]

NEARNESS = {1: 1.0, 2: 0.55, 3: 0.35}
"""How likely a disaster in a zone is to reach the core if nobody repairs it now."""


def careful(view: dict[str, Any], seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
    """The legal move that weighs most; the first of equals."""
    return max(legal, key=lambda move: _weight(view, seat, move))


def _weight(view: View, seat: Seat, move: Move) -> float:
    match move:
        case Repair():
            return _repair(view, seat, move)
        case Scavenge():
            return _scavenge(view, seat)
        case Transfer(color=color):
            return _transfer(view, seat, color)
        case Discard():
            return _discard(view, seat)
        case Return(cubes=cubes):
            return -sum(_use(view, seat, color) for color in cubes)
        case EndTurn():
            return 0.5
    return 0.0


def _open(view: View) -> list[tuple[str, int | None, int, Cubes]]:
    """Each card in play: id, zone (None: the escape sequence), place in its zone, what is missing."""
    cards, found = catalog(), []
    if active := view["escape"]["active"]:
        found.append((active, None, 0, Cubes(cards.needs(active)) - Cubes(view["escape"]["placed"])))
    for zone in ("1", "2", "3"):
        for place, laid in enumerate(view["zones"][zone]):
            found.append((laid["card"], int(zone), place, Cubes(cards.needs(laid["card"])) - Cubes(laid["placed"])))
    return found


def _threat(view: View, card: str, zone: int, place: int) -> float:
    """What a disaster would cost if it were left alone, more as the core weakens."""
    frail = 1 + view["damage"] / 5
    return catalog().disasters[card].damage * 10 * NEARNESS[zone] * frail * (0.6 if place else 1.0)


def _repair(view: View, seat: Seat, move: Repair) -> float:
    _, zone, place, missing = next(entry for entry in _open(view) if entry[0] == move.card)
    done = move.ability or missing.total == len(move.cubes)
    spent = sum(0.3 * _use(view, seat, color) for color in move.cubes)
    if zone is None:
        return (75.0 if done else 6.0 + 4.0 * len(move.cubes)) - spent
    threat = _threat(view, move.card, zone, place)
    if done:
        return 14.0 + threat - spent
    # What is missing must come in time, from a partner's hand or the bag.
    rest = missing - Cubes(move.cubes)
    return threat * 0.5 * (0.9 - 0.3 * rest.total) - spent if _reachable(view, seat, rest) else -5.0


def _reachable(view: View, seat: Seat, rest: Cubes) -> bool:
    return rest <= Cubes(view["pools"][1 - seat])


def _use(view: View, seat: Seat, color: str) -> float:
    """How much a cube of a color is wanted by the cards in play, 0 to about 10."""
    wanted = sum(
        3.0 if zone is None else 2.5 * NEARNESS[zone] for _, zone, _, missing in _open(view) if color in missing
    )
    role = view["roles"][seat]
    own = role is not None and catalog().roles[role].ignores == color
    return wanted * (0.4 if own else 1.0)


def _scavenge(view: View, seat: Seat) -> float:
    bag = view["bag"]
    total = sum(bag.values())
    room = 10 - sum(view["pools"][seat].values())
    danger = 24.0 * bag.get(WHITE, 0) / max(1, total) * _surge_cost(view)
    useful = sum(bag.get(color, 0) * min(6.0, _use(view, seat, color)) for color in COLORS) / max(1, total)
    return min(2, max(0.4, room)) * (3.5 + useful) - danger


def _surge_cost(view: View) -> float:
    """How much a surge would hurt now: the bottom card of the rightmost zone gains a zone."""
    zone = next((z for z in ("3", "2", "1") if view["zones"][z]), None)
    if zone is None:
        return 0.0
    return 1.6 if zone == "1" else 0.6


def _transfer(view: View, seat: Seat, color: str) -> float:
    """Good when it lets this seat complete a card with what it then has."""
    pool = Cubes(view["pools"][seat]) + ONE[color]
    role = view["roles"][seat]
    ignores = catalog().roles[role].ignores if role else None
    best = 0.0
    for card, zone, place, missing in _open(view):
        rest = Cubes({c: n for c, n in missing.items() if c != ignores or place})
        if color in missing and rest <= pool and not rest <= Cubes(view["pools"][seat]):
            best = max(best, (70.0 if zone is None else 12.0 + _threat(view, card, zone, place)) - 9.0)
    return best if view["actions_left"] > 1 else 0.0


def _discard(view: View, seat: Seat) -> float:
    """Before stocking up, a pool of useless cubes is better exchanged for fresh ones."""
    if view["actions_left"] > 1:
        return 0.0
    useful = sum(_use(view, seat, color) * count for color, count in view["pools"][seat].items())
    size = sum(view["pools"][seat].values())
    return 10.0 - useful if size <= 6 else 0.0
