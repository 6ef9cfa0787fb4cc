"""The simulated table for games with several boards: it matches the running game's set-up."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import closing
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from companion.games import GAMES
from companion.games.game import Game
from companion.match.journal import Journal
from companion.printing import raster
from companion.simulator.card_images import card_images
from companion.simulator.scene_contents import TableScene
from companion.simulator.simulated_table_setup import CurrentSimulatedTable
from companion.simulator.tidy_arrangement import tidy
from companion.table.table import Table
from companion.tabletop.expected_layout import Layout


class DrawnGames:
    """Replaces the function that draws a game's pictures, which takes a second. `games` lists the games, with their
    boards, for which it was called."""

    def __init__(self) -> None:
        self.games: list[Game[Any]] = []

    def __call__(self, game: Game[Any], folder: Path, px_per_mm: float) -> None:
        self.games.append(game)
        folder.mkdir(parents=True)
        index = {
            f"{component.id}/front": {"width_mm": 28, "height_mm": 28}
            for component in game.physical.components.components
        }
        (folder / "index.json").write_text(json.dumps(index))


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> DrawnGames:
    made = DrawnGames()
    monkeypatch.setattr(raster, "write_textures", made)
    return made


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with closing(Journal(tmp_path / "journal.sqlite3")) as journal:
        yield Table(journal)


def begin(table: Table, game: str, board: Path | str, **options: str) -> None:
    table.start(game, 2, {"board": str(board), **options}, {}, ("Ann", "Ben"), "a seed")


def own(folder: Path, game: str, board: str, *changes: tuple[str, str]) -> Path:
    """A user's board: a shipped one with some words changed."""
    boards = GAMES[game].rules.boards
    assert boards
    text = boards.files[board].read_text("utf-8").replace(f'name = "{board}"', 'name = "own"')
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    made = folder / "own.toml"
    made.write_text(text, "utf-8")
    return made


def zones(simulation: CurrentSimulatedTable) -> set[str]:
    return {zone.name for zone in simulation.table.mat.zones}


@pytest.mark.slow
def test_the_mat_is_that_of_the_running_game(tmp_path: Path, table: Table, drawn: DrawnGames) -> None:
    """The mat belongs to the game that is running when the service starts. It changes with the next game, without a
    restart, and no component of the last game is on it, not even for a moment."""
    begin(table, "traffic-congestion", "grid-3x3")
    with closing(CurrentSimulatedTable(tmp_path, tmp_path / "journal.sqlite3")) as simulation:
        assert "F>I" in zones(simulation)
        simulation.table.put("TC-SIG01", 100, 100)
        simulation.table.withdraw_hand()
        shown: list[tuple[str, int]] = []
        simulation.listen(lambda now, world: shown.append((now.pictures.name, len(world.on_mat))))
        laid = simulation.pictures.name
        begin(table, "traffic-congestion", "grid-2x2")
        simulation.follow(table.view())
        assert "F>I" not in zones(simulation)
        assert set(shown[1:]) == {(simulation.pictures.name, 0)}
        assert shown[0] == (laid, 1)
        begin(table, "traffic-congestion", own(tmp_path, "traffic-congestion", "grid-2x2", ('"A"', '"Abel"')))
        simulation.follow(table.view())
        assert "north1>Abel" in zones(simulation)


def test_the_driving_side_changes_pictures_and_zones(tmp_path: Path, table: Table, drawn: DrawnGames) -> None:
    """If cars drive on the left, the lanes of each street are swapped, so pictures and zones are different."""
    begin(table, "traffic-congestion", "grid-2x2")
    with closing(CurrentSimulatedTable(tmp_path, tmp_path / "journal.sqlite3")) as simulation:
        before, place = simulation.pictures, simulation.table.mat.zone("A>B")
        begin(table, "traffic-congestion", "grid-2x2", driving="left")
        simulation.follow(table.view())
        assert simulation.pictures != before
        assert simulation.table.mat.zone("A>B") != place


@pytest.mark.slow
def test_a_board_that_looks_different_has_its_own_pictures(tmp_path: Path, table: Table, drawn: DrawnGames) -> None:
    """A board with the same streets but other minutes gets a mat of its own. Mats that were drawn before are kept."""
    begin(table, "commute", own(tmp_path, "commute", "metropolis", ("39, 1]", "39, 3]")))
    with closing(CurrentSimulatedTable(tmp_path, tmp_path / "journal.sqlite3")) as simulation:
        first, places = simulation.pictures, simulation.table.mat
        begin(table, "commute", own(tmp_path, "commute", "metropolis", ("39, 1]", "39, 4]")))
        simulation.follow(table.view())
        assert (simulation.pictures == first, simulation.table.mat) == (False, places)
        begin(table, "commute", own(tmp_path, "commute", "metropolis", ("39, 1]", "39, 3]")))
        simulation.follow(table.view())
        assert simulation.pictures == first
        assert len(drawn.games) == 2


@pytest.mark.slow
def test_the_disk_does_not_fill_with_boards(tmp_path: Path, drawn: DrawnGames, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only pictures of the most recently used boards of a game are kept. Those of other games stay."""
    monkeypatch.setattr("companion.simulator.card_images.MAX_FOLDERS_PER_GAME", 3)
    game = GAMES["traffic-congestion"]
    other = card_images(GAMES["systems-failing"], tmp_path)
    usual = card_images(game, tmp_path)
    for number in range(4):
        board = own(tmp_path, game.name, "crossroads", ('"own"', f'"own {number}"'))
        made = card_images(
            game.on_board(game.rules.begin(2, game.rules.resolve_setup({"board": str(board)}))), tmp_path
        )
        assert card_images(game, tmp_path) == usual
        assert made.is_dir()
    assert len([*tmp_path.glob("traffic-congestion-*")]) == 3
    assert other.is_dir()
    assert len(drawn.games) == 6


def test_pieces_that_share_a_space_lie_side_by_side() -> None:
    """Pieces that share a space, at work or before a bump, each have their center in the zone, and no code is
    covered."""
    game = GAMES["commute"]
    mat, pieces = game.physical.components.mat, [f"CM-P{number}" for number in range(1, 6)]
    assert mat
    for zone in mat.zones:
        if zone.order != "any" or zone.name in ("discard", "deck", "show", "uh-oh", "uh-oh-deck"):
            continue
        together = tuple(pieces if zone.name == "work" else pieces[:2])
        sizes = dict.fromkeys(pieces, (34.0, 34.0))
        world = tidy(TableScene(), Layout(cards={zone.name: together}), mat, sizes, frozenset())
        assert {piece.code for piece in world.on_mat} == {*together}
        assert {mat.zone_at((piece.x, piece.y)) for piece in world.on_mat} == {zone.name}
        assert all(math.dist((a.x, a.y), (b.x, b.y)) > 24 for a, b in combinations(world.on_mat, 2))
