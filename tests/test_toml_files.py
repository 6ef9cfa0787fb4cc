"""Data files: an error is reported with its line number, and the cards of Systems Failing comply with the rulings about
them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from statistics import mean

import pytest

from companion.games.systems_failing.catalog import CARDS, catalog, read
from companion.games.systems_failing.cube_multiset import COLORS
from companion.games.systems_failing.game import GAME
from companion.text.toml_files import DataError, load

TEXT = CARDS.read_text("utf-8")


def broken(tmp_path: Path, old: str, new: str) -> str:
    """The error message for the game's data file after a change."""
    assert old in TEXT
    path = tmp_path / "cards.toml"
    path.write_text(TEXT.replace(old, new, 1), "utf-8")
    with pytest.raises(DataError) as caught:
        read(load(path))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def line_of(text: str) -> int:
    """The first line of the game's data file that contains this text."""
    return TEXT[: TEXT.index(text)].count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('id = "D01"', 'id = "D1"', "id is 'D1'"),
        ("zone = 1\ndamage = 3", "zone = 7\ndamage = 3", "zone is 7; it must be 1 to 3"),
        ("damage = 3", "damage = true", "damage is True; it must be a whole number"),
        ('name = "Hull breach"', "name = 5", "name is 5; it must be text"),
        ('id = "D02"', 'id = "D01"', "D01 is in the file twice"),
        ("at_most = 10", "at_most = 5", "a pool must have room"),
        ("white = 9", "white = 8", "the stability meter needs 9"),
        ("first_hand = 6", "first_hand = 16", "too few cubes for both"),
        ('ignores = "blue"', 'ignores = "orange"', "ignore the same"),
        ('ignores = "blue"', 'ignores = "pink"', "must be one of orange"),
        ("damage_at_least = 7", "damage_at_least = 16", "no 4 disasters add up"),
        ("zones = [1, 1, 2, 3]", "zones = [1, 1, 1, 1]", "three disasters at most"),
        ("zones = [1, 1, 2, 3]", "zones = [1, 4]", "zones contains 4"),
        ("stability_from = 3", "stability_from = 0", "must begin higher"),
        ("stability_from = 0", "stability_from = 1", "must begin at 0"),
        ("[start]", "[begin]", "the file must have one [start]"),
        ("damage_at_least = 7", "damage_at_least = 7\nspeed = 3", "speed is unknown"),
        ("damage_at_least = 7", "", "damage_at_least is missing"),
        ("ids = [", "ids = [1, ", "ids contains 1"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, old: str, new: str, why: str) -> None:
    """The message about a mistake in a data file is one line with the file, the line number and the error."""
    said = broken(tmp_path, old, new)
    assert said.startswith("cards.toml, line ")
    assert why in said


def test_the_line_is_the_lines_own_number(tmp_path: Path) -> None:
    """A message gives the line number of the key or, if the key is missing, of its table."""
    said = broken(tmp_path, 'name = "Panic on deck four"', 'name = ""')
    assert f"line {line_of('Panic on deck four')}:" in said


def test_broken_files_are_named_too(tmp_path: Path) -> None:
    """If a file is missing, is not text or is not TOML, the message names the file."""
    path = tmp_path / "cards.toml"
    path.write_text("[[region]\n")
    with pytest.raises(DataError, match=r"cards\.toml, line 1: .*\.$"):
        load(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="UTF-8"):
        load(path)
    with pytest.raises(DataError, match="Can’t read"):
        load(tmp_path / "none.toml")


def test_thirty_disasters_ten_to_a_zone() -> None:
    """The game has thirty disasters, ten for each zone: "30 cards D01…D30; each zone is on 10 cards." """
    disasters = catalog().disasters
    assert list(disasters) == [f"D{n:02}" for n in range(1, 31)]
    assert Counter(disaster.zone for disaster in disasters.values()) == {1: 10, 2: 10, 3: 10}
    assert len({disaster.name for disaster in disasters.values()}) == 30


def test_damages_and_sizes_all_occur() -> None:
    """Each disaster has "a damage 1–4, and 2–4 needed cubes (a color may repeat). Damages 1–4 and sizes 2–4 all
    occur." """
    disasters = catalog().disasters.values()
    assert {disaster.damage for disaster in disasters} == {1, 2, 3, 4}
    assert {len(disaster.needs) for disaster in disasters} == {2, 3, 4}
    assert any(len(set(disaster.needs)) < len(disaster.needs) for disaster in disasters)


def test_mean_needs_never_fall_as_damage_rises() -> None:
    """On average, disasters with more damage do not need fewer cubes."""
    disasters = catalog().disasters.values()
    means = [mean(len(d.needs) for d in disasters if d.damage == damage) for damage in (1, 2, 3, 4)]
    assert means == sorted(means)


def test_each_color_is_needed_about_alike() -> None:
    """All colors are needed about equally often: "Each color is needed within a quarter of the mean." """
    needed = Counter(color for disaster in catalog().disasters.values() for color in disaster.needs)
    average = needed.total() / 6
    assert all(0.75 * average <= needed[color] <= 1.25 * average for color in COLORS)


def test_escape_sequences_need_five_colors_each_without_another() -> None:
    """There are six escape sequences: "E1…E6, each needs five different colors, each lacks another one." """
    lacking = [set(COLORS) - set(escape.needs) for escape in catalog().escapes.values()]
    assert all(len(colors) == 1 for colors in lacking)
    assert set().union(*lacking) == set(COLORS)
    assert all(len(escape.needs) == 5 for escape in catalog().escapes.values())


def test_six_roles_one_for_each_color() -> None:
    """There is a role for each color: "Six roles, one per color, each may ignore it." """
    assert [role.ignores for role in catalog().roles.values()] == list(COLORS)


def test_meters_and_cubes() -> None:
    """30 colored cubes, 9 white; "white cubes in play are always 2 + position (so all 9 are out at 7)"."""
    cards = catalog()
    assert (cards.cubes_per_color, cards.white_cubes, cards.whites_at_zero) == (5, 9, 2)
    assert (cards.stability_limit, cards.damage_limit) == (8, 10)
    assert cards.failing_cards == ("S1", "S2", "S3", "S4", "S5")


def test_the_catalog_as_json_has_the_contracts_shape() -> None:
    """`tablekeeper cards systems-failing --json` prints the JSON of the contract."""
    assert GAME.rules.card_data
    data = json.loads(json.dumps(GAME.rules.card_data()))
    assert set(data) == {"disasters", "escape", "failing", "roles"}
    assert set(data["disasters"][0]) == {"id", "name", "zone", "damage", "needs"}
    assert set(data["escape"][0]) == {"id", "needs"}
    assert data["roles"][5] == {"id": "scientist", "ignores": "green"}
