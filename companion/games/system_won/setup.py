"""The options and set-up files of System WON.

Law: pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from companion.games.rules import Option, Seat, Start, check_keys, option_value
from companion.games.setup_list_checks import known_names
from companion.games.system_won.catalog import catalog
from companion.games.system_won.moves import Deal, DealRole
from companion.games.system_won.rules import State
from companion.text.messages import _
from companion.text.refusal_errors import SetupError

ROLES = Option(
    "roles",
    "Roles",
    (("all", "All"), ("none", "None")),
    "all",
    "Fewer roles make it harder.",
    other="the roles that may be dealt, separated by commas: designer,engineer,operations",
)
COMMUNICATION = Option(
    "communication",
    "Communication",
    (("strict", "Strict: hints only"), ("open", "Open: talk freely")),
    "strict",
    "What you may tell each other. You police this yourselves.",
)
AIDS = Option(
    "aids",
    "What phones remember of your own cards",
    (
        ("none", "Nothing"),
        ("said", "The hints"),
        ("negation", "Also what they rule out"),
        ("counting", "Also what counting rules out"),
    ),
    "negation",
    "If you’re told that two cards are red, you also know that the others aren’t. And if you see all copies of a "
    "card, you don’t have it. With “Nothing”, the log also forgets all hints except the latest.",
)
OPTIONS = (ROLES, COMMUNICATION, AIDS)

KEYS = ("deck", "roles", "communication", "aids")


def begin(seats: int, setup: Mapping[str, Any]) -> Start[State]:
    """The position before the first deal, and the cards and roles that the set-up prescribes. Raises SetupError if the
    set-up is invalid."""
    check_keys("System WON", setup, KEYS)
    option_value(setup, AIDS)  # only the pages use this option, but a wrong value is refused here
    role_cards = _role_cards(setup.get("roles", ROLES.default), seats)
    state = State(
        hands=((),) * seats,
        systems=(0,) * len(catalog().suits),
        specifications=catalog().specifications,
        deck_size=sum(catalog().copies),
        unseen_copies=catalog().copies,
        communication=option_value(setup, COMMUNICATION),
        role_cards=role_cards,
        roles=(None,) * seats if role_cards else None,
        pending_draws=tuple(Seat(seat) for seat in range(seats) for _card in range(catalog().hand_size(seats))),
    )
    roles = setup.get("roles")
    first_roles = tuple(roles) if isinstance(roles, list) else ()
    return Start(state, {DealRole.NAME: first_roles, Deal.NAME: _deck(setup.get("deck", []))})


def _role_cards(value: Any, seats: int) -> tuple[str, ...]:
    """The roles that may be dealt: those that the option names, or all roles if a set-up file assigns roles to seats.
    Empty in a game without roles. Raises SetupError if `value` is invalid."""
    if value is None or value == "none":
        return ()
    if isinstance(value, list):
        _check_roles(value)
        if len(value) > seats:
            raise SetupError(f"roles contains {len(value)} roles for {seats} seats.")
        return tuple(catalog().roles)
    if not isinstance(value, str):
        raise SetupError(
            'roles must be "all", "none" or names separated by commas; in a set-up file, also a list or null.'
        )
    names = list(catalog().roles) if value == "all" else [name.strip() for name in value.split(",")]
    _check_roles(names)
    if len(names) < seats:
        raise SetupError(
            _(
                "{seats} seats need at least {seats} roles, not {given}; the option none plays without roles.",
                seats=seats,
                given=len(names),
            )
        )
    return tuple(names)


def _check_roles(names: Sequence[Any]) -> None:
    for name in names:
        if not isinstance(name, str) or name not in catalog().roles:
            known = ", ".join(catalog().roles)
            raise SetupError(_("roles contains {name}; there are {known}.", name=repr(name), known=known))
        if names.count(name) > 1:
            raise SetupError(_("roles contains {name} twice.", name=name))


def _deck(value: Any) -> tuple[str, ...]:
    """The first cards of the deck that a set-up prescribes, in order. Raises SetupError if these cards are not in the
    game."""
    deck = known_names(value, "deck", catalog().faces)
    for face, count in Counter(deck).items():
        if count > (copies := catalog().copies[catalog().cards[face].face_index]):
            raise SetupError(f"deck contains {face} {count} times; the game has {copies}.")
    return deck
