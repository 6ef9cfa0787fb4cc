"""Checks the lists of names in a set-up, such as the first cards of a deck.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from companion.games.rules import Json
from companion.text.messages import _
from companion.text.refusal_errors import SetupError

MAX_LISTED_NAMES = 10
"""The maximum number of possible names that a refusal lists in full."""


def known_names(value: Json, key: str, known: Sequence[str]) -> tuple[str, ...]:
    """The list `value`, which a set-up has under `key`, as a tuple. Raises SetupError unless it is a list of names in
    `known`."""
    if not isinstance(value, list):
        raise SetupError(_("{key} must be a list.", key=key))
    for name in value:
        if not isinstance(name, str) or name not in known:
            some = known if len(known) <= MAX_LISTED_NAMES else (*known[:2], f"… {known[-1]}")
            names = ", ".join(some)
            raise SetupError(_("{key} contains {name}; it may contain {known}.", key=key, name=repr(name), known=names))
    return tuple(value)


def distinct_names(value: Json, key: str, known: Sequence[str], most: int) -> tuple[str, ...]:
    """The names in the list `value`, which is checked as by `known_names`. Also raises SetupError if a name occurs
    twice, or if there are more than `most` names."""
    names = known_names(value, key, known)
    for name in names:
        if names.count(name) > 1:
            raise SetupError(_("{key} contains {name} twice.", key=key, name=name))
    if len(names) > most:
        raise SetupError(
            _("{key} contains {n} names; it may contain at most {most}.", key=key, n=len(names), most=most)
        )
    return names
