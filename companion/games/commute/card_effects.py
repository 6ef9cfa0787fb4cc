"""What "Uh-Oh!" cards do, as typed effects.

Law: pure. `read` takes the shape that the data file and `tablekeeper cards commute` share, `as_json` gives it back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

How = Literal["chosen", "random"]
Who = Literal["self", "other"]
MOST = 60
"""Minutes or reputation that one effect may add or take."""


@dataclass(frozen=True)
class Minutes:
    """Adds to the minutes, which never fall below zero."""

    amount: int


@dataclass(frozen=True)
class Reputation:
    """Adds to the reputation."""

    amount: int


@dataclass(frozen=True)
class ByCommute:
    """One effect in the morning, another in the evening."""

    morning: Effect
    evening: Effect


@dataclass(frozen=True)
class All:
    """Several effects, one after the other."""

    of: tuple[Effect, ...]


@dataclass(frozen=True)
class Choice:
    """One of several effects, as the drawer likes."""

    of: tuple[Effect, ...]


@dataclass(frozen=True)
class AtStation:
    """`then` for everyone under way who stands on a metro station, `otherwise` for the others under way."""

    then: Effect
    otherwise: Effect | None


@dataclass(frozen=True)
class Swap:
    """A card of the drawer's for one of another player's, each chosen by its owner or drawn at random."""

    gives: How
    gets: How


@dataclass(frozen=True)
class SkipTurn:
    """The drawer, or another player whom the drawer names, loses a turn."""

    who: Who


@dataclass(frozen=True)
class CloseLine:
    """A metro line that the drawer names is shut until the turn order has come to the drawer so many times."""

    turns: int


Effect = Minutes | Reputation | ByCommute | All | Choice | AtStation | Swap | SkipTurn | CloseLine


def read(value: Any) -> Effect:
    """The effect that a table or an object describes; ValueError says what is wrong with it."""
    match value:
        case {"kind": "minutes", "amount": amount, **rest} if not rest:
            return Minutes(_number(amount, "amount", -MOST, MOST))
        case {"kind": "reputation", "amount": amount, **rest} if not rest:
            return Reputation(_number(amount, "amount", -MOST, MOST))
        case {"kind": "by_commute", "morning": morning, "evening": evening, **rest} if not rest:
            return ByCommute(read(morning), read(evening))
        case {"kind": "all", "of": list() as several, **rest} if several and not rest:
            return All(tuple(map(read, several)))
        case {"kind": "choice", "of": list() as several, **rest} if several and not rest:
            return Choice(tuple(map(read, several)))
        case {"kind": "at_station", "then": then, **rest} if not rest.keys() - {"else"}:
            otherwise = rest.get("else")
            return AtStation(read(then), None if otherwise is None else read(otherwise))
        case {"kind": "swap", "gives": gives, "gets": gets, **rest} if not rest:
            return Swap(_word(gives, "gives", How), _word(gets, "gets", How))
        case {"kind": "skip_turn", "who": who, **rest} if not rest:
            return SkipTurn(_word(who, "who", Who))
        case {"kind": "close_line", "turns": turns, **rest} if not rest:
            return CloseLine(_number(turns, "turns", 1, 9))
    raise ValueError(_mistake(value))


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
"""The keys of each kind, for the message about a mistake."""


def _mistake(value: Any) -> str:
    if not isinstance(value, Mapping):
        return f'{value!r} is no effect, it must look like {{ kind = "minutes", amount = 6 }}.'
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in KEYS:
        return f"an effect's kind is {kind!r}, it must be one of {', '.join(KEYS)}."
    return f"the effect {kind} must have {' and '.join(KEYS[kind])}, and nothing else."


def _number(value: Any, key: str, lowest: int, highest: int) -> int:
    if type(value) is not int or not lowest <= value <= highest:
        raise ValueError(f"{key} is {value!r}, it must be {lowest} to {highest}.")
    return value


def _word(value: Any, key: str, words: Any) -> Any:
    if value not in get_args(words):
        raise ValueError(f"{key} is {value!r}, it must be {' or '.join(get_args(words))}.")
    return value


def as_json(effect: Effect) -> dict[str, Any]:
    """The shape of the data file."""
    match effect:
        case Minutes(amount):
            return {"kind": "minutes", "amount": amount}
        case Reputation(amount):
            return {"kind": "reputation", "amount": amount}
        case ByCommute(morning, evening):
            return {"kind": "by_commute", "morning": as_json(morning), "evening": as_json(evening)}
        case All(several):
            return {"kind": "all", "of": list(map(as_json, several))}
        case Choice(several):
            return {"kind": "choice", "of": list(map(as_json, several))}
        case AtStation(then, otherwise):
            return {
                "kind": "at_station",
                "then": as_json(then),
                "else": as_json(otherwise) if otherwise else None,
            }
        case Swap(gives, gets):
            return {"kind": "swap", "gives": gives, "gets": gets}
        case SkipTurn(who):
            return {"kind": "skip_turn", "who": who}
        case CloseLine(turns):
            return {"kind": "close_line", "turns": turns}
