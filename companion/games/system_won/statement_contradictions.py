"""Explains why a player's statement about unseen cards can't be true.

Law: pure. The reason uses only what that player may know: what was said aloud, and the cards that the player sees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from companion.games.rules import UNSEEN, Move, Seat
from companion.games.system_won.card_knowledge import (
    CardKnowledge,
    HintValue,
    allowed_cards,
    with_negative_hint,
    with_positive_hint,
)
from companion.games.system_won.catalog import catalog
from companion.games.system_won.display_names import face_name
from companion.games.system_won.moves import Hint, Specify, SpecifyTwo
from companion.games.system_won.position import Position
from companion.games.system_won.unseen_card_statement_rules import revealed_cards, with_hints, with_revealed_card
from companion.text.messages import Text, TextLike, _


def contradiction(position: Position, seat: Seat, move: Move) -> TextLike:
    """The first reason why the statement in a seat's move can't be true, with advice on what to do. If no single card
    or hint is to blame, the reason is a general one."""
    known = position.with_hands_hidden((seat,))
    hints = (move,) if isinstance(move, Specify) else move.hints if isinstance(move, SpecifyTwo) else ()
    reasons = chain(_face_contradictions(known, move), _slot_contradictions(known, hints))
    return next(
        reasons, _("That can’t be right: none of the remaining cards would fit one of the unseen cards. Look again.")
    )


def _face_contradictions(known: Position, move: Move) -> Iterator[Text]:
    for revealed in revealed_cards(known, move):
        if revealed.face is None:
            continue
        card, knowledge = catalog().cards[revealed.face], known.hands[revealed.seat][revealed.slot].knowledge
        name = face_name(revealed.face)
        if not known.unseen_copies[card.face_index]:
            yield _("Every {card} has been seen elsewhere. Check which card it is.", card=name)
        elif not knowledge.allows(card):
            yield _("The hints say that card {n} can’t be a {card}. Look again.", n=revealed.slot + 1, card=name)
        known = with_revealed_card(known, revealed) or known


def _slot_contradictions(known: Position, hints: Sequence[Hint]) -> Iterator[Text]:
    for hint in hints:
        value, slots = hint.value, hint.slots or ()
        for slot, card in enumerate(known.hands[hint.target]):
            after_hint = with_positive_hint if slot in slots else with_negative_hint
            if card.face != UNSEEN or _is_possible(known, after_hint(card.knowledge, value)):
                continue
            if slot in slots:
                yield _(
                    "From the hints and the cards in view, card {n} can’t be {what}. Don’t point at it.",
                    n=slot + 1,
                    what=_value_text(value),
                )
            else:
                yield _(
                    "From the hints and the cards in view, card {n} must be {what}. Point at it too.",
                    n=slot + 1,
                    what=_value_text(value),
                )
        known = with_hints(known, (hint,))


def _is_possible(known: Position, knowledge: CardKnowledge) -> bool:
    """Whether any of the cards that `knowledge` allows still has an unseen copy."""
    return any(known.unseen_copies[card.face_index] for card in allowed_cards(knowledge))


def _value_text(value: HintValue) -> Text:
    """The text for a color or a rank, such as "red" or "a 3"."""
    return _(value) if isinstance(value, str) else _("a {rank}", rank=value)
