"""The chance move that the game waits for, such as the deal of a card or the draw of a cube. The possible moves differ
only in their face, which says which card or cube it is.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import repeat
from typing import Final, NamedTuple

from companion.games.rules import HouseMove, Seat
from companion.text.messages import Text, TextLike, _

NOT_DUE: Final = _("That can’t come now")


class PendingChanceMove(NamedTuple):
    """The move that the house must make next. `description` says in words what happens. `seat` is the seat to which
    something is dealt, or from whose hand a card is drawn; None if no seat is involved. `faces` maps each possible face
    to its weight. `create_move` returns the move for `seat` with one of these faces."""

    description: TextLike
    create_move: Callable[[Seat | None, str], HouseMove]
    seat: Seat | None
    faces: Mapping[str, int]
    not_due: Text = NOT_DUE
    """The reason for refusing an impossible face. It is the same for all impossible faces, because a specific reason
    might reveal a secret."""

    def refusal(self, move: HouseMove) -> Text | None:
        """The reason why `move` can't come now. None if it can."""
        if move != self.create_move(self.seat, move.face):
            return _("That can’t come now. Next is {what}.", what=self.description)
        if move.face in self.faces:
            return None
        return _("{why}. Next is {what}.", why=self.not_due, what=self.description)

    def chances(self) -> Iterator[tuple[HouseMove, int]]:
        """Each move that may come, with its weight."""
        return zip(map(self.create_move, repeat(self.seat), self.faces), self.faces.values(), strict=True)
