"""Systems Failing as its template draws it: made of the seat's view and the printed cards, of nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from companion.games.game import MeterLevel
from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.cubes import COLORS, WHITE
from companion.games.systems_failing.labels import way_to_repair
from companion.match.view import View
from companion.text.translation import _
from web.move_menu import slug

LEVELS: tuple[MeterLevel, ...] = ("good", "fair", "poor")


@dataclass(frozen=True)
class Need:
    """A cube that a card needs, and whether it lies there."""

    color: str
    placed: bool


@dataclass(frozen=True)
class Card:
    """A card in play."""

    id: str
    name: str
    damage: int
    needs: tuple[Need, ...]
    button: str
    """The key of the button that opens its repairs."""

    @property
    def repaired(self) -> bool:
        """Whether nothing is missing; it waits beneath others then."""
        return all(need.placed for need in self.needs)

    @property
    def missing(self) -> tuple[str, ...]:
        """The cubes that it still takes."""
        return tuple(need.color for need in self.needs if not need.placed)


@dataclass(frozen=True)
class Cell:
    """A position of a meter."""

    value: int
    level: MeterLevel
    here: bool
    bang: bool


@dataclass(frozen=True)
class Track:
    """A meter of the meter card."""

    name: str
    value: int
    cells: tuple[Cell, ...]
    plain: bool


@dataclass(frozen=True)
class Draws:
    """How many disasters a region of the meter card brings."""

    count: int
    level: MeterLevel
    here: bool


@dataclass(frozen=True)
class Player:
    """What lies before a player."""

    name: str
    seat: int
    pool: tuple[tuple[str, int], ...]
    role: str
    ignores: str
    first: bool
    acting: bool

    @property
    def cubes(self) -> int:
        """How many cubes the pool holds."""
        return sum(count for _color, count in self.pool)


@dataclass(frozen=True)
class Board:
    """The whole table."""

    zones: tuple[tuple[int, tuple[Card, ...]], ...]
    escape: Card | None
    escapes_done: int
    escapes_all: int
    tracks: tuple[Track, ...]
    draws: tuple[Draws, ...]
    players: tuple[Player, ...]
    bag: tuple[tuple[str, int], ...]
    discard: tuple[tuple[str, str], ...]
    """Ids and names, the last one first."""
    at_most: int
    difficulty: str
    beginner: bool
    repair: str
    """The key of the button that opens all repairs."""

    @property
    def in_bag(self) -> int:
        """How many cubes the bag holds."""
        return sum(count for _color, count in self.bag)

    @property
    def threat(self) -> int:
        """The damage that the next advance does."""
        return sum(card.damage for number, cards in self.zones if number == 1 for card in cards)


def board(view: View) -> Board:
    """The table as this viewer may see it."""
    state, cards = view.state, catalog()
    escape, difficulty = state["escape"], cards.difficulties[state["difficulty"]]
    return Board(
        zones=tuple((n, tuple(map(_laid, state["zones"][str(n)]))) for n in (1, 2, 3)),
        escape=_escape(escape) if escape["active"] else None,
        escapes_done=len(escape["done"]),
        escapes_all=len(cards.escapes),
        tracks=tuple(_tracks(view)),
        draws=tuple(_draws(state)),
        players=tuple(_player(view, seat) for seat in range(view.seats)),
        bag=tuple(_counted(state["bag"], (*COLORS, WHITE))),
        discard=tuple((card, _title(card)) for card in reversed(state["discard"])),
        at_most=cards.at_most,
        difficulty=_(difficulty.title),
        beginner=state["side"] == "beginner",
        repair=_key(_("Repair")),
    )


def _laid(laid: Mapping[str, Any]) -> Card:
    disaster = catalog().disasters[laid["card"]]
    return _card(disaster.id, _(disaster.name), disaster.damage, _needs(disaster.needs, laid["placed"]))


def _escape(escape: Mapping[str, Any]) -> Card:
    needs = catalog().escapes[escape["active"]].needs
    return _card(escape["active"], _("Escape sequence"), 0, _needs(needs, escape["placed"]))


def _card(card: str, name: str, damage: int, needs: Iterator[Need]) -> Card:
    return Card(card, name, damage, tuple(needs), button=_key(*way_to_repair(card)))


def _title(card: str) -> str:
    disaster = catalog().disasters.get(card)
    return _(disaster.name) if disaster else _("Systems failing")


def _needs(needs: tuple[str, ...], placed: Mapping[str, int]) -> Iterator[Need]:
    left = dict(placed)
    for color in needs:
        yield Need(color, left.get(color, 0) > 0)
        left[color] = left.get(color, 0) - 1


def _tracks(view: View) -> Iterator[Track]:
    regions, beginner = catalog().regions, view.state["side"] == "beginner"
    stability, damage = view.meters
    for meter, froms in (
        (stability, [region.stability_from for region in regions]),
        (damage, [region.damage_from for region in regions]),
    ):
        cells = tuple(
            Cell(value, _level(froms, value), value == meter.value, value == meter.highest)
            for value in range(meter.lowest, meter.highest + 1)
        )
        yield Track(meter.name, meter.value, cells, plain=beginner and meter is damage)


def _level(froms: list[int], value: int) -> MeterLevel:
    return LEVELS[min(sum(value >= first for first in froms), len(LEVELS)) - 1]


def _draws(state: Mapping[str, Any]) -> Iterator[Draws]:
    for region, level in zip(catalog().regions, LEVELS, strict=True):
        yield Draws(region.draws, level, region.name == state["region"])


def _player(view: View, seat: int) -> Player:
    role = catalog().roles.get(view.state["roles"][seat] or "")
    return Player(
        view.names[seat],
        seat,
        tuple(_counted(view.state["pools"][seat], COLORS)),
        _(role.title) if role else "",
        role.ignores if role else "",
        view.state["first"] == seat,
        view.turn == seat,
    )


def _counted(cubes: Mapping[str, int], order: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    return ((color, cubes[color]) for color in order if cubes.get(color))


def _key(*path: str) -> str:
    """The key that `web.move_menu` gives to the button at the end of a path."""
    return "-".join(("do", *map(slug, path)))
