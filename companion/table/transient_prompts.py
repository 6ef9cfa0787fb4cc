"""The prompts that everyone sees until the next act: a request for consent, the dial, a notice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from companion.games.rules import Seat
from companion.games.view import ConsentRequest
from companion.table.buttons_and_dial import DialSelection
from companion.text.messages import PlayerName, TextLike, _
from companion.text.refusal_errors import Refusal


@dataclass
class TransientPrompts:
    """The prompts of the current position. Not thread-safe: the table's lock guards them."""

    request: ConsentRequest | None = None
    """The request that waits for another player's consent."""
    dial: DialSelection | None = None
    notice: TextLike = ""
    """A notice for all phones."""
    _withdrawn: tuple[ConsentRequest, int] | None = None
    """The request that undo withdrew last, and how many acts were in force then; None if redo can't restore it."""
    _undone_or_redone: set[tuple[Seat | None, str | None]] = field(default_factory=set)
    """The actions that have withdrawn or restored a request since the last act: the seat and the id of each action."""

    def clear(self) -> None:
        """Clears the request, the dial and the notice, which belong to the previous position. A request that was
        withdrawn before can't be restored any more."""
        self.request, self.dial, self.notice, self._withdrawn = None, None, "", None

    def after_act(self, *, is_step_back: bool) -> None:
        """Clears the request, the dial and the notice, and forgets which actions have withdrawn or restored requests.
        `is_step_back`: whether the act was an undo or a redo. Undo and redo can lead back to the position of a
        withdrawn request, so a withdrawn request can still be restored after them."""
        withdrawn = self._withdrawn if is_step_back else None
        self.clear()
        self._undone_or_redone.clear()
        self._withdrawn = withdrawn

    def withdraw(self, request: ConsentRequest, acts_in_force: int, seat: Seat | None, id: str | None) -> None:
        """Withdraws the request for consent. `seat` is the seat that withdraws it, and `id` is the id that the phone
        gave to this action."""
        self.notice = _("{name} withdrew the request.", name=PlayerName(request.asker))
        self.request, self._withdrawn = None, (request, acts_in_force)
        self._undone_or_redone.add((seat, id))

    def withdrawn_request(self, acts_in_force: int) -> ConsentRequest | None:
        """The request that redo restores if this many acts are in force; None if there is none."""
        if self._withdrawn is None or self._withdrawn[1] != acts_in_force:
            return None
        return self._withdrawn[0]

    def restore(self, request: ConsentRequest, seat: Seat | None, id: str | None) -> None:
        """Restores a request that was withdrawn. `seat`, `id`: as for `withdraw`."""
        self.request = request
        self._undone_or_redone.add((seat, id))

    def has_undone_or_redone(self, seat: Seat | None, id: str | None) -> bool:
        """Whether an action of this seat with this id has withdrawn or restored a request since the last act."""
        return id is not None and (seat, id) in self._undone_or_redone

    def attempt(self, act: Callable[[], object]) -> bool:
        """Calls `act`, and returns whether it succeeded. A device gets no answer, so the message of a refusal becomes a
        notice on the phones."""
        try:
            act()
        except Refusal as refusal:
            self.notice = refusal.message
            return False
        return True
