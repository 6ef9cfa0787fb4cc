"""The effects of "Uh-Oh!" cards.

Law: pure. `read` converts an effect from its form in the data file. `to_json` converts it back, for
`tablekeeper cards commute`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Selection = Literal["chosen", "random"]
"""How a card for a swap is selected: chosen by its owner, or drawn at random from the owner's hand."""
Target = Literal["self", "other"]
"""Who skips a turn: the player who drew the "Uh-Oh!" card, or another player."""
MAX_AMOUNT = 60
"""The maximum change of minutes or reputation by one effect."""


@dataclass(frozen=True)
class Minutes:
    """Adds `amount` to a seat's minutes, which never fall below zero. A negative amount subtracts minutes."""

    amount: int


@dataclass(frozen=True)
class Reputation:
    """Adds `amount`, which may be negative, to a seat's reputation."""

    amount: int


@dataclass(frozen=True)
class ByCommute:
    """An effect with two versions: one in the morning, another in the evening."""

    morning: Effect
    evening: Effect


@dataclass(frozen=True)
class AllOf:
    """Several effects, one after the other."""

    of: tuple[Effect, ...]


@dataclass(frozen=True)
class Choice:
    """One of several effects, chosen by the player who drew the card."""

    of: tuple[Effect, ...]


@dataclass(frozen=True)
class AtStation:
    """Affects all players who have not arrived. Applies `then` to each player whose piece is on a metro station, and
    `otherwise`, if any, to the others."""

    then: Effect
    otherwise: Effect | None


@dataclass(frozen=True)
class Swap:
    """The player who drew the card swaps a playing card with another player. `gives` says how the drawer's card is
    selected, and `gets` how the other player's card is selected."""

    gives: Selection
    gets: Selection


@dataclass(frozen=True)
class SkipTurn:
    """The player who drew the card skips a turn, or makes another player skip one."""

    who: Target


@dataclass(frozen=True)
class CloseLine:
    """The player who drew the card closes a metro line. The line reopens when the turn order has reached this player
    `turns` more times."""

    turns: int


Effect = Minutes | Reputation | ByCommute | AllOf | Choice | AtStation | Swap | SkipTurn | CloseLine


def read(value: Any) -> Effect:
    """The effect that a TOML table or a JSON object describes. Raises ValueError, whose message says what is wrong, if
    it does not describe an effect."""
    match value:
        case {"kind": "minutes", "amount": amount, **rest} if not rest:
            return Minutes(_checked_number(amount, "amount", -MAX_AMOUNT, MAX_AMOUNT))
        case {"kind": "reputation", "amount": amount, **rest} if not rest:
            return Reputation(_checked_number(amount, "amount", -MAX_AMOUNT, MAX_AMOUNT))
        case {"kind": "by_commute", "morning": morning, "evening": evening, **rest} if not rest:
            return ByCommute(read(morning), read(evening))
        case {"kind": "all", "of": list() as effects, **rest} if effects and not rest:
            return AllOf(tuple(map(read, effects)))
        case {"kind": "choice", "of": list() as effects, **rest} if effects and not rest:
            return Choice(tuple(map(read, effects)))
        case {"kind": "at_station", "then": then, **rest} if not rest.keys() - {"else"}:
            otherwise = rest.get("else")
            return AtStation(read(then), None if otherwise is None else read(otherwise))
        case {"kind": "swap", "gives": gives, "gets": gets, **rest} if not rest:
            return Swap(_checked_word(gives, "gives", Selection), _checked_word(gets, "gets", Selection))
        case {"kind": "skip_turn", "who": who, **rest} if not rest:
            return SkipTurn(_checked_word(who, "who", Target))
        case {"kind": "close_line", "turns": turns, **rest} if not rest:
            return CloseLine(_checked_number(turns, "turns", 1, 9))
    raise ValueError(_error_message(value))


KEYS: Mapping[str, tuple[str, ...]] = {
    "minutes": ("amount",),
    "reputation": ("amount",),
    "by_commute": ("morning", "evening"),
    "all": ("of",),
    "choice": ("of",),
    "at_station": ("then", "else"),
    "swap": ("gives", "gets"),
    "skip_turn": ("who",),
    "close_line": ("turns",),
}
"""The keys of each kind of effect, for error messages."""


def _error_message(value: Any) -> str:
    """The message that says why `value` does not describe an effect."""
    if not isinstance(value, Mapping):
        return f'{value!r} is not an effect; it must look like {{ kind = "minutes", amount = 6 }}.'
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in KEYS:
        return f"an effect’s kind is {kind!r}; it must be one of {', '.join(KEYS)}."
    return f"the effect {kind} must have {' and '.join(KEYS[kind])}, and nothing else."


def _checked_number(value: Any, key: str, lowest: int, highest: int) -> int:
    """The number `value`. Raises ValueError unless it is a whole number from `lowest` to `highest`."""
    if type(value) is not int or not lowest <= value <= highest:
        raise ValueError(f"{key} is {value!r}; it must be {lowest} to {highest}.")
    return value


def _checked_word(value: Any, key: str, words: Any) -> Any:
    """The word `value`. Raises ValueError unless it is one of the values of the Literal type `words`."""
    if value not in get_args(words):
        raise ValueError(f"{key} is {value!r}; it must be {' or '.join(get_args(words))}.")
    return value


def to_json(effect: Effect) -> dict[str, Any]:
    """The effect as JSON, with the same keys as in the data file."""
    match effect:
        case Minutes(amount):
            return {"kind": "minutes", "amount": amount}
        case Reputation(amount):
            return {"kind": "reputation", "amount": amount}
        case ByCommute(morning, evening):
            return {"kind": "by_commute", "morning": to_json(morning), "evening": to_json(evening)}
        case AllOf(effects):
            return {"kind": "all", "of": list(map(to_json, effects))}
        case Choice(effects):
            return {"kind": "choice", "of": list(map(to_json, effects))}
        case AtStation(then, otherwise):
            return {
                "kind": "at_station",
                "then": to_json(then),
                "else": to_json(otherwise) if otherwise else None,
            }
        case Swap(gives, gets):
            return {"kind": "swap", "gives": gives, "gets": gets}
        case SkipTurn(who):
            return {"kind": "skip_turn", "who": who}
        case CloseLine(turns):
            return {"kind": "close_line", "turns": turns}
