"""Setting up System WON: options and set-up files, checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from companion.games.rules import Option, Seat, Start, check_keys, chosen
from companion.games.system_won.catalog import Catalog, catalog
from companion.games.system_won.moves import Deal, DealRole
from companion.games.system_won.rules import State
from companion.text.refusals import SetupError
from companion.text.translation import _

ROLES = Option(
    "roles",
    "Roles",
    (("all", "All"), ("none", "None")),
    "all",
    "Fewer roles make it harder.",
    other="the roles that may be dealt, with commas: designer,engineer,operations",
)
COMMUNICATION = Option(
    "communication",
    "Communication",
    (("strict", "Strict: only specifications"), ("open", "Open: say what you like")),
    "strict",
    "What players may tell each other; the table keeps to it by itself.",
)
AIDS = Option(
    "aids",
    "What phones remember of your own cards",
    (
        ("none", "Nothing"),
        ("said", "What was said"),
        ("negation", "Also what that rules out"),
        ("counting", "Also what counting rules out"),
    ),
    "negation",
    "Told that two cards are red, you also know that the others are not; and a card of which you see all copies is "
    "none of yours. With “Nothing” the log forgets too what was said, all but the latest.",
)
OPTIONS = (ROLES, COMMUNICATION, AIDS)

KEYS = ("deck", "roles", "communication", "aids")


def begin(seats: int, setup: Mapping[str, Any]) -> Start[State]:
    """The position before the first deal, and what the set-up fixes; raises SetupError."""
    cards = catalog()
    check_keys("System WON", setup, KEYS)
    chosen(setup, AIDS)  # the pages' business, but a mistake is told here
    role_cards = _role_cards(setup.get("roles", ROLES.default), cards, seats)
    hand = cards.hand_size(seats)
    state = State(
        cards=cards,
        hands=((),) * seats,
        systems=(0,) * len(cards.suits),
        specifications=cards.specifications,
        deck=sum(cards.deck),
        unseen=cards.deck,
        communication=chosen(setup, COMMUNICATION),
        role_cards=role_cards,
        roles=(None,) * seats if role_cards else None,
        dealing=tuple(Seat(seat) for seat in range(seats) for card in range(hand)),
    )
    roles = setup.get("roles")
    dealt = tuple(roles) if isinstance(roles, list) else ()
    return Start(state, {DealRole.NAME: dealt, Deal.NAME: _deck(setup.get("deck", []), cards)})


def _role_cards(value: Any, cards: Catalog, seats: int) -> tuple[str, ...]:
    """The roles that may be dealt: those that an option names, or all where a set-up lists the first ones."""
    if value is None or value == "none":
        return ()
    if isinstance(value, list):
        _check_roles(value, cards)
        if len(value) > seats:
            raise SetupError(f"roles holds {len(value)} roles for {seats} seats.")
        return tuple(cards.roles)
    if not isinstance(value, str):
        raise SetupError("roles must be all, none, names with commas, or in a file a list or null.")
    names = list(cards.roles) if value == "all" else [name.strip() for name in value.split(",")]
    _check_roles(names, cards)
    if len(names) < seats:
        raise SetupError(
            _(
                "{seats} seats need at least {seats} roles, not {given}; none does without.",
                seats=seats,
                given=len(names),
            )
        )
    return tuple(names)


def _check_roles(names: Sequence[Any], cards: Catalog) -> None:
    for name in names:
        if not isinstance(name, str) or name not in cards.roles:
            known = ", ".join(cards.roles)
            raise SetupError(_("roles holds {name}; there are {known}.", name=repr(name), known=known))
        if names.count(name) > 1:
            raise SetupError(_("roles holds {name} twice.", name=name))


def _deck(value: Any, cards: Catalog) -> tuple[str, ...]:
    """The order in which the deck's first cards come."""
    if not isinstance(value, list):
        raise SetupError("deck must be a list.")
    for face in value:
        if not isinstance(face, str) or face not in cards.cards:
            raise SetupError(f"deck holds {face!r}; it may hold {cards.faces[0]}, … {cards.faces[-1]}.")
    for face, count in Counter(value).items():
        if count > (copies := cards.deck[cards.cards[face].number]):
            raise SetupError(f"deck holds {face} {count} times, there {'is 1' if copies == 1 else f'are {copies}'}.")
    return tuple(value)
