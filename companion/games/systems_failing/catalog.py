"""The cards, meters and roles of Systems Failing, read from `cards.toml` and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from companion.games.systems_failing.cube_multiset import COLORS, Cubes, cubes_of
from companion.text.toml_files import TomlDocument, TomlTable, load

CARDS = Path(__file__).with_name("cards.toml")
PREFIX = "SF-"


@dataclass(frozen=True)
class Disaster:
    """A disaster card: the zone (1 to 3) where it appears, its damage, and the colors of the cubes that repair it."""

    id: str
    name: str
    zone: int
    damage: int
    needs: tuple[str, ...]


@dataclass(frozen=True)
class Escape:
    """An escape sequence card, with the colors of the cubes that repair it."""

    id: str
    needs: tuple[str, ...]


@dataclass(frozen=True)
class Role:
    """A player's role. When a player with this role repairs a card, the cubes of the color `ignores` may be left out.
    `component`: the id of the role's printed card, such as `SF-R1`."""

    id: str
    title: str
    ignores: str
    component: str


@dataclass(frozen=True)
class Region:
    """A region of the meter card: the number of new disasters in a round, and the region's lowest position on each
    meter."""

    name: str
    draws: int
    stability_from: int
    damage_from: int


@dataclass(frozen=True)
class Difficulty:
    """A difficulty: the initial position of the stability meter, and the zones of the four starting disasters, in the
    order in which they are dealt."""

    id: str
    stability: int
    zones: tuple[int, ...]

    @property
    def title(self) -> str:
        """The name of the difficulty for people, such as "Easy", before it is translated."""
        return self.id.capitalize()


@dataclass(frozen=True, repr=False)
class Catalog:
    """The contents of `cards.toml`. Cards, roles and difficulties are stored by id."""

    disasters: Mapping[str, Disaster]
    escapes: Mapping[str, Escape]
    failing_cards: tuple[str, ...]
    """The ids of the systems-failing cards."""
    roles: Mapping[str, Role]
    regions: tuple[Region, ...]
    difficulties: Mapping[str, Difficulty]
    cubes_per_color: int
    white_cubes: int
    first_hand_size: int
    """The number of cubes that each player draws during set-up."""
    stock_up_to: int
    """The number of cubes to which each pool is filled up in the stock-up phase."""
    max_pool: int
    """The maximum number of cubes that a player may keep."""
    stability_limit: int
    """The position on the stability meter at which the game is lost."""
    damage_limit: int
    """The position on the damage meter at which the game is lost."""
    whites_at_zero: int
    """The number of white cubes in play at stability 0. Each step of stability adds one."""
    min_start_damage: int
    """The minimum total damage of the starting disasters. If their total is lower, the one with the least damage is
    replaced."""

    def needs(self, card: str) -> tuple[str, ...]:
        """The colors of the cubes that repair the disaster or escape sequence with the id `card`. Each cube has an
        entry."""
        return self.disasters[card].needs if card in self.disasters else self.escapes[card].needs

    def needs_cubes(self, card: str) -> Cubes:
        """The cubes that repair the disaster or escape sequence with the id `card`."""
        return cubes_of(self.needs(card))

    def region(self, stability: int, damage: int, *, is_beginner: bool) -> Region:
        """The current region of the meter card. On the normal side, this is the worse of the two meters' regions. On
        the beginner's side, it is the region of the stability meter."""
        by_stability = sum(stability >= r.stability_from for r in self.regions)
        by_damage = 0 if is_beginner else sum(damage >= r.damage_from for r in self.regions)
        return self.regions[max(by_stability, by_damage) - 1]

    def to_json(self) -> dict[str, Any]:
        """The catalog as `tablekeeper cards systems-failing --json` prints it."""
        return {
            "disasters": [{**vars(d), "needs": list(d.needs)} for d in self.disasters.values()],
            "escape": [{"id": e.id, "needs": list(e.needs)} for e in self.escapes.values()],
            "failing": list(self.failing_cards),
            "roles": [{"id": r.id, "ignores": r.ignores} for r in self.roles.values()],
        }


@cache
def catalog() -> Catalog:
    """The catalog from the game's own `cards.toml`. The file is read only once. Raises DataError if it is invalid."""
    return read(load(CARDS))


def read(document: TomlDocument) -> Catalog:
    """The catalog in a parsed data file. If the file is invalid, raises DataError, which names the faulty line."""
    cubes, meters, start = document.one("cubes"), document.one("meters"), document.one("start")
    failing = document.one("systems_failing")
    result = Catalog(
        disasters=_by_id(document, "disaster", _disaster),
        escapes=_by_id(document, "escape", _escape),
        failing_cards=failing.names("ids", None, 1, 9),
        roles=_by_id(document, "role", _role),
        regions=_regions(document),
        difficulties=_by_id(document, "difficulty", _difficulty),
        cubes_per_color=cubes.number("of_each_color", 1, 99),
        white_cubes=cubes.number("white", 1, 99),
        first_hand_size=cubes.number("first_hand", 0, 99),
        stock_up_to=cubes.number("stock_up_to", 0, 99),
        max_pool=cubes.number("at_most", 1, 99),
        stability_limit=meters.number("stability_explodes_at", 1, 20),
        damage_limit=meters.number("damage_explodes_at", 1, 20),
        whites_at_zero=meters.number("whites_at_zero", 0, 20),
        min_start_damage=start.number("damage_at_least", 0, 16),
    )
    for table in (cubes, meters, start, failing):
        table.refuse_unknown_keys()
    _check_totals(document, result)
    return result


def _disaster(table: TomlTable) -> Disaster:
    return Disaster(
        id=table.text("id", r"D\d\d"),
        name=table.text("name"),
        zone=table.number("zone", 1, 3),
        damage=table.number("damage", 1, 4),
        needs=table.names("needs", COLORS, 2, 4),
    )


def _escape(table: TomlTable) -> Escape:
    needs = table.names("needs", COLORS, 5, 5)
    if len(set(needs)) < 5:
        table.fail("needs", "needs must be five different colors.")
    return Escape(table.text("id", r"E\d"), needs)


def _role(table: TomlTable) -> Role:
    ignores = table.name("ignores", COLORS)
    return Role(table.text("id", r"[a-z-]+"), table.text("title"), ignores, f"{PREFIX}R{COLORS.index(ignores) + 1}")


def _difficulty(table: TomlTable) -> Difficulty:
    return Difficulty(table.text("id", r"[a-z]+"), table.number("stability", 0, 7), table.numbers("zones", 1, 3))


def _by_id(document: TomlDocument, header: str, make: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for table in document.each(header):
        item = make(table)
        table.refuse_unknown_keys()
        if item.id in found:
            table.fail("id", f"{item.id} is in the file twice.")
        found[item.id] = item
    return found


def _regions(document: TomlDocument) -> tuple[Region, ...]:
    regions: list[Region] = []
    for table in document.each("region"):
        region = Region(
            table.text("name", r"[a-z]+"),
            table.number("draws", 0, 9),
            table.number("stability_from", 0, 20),
            table.number("damage_from", 0, 20),
        )
        table.refuse_unknown_keys()
        before = regions[-1] if regions else None
        if before is None and (region.stability_from, region.damage_from) != (0, 0):
            table.fail(None, "the first region must begin at 0 on both meters.")
        if before and not (before.stability_from < region.stability_from and before.damage_from < region.damage_from):
            table.fail(None, "a region must begin higher than the one before it on both meters.")
        regions.append(region)
    return tuple(regions)


def _check_totals(document: TomlDocument, catalog: Catalog) -> None:
    highest = catalog.whites_at_zero + catalog.stability_limit - 1
    if catalog.white_cubes < highest:
        document.one("cubes").fail("white", f"white is {catalog.white_cubes}; the stability meter needs {highest}.")
    if len(catalog.roles) < 2:
        document.each("role")[0].fail(None, "two players need at least two roles.")
    if len({role.ignores for role in catalog.roles.values()}) < len(catalog.roles):
        document.each("role")[0].fail("ignores", "two roles ignore the same color.")
    if len(catalog.disasters) <= 9:
        document.each("disaster")[-1].fail(None, f"{len(catalog.disasters)} disasters are too few to play with.")
    if 2 * catalog.first_hand_size > catalog.cubes_per_color * len(COLORS):
        document.one("cubes").fail("first_hand", "there are too few cubes for both first hands.")
    if catalog.max_pool < max(catalog.first_hand_size, catalog.stock_up_to):
        document.one("cubes").fail("at_most", "a pool must have room for the first hand.")
    for table, difficulty in zip(document.each("difficulty"), catalog.difficulties.values(), strict=True):
        _check_start(table, difficulty, catalog)


def _check_start(table: TomlTable, difficulty: Difficulty, catalog: Catalog) -> None:
    if difficulty.stability >= catalog.stability_limit:
        table.fail("stability", f"stability {difficulty.stability} ends the game at once.")
    if any(difficulty.zones.count(zone) > 3 for zone in difficulty.zones):
        table.fail("zones", "a zone holds three disasters at most.")
    worst = sorted((disaster.damage for disaster in catalog.disasters.values()), reverse=True)
    if sum(worst[: len(difficulty.zones)]) < catalog.min_start_damage:
        table.fail("zones", f"no {len(difficulty.zones)} disasters add up to a damage of {catalog.min_start_damage}.")
