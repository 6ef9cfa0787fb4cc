"""Checks the options and set-up files of Systems Failing, and builds the position at the start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.games.rules import Option, Start, check_keys, option_value
from companion.games.setup_list_checks import distinct_names, known_names
from companion.games.systems_failing.catalog import Catalog, catalog
from companion.games.systems_failing.cube_multiset import ALL_COLORS, COLORS, WHITE, Cubes
from companion.games.systems_failing.moves import DealRole, Draw, Reveal
from companion.games.systems_failing.position_parts import MAX_CARDS_PER_ZONE, CardInPlay, StartingDisasters, ZoneCards
from companion.games.systems_failing.rules import State
from companion.text.refusal_errors import SetupError

OPTIONS = (
    Option(
        "difficulty",
        "Difficulty",
        tuple((each.id, each.title) for each in catalog().difficulties.values()),
        next(iter(catalog().difficulties)),
        "How unstable the ship is at the start, and how close the first disasters are.",
    ),
    Option(
        "side",
        "Meter card",
        (("normal", "Normal side"), ("beginner", "Beginner’s side")),
        "normal",
        "On the beginner’s side, only stability decides how many disasters appear.",
    ),
)

SETUP_KEYS = ("difficulty", "side", "deck", "cubes", "roles", "escape", "zones")


def begin(seats: int, setup: Mapping[str, Any]) -> Start[State]:
    """The position before the first deal, and the cards, cubes and roles that the set-up prescribes. Raises SetupError
    if the set-up is invalid."""
    cards = catalog()
    check_keys("Systems Failing", setup, SETUP_KEYS)
    difficulty, side = (option_value(setup, option) for option in OPTIONS)
    zones = _zones(setup.get("zones"), cards)
    in_zones = {card.card for zone in zones or () for card in zone}
    deck_cards = (*cards.disasters, *cards.failing_cards)
    deck = distinct_names(setup.get("deck", []), "deck", deck_cards, len(deck_cards))
    if twice := in_zones & set(deck):
        raise SetupError(f"{min(twice)} is both in a zone and in the deck.")
    state = State(
        catalog=cards,
        difficulty=difficulty,
        is_beginner=side == "beginner",
        stability=cards.difficulties[difficulty].stability,
        bag=Cubes(dict.fromkeys(COLORS, cards.cubes_per_color)),
        zones=zones or ((), (), ()),
        starting_disasters=StartingDisasters(() if zones else cards.difficulties[difficulty].zones),
        deck=frozenset(cards.disasters) - in_zones,
        escape_deck=frozenset(cards.escapes),
    )
    roles = distinct_names(setup.get("roles", []), "roles", tuple(cards.roles), seats)
    escape = distinct_names(setup.get("escape", []), "escape", tuple(cards.escapes), len(cards.escapes))
    script = {Reveal.NAME: escape + deck, Draw.NAME: _cubes(setup, cards), DealRole.NAME: roles}
    return Start(state, script)


def _cubes(setup: Mapping[str, Any], cards: Catalog) -> tuple[str, ...]:
    """The cubes that the set-up prescribes, in the order in which they are drawn. A color may occur any number of
    times, because cubes go back to the bag. Raises SetupError if the first hands need more cubes of a color than there
    are, or if `setup` lists anything but colors."""
    cubes = known_names(setup.get("cubes", []), "cubes", ALL_COLORS)
    first = Cubes([cube for cube in cubes if cube != WHITE][: 2 * cards.first_hand_size])
    for color, count in first.items():
        if count > cards.cubes_per_color:
            raise SetupError(f"cubes begins with {count} {color} cubes; the bag holds {cards.cubes_per_color}.")
    return cubes


def _zones(value: Any, cards: Catalog) -> tuple[ZoneCards, ZoneCards, ZoneCards] | None:
    """The cards that the set-up prescribes for each zone, the top card first. None if it prescribes none. Raises
    SetupError if `value` is invalid."""
    if value is None:
        return None
    if not isinstance(value, Mapping) or not set(value) <= {"1", "2", "3"}:
        raise SetupError('zones must be an object with the keys "1", "2", "3".')
    known = tuple(cards.disasters)
    one, two, three = (
        tuple(CardInPlay(card) for card in distinct_names(value.get(n, []), f"zone {n}", known, MAX_CARDS_PER_ZONE))
        for n in "123"
    )
    cards_in_zones = [card.card for card in (*one, *two, *three)]
    for card in cards_in_zones:
        if cards_in_zones.count(card) > 1:
            raise SetupError(f"zones contains {card} twice.")
    return one, two, three
