"""Compares the acts that a match has recorded with the moves that hands meant to make."""

from __future__ import annotations

from typing import Any

from companion.games.rules import Move
from companion.games.system_won.moves import Discard, Play
from companion.match.history import Act


def is_meant(act: Act, meant: Move | None) -> bool:
    """Whether an act is the move that hands meant. Of equal cards in a hand, any will do."""
    if meant is None or act.kind in ("undo", "redo"):
        return False
    move = act.steps[0].move
    if isinstance(move, Play | Discard) and isinstance(meant, Play | Discard) and type(move) is type(meant):
        hand = act.steps[0].before.hands[int(move.seat)]  # type: ignore[attr-defined]  # a position of System WON
        return move.seat == meant.seat and face_of(move, hand) == face_of(meant, hand)
    return move == meant


def face_of(move: Play | Discard, hand: Any) -> str:
    """The face of the card of a hand that a move of System WON plays or discards. If nobody has seen this card, the
    move names its face."""
    return str(move.card or hand[move.slot].face)
