"""Changed copies of a position: functions that return a position with one part changed.

Law: pure.
"""

from __future__ import annotations

from typing import Any

from companion.games.commute.position import P
from companion.games.rules import Seat


def with_hand(position: P, seat: Seat, hand: tuple[str, ...]) -> P:
    """The position with `hand` in place of the hand of `seat`."""
    return position.replace(hands=(*position.hands[:seat], hand, *position.hands[seat + 1 :]))


def with_minutes_added(position: P, seat: Seat, minutes: int) -> P:
    """The position with `minutes`, which may be negative, added to those of `seat`. The sum never falls below zero."""
    total = max(0, position.minutes[seat] + minutes)
    return position.replace(minutes=(*position.minutes[:seat], total, *position.minutes[seat + 1 :]))


def with_skips_added(position: P, seat: Seat, turns: int) -> P:
    """The position with `turns`, which may be negative, added to the number of turns that `seat` must skip."""
    return position.replace(skips=(*position.skips[:seat], position.skips[seat] + turns, *position.skips[seat + 1 :]))


def with_deck(position: P, **changes: Any) -> P:
    """The position with some fields of its `deck` changed."""
    return position.replace(deck=position.deck.replace(**changes))


def with_uh_oh(position: P, **changes: Any) -> P:
    """The position with some fields of its `uh_oh` changed."""
    return position.replace(uh_oh=position.uh_oh.replace(**changes))
