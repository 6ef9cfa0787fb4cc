"""The print of Commute: readable codes, nothing overlapping, and a mat that agrees with the board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from companion import component_qr_codes
from companion.drawing.canvas import with_quiet_zone
from companion.games import GAMES
from companion.games.commute.board import MIN_SPACING
from companion.games.commute.board_reader import boards
from companion.games.commute.component_art import EDGE, MAX_PIECE_CODE_MM, PIECE_SIZE, CommuteArt
from companion.games.commute.components import CARDS, PIECE, all_components
from companion.games.commute.display_names import signed
from companion.games.commute.mat import SIZE, house_letter, scale, space_center
from companion.games.commute.uh_oh_cards import uh_oh_cards
from companion.printing import raster
from companion.printing.imposition import PAPERS
from companion.printing.mat_tiles import tiling
from companion.printing.options import PrintOptions
from companion.printing.pdf import print_game
from companion.printing.printable_components import PrintError, draw_mat
from companion.printing.raster import PixelArray, rendered_pages
from companion.tabletop.components import Component
from tests.printed_pages import PX, component_pictures, payloads, read, warped
from tests.recording_canvas import Drawn, assert_tidy, drawn
from tests.repetitions import thorough_except
from tests.test_commute_table import TOWN
from tests.vision_scenes import FPS
from vision.known_codes import component_codes, mats_by_game
from vision.simulated_camera import PlacedPrint, Scene, SimulatedCamera, TextureFolder
from vision.tracking.table_watcher import TableWatcher

GAME = GAMES["commute"]
BOARD = boards()["metropolis"]
ART = CommuteArt(BOARD)
FINEST = 6.0
"""The resolution at which single modules are examined, pixels per millimeter."""


@pytest.fixture(scope="module", params=thorough_except(["a4", "letter"], "a4"))
def pages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[PixelArray]:
    path = tmp_path_factory.mktemp("print") / "print.pdf"
    print_game(GAME, path, PrintOptions(request.param))
    return list(rendered_pages(path, PX))


@pytest.fixture(scope="module")
def looks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, PixelArray]:
    """The pictures of both sides of each component, and of the mat."""
    return component_pictures(GAME, tmp_path_factory.mktemp("textures"), FINEST)


def test_forty_cards_twenty_more_and_five_pieces() -> None:
    """Every card occurs once, under its usual name, and every id is short enough for the smallest kind of code."""
    assert [component.id for component in all_components()[:40]] == [*CARDS]
    assert [component.name for component in all_components() if component.id in ("CM-AH", "CM-10S")] == [
        "the ace of hearts",
        "the 10 of spades",
    ]
    assert [component.title for component in all_components()[40:60]] == [card.title for card in uh_oh_cards().values()]
    assert [component.id for component in all_components()[60:]] == [f"CM-P{number}" for number in range(1, 6)]
    assert max(len(component_qr_codes.payload(code)) for code in GAME.physical.components.codes()) <= 16


@pytest.mark.slow
def test_every_code_stands_in_the_print_once(pages: list[PixelArray]) -> None:
    """The print contains each code exactly once: those of the cards, the pieces and the mat's corners. All of them are
    read from flat and from warped pages."""
    wanted = payloads([*GAME.physical.components.codes()])
    assert len(wanted) == 40 + 20 + 5 + 4
    assert Counter(text for page in pages for text in read(page)) == Counter(wanted)
    rng = np.random.default_rng(3)
    assert {text for page in pages for text in read(warped(page, rng))} == wanted


@pytest.mark.parametrize("code_mm", [10.0, 25.0])
@pytest.mark.parametrize("component", all_components(), ids=lambda component: component.id)
def test_words_fit_their_card(component: Component, code_mm: float) -> None:
    """On both sides, text stays inside the face and overlaps neither other text nor the quiet zone of the code."""
    width, height = ART.size(component)
    edge = 0.0 if component.id.startswith(PIECE) else EDGE
    front = drawn(lambda canvas: ART.face(canvas, component, code_mm))
    back = drawn(lambda canvas: ART.back(canvas, component, code_mm))
    assert [code for code, _ in front.codes] == [component.id]
    assert back.codes == []
    assert_tidy(front, (edge, edge, width - edge, height - edge))
    assert_tidy(back, (edge, edge, width - edge, height - edge))


def test_a_card_says_its_value_at_both_ends_and_its_steps() -> None:
    """A card shows its value at both ends, so that it can be held either way. No two "Uh-Oh!" cards have the same
    text."""
    for component in all_components()[:40]:
        card = CARDS[component.id]
        said = [
            words for words, _ in drawn(lambda canvas, component=component: ART.face(canvas, component, 25.0)).texts
        ]  # type: ignore[misc]
        assert said.count(card[:-1]) == 2
        assert any(words.startswith("1 STEP" if card[0] == "A" else f"{card[:-1]} STEPS") for words in said)
    for component, uh_oh in zip(all_components()[40:60], uh_oh_cards().values(), strict=True):
        said = [
            words for words, _ in drawn(lambda canvas, component=component: ART.face(canvas, component, 25.0)).texts
        ]  # type: ignore[misc]
        assert {uh_oh.id, uh_oh.title} <= set(said)
        assert uh_oh.text in " ".join(said)


@pytest.mark.slow
def test_nothing_is_drawn_over_a_code_or_its_quiet_zone(looks: dict[str, PixelArray]) -> None:
    """Each module of a code has its color in the image, and a margin of four modules around the code is white, in the
    mat's corners too."""
    faces = {f"{t.id}/front": drawn(lambda canvas, t=t: ART.face(canvas, t, 25.0)) for t in all_components()}  # type: ignore[misc]
    faces["mat"] = drawn(lambda canvas: draw_mat(GAME, canvas))
    assert len(faces["mat"].codes) == 4
    for name, found in faces.items():
        for code, (left, _, right, top) in found.codes:
            picture = looks[name]
            x, y, length = round(left * FINEST), picture.shape[0] - round(top * FINEST), round((right - left) * FINEST)
            square = picture[y + 1 : y + length - 1, x + 1 : x + length - 1].min(axis=2)
            inner = round((right - left) / with_quiet_zone(1.0) * FINEST)
            frame = (square.shape[0] - inner) // 2 - 1
            ring = square.copy()
            ring[frame:-frame, frame:-frame] = 255
            assert ring.min() > 250, code
            middles = ((np.arange(21) + 0.5) * inner / 21 + frame + 1).astype(int)
            dark = square[np.ix_(middles, middles)] < 128
            assert tuple(
                "".join("1" if module else "0" for module in row) for row in dark
            ) == component_qr_codes.matrix(code)


@pytest.mark.slow
def test_cards_of_one_deck_have_the_same_back(looks: dict[str, PixelArray]) -> None:
    """All cards of a deck have the same back. The two decks and the pieces have different backs."""
    cards = [looks[f"{component.id}/back"] for component in all_components()[:40]]
    uh_ohs = [looks[f"{component.id}/back"] for component in all_components()[40:60]]
    for deck in (cards, uh_ohs):
        assert all(np.array_equal(back, deck[0]) for back in deck)
    assert not np.array_equal(cards[0], uh_ohs[0])
    pieces = [looks[f"{component.id}/back"] for component in all_components()[60:]]
    assert all(not np.array_equal(one, other) for one, other in combinations(pieces, 2))


def test_the_mat_shows_the_names_and_minutes_of_the_board() -> None:
    """Each space shows its name and its minutes, and houses their letters. No two texts overlap."""
    found = drawn(lambda canvas: draw_mat(GAME, canvas))
    for space in BOARD.spaces.values():
        x, y = space_center(BOARD, space.id)
        reach = 14.0
        near = {
            words
            for words, (left, low, right, top) in found.texts
            if abs((left + right) / 2 - x) < reach and abs(SIZE[1] - (low + top) / 2 - y) < reach
        }
        match space.kind:
            case "house":
                assert near == {house_letter(BOARD, space.id)}
            case "work":
                assert "WORK" in {words for words, _ in found.texts}
            case _:
                assert {space.id, signed(space.minutes) if space.minutes else "0"} <= near
                assert ("UH-OH!" in near) == (space.kind == "uh_oh")
                assert ("M" in near) == (space.kind == "station")
    plain = [(words, box) for words, box in found.texts if not words.endswith(" LINE")]
    assert_tidy(Drawn(plain, found.codes), (0, 0, *SIZE))


def test_every_metro_line_is_named_on_the_mat() -> None:
    """Each stretch of a line is labeled once, outside of all spaces, because color alone is not enough."""
    found = drawn(lambda canvas: draw_mat(GAME, canvas))
    stretches = Counter(f"{line} LINE".upper() for edge in BOARD.edges if (line := BOARD.metro(*edge)))
    assert Counter(words for words, _ in found.texts if words.endswith(" LINE")) == stretches


def test_the_mat_takes_eight_sheets() -> None:
    """The mat takes eight upright sheets of either paper."""
    assert [len(tiling(SIZE, paper).tiles) for paper in PAPERS.values()] == [8, 8]


def test_pieces_stand_on_neighboring_spaces_side_by_side() -> None:
    """A piece is no wider than the distance between two spaces. For a 1080p camera that sees the mat and 20 mm on
    either side of it, the code on a piece has at least 2.5 pixels per module."""
    assert PIECE_SIZE[0] < MIN_SPACING * scale(BOARD)
    assert MAX_PIECE_CODE_MM / component_qr_codes.MODULES * 1920 / (SIZE[0] + 40) > 2.5
    assert SIZE[0] / SIZE[1] == pytest.approx(16 / 9, rel=0.005)


@pytest.mark.slow
def test_a_board_of_ones_own_is_drawn_too(tmp_path: Path) -> None:
    """The mat of a user's own board has that board's spaces, the usual codes, and a workplace that is clear of the
    piles."""
    start = GAME.rules.begin(2, {"board": {"file": "town.toml", "text": TOWN}})
    game = GAME.on_board(start)
    found = drawn(lambda canvas: draw_mat(game, canvas))
    words = {words for words, _ in found.texts}
    assert {"s1", "s2", "+1", "+2", "A", "B", "WORK", "TOWN"} <= words
    assert "s3" not in words
    assert_tidy(found, (0, 0, *SIZE))
    mat = game.physical.components.mat
    assert mat
    work, piles = mat.zone("work").polygon, [zone for zone in mat.zones if zone.order == "pile"]
    assert not any(pile.holds(point) for pile in piles for point in work)
    print_game(game, tmp_path / "town.pdf")
    found_codes = {text for page in rendered_pages(tmp_path / "town.pdf", PX) for text in read(page)}
    assert found_codes == payloads([*GAME.physical.components.codes()])


def test_a_code_too_large_is_refused(tmp_path: Path) -> None:
    """The blank area of the cards has room for a code of 27 mm at most."""
    with pytest.raises(PrintError, match="can’t be used on the cards of Commute"):
        print_game(GAME, tmp_path / "x.pdf", PrintOptions(code_mm=29.0))


@dataclass
class WatcherEvents:
    """The events that the watcher reports for components on the mat."""

    camera: SimulatedCamera
    watcher: TableWatcher = field(default_factory=lambda: TableWatcher(component_codes(), mats_by_game()))
    frames: int = 0

    def of(self, placements: Sequence[PlacedPrint], frames: int = 14) -> set[tuple[str, str, str | None]]:
        """Shows the camera these placements for a number of frames. Returns the kind, the component and the zone of
        each event."""
        happened: set[tuple[str, str, str | None]] = set()
        for _ in range(frames):
            for event in self.watcher.process(self.camera.render(Scene(tuple(placements))), self.frames / FPS):
                happened.add((event.kind, event.id, event.zone))
            self.frames += 1
        return happened


def standing(piece: int, space: str, dx: float = 0, dy: float = 0, angle: float = 0) -> PlacedPrint:
    x, y = space_center(BOARD, space)
    return PlacedPrint(f"{PIECE}{piece}", x + dx, y + dy, angle)


@pytest.mark.slow
def test_a_camera_follows_pieces_and_cards_on_the_mat(tmp_path: Path) -> None:
    """If the camera sees the whole mat, each event is reported in the right zone, and no others are reported. Pieces
    stand at an angle at their houses, crowded at the workplace and on adjacent spaces, and a card is put on each
    pile."""
    raster.write_textures(GAME, tmp_path, 4.0)
    seen = WatcherEvents(SimulatedCamera(TextureFolder(tmp_path), 1))
    home = [standing(number, house, 2, -3, 9) for number, house in enumerate(BOARD.houses, 1)]
    assert seen.of(home, 20) == {("appeared", placement.id, f"h{number}") for number, placement in enumerate(home, 1)}
    rows = ((-35, 14), (0, 14), (35, 14), (-18, -22), (18, -22))
    there = [standing(number, BOARD.work, *place) for number, place in enumerate(rows, 1)]
    assert seen.of(there, 24) == {("moved", placement.id, BOARD.work) for placement in there}
    side_by_side = ("s2", "s3", "s12", "s11", "s56")
    near = [standing(number, space, -2, 2) for number, space in enumerate(side_by_side, 1)]
    assert seen.of(near, 24) == {("moved", f"{PIECE}{number}", space) for number, space in enumerate(side_by_side, 1)}
    mat = GAME.physical.components.mat
    assert mat
    for zone, card in zip((zone for zone in mat.zones if zone.order == "pile"), all_components()[::12], strict=False):
        (left, top), _, (right, bottom), _ = zone.polygon
        laid = PlacedPrint(card.id, (left + right) / 2, (top + bottom) / 2, 3)
        assert seen.of([*near, laid]) == {("appeared", card.id, zone.name)}
        assert {event for event, _, _ in seen.of(near)} == {"left"}
