"""The prompts that everyone sees until the next act: a request for consent, the dial, a notice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from companion.games.rules import Seat
from companion.games.view import ConsentRequest
from companion.table.buttons_and_dial import DialSelection
from companion.text.messages import PlayerName, TextLike, _
from companion.text.refusals import Refusal


@dataclass
class Prompts:
    """The prompts of the current position. Not thread-safe: the table's lock guards them."""

    request: ConsentRequest | None = None
    """The request that waits for another player's consent."""
    dial: DialSelection | None = None
    notice: TextLike = ""
    """A notice for all phones."""
    _withdrawals: set[tuple[Seat | None, str | None]] = field(default_factory=set)
    """The actions that have withdrawn a request for consent since the last act: the seat and the id of each action."""

    def clear(self) -> None:
        """Clears the request, the dial and the notice, which belong to the previous position."""
        self.request, self.dial, self.notice = None, None, ""

    def after_act(self) -> None:
        """Clears the request, the dial and the notice, and forgets which actions have withdrawn requests."""
        self.clear()
        self._withdrawals.clear()

    def withdraw(self, request: ConsentRequest, seat: Seat | None, id: str | None) -> None:
        """Withdraws the request for consent. `seat` is the seat that withdraws it, and `id` is the id that the phone
        gave to this action."""
        self.notice = _("{name} withdrew the request.", name=PlayerName(request.asker))
        self.request = None
        self._withdrawals.add((seat, id))

    def is_withdrawal(self, seat: Seat | None, id: str | None) -> bool:
        """Whether an action of this seat with this id has withdrawn a request since the last act."""
        return id is not None and (seat, id) in self._withdrawals

    def attempt(self, act: Callable[[], object]) -> bool:
        """Calls `act`, and returns whether it succeeded. A device gets no answer, so the message of a refusal becomes a
        notice on the phones."""
        try:
            act()
        except Refusal as refusal:
            self.notice = refusal.message
            return False
        return True
