"""The legal moves of Commute, and the reasons why other moves are refused.

Law: pure. To ensure that they agree, `refusal` and `legal_moves` both use `playable_cards`, the ends of walks and the
open question. A refusal tells a seat only what the seat may know.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from companion.games.commute.chance import next_chance_move, private_reports
from companion.games.commute.display_names import card_name
from companion.games.commute.moves import Bump, Choose, OptionId, SpaceId, Travel
from companion.games.commute.position import Position
from companion.games.commute.position_parts import Question
from companion.games.commute.possible_faces import possible_faces
from companion.games.commute.reachability import WalkEnds, walk_ends
from companion.games.commute.suits_and_ranks import DECK, UNSEEN, VALUES, CardId
from companion.games.rules import HOUSE, HouseMove, Move, Seat
from companion.text.messages import PlayerName, Text, TextLike, _, joined


def playable_cards(position: Position, seat: Seat) -> tuple[str, ...]:
    """The faces of the cards that a seat may play. A "?" card may be played as any face that it could have, as far as
    its holder knows."""
    hand = position.hands[seat]
    if UNSEEN not in hand:
        return hand
    faces = possible_faces(position, seat).union(hand)
    return tuple(card for card in DECK if card in faces)


def walk_ends_of(position: Position, seat: Seat) -> WalkEnds:
    """The spaces that this seat's piece can reach: one tuple of spaces for each card value, from 1 up."""
    closed = frozenset(closure.line for closure in position.closures)
    return walk_ends(position.board, position.goal(seat), closed, position.locations[seat])


def destinations(position: Position, seat: Seat, card: str) -> tuple[str, ...]:
    """The spaces to which a card can take the piece of `seat`."""
    return walk_ends_of(position, seat)[VALUES[card] - 1]


def legal_moves(position: Position) -> Iterator[Move]:
    """Yields every legal move of the seat that must act, each once. Yields nothing if the house must act or the game is
    over."""
    if (seat := position.turn) is None or seat == HOUSE:
        return
    if question := position.question:
        yield from (_choose(seat, option) for option in question.options)
        return
    create_move, piece = (_bump, position.bump.target) if position.bump else (_travel, seat)
    ends = walk_ends_of(position, piece)
    for card in playable_cards(position, seat):
        for space in ends[VALUES[card] - 1]:
            yield create_move(seat, card, space)


# Moves are cached, because creating them would take most of the time. The caches are limited, because a service runs
# for months.


@lru_cache(maxsize=1 << 14)
def _travel(seat: Seat, card: str, space: str) -> Move:
    return Travel(seat=seat, card=CardId(card), to=SpaceId(space))


@lru_cache(maxsize=1 << 12)
def _bump(seat: Seat, card: str, space: str) -> Move:
    return Bump(seat=seat, card=CardId(card), to=SpaceId(space))


@lru_cache(maxsize=1024)
def _choose(seat: Seat, option: int | str) -> Move:
    return Choose(seat=seat, option=option if isinstance(option, int) else OptionId(option))


def refusal(position: Position, move: Move) -> TextLike | None:
    """The reason why a move is illegal. None if it is legal."""
    if isinstance(move, HouseMove):
        return _house_refusal(position, move)
    question = position.question
    match move:
        case Choose(option=option):
            if question is None:
                return _("There’s nothing to answer right now: {due}.", due=_what_is_due(position))
            return (
                None if option in question.options else _("You can choose {options}.", options=_option_names(question))
            )
        case _ if question:
            return _("Answer the “Uh-Oh!” card first. You can choose {options}.", options=_option_names(question))
        case Travel(seat=seat, card=card, to=to) if not position.bump:
            return _card_refusal(position, seat, seat, card, to)
        case Bump(seat=seat, card=card, to=to) if position.bump:
            return _card_refusal(position, seat, position.bump.target, card, to)
    return _("You can’t do that now: {due}.", due=_what_is_due(position))


def _what_is_due(position: Position) -> Text:
    """A clause that says what must be done now: a player must travel, or must send another player on."""
    if position.bump:
        name, target = map(PlayerName, (position.bump.seat, position.bump.target))
        return _("{name} must send {target} on with a card", name=name, target=target)
    return _("{name} must travel with a card", name=PlayerName(position.active_player))


def _option_names(question: Question) -> TextLike:
    """The possible answers to a question, separated by commas. Players are given by name."""
    are_seats = question.kind in ("partner", "skip")
    return joined(", ", (PlayerName(int(option)) if are_seats else str(option) for option in question.options))


def _card_refusal(position: Position, seat: Seat, target: Seat, card: str, to: str) -> Text | None:
    """The reason why `seat` can't play `card` to move the piece of `target` to the space `to`. None if it can."""
    cards = playable_cards(position, seat)
    if card not in cards:
        return _not_playable(card, cards if UNSEEN not in position.hands[seat] else ())
    spaces = destinations(position, target, card)
    if to in spaces:
        return None
    reached, name = ", ".join(spaces), card_name(card)
    if seat == target:
        return _("The {card} doesn’t take you to {space}. It reaches {spaces}.", card=name, space=to, spaces=reached)
    return _(
        "The {card} doesn’t take {name} to {space}. It reaches {spaces}.",
        card=name,
        name=PlayerName(target),
        space=to,
        spaces=reached,
    )


def _not_playable(card: str, cards: tuple[str, ...]) -> Text:
    """The refusal of a card that is not in the seat's hand. The message lists the playable `cards`. If the hand
    contains unknown cards ("?"), `cards` is empty and the message lists none."""
    if not cards:
        return _("You don’t have the {card}. Play another card.", card=card_name(card))
    return _("You don’t have the {card}. You can play {cards}.", card=card_name(card), cards=_card_names(cards))


def _card_names(cards: tuple[str, ...]) -> TextLike:
    return joined(", ", map(card_name, cards))


def _house_refusal(position: Position, move: HouseMove) -> Text | None:
    """The reason why the house can't make this move now. None if it can."""
    due = next_chance_move(position)
    refused = due.refusal(move) if due else None
    if refused and due and due.seat is not None and move in private_reports(position, due.seat):
        return None
    return refused
