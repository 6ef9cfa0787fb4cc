"""The house moves that are possible in a position of Systems Failing, and their weights.

Law: pure. A position contains the cards in the deck, the sizes of the deck's stacks, and the cubes in the bag, but not
their order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from companion.games.pending_chance_move import PendingChanceMove
from companion.games.rules import HOUSE, HouseMove, Seat
from companion.games.systems_failing.cube_multiset import WHITE, Color
from companion.games.systems_failing.moves import Advance, CardId, DealRole, Draw, Reveal, RoleId
from companion.games.systems_failing.position import Position
from companion.games.systems_failing.position_parts import STACK_COUNT, Stack
from companion.text.messages import PlayerName, Text, _


def next_chance_move(position: Position) -> PendingChanceMove | None:
    """The kind of move that the house must make next, with its possible outcomes and their weights. None if a seat must
    act or the game is over."""
    if position.turn != HOUSE:
        return None
    if not position.active_escape:
        return PendingChanceMove(
            _("the next escape sequence"), _reveal, None, dict.fromkeys(sorted(position.escape_deck), 1)
        )
    if None in position.roles:
        to = Seat(position.roles.index(None))
        free = [role for role in position.catalog.roles if role not in position.roles]
        return PendingChanceMove(_("a role for {name}", name=PlayerName(to)), _deal_role, to, dict.fromkeys(free, 1))
    if (seat := drawing_seat(position)) is not None:
        counts = position.bag.counts()
        if position.phase != "actions":  # a white cube goes back to the bag, and another cube is drawn
            counts.pop(WHITE, None)
        return PendingChanceMove(_draw_description(seat), _draw, seat, counts)
    if position.phase == "advance":
        return PendingChanceMove(_("the disasters’ move"), _advance, None, {Advance.NAME: 1})
    if position.phase == "setup":
        return PendingChanceMove(_("a starting disaster"), _reveal, None, dict.fromkeys(sorted(position.deck), 1))
    return PendingChanceMove(_("a card off the disaster deck"), _reveal, None, _deck_weights(position))


def chances(position: Position) -> Iterator[tuple[HouseMove, int]]:
    """Yields each possible next move of the house, with its weight."""
    if due := next_chance_move(position):
        yield from due.chances()


def drawing_seat(position: Position) -> Seat | None:
    """The seat for which the house draws the next cube. None if no cube must be drawn now."""
    match position.phase:
        case "actions":
            return position.active_player if position.draws_left else None
        case "setup" if position.active_escape and None not in position.roles:
            wanted = position.catalog.first_hand_size
        case "stock_up":
            wanted = position.catalog.stock_up_to
        case _:
            return None
    if position.bag.total == position.bag[WHITE]:
        return None
    order = (position.first_player, Seat(1 - position.first_player))
    return next((seat for seat in order if position.pools[seat].total < wanted), None)


# Moves and their descriptions are cached: there are few different ones, and they are immutable.


@lru_cache
def _draw_description(to: Seat) -> Text:
    return _("a cube out of the bag for {name}", name=PlayerName(to))


@lru_cache
def _reveal(to: Seat | None, face: str) -> Reveal:
    return Reveal(card=CardId(face))


@lru_cache
def _deal_role(to: Seat, face: str) -> DealRole:
    return DealRole(to=to, role=RoleId(face))


@lru_cache
def _draw(to: Seat, face: str) -> Draw:
    return Draw(to=to, cube=Color(face))


@lru_cache
def _advance(to: Seat | None, face: str) -> Advance:
    return Advance()


def initial_stacks(disasters: int, failing: int) -> tuple[Stack, ...]:
    """The stacks of a new deck, the top one first. There are five stacks whose sizes differ by at most one card, with a
    systems-failing card shuffled into each."""
    share, extra = divmod(disasters, STACK_COUNT)
    failing_share, failing_extra = divmod(failing, STACK_COUNT)
    return tuple(Stack(share + (i < extra), failing_share + (i < failing_extra)) for i in range(STACK_COUNT))


def stacks_without(stacks: tuple[Stack, ...], *, is_failing: bool) -> tuple[Stack, ...]:
    """The stacks after a card has been drawn from the deck: a systems-failing card if `is_failing`, otherwise a
    disaster. The card comes from the topmost stack that contains such a card. If none does, the stacks are
    unchanged."""
    for i, stack in enumerate(stacks):
        if stack.failing if is_failing else stack.disasters:
            left = Stack(stack.disasters - (not is_failing), stack.failing - is_failing)
            rest = (left,) if left.disasters or left.failing else ()
            return (*stacks[:i], *rest, *stacks[i + 1 :])
    return stacks


def _deck_weights(position: Position) -> dict[str, int]:
    """The weight of each card in the deck, which is proportional to the probability that the card is on top.

    A card that can't be on top has weight 0. It is included because people who deal by hand may have built the deck
    differently.
    """
    top, failing_cards = position.stacks[0], position.catalog.failing_cards
    failing = len(position.deck.intersection(failing_cards))
    # The total weights of the disasters and of the systems-failing cards have the ratio top.disasters : top.failing.
    disaster_weight = top.disasters * max(1, failing)
    failing_weight = top.failing * max(1, len(position.deck) - failing)
    return {card: failing_weight if card in failing_cards else disaster_weight for card in sorted(position.deck)}
