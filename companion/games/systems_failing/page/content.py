"""The content of the page of Systems Failing: all values that its template shows, computed from the viewer's
position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from companion.games.game import MeterLevel
from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.cube_multiset import COLORS, WHITE, Cubes
from companion.games.systems_failing.display_names import counted_cubes, repair_path
from companion.games.systems_failing.position import Position
from companion.games.systems_failing.position_parts import CardInPlay
from companion.games.view import View
from companion.text.messages import Text, TextLike, _, joined

LEVELS: tuple[MeterLevel, ...] = ("good", "fair", "poor")


@dataclass(frozen=True)
class Need:
    """A cube that a card needs, and whether it is on the card already."""

    color: str
    placed: bool


@dataclass(frozen=True)
class CardPanel:
    """A card in play, as the page shows it."""

    id: str
    name: Text
    damage: int
    needs: tuple[Need, ...]
    button: tuple[TextLike, ...]
    """The labels of the nested menus that contain the repairs of the card, the outer menu first."""

    @property
    def title(self) -> TextLike:
        """The id and the name of the card, such as "D07 Sick bay flooded"."""
        return joined(" ", (self.id, self.name))

    @property
    def repaired(self) -> bool:
        """Whether all the cubes that the card needs are on it. If such a card is still in play, it lies under other
        cards."""
        return all(need.placed for need in self.needs)

    @property
    def missing(self) -> tuple[str, ...]:
        """The colors of the cubes that the card still needs. Each cube has an entry."""
        return tuple(need.color for need in self.needs if not need.placed)


@dataclass(frozen=True)
class Cell:
    """A cell of a meter's scale. `here`: whether the meter is at this cell. `bang`: whether the game is lost when the
    meter gets there."""

    value: int
    level: MeterLevel
    here: bool
    bang: bool


@dataclass(frozen=True)
class MeterTrack:
    """A meter on the meter card, cell by cell. `plain`: whether the meter is drawn without regions."""

    name: TextLike
    value: int
    cells: tuple[Cell, ...]
    plain: bool


@dataclass(frozen=True)
class RegionView:
    """A region of the meter card. `count`: the number of new disasters in a round if this is the current region when
    the appear phase begins. `here`: whether this is the current region now."""

    count: int
    level: MeterLevel
    here: bool


@dataclass(frozen=True)
class PlayerPool:
    """A player's pool and role. `first`: whether the player has the first player marker. `acting`: whether it is the
    player's turn."""

    name: str
    seat: int
    pool: tuple[tuple[str, int], ...]
    role: TextLike
    ignores: str
    first: bool
    acting: bool

    @property
    def cubes(self) -> int:
        """The number of cubes in the pool."""
        return sum(count for _color, count in self.pool)

    @staticmethod
    def counted(color: str, count: int) -> TextLike:
        """The number and the color of some cubes, in words."""
        return counted_cubes(Cubes({color: count}))


@dataclass(frozen=True)
class SystemsFailingContent:
    """All values that the page's template shows."""

    zones: tuple[tuple[int, tuple[CardPanel, ...]], ...]
    escape: CardPanel | None
    escapes_done: int
    escapes_all: int
    tracks: tuple[MeterTrack, ...]
    regions: tuple[RegionView, ...]
    players: tuple[PlayerPool, ...]
    bag: tuple[tuple[str, int], ...]
    discard: tuple[tuple[str, Text], ...]
    """The ids and names of the discarded cards, the most recent one first."""
    at_most: int
    difficulty: Text
    beginner: bool
    repair: tuple[TextLike, ...]
    """The label of the menu that contains all repairs."""

    @property
    def in_bag(self) -> int:
        """The number of cubes in the bag."""
        return sum(count for _color, count in self.bag)

    @property
    def threat(self) -> int:
        """The total damage of the disasters in zone 1, which reach the core next."""
        return sum(card.damage for number, cards in self.zones if number == 1 for card in cards)


def content(view: View) -> SystemsFailingContent:
    """The content of the page for a viewer."""
    position = view.position
    assert isinstance(position, Position)
    escape, cards = position.active_escape, position.catalog
    return SystemsFailingContent(
        zones=tuple((number, tuple(map(_disaster, zone))) for number, zone in enumerate(position.zones, 1)),
        escape=_escape(escape) if escape else None,
        escapes_done=len(position.repaired_escapes),
        escapes_all=len(cards.escapes),
        tracks=tuple(_tracks(view, position)),
        regions=tuple(_regions(position)),
        players=tuple(_player(view, position, seat) for seat in range(view.seats)),
        bag=tuple(_counts(position.bag, (*COLORS, WHITE))),
        discard=tuple((card, _title(card)) for card in reversed(position.discard)),
        at_most=cards.max_pool,
        difficulty=_(cards.difficulties[position.difficulty].title),
        beginner=position.is_beginner,
        repair=(_("Repair"),),
    )


def _disaster(card: CardInPlay) -> CardPanel:
    disaster = catalog().disasters[card.card]
    return _card(card, _(disaster.name), disaster.damage)


def _escape(card: CardInPlay) -> CardPanel:
    return _card(card, _("Escape sequence"), 0)


def _card(card: CardInPlay, name: Text, damage: int) -> CardPanel:
    needs = _needs(catalog().needs(card.card), card.cubes)
    return CardPanel(card.card, name, damage, tuple(needs), button=repair_path(card.card))


def _title(card: str) -> Text:
    disaster = catalog().disasters.get(card)
    return _(disaster.name) if disaster else _("Systems failing")


def _needs(needs: tuple[str, ...], placed: Cubes) -> Iterator[Need]:
    left = Counter(placed)
    for color in needs:
        yield Need(color, left[color] > 0)
        left[color] -= 1


def _tracks(view: View, position: Position) -> Iterator[MeterTrack]:
    regions = position.catalog.regions
    stability, damage = view.meters
    for meter, starts in (
        (stability, [region.stability_from for region in regions]),
        (damage, [region.damage_from for region in regions]),
    ):
        cells = tuple(
            Cell(value, _level(starts, value), value == meter.value, value == meter.highest)
            for value in range(meter.lowest, meter.highest + 1)
        )
        yield MeterTrack(meter.name, meter.value, cells, plain=position.is_beginner and meter is damage)


def _level(starts: list[int], value: int) -> MeterLevel:
    return LEVELS[min(sum(value >= start for start in starts), len(LEVELS)) - 1]


def _regions(position: Position) -> Iterator[RegionView]:
    for region, level in zip(position.catalog.regions, LEVELS, strict=True):
        yield RegionView(region.draws, level, region == position.region)


def _player(view: View, position: Position, seat: int) -> PlayerPool:
    role = position.catalog.roles.get(position.roles[seat] or "")
    return PlayerPool(
        view.names[seat],
        seat,
        tuple(_counts(position.pools[seat], COLORS)),
        _(role.title) if role else "",
        role.ignores if role else "",
        position.first_player == seat,
        view.turn == seat,
    )


def _counts(cubes: Cubes, order: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    return ((color, cubes[color]) for color in order if color in cubes)
