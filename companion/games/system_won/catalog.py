"""The cards, roles and ratings of System WON, read from `cards.toml` and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from companion.text.data_files import Document, TomlTable, load

CARDS = Path(__file__).with_name("cards.toml")

FEWEST_SEATS, MOST_SEATS = 2, 4
RANKS: Final = (1, 2, 3, 4, 5)
HIGHEST: Final = RANKS[-1]

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
    """A face: `R1` is red, rank 1. `suit` is the place of its system, `number` its own place among all faces."""

    face: str
    color: str
    rank: int
    suit: int
    number: int


@dataclass(frozen=True)
class Suit:
    """A colour; its cards are called by the letter."""

    letter: str
    color: str


@dataclass(frozen=True)
class Role:
    """A role and what it may do, once."""

    id: str
    title: str
    abilities: tuple[str, ...]


@dataclass(frozen=True)
class Rating:
    """What a score is worth; `from_score` is the lowest that earns it."""

    from_score: int
    title: str
    says: str


@dataclass(frozen=True)
class Catalog:
    """Everything in the data file."""

    suits: tuple[Suit, ...]
    copies: tuple[int, ...]
    components: tuple[str, ...]
    hands: tuple[int, ...]
    specifications: int
    roles: Mapping[str, Role]
    ratings: tuple[Rating, ...]

    @cached_property
    def colors(self) -> tuple[str, ...]:
        return tuple(suit.color for suit in self.suits)

    @cached_property
    def cards(self) -> Mapping[str, Card]:
        """Every face, suit by suit."""
        faces = [(suit, n, rank) for n, suit in enumerate(self.suits) for rank in RANKS]
        every = (
            Card(f"{suit.letter}{rank}", suit.color, rank, n, number) for number, (suit, n, rank) in enumerate(faces)
        )
        return {card.face: card for card in every}

    @cached_property
    def says(self) -> Mapping[str, frozenset[str | int]]:
        """What a specification that points at a face may name; nothing for one that nobody has seen."""
        every: dict[str, frozenset[str | int]] = {"?": frozenset()}
        return every | {card.face: frozenset((card.color, card.rank)) for card in self.cards.values()}

    @cached_property
    def faces(self) -> tuple[str, ...]:
        return tuple(self.cards)

    @cached_property
    def deck(self) -> tuple[int, ...]:
        """How many copies there are of each face."""
        return self.copies * len(self.suits)

    @property
    def perfect(self) -> int:
        """The score of all systems complete and no errors."""
        return HIGHEST * len(self.suits)

    def hand_size(self, seats: int) -> int:
        """The cards of a hand at the start."""
        return self.hands[seats - FEWEST_SEATS]

    def rating(self, score: int) -> int:
        """The number of the rating that a score earns, from 0."""
        return max(0, sum(score >= rating.from_score for rating in self.ratings) - 1)

    def role_with(self, use: str) -> Role | None:
        """The role that has an ability."""
        return next((role for role in self.roles.values() if use in role.abilities), None)

    def printed(self) -> Mapping[str, str]:
        """The face of every printed card, by the id that tells copies apart: `R1b` is an `R1`."""
        copies = zip(self.faces, self.deck, strict=True)
        return {f"{face}{'abcdefghi'[n]}": face for face, count in copies for n in range(count)}

    def as_json(self) -> dict[str, Any]:
        """The shape that `tablekeeper cards system-won --json` prints."""
        return {
            "cards": [{"id": id, "card": face} for id, face in self.printed().items()],
            "roles": list(self.roles),
        }


@cache
def catalog() -> Catalog:
    """The catalogue that comes with the game, read once; raises DataError."""
    return read(load(CARDS))


def read(document: Document) -> Catalog:
    """A checked catalogue; raises DataError that names the line."""
    system, hands, specifications = (document.one(header) for header in ("system", "hands", "specifications"))
    result = Catalog(
        suits=tuple(_suit(table) for table in document.each("suit")),
        copies=_numbers(system, "copies", len(RANKS), 9),
        components=system.names("components", None, len(RANKS), len(RANKS)),
        hands=_numbers(hands, "cards", MOST_SEATS - FEWEST_SEATS + 1, 9),
        specifications=specifications.number("count", 1, 20),
        roles={role.id: role for role in map(_role, document.each("role"))},
        ratings=tuple(_rating(table) for table in document.each("rating")),
    )
    for table in (system, hands, specifications):
        table.done()
    _check(document, result)
    return result


def _numbers(table: TomlTable, key: str, count: int, highest: int) -> tuple[int, ...]:
    numbers = table.numbers(key, 1, highest)
    if len(numbers) != count:
        table.fail(key, f"{key} holds {len(numbers)} numbers, it must hold {count}.")
    return numbers


def _suit(table: TomlTable) -> Suit:
    suit = Suit(table.text("letter", r"[A-Z]"), table.text("color", r"[a-z]+"))
    table.done()
    return suit


def _role(table: TomlTable) -> Role:
    role = Role(table.text("id", r"[a-z]+"), table.text("title"), table.names("abilities", ABILITIES, 0, 2))
    table.done()
    return role


def _rating(table: TomlTable) -> Rating:
    rating = Rating(table.number("from", -99, 99), table.text("title"), table.text("says"))
    table.done()
    return rating


def _check(document: Document, cards: Catalog) -> None:
    """What no single value shows: names given twice, too few cards or roles, ratings that fall."""
    _check_twice(document, "suit", "letter")
    _check_twice(document, "suit", "color")
    _check_twice(document, "role", "id")
    roles = document.each("role")
    if len(cards.roles) < MOST_SEATS:
        roles[-1].fail(None, f"{MOST_SEATS} players need at least {MOST_SEATS} roles.")
    for table, role in zip(roles, cards.roles.values(), strict=True):
        for use in role.abilities:
            if sum(other.abilities.count(use) for other in cards.roles.values()) > 1:
                table.fail("abilities", f"{use} stands in the file twice.")
    for table, one, two in zip(document.each("rating")[1:], cards.ratings, cards.ratings[1:], strict=False):
        if one.from_score >= two.from_score:
            table.fail("from", "the ratings must rise.")
    for seats, size in enumerate(cards.hands, FEWEST_SEATS):
        if seats * size >= sum(cards.deck):
            document.one("hands").fail("cards", f"{seats} hands of {size} leave no deck of {sum(cards.deck)} cards.")


def _check_twice(document: Document, header: str, key: str) -> None:
    seen: set[str] = set()
    for table in document.each(header):
        if table.values[key] in seen:
            table.fail(key, f"{key} {table.values[key]} stands in the file twice.")
        seen.add(table.values[key])
