"""The constants of code reading separate codes from everything else, and docs/vision.md lists all of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.vision_constants import sensitivity
from tests.vision_constants.__main__ import main
from tests.vision_constants.constants import CONSTANTS, Constant, measure
from tests.vision_constants.figures import Figure, percent
from tests.vision_constants.rendered_tables import card_tables
from tests.vision_constants.sensitivity import (
    DECODING,
    LARGER,
    SMALLER,
    TRACKING,
    Variant,
    difference,
    read_pictures,
    rendered_pictures,
    scaled,
    value_text,
)
from vision.decoding import coarse_match
from vision.decoding.decoder import read_codes
from vision.known_codes import known_codes

ROOT = Path(__file__).resolve().parent.parent
DOCS = (ROOT / "docs/vision.md").read_text(encoding="utf-8")
MODULES = [path for part in ("decoding", "tracking") for path in sorted((ROOT / "vision" / part).glob("*.py"))]
PICTURES = 4
MIN_PASSING = 0.95
LESS_PASSING = {"WIDE_SCALES": 0.75, "MAX_UPDATE": 0.85}
"""Constants that let fewer codes pass. A single code does not show the tilt of the table, and a large update only takes
another iteration."""
MIN_STOPPED = 0.25
NAMED_TWICE = ("focus_loss.MIN_TEXTURE", "candidate_regions.MIN_REGION_CELLS", "candidate_regions.REGION_MARGIN_CELLS")
"""Constants whose names another module uses, too. The documentation names their module."""
ALL_STOPPED = ("MIN_ACCEPTED_CONFIDENCE", "MIN_LIKELY_CONFIDENCE")


@pytest.fixture(scope="module")
def figures() -> Mapping[str, Figure]:
    return {constant.name: figure for constant, figure in measure([], PICTURES, seed=1)}


@pytest.mark.slow
def test_nearly_all_codes_pass_each_threshold(figures: Mapping[str, Figure]) -> None:
    """Each constant lets nearly all codes pass."""
    assert list(figures) == [constant.name for constant in CONSTANTS]
    passing = {name: figure.passing for name, figure in figures.items()}
    assert {
        name: share
        for name, share in passing.items()
        if share is None or not LESS_PASSING.get(name, MIN_PASSING) <= share <= 1
    } == {}


@pytest.mark.slow
def test_each_threshold_stops_what_is_no_code(figures: Mapping[str, Figure]) -> None:
    """Each threshold that is meant to stop print and foreign codes stops many of them, and the last ones stop all."""
    stopped = {name: figure.stopped for name, figure in figures.items() if figure.stopped is not None}
    assert len(stopped) >= 8
    assert {name: share for name, share in stopped.items() if not share >= MIN_STOPPED} == {}
    assert [stopped[name] for name in ALL_STOPPED] == [1, 1]


@pytest.mark.slow
def test_true_corners_are_where_codes_are_read() -> None:
    """The generator gives the corners of the codes to a fraction of a pixel, also for a distorting lens."""
    for picture in card_tables(2, seed=2):
        truth = {code.id: code.corners for code in picture.codes if code.visible == 1}
        read = [code for code in read_codes(picture.gray, known_codes()) if code.id and code.id in truth]
        assert len(read) >= 5
        assert np.median([np.abs(code.corners - truth[code.id]).max() for code in read]) < 0.4


def test_the_command_prints_a_line_for_each_constant(capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints the module, the name, the value and the figure. An unknown name is an error."""
    main(["MIN_TEXTURE", "--pictures", "1"])
    line = capsys.readouterr().out
    assert line.startswith("candidate_regions.MIN_TEXTURE = 5: ")
    assert line.count("\n") == 1
    with pytest.raises(SystemExit):
        main(["MIN_TASTE"])
    assert "MIN_TASTE" in capsys.readouterr().err


def test_a_share_is_100_percent_only_if_nothing_is_missing() -> None:
    """Shares close to 0 and 1 keep a decimal place, and are not rounded to 0 or 100 %."""
    shares = (0, 0.0001, 0.021, 0.5, 0.988, 0.99999, 1)
    assert [percent(share) for share in shares] == ["0 %", "0.1 %", "2.1 %", "50 %", "98.8 %", "99.9 %", "100 %"]


@pytest.mark.parametrize("constant", CONSTANTS, ids=lambda constant: constant.name)
def test_the_documentation_has_the_value_of_each_constant(constant: Constant) -> None:
    """The table in docs/vision.md has a row with the name and the value of each measured constant."""
    rows = [line for line in DOCS.splitlines() if line.startswith(f"| `{constant.name}` |")]
    assert [row.split("|")[2].strip() for row in rows] == [constant.value_text]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_the_documentation_names_every_constant(path: Path) -> None:
    """docs/vision.md names every constant of reading and tracking, measured or not."""
    targets = [
        target
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    names = {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    assert [name for name in sorted(names) if name.isupper() and f"`{name}`" not in DOCS] == []


@pytest.mark.slow
def test_a_changed_constant_changes_what_is_computed_from_it() -> None:
    """A module with a changed constant is imported again, with everything that is computed from the constant; the
    product in this process stays as it is."""
    pictures = rendered_pictures(2, seed=3)
    noisy = Variant("coarse_match.NOISE_GRAY_LEVELS", 1000.0)
    (_, usual), (_, changed) = sensitivity.measure(partial(read_pictures, pictures), [Variant(), noisy])
    assert usual["read"] > changed["read"]
    assert usual["wrong"] == 0
    assert difference(changed, usual).startswith("read -")
    assert coarse_match.NOISE_GRAY_LEVELS == 4.0


def test_constants_are_scaled_within_their_range() -> None:
    """Whole numbers stay whole and change by at least one. Shares stay below 1 and ratios above it."""
    assert [scaled(value, LARGER) for value in (1, 2, 5, 0.2, 0.8, 1.2, (2, 4.0))] == [
        2,
        3,
        7,
        pytest.approx(0.3),
        pytest.approx(0.8 + 0.2 / 3),
        pytest.approx(1.3),
        (3, 6.0),
    ]
    assert [scaled(value, SMALLER) for value in (1, 5, 0.9)] == [0, 3, pytest.approx(0.6)]


@pytest.mark.parametrize("constant", [*DECODING, *TRACKING])
def test_the_documentation_has_the_value_of_each_changed_constant(constant: str) -> None:
    """The table of the constants of reading that were made smaller and larger has a row with the name and the value of
    each, and the list of those of tracking has both, too."""
    module, _, name = constant.partition(".")
    label = f"`{name}` of `{module}`" if constant in NAMED_TWICE else f"`{name}`"
    said = f"| {label} | {value_text(constant)} |" if constant in DECODING else f"{label} {value_text(constant)}"
    assert re.search(rf"{re.escape(said)}(?![\d.]*\d)", " ".join(DOCS.split()))
