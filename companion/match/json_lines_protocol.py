"""The protocol of `tablekeeper play`: moves come as JSON lines, and the answers are JSON objects.

Law: no I/O. It holds the position and the number of moves so far (the ply). House moves come from a
`ChancePlayer`, or as input.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from companion.games import move_json
from companion.games.game import Game
from companion.games.rules import HOUSE, REFEREE, Json, Move, State, Viewer, play
from companion.match.chance_player import ChancePlayer
from companion.text.refusal_errors import Refusal


@dataclass
class JsonLinesProtocol:
    """Judges the moves of one game. `house` makes the house moves; if it is None, house moves come as input, like all
    other moves. The answers contain only what `viewer` may know. `legal`: whether the answers list the legal moves."""

    game: Game[Any]
    seats: int
    state: State
    house: ChancePlayer | None
    viewer: Viewer = REFEREE
    legal: bool = False
    ply: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.game = replace(self.game, rules=replace(self.game.rules, phone_only_moves=()))

    def begin(self) -> Iterator[dict[str, Json]]:
        """Yields the starting position (ply 0), then the positions after the house's first moves."""
        yield self._position_record()
        yield from self._let_house_act()

    def judge(self, line: str) -> Iterator[dict[str, Json]]:
        """Yields the answers to a line of input: the position after the move, and the position after each house move
        that follows. A refused move has a single answer: a refusal with the key "error" or, if the viewer may not hear
        of the refusal, an empty object."""
        value: Json = line
        try:
            value = move_json.loads(line)
            move = move_json.from_json(self.game, self.seats, value)
            yield self._accept(move, play(self.state, move), value)
        except Refusal as refusal:
            if self._may_hear_refusal(value):
                yield {"error": {"code": refusal.code, "message": str(refusal)}, "move": value}
            else:
                yield {}
        else:
            yield from self._let_house_act()

    def _let_house_act(self) -> Iterator[dict[str, Json]]:
        while self.house and self.state.turn == HOUSE:
            move = self.house.next_move(self.state, self.ply)
            yield self._accept(move, play(self.state, move), move_json.to_json(move))

    def _accept(self, move: Move, after: State, given: Json) -> dict[str, Json]:
        seen = move.as_known_to(self.viewer, self.state)
        self.state, self.ply = after, self.ply + 1
        return self._position_record(given if seen == move else move_json.to_json(seen))

    def _position_record(self, move: Json = None) -> dict[str, Json]:
        record: dict[str, Json] = {"ply": self.ply} | ({"move": move} if move is not None else {})
        record["state"] = self.state.as_known_to(self.viewer).to_json()
        if self.legal:
            record["legal"] = [move_json.to_json(legal) for legal in self.state.legal_moves() if self._may_list(legal)]
        return record

    def _hides_information(self) -> bool:
        return self.game.rules.has_hidden_information and self.viewer != REFEREE

    def _may_list(self, move: Move) -> bool:
        return not self._hides_information() or move.seat == self.viewer

    def _may_hear_refusal(self, value: Json) -> bool:
        """Whether the viewer may hear why this move is refused. In a game with hidden information, a seat hears only of
        refusals of its own moves."""
        return not self._hides_information() or (isinstance(value, dict) and value.get("seat") == self.viewer)
