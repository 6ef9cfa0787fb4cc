"""The house moves that are possible in a position of System WON, and their weights.

Law: pure. A position does not contain the order of the deck. It contains the number of unseen copies of each face, and
the cards that an undo put back on top of the deck.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import combinations

from companion.games.pending_chance_move import PendingChanceMove
from companion.games.rules import CERTAIN, HOUSE, UNSEEN, HouseMove, Seat
from companion.games.system_won.moves import Deal, DealRole, DealtFace, Face, RoleId, ShuffleBack
from companion.games.system_won.position import Position
from companion.games.system_won.unseen_card_statement_rules import drawable_faces, faces_with_copies
from companion.text.messages import PlayerName, Text, _

RECYCLED_CARDS = 2
"""The number of discards that the ability `Recycle` shuffles back into the deck; fewer if the discard pile is
smaller."""
NO_SUCH_COPY = _("From what is known of the other cards, that one can’t be next in the deck")


def next_chance_move(position: Position) -> PendingChanceMove | None:
    """The house move that must come next, with the weights of its possible faces. None if a seat must act or the game
    is over."""
    if position.turn != HOUSE:
        return None
    if position.is_recycling:
        count = min(RECYCLED_CARDS, len(position.discard))
        words = _("{n} of the discards, back into the deck", n=count)
        return PendingChanceMove(words, _shuffle_back_move, None, _pair_weights(position.discard))
    if position.roles and None in position.roles:
        to = Seat(position.roles.index(None))
        weights = {role: 1 for role in position.role_cards if role not in position.roles}
        not_due = _("That role has already been dealt, or isn’t in this game")
        return PendingChanceMove(_("a role for {name}", name=PlayerName(to)), _deal_role_move, to, weights, not_due)
    to = position.pending_draws[0]
    if not position.unseen_in_hands and not position.deck_top:
        return _draw_from_unseen(to, position.unseen_copies)
    return _draw(to, _card_weights(position))


def chances(position: Position) -> Iterator[tuple[HouseMove, int]]:
    """Yields each house move that can come next, with its weight."""
    due = next_chance_move(position)
    return due.chances() if due else iter(())


def refusal(position: Position, move: HouseMove) -> Text | None:
    """The reason why a house move can't come now. None if it can."""
    due = next_chance_move(position)
    return due.refusal(move) if due else None


def _card_weights(position: Position) -> dict[str, int]:
    """The weight of each face as the next card of the deck. The weight is the number of unseen copies of the face. A
    known card that an undo put back on top has the weight CERTAIN. "?" has weight 0, because only people draw cards
    without showing them; the companion never does.

    Copies that are "?" in a hand are counted too. This doesn't matter, because there are "?" cards only if people deal
    the cards, not the companion.
    """
    if position.deck_top and position.deck_top[0] != UNSEEN:
        return {position.deck_top[0]: CERTAIN, UNSEEN: 0}
    return {**drawable_faces(position), UNSEEN: 0}


def _pair_weights(discard: tuple[str, ...]) -> dict[str, int]:
    """Maps each pair of discards, written "B1 R3", to the number of ways to draw these two faces. If there is only one
    discard, it is recycled alone."""
    return Counter(" ".join(sorted(pair)) for pair in combinations(discard, min(RECYCLED_CARDS, len(discard))))


def _draw(to: Seat, weights: Mapping[str, int]) -> PendingChanceMove:
    return PendingChanceMove(_draw_description(to), _deal_move, to, weights, NO_SUCH_COPY)


@lru_cache(maxsize=1 << 10)
def _draw_from_unseen(to: Seat, unseen_copies: tuple[int, ...]) -> PendingChanceMove:
    """The draw from a deck that consists of all unseen cards. It is cached, because the legal faces are looked up again
    when the move is made."""
    return _draw(to, {**faces_with_copies(unseen_copies), UNSEEN: 0})


# Moves and their descriptions are cached: there are few of them, and they are immutable.


@cache
def _draw_description(to: Seat) -> Text:
    return _("a card off the deck for {name}", name=PlayerName(to))


@cache
def _deal_move(to: Seat, face: str) -> Deal:
    return Deal(to=to, card=DealtFace(face))


@cache
def _deal_role_move(to: Seat, face: str) -> DealRole:
    return DealRole(to=to, role=RoleId(face))


@cache
def _shuffle_back_move(to: Seat | None, face: str) -> ShuffleBack:
    return ShuffleBack(cards=tuple(map(Face, face.split())))
