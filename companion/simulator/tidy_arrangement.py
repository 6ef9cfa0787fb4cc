"""Arranges the simulated table as a tidy person would: puts every component where it belongs according to the layout,
and finds spots for single components.

Law: pure, millimeters. Components in a zone don't cover each other's codes. In a full column, neighboring cards overlap
by no more than the height of a card's heading.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from itertools import count

from companion.simulator.scene_contents import Pile, PlacedComponent, Size, TableScene, Token
from companion.tabletop.expected_layout import Layout, TokenPlacement
from companion.tabletop.mat import Mat, Point, Zone

ZONE_MARGIN_MM = 4.0
"""The distance between a zone's edge and the components in the zone, and between components that lie side by side."""
MIN_SLOTS = 3
"""A row or column has at least this many slots. If it holds more components, they lie closer together."""
TOKEN_STEP_MM = 10.0
"""The distance between the centers of neighboring tokens on a card."""
MIN_FREE_DISTANCE_MM = 40.0
"""A spot is free if the center of every component is at least this far away."""
PILE_OFFSET_MM = 3.5
"""How far the centers of a pile's cards are from the center of the pile. The cards still look like a pile, but only the
code of the top card can be read."""
ORDERED_STEP_MM: Mapping[str, Point] = {"down": (0.0, -18.0), "right": (18.0, 0.0)}
"""The step (x, y) from a card to the next one that is put partly over it, by the order of the zone. In a column
(`down`), the newest card is nearest the top edge."""
UNORDERED_STEP_MM: Point = (18.0, 9.0)
"""The step (x, y) from a card to the next one in a zone without an order."""
USUAL_SIZE_MM: Size = (63.0, 88.0)
"""The width and height of a component that has no picture."""


def tidy(
    scene: TableScene,
    layout: Layout,
    mat: Mat,
    sizes: Mapping[str, Size],
    shuffled_zones: frozenset[str],
    face_down: frozenset[str] = frozenset(),
    placements: Sequence[TokenPlacement] = (),
) -> TableScene:
    """The scene with everything where it belongs according to the layout. `shuffled_zones`: cards that go back from
    these zones to their piles are shuffled into the piles. `face_down`: the components that lie with their backs up.
    `placements`: the tokens that lie on the mat itself, not on a component."""
    wanted = {code for codes in layout.cards.values() for code in codes}
    for placed in scene.on_mat:
        if placed.code not in wanted:
            is_shuffled = mat.zone_at((placed.x, placed.y)) in shuffled_zones
            scene = scene.with_at_home(placed.code, on_top=placed.face_up and not is_shuffled)
    zones = {zone.name for zone in mat.zones}
    for place, codes in layout.cards.items():
        if place in zones:
            angle = layout.orientations[place].degrees if place in layout.orientations else 0.0
            for placed in _components_in(mat.zone(place), codes, sizes):
                scene = scene.with_placed(replace(placed, angle=angle, face_up=placed.code not in face_down))
        else:
            for code in codes:
                scene = scene.with_off_mat(code)
    scene = replace(scene, off_mat=scene.off_mat & wanted)
    all_placements = [*placements_on_components(scene, layout, sizes), *placements]
    return replace(scene, tokens=placed_tokens(scene.tokens, all_placements))


def placed_tokens(tokens: Sequence[Token], wanted: Sequence[TokenPlacement]) -> tuple[Token, ...]:
    """The tokens at the `wanted` placements. Tokens that are already there stay; other tokens of the same kind are
    moved; then missing tokens are added, and tokens that are left over are removed."""
    by_place = {(token.kind, token.x, token.y): token for token in tokens}
    right = [by_place.get((placement.kind, placement.x, placement.y)) for placement in wanted]
    spare = [token for token in tokens if token not in right]
    new_numbers = count(1 + max((token.number for token in tokens), default=0))
    used = [token or _take_spare(spare, placement.kind) for token, placement in zip(right, wanted, strict=True)]
    numbers = [token.number if token else next(new_numbers) for token in used]
    return tuple(Token(number, *astuple(placement)) for number, placement in zip(numbers, wanted, strict=True))


def _take_spare(spare: list[Token], kind: str) -> Token | None:
    """Removes a token of this kind from the list `spare` and returns it; returns None if there is none."""
    found = next((token for token in spare if token.kind == kind), None)
    if found:
        spare.remove(found)
    return found


def without_hidden(scene: TableScene, layout: Layout, mat: Mat) -> TableScene:
    """The scene without the components that the layout wants out of sight: off the mat, or below others in a pile. The
    camera must see that these components are gone before new ones are put in their places. Otherwise the camera would
    think that the old ones still lie there, under the new ones."""
    stays = set[str]()
    for zone in mat.zones:
        codes = layout.cards.get(zone.name, ())
        below = set(codes[1:] if zone.order == "pile" else ())
        here = {placed.code for placed in scene.on_mat if zone.holds((placed.x, placed.y))}
        stays |= set(codes) - below | (below & here)
    return replace(scene, on_mat=tuple(placed for placed in scene.on_mat if placed.code in stays))


def _components_in(zone: Zone, codes: tuple[str, ...], sizes: Mapping[str, Size]) -> Iterator[PlacedComponent]:
    """Yields the components with these codes, placed in a zone, from the bottom up."""
    left, top, right, bottom = bounds(zone)
    if zone.order == "pile":
        for n, code in enumerate(reversed(codes)):
            yield PlacedComponent(code, *_spot_in_pile(((left + right) / 2, (top + bottom) / 2), n))
        return
    is_row = zone.order == "right" or (zone.order == "any" and right - left > bottom - top)
    start, end = (left, right) if is_row else (top, bottom)
    across = (top + bottom) / 2 if is_row else (left + right) / 2
    lengths = [sizes.get(code, USUAL_SIZE_MM)[0 if is_row else 1] for code in codes]
    if zone.order == "any" and len(codes) > 1 and sum(lengths) > end - start:
        yield from _grid(zone, codes, max(lengths))
        return
    for code, along in zip(codes, _centers_between(start, end, lengths), strict=True):
        yield PlacedComponent(code, along, across) if is_row else PlacedComponent(code, across, along)


def _grid(zone: Zone, codes: tuple[str, ...], size: float) -> Iterator[PlacedComponent]:
    """Yields components in rows around the center of a zone that is too small for them, so they overlap or reach over
    its edges. `size`: the largest distance between two centers, in mm."""
    left, top, right, bottom = bounds(zone)
    columns = math.ceil(math.sqrt(len(codes)))
    rows = [codes[first : first + columns] for first in range(0, len(codes), columns)]
    for row, y in zip(rows, _centers_around((top + bottom) / 2, len(rows), size, bottom - top), strict=True):
        for code, x in zip(row, _centers_around((left + right) / 2, len(row), size, right - left), strict=True):
            yield PlacedComponent(code, x, y)


def _centers_around(middle: float, count: int, size: float, room: float) -> list[float]:
    """The centers of `count` components in a line around `middle`, in mm. Neighboring centers are `size` mm apart, or
    less if the components would otherwise not fit into the length `room`."""
    step = min(size, (room - 2 * ZONE_MARGIN_MM) / max(1, count - 1))
    return [middle + (n - (count - 1) / 2) * step for n in range(count)]


def _centers_between(start: float, end: float, lengths: list[float]) -> Iterator[float]:
    """Yields the centers, in mm, of components of these lengths in a line from one edge of a zone to the other. If
    there is not enough room, the components overlap."""
    if not lengths:
        return
    room = end - start - 2 * ZONE_MARGIN_MM
    step = (room - lengths[-1]) / max(MIN_SLOTS - 1, len(lengths) - 1)
    fits_apart = sum(lengths) + ZONE_MARGIN_MM * (len(lengths) - 1) <= room and step < max(lengths)
    edge = start + ZONE_MARGIN_MM
    for n, length in enumerate(lengths):
        yield (edge if fits_apart else start + ZONE_MARGIN_MM + n * step) + length / 2
        edge += length + ZONE_MARGIN_MM


def _spot_in_pile(center: Point, n: int) -> Point:
    """The center of card `n` of a pile, counted from 0 at the bottom. It is a little off the pile's center, because
    hands never put cards exactly on top of each other."""
    golden_angle = math.pi * (3 - math.sqrt(5))  # so that no two of a few cards lie in the same direction
    offset, angle = PILE_OFFSET_MM * bool(n), n * golden_angle
    return center[0] + offset * math.cos(angle), center[1] + offset * math.sin(angle)


def spot_for_drawn_card(mat: Mat, scene: TableScene, near: Point) -> Point:
    """The spot for a drawn card that a player puts at `near`. It is a little off the cards that already lie there, so
    that the card does not hide them."""
    zone = mat.zone_at(near)
    order = mat.zone(zone).order if zone else "any"
    here = [(placed.x, placed.y) for placed in scene.on_mat if mat.zone_at((placed.x, placed.y)) == zone]
    if order == "pile":
        return _spot_in_pile(near, len(here))
    dx, dy = ORDERED_STEP_MM.get(order, UNORDERED_STEP_MM)
    spots = ((near[0] + n * dx, near[1] + n * dy) for n in range(len(here) + 1))
    clear = (spot for spot in spots if all(math.dist(spot, other) >= math.hypot(dx, dy) / 2 for other in here))
    return next((spot for spot in clear if mat.zone_at(spot) == zone), near)


def free_spot(mat: Mat, scene: TableScene, near: Point) -> Point:
    """The spot nearest to `near` that is in no zone and away from all components. A component there means nothing in
    the game yet. If there is no such spot, `near` itself."""
    rings = (
        (near[0] + radius * math.cos(angle), near[1] + radius * math.sin(angle))
        for radius in range(0, 400, 10)
        for angle in (math.tau * step / 16 for step in range(16))
    )
    return next((spot for spot in rings if mat.holds(spot) and _is_free(mat, scene, spot)), near)


def _is_free(mat: Mat, scene: TableScene, spot: Point) -> bool:
    distances = (math.dist((placed.x, placed.y), spot) for placed in scene.on_mat)
    return mat.zone_at(spot) is None and all(distance >= MIN_FREE_DISTANCE_MM for distance in distances)


def visible_components(mat: Mat, piles: Iterable[Pile], scene: TableScene) -> tuple[PlacedComponent, ...]:
    """Every component that a camera sees, from the bottom up: one card back for each pile on the mat, then everything
    else on the mat."""
    backs = []
    for pile in piles:
        center = pile_center(mat, pile)
        if center and pile.remaining(scene):
            backs.append(PlacedComponent(pile.codes[0], *center, face_up=False))
    return (*backs, *scene.on_mat)


def pile_center(mat: Mat, pile: Pile) -> Point | None:
    """The center of a face-down pile; None if the pile is not on the mat."""
    if pile.zone is None:
        return None
    left, top, right, bottom = bounds(mat.zone(pile.zone))
    return (left + right) / 2, (top + bottom) / 2


def bounds(zone: Zone) -> tuple[float, float, float, float]:
    """The left, top, right and bottom edge of a zone, in mm."""
    xs, ys = zip(*zone.polygon, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def placements_on_components(scene: TableScene, layout: Layout, sizes: Mapping[str, Size]) -> Iterator[TokenPlacement]:
    """Yields the placements of the tokens that belong on components: in a row near the lower edge of each component on
    the mat."""
    for holder, counts in layout.tokens.items():
        placed = scene.find(holder)
        if placed is None:
            continue
        width, height = sizes.get(holder, USUAL_SIZE_MM)
        kinds = [kind for kind, count in counts.items() for _ in range(count)]
        for n, kind in enumerate(kinds):
            x, y = _turned((10 - width / 2 + n * TOKEN_STEP_MM, height / 2 - 10), placed.angle)
            yield TokenPlacement(kind, placed.x + x, placed.y + y, placed.angle)


def carried_tokens(
    tokens: Sequence[Token], before: PlacedComponent, after: PlacedComponent, size: Size
) -> tuple[Token, ...]:
    """The tokens after a component was moved from `before` to `after`: those that lie on it move along. `size`: the
    width and height of the component."""
    turn = after.angle - before.angle

    def carried(token: Token) -> Token:
        dx, dy = token.x - before.x, token.y - before.y
        across, down = _turned((dx, dy), -before.angle)
        if abs(across) > size[0] / 2 or abs(down) > size[1] / 2:
            return token
        x, y = _turned((dx, dy), turn)
        return replace(token, x=after.x + x, y=after.y + y, angle=token.angle + turn)

    return tuple(map(carried, tokens))


def _turned(offset: Point, degrees: float) -> Point:
    """An offset, turned clockwise."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return offset[0] * cos - offset[1] * sin, offset[0] * sin + offset[1] * cos
