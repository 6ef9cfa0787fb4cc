"""Why something is not done: each with one message that says what is wrong and what may be done instead."""

from __future__ import annotations

from typing import ClassVar


class Refusal(Exception):
    """A move that is not taken. The message says why in the words of the rules and what may be done.

    Refusal
    ├── BadJson        the line is no JSON
    ├── BadMove        it is no move of this game
    ├── GameOver       the game has ended
    ├── NotYourTurn    somebody else must act
    ├── IllegalMove    the rules do not allow it now
    └── Stale          (of the table) it was made on an older version
    """

    code: ClassVar[str]


class BadJson(Refusal):
    """The line is no JSON."""

    code = "bad_json"


class BadMove(Refusal):
    """Not an object, a field missing, unknown or of the wrong type, or a name that the game does not have."""

    code = "bad_move"


class GameOver(Refusal):
    """Nothing is legal after the end."""

    code = "game_over"


class NotYourTurn(Refusal):
    """A seat's move on the house's or another seat's turn, or a house move on a seat's turn."""

    code = "not_your_turn"


class IllegalMove(Refusal):
    """A move of this game that its rules do not allow in this state."""

    code = "illegal_move"


class Stale(Refusal):
    """The move was made on an older version of the table."""

    code = "stale"


class SetupError(ValueError):
    """A set-up that the game can't begin from; one line that says what is wrong and what would do."""
