"""The exceptions for refusals. Their messages say what is wrong and what to do instead."""

from __future__ import annotations

from typing import ClassVar

from companion.text.messages import TextError


class Refusal(TextError):
    """The error for a move that is refused. The message gives the reason in terms of the rules, and says what is
    possible instead.

    Refusal
    ├── BadJson        the input is not JSON
    ├── BadMove        the input is not a move of this game
    ├── GameOver       the game is over
    ├── NotYourTurn    somebody else must act
    ├── IllegalMove    the rules forbid the move now
    └── Stale          the move was made for an older version of the match
    """

    code: ClassVar[str]
    """The name of the error in the API."""


class BadJson(Refusal):
    """The error for input that is not JSON."""

    code = "bad_json"


class BadMove(Refusal):
    """The error for JSON that does not describe a move of the game: it is not an object, a field is missing, unknown or
    of the wrong type, or an identifier does not exist in the game."""

    code = "bad_move"


class GameOver(Refusal):
    """The error for a move after the end of the game."""

    code = "game_over"


class NotYourTurn(Refusal):
    """The error for a move out of turn: a seat's move on the turn of the house or of another seat, or a house move on a
    seat's turn."""

    code = "not_your_turn"


class IllegalMove(Refusal):
    """The error for a move that the rules forbid in this position."""

    code = "illegal_move"


class Stale(Refusal):
    """The error for a move, or an answer, that was made for an older version of the match."""

    code = "stale"


class SetupError(TextError, ValueError):
    """The error for a set-up from which the game can't start. The message is a single line that says what is wrong and
    what would work."""
