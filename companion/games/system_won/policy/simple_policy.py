"""A simple policy for System WON. It plays like a friend who knows the conventions but does not look ahead.

It plays a card that it believes to be playable. If there is none, it gives a hint that lets another player play a card,
preferably the player whose turn comes soonest. If there is no such hint, it discards the oldest of its cards that no
hint has pointed at. It uses no abilities.

Law: pure. A seat's moves depend only on the position as that seat knows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from companion.games.rules import UNSEEN, Move, Seat
from companion.games.system_won.moves import Discard, Play, Specify
from companion.games.system_won.policy.conventions import interpret_hand, next_discard
from companion.games.system_won.policy.seat_view import SeatView
from companion.games.system_won.position import Position


def choose_simply(known: Position, seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
    """The move of the simple policy. If the policy finds no move, a random hint. If no hint is legal, a random discard.
    If no discard is legal either, a random legal move."""
    view = SeatView.of(known, seat)
    to_play = interpret_hand(view, seat).next_play
    plays = [move for move in legal if isinstance(move, Play) and move.slot == to_play]
    hints = [move for move in legal if isinstance(move, Specify)]
    helpful = [move for other in view.others for move in hints if move.target == other and _lets_play(view, move)]
    to_discard = next_discard(view.knowledge[seat])
    discards = [move for move in legal if isinstance(move, Discard) and move.slot == to_discard]
    found = next(iter((*plays, *helpful, *discards)), None)
    return found or rng.choice(hints or [move for move in legal if isinstance(move, Discard)] or legal)


def _lets_play(view: SeatView, hint: Specify) -> bool:
    """Whether a hint enables its target to play a card. False if the target would already play a card without the
    hint."""
    target = hint.target
    if UNSEEN in view.faces[target] or interpret_hand(view, target).next_play is not None:
        return False
    slot = interpret_hand(view.with_hint(hint), target).next_play
    return slot is not None and view.faces[target][slot] in view.playable
