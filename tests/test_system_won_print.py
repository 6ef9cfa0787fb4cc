"""The print of System WON: readable codes on both sides, nothing overlapping, and suits that everyone can tell
apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from reportlab.lib.colors import Color

from companion import component_qr_codes
from companion.drawing.canvas import with_quiet_zone
from companion.drawing.emblem_files import load_emblem
from companion.games import GAMES
from companion.games.system_won.catalog import Role, catalog
from companion.games.system_won.component_art import EDGE, SystemWonArt
from companion.games.system_won.components import SPECIFICATION_KIND, components, role_component_id
from companion.games.system_won.emblems import EMBLEM_FOLDER, SUITS
from companion.games.system_won.illustrations import system_part
from companion.games.system_won.mat import MAT, ROLE_CARD, SPECIFICATION_CARD, role_places, specification_places
from companion.printing import raster
from companion.printing.imposition import PAPERS, sheets
from companion.printing.options import PrintOptions
from companion.printing.pdf import print_game
from companion.printing.printable_components import PrintError, draw_mat, printables
from companion.printing.raster import PixelArray, rendered_pages
from companion.tabletop.components import Component
from companion.tabletop.mat import Zone
from tests.printed_pages import PX, component_pictures, payloads, read, warped
from tests.recording_canvas import Box, apart, assert_tidy, drawn, within
from tests.repetitions import thorough_except
from tests.vision_scenes import FPS, kinds_and_ids
from vision.known_codes import component_codes, mats_by_game
from vision.simulated_camera import PlacedPrint, Scene, SimulatedCamera, TextureFolder
from vision.tracking.table_watcher import TableWatcher
from vision.tracking.tracker import TrackEvent

GAME = GAMES["system-won"]
ART = SystemWonArt()
COPIES = [component for component in components() if component.home_zone == "deck"]
TURNED = [component for component in components() if component.reverse]
FINEST = 6.0
"""The resolution at which single modules are examined, pixels per millimeter."""


@pytest.fixture(scope="module", params=thorough_except(["a4", "letter"], "letter"))
def paper(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def pages(paper: str, tmp_path_factory: pytest.TempPathFactory) -> list[PixelArray]:
    path = tmp_path_factory.mktemp("print") / f"{paper}.pdf"
    print_game(GAME, path, PrintOptions(paper))
    return list(rendered_pages(path, PX))


@pytest.fixture(scope="module")
def looks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, PixelArray]:
    """Both sides of each component, and the mat."""
    return component_pictures(GAME, tmp_path_factory.mktemp("textures"), FINEST)


def test_a_deck_five_roles_and_eight_specifications() -> None:
    """Every card of the catalog is printed. It is named by color and rank, belongs on the deck, and has the same kind
    as its copies."""
    assert Counter(component.kind for component in COPIES) == Counter(
        f"SW-{face}" for face in catalog().printed_cards().values()
    )
    assert {component.id for component in COPIES} == {f"SW-{copy.upper()}" for copy in catalog().printed_cards()}
    (card,) = [component for component in COPIES if component.id == "SW-G5A"]
    assert (card.name, card.title, card.kind) == ("green 5", "Benefit", "SW-G5")
    assert [component.name for component in TURNED if not component.kind] == [
        f"the {r.title} card" for r in catalog().roles.values()
    ]
    assert [component.id for component in TURNED if component.kind == SPECIFICATION_KIND] == [
        f"SW-SPEC{n}" for n in range(1, 9)
    ]
    assert len(components()) == 40 + 5 + 8


@pytest.mark.slow
def test_every_code_stands_in_the_print_once(pages: list[PixelArray]) -> None:
    """The print contains each code exactly once: the codes on both sides of roles and specifications, on the cards, and
    in the corners of the mat. All are read from flat and from warped pages."""
    wanted = payloads([*GAME.physical.components.codes()])
    assert len(wanted) == 40 + 2 * (5 + 8) + 4
    assert Counter(text for page in pages for text in read(page)) == Counter(wanted)
    rng = np.random.default_rng(3)
    assert {text for page in pages for text in read(warped(page, rng))} == wanted


def test_the_code_on_a_back_is_on_the_same_paper_as_the_code_on_its_front(pages: list[PixelArray], paper: str) -> None:
    """The code on the back of a component is inside the same piece of paper as the code on its front."""
    for number, sheet in enumerate(sheets(printables(GAME), PAPERS[paper])):
        for place in sheet:
            component, behind = place.printable.component, place.mirrored(PAPERS[paper])
            top, low = (round((PAPERS[paper].height - y) * PX) for y in (place.top, place.y))
            front = pages[2 + 2 * number][top:low, round(place.x * PX) : round(place.right * PX)]
            back = pages[3 + 2 * number][top:low, round(behind.x * PX) : round(behind.right * PX)]
            assert read(front) == [component_qr_codes.payload(component.id)]
            assert read(back) == ([component_qr_codes.payload(component.reverse)] if component.reverse else [])


@pytest.mark.parametrize("code_mm", [10.0, 18.0, 25.0])
@pytest.mark.parametrize("component", components(), ids=lambda component: component.id)
def test_words_fit_their_card(component: Component, code_mm: float) -> None:
    """On both sides, text stays inside the face and overlaps neither other text nor the quiet zone of the code."""
    width, height = ART.size(component)
    face = (EDGE, EDGE, width - EDGE, height - EDGE)
    front = drawn(lambda canvas: ART.face(canvas, component, code_mm))
    back = drawn(lambda canvas: ART.back(canvas, component, code_mm))
    assert [code for code, _ in front.codes] == [component.id]
    assert [code for code, _ in back.codes] == ([component.reverse] if component.reverse else [])
    assert_tidy(front, face)
    assert_tidy(back, face)


def test_words_fit_the_mat() -> None:
    """Texts on the mat don't overlap, and its corner codes are where its data say."""
    found = drawn(lambda canvas: draw_mat(GAME, canvas))
    assert_tidy(found, (0, 0, *MAT.size))
    for (code, (left, bottom, right, top)), corner in zip(found.codes, MAT.corners, strict=True):
        assert code == corner.id
        assert ((left + right) / 2, MAT.size[1] - (bottom + top) / 2) == pytest.approx(corner.center)


def test_the_mat_calls_the_sides_of_a_specification_card_what_the_card_does() -> None:
    """The summary on the mat names the two sides of a specification card by the words that are printed on them."""
    card = next(component for component in components() if component.kind == SPECIFICATION_KIND)
    printed = [drawn(lambda canvas, d=draw: d(canvas, card, 25.0)).texts[0][0] for draw in (ART.face, ART.back)]
    (summary,) = (words for words, _ in drawn(ART.mat).texts if "READY" in words)
    assert re.findall("[A-Z]{2,}", summary) == printed


def test_words_on_top_of_one_another_are_noticed() -> None:
    """The check of the tests above detects overlapping texts."""
    with pytest.raises(AssertionError, match="one"):
        assert_tidy(drawn(lambda canvas: (canvas.text(5, 5, "one", 4), canvas.text(6, 6, "two", 4))[0]), (0, 0, 40, 40))
    with pytest.raises(AssertionError, match="far too long"):
        assert_tidy(drawn(lambda canvas: canvas.text(5, 5, "far too long", 9)), (0, 0, 40, 40))


@pytest.mark.slow
@pytest.mark.parametrize("side", ["front", "back"])
def test_nothing_is_drawn_over_a_code_or_its_white(looks: dict[str, PixelArray], side: str) -> None:
    """Each module of a code has its color in the image, and a margin of four modules around the code is white."""
    for component in components() if side == "front" else TURNED:
        code = component.id if side == "front" else component.reverse
        draw = ART.face if side == "front" else ART.back
        ((_, (left, _, right, top)),) = drawn(
            lambda canvas, draw=draw, component=component: draw(canvas, component, 25.0)
        ).codes  # type: ignore[misc]
        picture = looks[f"{component.id}/{side}"]
        x, y, length = round(left * FINEST), picture.shape[0] - round(top * FINEST), round((right - left) * FINEST)
        square = picture[y + 1 : y + length - 1, x + 1 : x + length - 1].min(axis=2)
        inner = round(25.0 * FINEST)
        frame = (square.shape[0] - inner) // 2 - 1
        ring = square.copy()
        ring[frame:-frame, frame:-frame] = 255
        assert ring.min() > 250, code
        middles = ((np.arange(21) + 0.5) * inner / 21 + frame + 1).astype(int)
        dark = square[np.ix_(middles, middles)] < 128
        assert tuple("".join("1" if module else "0" for module in row) for row in dark) == component_qr_codes.matrix(
            code
        )


@pytest.mark.slow
def test_all_cards_have_one_back(looks: dict[str, PixelArray]) -> None:
    """All cards have the same back, so a hand reveals nothing from behind. The two sides of roles and specifications
    differ."""
    backs = [looks[f"{component.id}/back"] for component in COPIES]
    assert all(np.array_equal(back, backs[0]) for back in backs)
    assert all(
        not np.array_equal(looks[f"{component.id}/front"], looks[f"{component.id}/back"]) for component in TURNED
    )


def test_copies_differ_in_their_code_alone() -> None:
    """Copies of a card look the same except for their codes, and no two faces look the same."""
    said = {
        component.id: Counter(words for words, _ in drawn(lambda canvas, t=component: ART.face(canvas, t, 25.0)).texts)
        for component in COPIES
    }  # type: ignore[misc]
    for one, other in combinations(COPIES, 2):
        assert (said[one.id] == said[other.id]) == (one.kind == other.kind)
    for component in COPIES:
        card = catalog().cards[component.kind.removeprefix("SW-")]
        assert said[component.id][str(card.rank)] == 4
        assert said[component.id][card.face[0]] == 4
        assert said[component.id][system_part(card.color, card.rank).title] == 1


@pytest.mark.parametrize("role", catalog().roles.values(), ids=lambda role: role.id)
def test_a_role_tells_when_it_may_be_used(role: Role) -> None:
    """Each ability on a role card states the time at which the rules allow it."""
    times = {
        "designer": ["YOUR TURN", "ANY TIME"],
        "contractor": ["YOUR TURN", "YOUR TURN"],
        "operations": ["ANY TIME", "ANY TIME"],
        "technician": ["YOUR TURN", "YOUR TURN"],
        "engineer": ["ANY TIME", "ANY TIME"],
    }
    (component,) = [component for component in TURNED if component.id == role_component_id(role.id)]
    words = [words for words, _ in drawn(lambda canvas: ART.face(canvas, component, 25.0)).texts]
    assert [word for word in words if word in ("YOUR TURN", "ANY TIME")] == times[role.id]


def test_a_code_too_large_for_the_strips_is_refused(tmp_path: Path) -> None:
    """There is room for a code of 25 mm at most between the strips."""
    with pytest.raises(PrintError, match="choose 10 to 25 mm"):
        print_game(GAME, tmp_path / "x.pdf", PrintOptions(code_mm=26.0))


BLIND = {
    "nobody": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}
"""Transforms of linear RGB that simulate the three kinds of dichromacy: Machado, Oliveira and Fernandes 2009, severity
1."""


def lab(color: Color, vision: str) -> NDArray[np.float64]:
    """A color as people with this vision see it, in CIE L*a*b*."""
    shown = np.array([color.red, color.green, color.blue])
    light = np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(BLIND[vision]) @ light, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ seen
    x, y, z = np.cbrt(xyz / [0.9505, 1.0, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(one: Color, other: Color, vision: str) -> float:
    return float(np.linalg.norm(lab(one, vision) - lab(other, vision)))


@pytest.mark.parametrize("vision", BLIND)
def test_suits_differ_for_every_kind_of_color_vision(vision: str) -> None:
    """For every kind of color vision, any two suits differ by at least ten times the just noticeable difference, and so
    does the text from its suit."""
    for one, other in combinations(SUITS.values(), 2):
        assert distance(one.color, other.color, vision) > 23
    for suit in SUITS.values():
        assert distance(suit.color, suit.ink, vision) > 23


def test_a_plain_red_and_green_would_be_confused() -> None:
    """The measure shows that people with the most common color blindness would confuse a plain red and a plain
    green."""
    assert distance(Color(0.75, 0.25, 0.1), Color(0.45, 0.5, 0.1), "nobody") > 50
    assert distance(Color(0.75, 0.25, 0.1), Color(0.45, 0.5, 0.1), "deuteranopia") < 23


def test_suits_have_shapes_of_their_own() -> None:
    """Even without color, the shapes of any two suits differ by at least a quarter of their areas."""
    covers = []
    for color in SUITS:
        (shape,) = load_emblem(EMBLEM_FOLDER / f"suit-{color}.svg").shapes
        (outline,) = shape.subpaths
        corners = [outline.start, *(step[-1] for step in outline.steps)]
        room = np.zeros((200, 200), np.uint8)
        cv2.fillPoly(room, [np.array([(100 + 5 * x, 100 - 5 * y) for x, y in corners], np.int32)], 1)
        covers.append(room.astype(bool))
    for one, other in combinations(covers, 2):
        assert (one ^ other).sum() > 0.25 * (one | other).sum()


def edges(zone: Zone) -> Box:
    across, down = zip(*zone.polygon, strict=True)
    return min(across), min(down), max(across), max(down)


@dataclass
class WatcherEvents:
    """The events that the watcher reports for components on the mat."""

    camera: SimulatedCamera
    watcher: TableWatcher = field(
        default_factory=lambda: TableWatcher(
            component_codes(), mats_by_game(), other_side=GAME.physical.components.other_side
        )
    )
    frames: int = 0

    def of(self, placements: Sequence[PlacedPrint], frames: int = 14) -> list[tuple[str, str]]:
        """Shows these placements for a number of frames. Returns all events, sorted."""
        happened: list[TrackEvent] = []
        for _ in range(frames):
            happened += self.watcher.process(self.camera.render(Scene(tuple(placements))), self.frames / FPS)
            self.frames += 1
        return sorted(kinds_and_ids(happened))


@pytest.mark.slow
def test_a_camera_follows_cards_and_turned_components_on_the_mat(tmp_path: Path) -> None:
    """With roles and specifications on the mat, a card that is put on any pile and taken away is reported once each
    time, and so is a component that is turned over and back."""
    raster.write_textures(GAME, tmp_path, 4.0)
    seen = WatcherEvents(SimulatedCamera(TextureFolder(tmp_path), 1))
    roles, small = (
        [component for component in TURNED if (component.kind == SPECIFICATION_KIND) == each] for each in (False, True)
    )
    base = [
        *(PlacedPrint(t.id, x + 31.5, y + 44) for t, (x, y) in zip(roles, role_places(), strict=False)),
        *(PlacedPrint(t.id, x + 22, y + 31.5) for t, (x, y) in zip(small, specification_places(), strict=True)),
    ]
    assert seen.of(base, 20) == sorted(("appeared", placement.id) for placement in base)
    for zone, card in zip((zone for zone in MAT.zones if zone.order == "pile"), COPIES[::4], strict=False):
        left, top, right, bottom = edges(zone)
        assert seen.of([*base, PlacedPrint(card.id, (left + right) / 2, (top + bottom) / 2, 3)]) == [
            ("appeared", card.id)
        ]
        assert seen.of(base) == [("left", card.id)]
    for front in (base[0], base[-1]):
        behind = GAME.physical.components.other_side[front.id]
        turned = [replace(front, face="back") if placement == front else placement for placement in base]
        assert seen.of(turned) == [("appeared", behind), ("left", front.id)]
        assert seen.of(base) == [("appeared", front.id), ("left", behind)]


class TestMat:
    """The zones of the mat and the room in them."""

    def test_has_the_zones_of_the_game(self) -> None:
        """All zones are piles except those for roles and specifications. Only the zone for showing cards is secret."""
        piles = {"deck", "discard", "errors", "play", "show", *(f"system-{color}" for color in catalog().colors)}
        assert {zone.name for zone in MAT.zones if zone.order == "pile"} == piles
        assert {zone.name for zone in MAT.zones if zone.order == "any"} == {"roles", "specifications"}
        assert {zone.name for zone in MAT.zones if zone.secret} == {"show"}

    def test_zones_lie_apart_and_clear_of_the_corner_codes(self) -> None:
        """No zone overlaps another one or the quiet zone of a corner code, or leaves the mat."""
        boxes = [edges(zone) for zone in MAT.zones]
        for corner in MAT.corners:
            (x, y), half = corner.center, with_quiet_zone(corner.code_mm) / 2
            boxes.append((x - half, y - half, x + half, y + half))
        assert all(within(box, (0, 0, *MAT.size)) for box in boxes)
        assert all(apart(one, other) for one, other in combinations(boxes, 2))

    def test_a_pile_has_room_for_a_card(self) -> None:
        """A pile's zone is a few millimeters larger than a card."""
        for zone in MAT.zones:
            left, top, right, bottom = edges(zone)
            assert right - left >= ROLE_CARD[0] + 5
            assert bottom - top >= ROLE_CARD[1] + 5

    def test_small_cards_and_roles_have_places_of_their_own(self) -> None:
        """Eight specification cards and four roles fit into their zones without overlap."""
        for name, places, (width, height), count in (
            ("specifications", specification_places(), SPECIFICATION_CARD, 8),
            ("roles", role_places(), ROLE_CARD, 4),
        ):
            boxes = [(x, y, x + width, y + height) for x, y in places]
            assert len(boxes) == count
            assert all(within(box, edges(MAT.zone(name))) for box in boxes)
            assert all(one[2] + 3 < other[0] for one, other in pairwise(boxes))

    def test_corners_go_clockwise_and_fit_a_widescreen_picture(self) -> None:
        """Corners are numbered clockwise from the top left, and the mat has nearly the aspect ratio 16:9."""
        assert [corner.id for corner in MAT.corners] == [f"MAT-SW-{number}" for number in (1, 2, 3, 4)]
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = (corner.center for corner in MAT.corners)
        assert (ax, ay, bx, cy) == (dx, by, cx, dy)
        assert 1.7 < MAT.size[0] / MAT.size[1] < 1.85
