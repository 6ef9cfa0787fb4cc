"""A table as the book wants it: each thing where a tidy person would lay it.

Law: pure, millimetres. Things of a zone don't cover each other's codes: a full column overlaps by no more than a
card's heading.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from itertools import count

from companion.simulator.scene import Piece, Pile, Size, Token, World
from companion.tabletop.layout import Layout, TokenPlacement
from companion.tabletop.mat import Mat, Point, Zone

RIM = 4.0
"""Between a zone's edge and what lies in it, mm."""
SLOTS = 3
"""A column is divided so that this many lie apart; more lie closer."""
TOKEN_STEP = 10.0
APART = 40.0
"""Between the middles of things that lie about, mm."""
ASKEW = 3.5
"""By how much cards of a pile lie off its middle, mm: it is seen that there are several, and only the top is read."""
ONWARD: Mapping[str, Point] = {"down": (0.0, -18.0), "right": (18.0, 0.0)}
"""Where a card goes that is taken onto another, by the order of its zone, mm: the newest lies nearest the top edge."""
ASIDE: Point = (18.0, 9.0)
"""The same in a place without an order."""
CARD: Size = (63.0, 88.0)


def put_right(
    world: World,
    layout: Layout,
    mat: Mat,
    sizes: Mapping[str, Size],
    shuffled: frozenset[str],
    turned: frozenset[str] = frozenset(),
    standing: Sequence[TokenPlacement] = (),
) -> World:
    """The table put right. `shuffled` are the zones whose things are shuffled when they go home: piles; `turned` are
    the things that lie with their backs up, `standing` the tokens that stand on the mat."""
    wanted = {thing for things in layout.cards.values() for thing in things}
    for piece in world.lying:
        if piece.thing not in wanted:
            in_pile = mat.zone_at((piece.x, piece.y)) in shuffled
            world = world.at_home(piece.thing, on_top=piece.face_up and not in_pile)
    names = {zone.name for zone in mat.zones}
    for place, things in layout.cards.items():
        if place in names:
            angle = layout.facing[place].degrees if place in layout.facing else 0.0
            for piece in _laid(mat.zone(place), things, sizes):
                world = world.with_piece(replace(piece, angle=angle, face_up=piece.thing not in turned))
        else:
            for thing in things:
                world = world.put_beside(thing)
    world = replace(world, beside=world.beside & wanted)
    return replace(world, tokens=stood(world.tokens, [*_on_things(world, layout, sizes), *standing]))


def stood(there: Sequence[Token], wanted: Sequence[TokenPlacement]) -> tuple[Token, ...]:
    """Tokens that stand where they should: who stands right stays, others of the kind are moved there, then new ones
    come; what is over goes."""
    places = {(token.kind, token.x, token.y): token for token in there}
    right = [places.get((stand.kind, stand.x, stand.y)) for stand in wanted]
    spare = [token for token in there if token not in right]
    new = count(1 + max((token.number for token in there), default=0))
    movers = [token or _taken(spare, stand.kind) for token, stand in zip(right, wanted, strict=True)]
    numbers = [mover.number if mover else next(new) for mover in movers]
    return tuple(Token(number, *astuple(stand)) for number, stand in zip(numbers, wanted, strict=True))


def _taken(spare: list[Token], kind: str) -> Token | None:
    """A token of this kind, which is spare no more."""
    found = next((token for token in spare if token.kind == kind), None)
    if found:
        spare.remove(found)
    return found


def lifted(world: World, layout: Layout, mat: Mat) -> World:
    """The table without what is to go out of sight, before others are moved: a camera must see the places empty, or
    it takes what lies there afterwards for a cover."""
    stays = set()
    for zone in mat.zones:
        things = layout.cards.get(zone.name, ())
        hidden = things[1:] if zone.order == "pile" else ()
        there = {p.thing for p in world.lying if zone.holds((p.x, p.y))}
        stays |= set(things) - set(hidden) | (set(hidden) & there)
    return replace(world, lying=tuple(piece for piece in world.lying if piece.thing in stays))


def _laid(zone: Zone, things: tuple[str, ...], sizes: Mapping[str, Size]) -> Iterator[Piece]:
    """The zone's things from the bottom up."""
    left, top, right, bottom = bounds(zone)
    if zone.order == "pile":
        for n, thing in enumerate(reversed(things)):
            yield Piece(thing, *_askew(((left + right) / 2, (top + bottom) / 2), n))
        return
    across = zone.order == "right" or (zone.order == "any" and right - left > bottom - top)
    start = left if across else top
    middle = (top + bottom) / 2 if across else (left + right) / 2
    along = [sizes.get(thing, CARD)[0 if across else 1] for thing in things]
    if zone.order == "any" and len(things) > 1 and sum(along) > (right - left if across else bottom - top):
        yield from _huddled(zone, things, max(along))
        return
    for thing, at in zip(things, _spread(along, start, right if across else bottom), strict=True):
        yield Piece(thing, at, middle) if across else Piece(thing, middle, at)


def _huddled(zone: Zone, things: tuple[str, ...], size: float) -> Iterator[Piece]:
    """Things in rows about the middle of a zone too small for them, side by side over its edges."""
    left, top, right, bottom = bounds(zone)
    columns = math.ceil(math.sqrt(len(things)))
    rows = [things[first : first + columns] for first in range(0, len(things), columns)]
    for row, y in zip(rows, _about((top + bottom) / 2, len(rows), size, bottom - top), strict=True):
        for thing, x in zip(row, _about((left + right) / 2, len(row), size, right - left), strict=True):
            yield Piece(thing, x, y)


def _about(middle: float, count: int, size: float, room: float) -> list[float]:
    """Middles of so many things of a size around a middle, all of them within the room."""
    step = min(size, (room - 2 * RIM) / max(1, count - 1))
    return [middle + (n - (count - 1) / 2) * step for n in range(count)]


def _askew(middle: Point, n: int) -> Point:
    """Where the nth card of a pile lies, from the bottom, as hands lay them."""
    off, turn = ASKEW * bool(n), n * math.pi * (3 - math.sqrt(5))  # no two of a few at the same angle
    return middle[0] + off * math.cos(turn), middle[1] + off * math.sin(turn)


def onto(mat: Mat, world: World, near: Point) -> Point:
    """Where a card lies that is taken off a pile and laid there: not quite on others, which would be hidden."""
    zone = mat.zone_at(near)
    order = mat.zone(zone).order if zone else "any"
    there = [(piece.x, piece.y) for piece in world.lying if mat.zone_at((piece.x, piece.y)) == zone]
    if order == "pile":
        return _askew(near, len(there))
    dx, dy = ONWARD.get(order, ASIDE)
    spots = ((near[0] + n * dx, near[1] + n * dy) for n in range(len(there) + 1))
    clear = (spot for spot in spots if all(math.dist(spot, other) >= math.hypot(dx, dy) / 2 for other in there))
    return next((spot for spot in clear if mat.zone_at(spot) == zone), near)


def _spread(along: list[float], start: float, end: float) -> Iterator[float]:
    """The middles of things of these lengths between two edges."""
    if not along:
        return
    room = end - start - 2 * RIM
    step = (room - along[-1]) / max(SLOTS - 1, len(along) - 1)
    apart = sum(along) + RIM * (len(along) - 1) <= room and step < max(along)
    at = start + RIM
    for n, length in enumerate(along):
        yield (at if apart else start + RIM + n * step) + length / 2
        at += length + RIM


def middle(mat: Mat, pile: Pile) -> tuple[float, float] | None:
    """Where a face-down pile lies on the mat, if it does."""
    if pile.zone is None:
        return None
    left, top, right, bottom = bounds(mat.zone(pile.zone))
    return (left + right) / 2, (top + bottom) / 2


def free(mat: Mat, world: World, near: Point) -> Point:
    """The nearest place where a thing's middle lies in no zone and on nothing else, so that it means nothing yet; the
    place itself if there is none."""
    rings = (
        (near[0] + radius * math.cos(turn), near[1] + radius * math.sin(turn))
        for radius in range(0, 400, 10)
        for turn in (math.tau * step / 16 for step in range(16))
    )
    return next((point for point in rings if mat.holds(point) and not _busy(mat, world, point)), near)


def _busy(mat: Mat, world: World, point: Point) -> bool:
    lying = any(math.dist((piece.x, piece.y), point) < APART for piece in world.lying)
    return lying or mat.zone_at(point) is not None


def in_view(mat: Mat, piles: Iterable[Pile], world: World) -> tuple[Piece, ...]:
    """Every printed thing that a camera sees, from the bottom up: a back for each pile, and what lies about."""
    backs = []
    for pile in piles:
        at = middle(mat, pile)
        if at and pile.waiting(world):
            backs.append(Piece(pile.components[0], *at, face_up=False))
    return (*backs, *world.lying)


def bounds(zone: Zone) -> tuple[float, float, float, float]:
    """Left, top, right, bottom."""
    xs, ys = zip(*zone.polygon, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _on_things(world: World, layout: Layout, sizes: Mapping[str, Size]) -> Iterator[TokenPlacement]:
    """Tokens that belong on things on the mat, in a row near the things' feet."""
    for holder, counts in layout.tokens.items():
        piece = world.piece(holder)
        if piece is None:
            continue
        width, height = sizes.get(holder, CARD)
        kinds = [kind for kind, count in counts.items() for _ in range(count)]
        for n, kind in enumerate(kinds):
            yield TokenPlacement(kind, piece.x - width / 2 + 10 + n * TOKEN_STEP, piece.y + height / 2 - 10)
