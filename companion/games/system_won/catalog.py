"""The cards, roles and ratings of System WON, read from `cards.toml` and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from companion.games.rules import UNSEEN
from companion.text.toml_files import TomlDocument, TomlTable, load

CARDS = Path(__file__).with_name("cards.toml")

MIN_SEATS, MAX_SEATS = 2, 4
RANKS: Final = (1, 2, 3, 4, 5)
HIGHEST_RANK: Final = RANKS[-1]

ABILITIES: Final = (
    "specify_two",
    "restore",
    "play_two",
    "recycle",
    "extra_turn",
    "skip",
    "play_from_discard",
    "play_from_errors",
    "play_other",
    "undo",
)


class Card(NamedTuple):
    """A kind of card. `R1` is red, rank 1. There may be several copies of it. `suit` is the index of its suit, and
    `face_index` is the index of its face among all faces."""

    face: str
    color: str
    rank: int
    suit: int
    face_index: int


@dataclass(frozen=True)
class Suit:
    """A suit: its color, and the first letter of the faces of its cards."""

    letter: str
    color: str


@dataclass(frozen=True)
class Role:
    """A role and its abilities. The player with this role may use one of the abilities, once per game."""

    id: str
    title: str
    abilities: tuple[str, ...]


@dataclass(frozen=True)
class Rating:
    """A rating of the final score. `min_score` is the lowest score that earns it."""

    min_score: int
    title: str
    comment: str


@dataclass(frozen=True)
class Catalog:
    """The contents of the data file `cards.toml`."""

    suits: tuple[Suit, ...]
    copies_by_rank: tuple[int, ...]
    components: tuple[str, ...]
    """For each rank, the kind of part that it represents in a traffic system: "Sensor", …"""
    hand_sizes: tuple[int, ...]
    """The number of cards dealt to each player, for each number of players from MIN_SEATS to MAX_SEATS."""
    specifications: int
    roles: Mapping[str, Role]
    ratings: tuple[Rating, ...]

    @cached_property
    def colors(self) -> tuple[str, ...]:
        return tuple(suit.color for suit in self.suits)

    @cached_property
    def cards(self) -> Mapping[str, Card]:
        """The kinds of cards by face, such as "R1", ordered by suit and rank."""
        faces = [(suit, n, rank) for n, suit in enumerate(self.suits) for rank in RANKS]
        every = (
            Card(f"{suit.letter}{rank}", suit.color, rank, n, number) for number, (suit, n, rank) in enumerate(faces)
        )
        return {card.face: card for card in every}

    @cached_property
    def hint_values(self) -> Mapping[str, frozenset[str | int]]:
        """Maps each face to its color and its rank. These are the values that a hint can name when it points at a card
        with this face. The face of an unseen card has no values."""
        unseen: dict[str, frozenset[str | int]] = {UNSEEN: frozenset()}
        return unseen | {card.face: frozenset((card.color, card.rank)) for card in self.cards.values()}

    @cached_property
    def faces(self) -> tuple[str, ...]:
        return tuple(self.cards)

    @cached_property
    def copies(self) -> tuple[int, ...]:
        """The number of copies of each face in the game, in the order of `faces`."""
        return self.copies_by_rank * len(self.suits)

    @property
    def perfect_score(self) -> int:
        """The score of a game in which all systems are complete and there are no errors."""
        return HIGHEST_RANK * len(self.suits)

    def hand_size(self, seats: int) -> int:
        """The number of cards dealt to each player at the start of a game with this many seats."""
        return self.hand_sizes[seats - MIN_SEATS]

    def rating_index(self, score: int) -> int:
        """The index of the rating for `score`. A score below every `min_score` gets the lowest rating."""
        return max(0, sum(score >= rating.min_score for rating in self.ratings) - 1)

    @cached_property
    def role_by_ability(self) -> Mapping[str, Role]:
        """Maps each ability to the role that has it. Some abilities may belong to no role."""
        return {ability: role for role in self.roles.values() for ability in role.abilities}

    def printed_cards(self) -> Mapping[str, str]:
        """Maps the id of each printed card to the card's face. Ids distinguish copies: `R1b` is the second `R1`."""
        counts = zip(self.faces, self.copies, strict=True)
        return {f"{face}{'abcdefghi'[n]}": face for face, count in counts for n in range(count)}

    def to_json(self) -> dict[str, Any]:
        """The cards and roles, as `tablekeeper cards system-won --json` prints them."""
        return {
            "cards": [{"id": id, "card": face} for id, face in self.printed_cards().items()],
            "roles": list(self.roles),
        }


@cache
def catalog() -> Catalog:
    """The catalog from the game's data file. The file is read only once. Raises DataError if it is invalid."""
    return read(load(CARDS))


def read(document: TomlDocument) -> Catalog:
    """The catalog in `document`, after all checks. If it is invalid, raises DataError, which names the faulty line."""
    system, hands, specifications = (document.one(header) for header in ("system", "hands", "specifications"))
    result = Catalog(
        suits=tuple(_read_suit(table) for table in document.each("suit")),
        copies_by_rank=_read_numbers(system, "copies", len(RANKS), 9),
        components=system.names("components", None, len(RANKS), len(RANKS)),
        hand_sizes=_read_numbers(hands, "cards", MAX_SEATS - MIN_SEATS + 1, 9),
        specifications=specifications.number("count", 1, 20),
        roles={role.id: role for role in map(_read_role, document.each("role"))},
        ratings=tuple(_read_rating(table) for table in document.each("rating")),
    )
    for table in (system, hands, specifications):
        table.refuse_unknown_keys()
    _check_document(document, result)
    return result


def _read_numbers(table: TomlTable, key: str, count: int, highest: int) -> tuple[int, ...]:
    numbers = table.numbers(key, 1, highest)
    if len(numbers) != count:
        table.fail(key, f"{key} contains {len(numbers)} numbers; it must contain {count}.")
    return numbers


def _read_suit(table: TomlTable) -> Suit:
    suit = Suit(table.text("letter", r"[A-Z]"), table.text("color", r"[a-z]+"))
    table.refuse_unknown_keys()
    return suit


def _read_role(table: TomlTable) -> Role:
    role = Role(table.text("id", r"[a-z]+"), table.text("title"), table.names("abilities", ABILITIES, 0, 2))
    table.refuse_unknown_keys()
    return role


def _read_rating(table: TomlTable) -> Rating:
    rating = Rating(table.number("from", -99, 99), table.text("title"), table.text("comment"))
    table.refuse_unknown_keys()
    return rating


def _check_document(document: TomlDocument, catalog: Catalog) -> None:
    """Checks values that depend on one another: there are no duplicate names, there are enough cards and roles, and
    ratings rise. Raises DataError if a check fails."""
    _check_unique(document, "suit", "letter")
    _check_unique(document, "suit", "color")
    _check_unique(document, "role", "id")
    roles = document.each("role")
    if len(catalog.roles) < MAX_SEATS:
        roles[-1].fail(None, f"{MAX_SEATS} players need at least {MAX_SEATS} roles.")
    for table, role in zip(roles, catalog.roles.values(), strict=True):
        for ability in role.abilities:
            if sum(other.abilities.count(ability) for other in catalog.roles.values()) > 1:
                table.fail("abilities", f"{ability} is in the file twice.")
    for table, one, two in zip(document.each("rating")[1:], catalog.ratings, catalog.ratings[1:], strict=False):
        if one.min_score >= two.min_score:
            table.fail("from", "each rating must begin at a higher score than the one before it.")
    for seats, size in enumerate(catalog.hand_sizes, MIN_SEATS):
        if seats * size >= sum(catalog.copies):
            document.one("hands").fail("cards", f"{seats} hands of {size} use up all {sum(catalog.copies)} cards.")


def _check_unique(document: TomlDocument, header: str, key: str) -> None:
    seen: set[str] = set()
    for table in document.each(header):
        if table.values[key] in seen:
            table.fail(key, f"{key} {table.values[key]} is in the file twice.")
        seen.add(table.values[key])
