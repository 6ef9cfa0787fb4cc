"""Why what a player says of unseen cards can't be true.

Law: pure. Told from what that player may know, and from nothing else: what was said aloud, and the cards in sight.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from companion.games.rules import Move, Seat
from companion.games.system_won.hidden_cards import forgotten, pointed, turned_up, with_face
from companion.games.system_won.knowledge import UNKNOWN, Mark, Said, passed_over, pointed_at
from companion.games.system_won.labels import card_called
from companion.games.system_won.moves import Hint, Specify, SpecifyTwo
from companion.text.translation import _

if TYPE_CHECKING:
    from companion.games.system_won.rules import State


def contradiction(state: State, seat: Seat, move: Move) -> str:
    """What speaks against a move that is not believed, and what to do; the first of several."""
    known = forgotten(state, seat)
    hints = (move,) if isinstance(move, Specify) else move.hints if isinstance(move, SpecifyTwo) else ()
    found = chain(_turned(known, move), _pointed(known, hints))
    return next(found, _("One of the cards that nobody has seen could then be none that is left: look again."))


def _turned(known: State, move: Move) -> Iterator[str]:
    for seat, slot, face in turned_up(known, move):
        if face is None:
            continue
        card, held = known.cards.cards[face], known.hands[seat][slot]
        called = card_called(card.color, card.rank)
        if not known.unseen[card.number]:
            yield _("Each {card} has been seen elsewhere: look again which card it is.", card=called)
        elif not held.mark.allows(card):
            yield _("By what was told of card {n} it is no {card}: look again.", n=slot + 1, card=called)
        known = with_face(known, seat, slot, face) or known


def _pointed(known: State, hints: Sequence[Hint]) -> Iterator[str]:
    for hint in hints:
        said, slots = hint.said, hint.slots or ()
        for slot, held in enumerate(known.hands[hint.target]):
            mark = pointed_at(held.mark, said) if slot in slots else passed_over(held.mark, said)
            if held.face != UNKNOWN or _may_be(known, mark):
                continue
            if slot in slots:
                yield _(
                    "By what was told and seen, card {n} is not {what}: don’t point at it.", n=slot + 1, what=_a(said)
                )
            else:
                yield _("By what was told and seen, card {n} is {what}: point at it too.", n=slot + 1, what=_a(said))
        known = pointed(known, (hint,))


def _may_be(known: State, mark: Mark) -> bool:
    """Whether a copy that nobody has seen could bear the mark."""
    return any(known.unseen[card.number] and mark.allows(card) for card in known.cards.cards.values())


def _a(said: Said) -> str:
    return _(said) if isinstance(said, str) else _("a {rank}", rank=said)
