"""The pages about the games in docs/games/ agree with the games and their prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.games import GAMES
from companion.printing.camera_height import max_height_cm, min_height_cm
from companion.printing.pdf import print_game

PAGES = Path(__file__).parents[1] / "docs" / "games"


def test_every_game_with_cards_to_print_has_a_page() -> None:
    """docs/games/ has a page for each game that has a mat, except for a new game, and no other pages."""
    pages = {page.stem for page in PAGES.glob("*.md")}
    with_mat = {name for name, game in GAMES.items() if game.physical.components.mat}
    assert pages <= with_mat
    if missing := with_mat - pages:
        pytest.skip(f"no page yet: {', '.join(f'docs/games/{name}.md' for name in sorted(missing))}")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(page.stem for page in PAGES.glob("*.md")))
def test_the_figures_of_a_game_are_those_of_its_print(name: str, tmp_path: Path) -> None:
    """The page of a game gives the right number of players and of sheets, size of the mat, smallest code and heights of
    the camera. A camera that sees the whole mat can read the smallest code."""
    game = GAMES[name]
    mat, contents = game.physical.components.mat, print_game(game, tmp_path / "game.pdf")
    assert mat
    page = (PAGES / f"{name}.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| ([a-zA-Z4 ]+) \| (.+) \|$", page, re.MULTILINE))
    seats = game.rules.seats
    code_mm = int(contents.smallest_code_mm)
    assert rows == {
        "players": str(seats[0]) if len(seats) == 1 else f"{seats[0]}–{seats[-1]}",
        "sheets of A4 to print": str(contents.sheets),
        "mat": f"{mat.size[0]:g} × {mat.size[1]:g} mm",
        "smallest codes": f"{code_mm} mm",
        "camera above the mat": f"{min_height_cm(mat)} to {max_height_cm(code_mm)} cm",
    }
    assert f"# {game.title}\n" in page
