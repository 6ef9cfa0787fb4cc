"""The mat of Systems Failing: corners, zones, and the room in them."""

from __future__ import annotations

import math
from itertools import chain, combinations

import pytest

from companion.games.systems_failing.mat import CUBE_MM, MAT, MAX_CUBES, POOL_LEFT, POOL_SIZE, POOL_TOPS, cube_places
from companion.printing.printable_components import PATCH_MARGIN_MM
from companion.tabletop.mat import Point, Zone, rectangle

CARD = (63.0, 88.0)
COLUMNS = ("core", "zone-1", "zone-2", "zone-3")
PILES = ("escape", "deck", "discard")
SEATS = ("role-0", "role-1")
MARKER = (50.0, 56.0)


def box(zone: Zone) -> tuple[float, float, float, float]:
    xs, ys = zip(*zone.polygon, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def middle(zone: Zone) -> Point:
    left, top, right, bottom = box(zone)
    return (left + right) / 2, (top + bottom) / 2


def test_has_exactly_the_zones_of_the_game() -> None:
    """The mat has exactly the zones that layouts and sightings name."""
    assert {zone.name for zone in MAT.zones} == {*COLUMNS, *PILES, *SEATS}


def test_columns_run_left_to_right() -> None:
    """The core is leftmost, followed by the zones in numerical order."""
    assert [middle(MAT.zone(name))[0] for name in COLUMNS] == sorted(middle(MAT.zone(name))[0] for name in COLUMNS)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_holds_three_cards_and_part_of_a_fourth(name: str) -> None:
    """Three cards fit below each other without overlap. If there are four, three quarters of each face are visible."""
    left, top, right, bottom = box(MAT.zone(name))
    assert right - left >= CARD[0] + 5
    assert bottom - top >= 3 * CARD[1] + 20
    assert (bottom - top - CARD[1]) / 3 >= 0.75 * CARD[1]
    assert MAT.zone(name).order == "down"


@pytest.mark.parametrize("name", PILES)
def test_a_pile_has_room_for_a_card(name: str) -> None:
    """A pile's zone is a few millimeters larger than a card."""
    left, top, right, bottom = box(MAT.zone(name))
    assert right - left >= CARD[0] + 5
    assert bottom - top >= CARD[1] + 5
    assert MAT.zone(name).order == "pile"


@pytest.mark.parametrize("name", SEATS)
def test_a_seat_has_room_for_its_role_and_the_marker(name: str) -> None:
    """A seat's zone has room for the role card and the first player marker side by side."""
    left, top, right, bottom = box(MAT.zone(name))
    assert right - left >= CARD[0] + MARKER[0] + 5
    assert bottom - top >= CARD[1] + 5
    assert MAT.zone(name).order == "right"


def test_zones_lie_apart_and_clear_of_the_corner_codes() -> None:
    """No zone overlaps another one or the quiet zone of a corner code, or leaves the mat."""
    boxes = [box(zone) for zone in MAT.zones]
    for corner in MAT.corners:
        (x, y), half = corner.center, corner.code_mm * 29 / 21 / 2
        assert half < x < MAT.size[0] - half
        assert half < y < MAT.size[1] - half
        boxes.append((x - half, y - half, x + half, y + half))
    for index, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0
        assert top >= 0
        assert right <= MAT.size[0]
        assert bottom <= MAT.size[1]
        for other in boxes[:index]:
            assert left >= other[2] or right <= other[0] or top >= other[3] or bottom <= other[1]


def test_corners_go_clockwise_from_the_top_left() -> None:
    """The corner codes, 25 mm wide, are numbered clockwise from the top left."""
    assert [corner.id for corner in MAT.corners] == [f"MAT-SF-{number}" for number in (1, 2, 3, 4)]
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = (corner.center for corner in MAT.corners)
    assert (ax, ay, bx, cy) == (dx, by, cx, dy)
    assert ax < bx
    assert ay < dy
    assert {corner.code_mm for corner in MAT.corners} == {25.0}


def test_fits_a_widescreen_picture() -> None:
    """The mat has nearly the aspect ratio of a 16:9 image and fits on a table."""
    width, height = MAT.size
    assert 1.7 < width / height < 1.85
    assert width <= 640
    assert height <= 360


def test_a_point_belongs_to_the_zone_around_it() -> None:
    """The center of each zone belongs to that zone; the corner of the mat belongs to none."""
    for zone in MAT.zones:
        assert MAT.zone_at(middle(zone)) == zone.name
    assert MAT.zone_at((1.0, 1.0)) is None
    with pytest.raises(KeyError):
        MAT.zone("bridge")


def test_a_rectangle_holds_its_inside_only() -> None:
    """A point to the left, to the right, above or below a rectangle is outside."""
    zone = Zone("z", "Z", rectangle(10, 20, 30, 40))
    assert zone.holds((25, 40))
    assert not any(zone.holds(point) for point in [(9, 40), (41, 40), (25, 19), (25, 61)])


def test_json_has_the_contracts_shape() -> None:
    """The JSON of the mat has its size, corners and zones in millimeters, under the contract's names."""
    data = MAT.to_json()
    assert data["size_mm"] == [608.0, 342.0]
    assert data["corners"][0] == {"id": "MAT-SF-1", "center_mm": [22.0, 22.0], "code_mm": 25.0}  # type: ignore[index]
    assert {"name", "polygon_mm"} == set(data["zones"][0])  # type: ignore[index]


def areas() -> list[tuple[float, float, float, float]]:
    """What is printed in the margins, and the zones."""
    colors = MAT.token_colors
    assert colors is not None
    found = [box(zone) for zone in MAT.zones]
    found += [
        (min(x for x, _ in area), area[0][1], max(x for x, _ in area), area[2][1]) for area in colors.areas.values()
    ]
    for patch in chain(*colors.charts):
        (x, y), (width, height), margin = patch.top_left, patch.size, PATCH_MARGIN_MM
        found.append((x - margin, y - margin, x + width + margin, y + height + margin))
    for corner in MAT.corners:
        (x, y), half = corner.center, corner.code_mm * 29 / 42
        found.append((x - half, y - half, x + half, y + half))
    return found


def test_nothing_on_the_mat_lies_over_anything_else() -> None:
    """The zones, the pools, the color patches and the corner codes don't overlap and are on the mat."""
    for (x0, y0, x1, y1), (a0, b0, a1, b1) in combinations(areas(), 2):
        assert x1 <= a0 + 0.01 or a1 <= x0 + 0.01 or y1 <= b0 + 0.01 or b1 <= y0 + 0.01
    assert all(x0 >= 0 and y0 >= 0 and x1 <= MAT.size[0] and y1 <= MAT.size[1] for x0, y0, x1, y1 in areas())


@pytest.mark.parametrize("seat", [0, 1])
def test_a_pool_has_room_for_all_cubes(seat: int) -> None:
    """All cubes that a player can have fit into the pool without touching each other or the edge."""
    left, top = POOL_LEFT, POOL_TOPS[seat]
    places = cube_places(seat)
    assert len(places) >= MAX_CUBES
    assert all(math.dist(one, other) > CUBE_MM * 1.4 for one, other in combinations(places, 2))
    for x, y in places:
        assert CUBE_MM / 2 < x - left < POOL_SIZE[0] - CUBE_MM / 2
        assert CUBE_MM / 2 < y - top < POOL_SIZE[1] - CUBE_MM / 2
