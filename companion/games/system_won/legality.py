"""The legal moves of System WON, and the reasons why other moves are refused.

Law: pure. `_prohibition` decides which moves the rules allow, and `legal_moves` yields these moves. For speed,
`legal_moves` does not call `_prohibition` for moves that are always allowed. A test checks that the two agree.

Cards may be dealt face down, so that the companion has not seen them. A move that reveals such a card must say which
card it is, and a hint must say which of these cards it points to. `_statement_error` checks whether such a statement
can be true, as far as the player may know.

No refusal names, or depends on, a card that the player may not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, combinations, permutations

from companion.games.rules import HOUSE, UNSEEN, HouseMove, Move, Seat, SeatMove
from companion.games.system_won import chance
from companion.games.system_won.card_knowledge import Hand, HintValue
from companion.games.system_won.catalog import RANKS, catalog
from companion.games.system_won.display_names import face_name
from companion.games.system_won.moves import (
    MOVES,
    Ability,
    Arrange,
    Color,
    Discard,
    ExtraTurn,
    Face,
    Hint,
    Play,
    PlayFromDiscard,
    PlayFromErrors,
    PlayOther,
    PlayTwo,
    Recycle,
    Restore,
    Skip,
    Specify,
    SpecifyTwo,
    Undo,
)
from companion.games.system_won.position import Position
from companion.games.system_won.statement_contradictions import contradiction
from companion.games.system_won.unseen_card_statement_rules import (
    consistent_position,
    has_possible_match,
    matching_slots,
    possible_hint_values,
    revealed_cards,
)
from companion.text.messages import Text, TextLike, _

ABILITY_MOVES: Mapping[str, type[Ability]] = {kind.__dict__["use"]: kind for kind in MOVES if issubclass(kind, Ability)}
"""Maps each ability to the class of the move that uses it."""


def refusal(position: Position, move: Move) -> TextLike | None:
    """The reason why a move is illegal. None if it is legal. The caller must have checked that it is the turn of the
    seat or the house that makes the move, or that the move is allowed at any time."""
    if isinstance(move, HouseMove):
        return chance.refusal(position, move)
    assert isinstance(move, SeatMove)
    return _prohibition(position, move) or _statement_error(position, move)


def _prohibition(position: Position, move: SeatMove) -> TextLike | None:
    """The reason why a seat may not make a move now, whatever the unseen cards are. None if it may."""
    if isinstance(move, Ability) and (refused := _role_refusal(position, move)):
        return refused
    return _effect_refusal(position, move)


def _effect_refusal(position: Position, move: SeatMove) -> TextLike | None:
    """The reason why a move is impossible or has no effect in this position, no matter who makes it. None if there is
    no such reason."""
    match move:
        case Specify() if not position.specifications:
            return _("No specification card is face up. Discard or play a card; a discard turns one face up.")
        case Specify(seat=seat):
            return _hint_refusal(position, seat, move)
        case SpecifyTwo(seat=seat, hints=hints):
            return _two_hints_refusal(position, seat, hints)
        case Discard(seat=seat, slot=slot) | Play(seat=seat, slot=slot):
            return _slot_refusal(position.hands[seat], (slot,))
        case PlayTwo(seat=seat, slots=slots):
            return (
                _("Choose two cards in your hand.") if len(slots) != 2 else _slot_refusal(position.hands[seat], slots)
            )
        case PlayOther(seat=seat, target=target) if seat == target:
            return _("This plays another player’s card, not your own.")
        case PlayOther(target=target, slot=slot):
            return _slot_refusal(position.hands[target], (slot,))
        case Arrange(seat=seat, order=order) if sorted(order) != [*range(len(position.hands[seat]))]:
            return _("Name each card of your hand once.")
    return _other_refusal(position, move)


def _other_refusal(position: Position, move: Move) -> Text | None:
    """The reason why an ability that does not involve a hand may not be used now. None if it may."""
    match move:
        case Restore() if position.specifications == catalog().specifications:
            return _("All specification cards are already face up.")
        case Recycle() if not position.discard:
            return _("The discard pile is empty, so nothing can be shuffled back.")
        case Skip(count=count) if count < 1:
            return _("Skip at least one player.")
        case PlayFromDiscard(card=card) if card not in position.discard:
            return _("There’s no {card} in the discard pile.", card=face_name(card))
        case PlayFromErrors(card=card) if card not in position.errors:
            return _("There’s no {card} in the error pile.", card=face_name(card))
        case Undo() if not position.undo_position:
            return _("There’s no turn to undo yet.")
    return None


def _role_refusal(position: Position, move: Ability) -> Text | None:
    """The reason why a seat may not use an ability. None if it may. The ability must belong to the seat's own role, and
    each role may use one ability, once in the game."""
    if position.roles is None:
        return _("This game is played without roles.")
    role = catalog().roles[position.roles[move.seat] or ""]
    if move.use not in role.abilities:
        holder = catalog().role_by_ability.get(move.use)
        return (
            _("Only the {role} can do that.", role=_(holder.title))
            if holder
            else _("No role in this game can do that.")
        )
    if role.id in position.used_roles:
        return _("{role} has already been used. Each role works once.", role=_(role.title))
    return None


def _slot_refusal(hand: Hand, slots: Sequence[int]) -> Text | None:
    """The reason why `slots` do not name cards of a hand. None if they do. Each must be a slot of the hand, and none
    may be named twice."""
    for slot in slots:
        if not 0 <= slot < len(hand):
            return _("The hand has slots 0 to {last}.", last=len(hand) - 1) if hand else _("The hand is empty.")
    is_repeated = len(slots) > 1 and len(set(slots)) < len(slots)
    return _("You chose a card twice. Choose each one once.") if is_repeated else None


def _hint_refusal(position: Position, seat: Seat, *hints: Hint) -> Text | None:
    """The reason why a seat may not give these hints. None if it may. Each hint must be about another player's hand and
    must match at least one card, as far as the seat knows."""
    for hint in hints:
        if hint.target == seat:
            return _("Give hints about another player’s cards, not your own.")
        if hint.rank is not None and hint.rank not in RANKS:
            return _("A rank is {lowest} to {highest}.", lowest=RANKS[0], highest=RANKS[-1])
    if has_possible_match(position, seat, hints):
        return None
    return _("A hint must match at least one card. None matches.")


def _two_hints_refusal(position: Position, seat: Seat, hints: Sequence[Hint]) -> Text | None:
    """The reason why a seat may not give these hints with `SpecifyTwo`. None if it may. There must be two hints, and
    they must differ."""
    if len(hints) != 2:
        return _("Give exactly two hints.")
    if len({(hint.target, hint.value) for hint in hints}) < 2:
        return _("The two hints must differ.")
    return _hint_refusal(position, seat, *hints)


def _statement_error(position: Position, move: SeatMove) -> TextLike | None:
    """The reason why a move's statement about unseen cards is incomplete or can't be true. None if the statement is
    complete and can be true."""
    match move:
        case Specify():
            hints: Sequence[Hint] = (move,)
        case SpecifyTwo():
            hints = move.hints
        case _:
            hints = ()
    for hint in hints:
        if refused := _pointing_refusal(position, hint):
            return refused
    if not position.unseen_in_hands:
        return None
    if any(card.face is None for card in revealed_cards(position, move)):
        return _("Nobody has seen that card yet. Enter which one it is.")
    if consistent_position(position, move.seat, move):
        return None
    return contradiction(position, move.seat, move)


def _pointing_refusal(position: Position, hint: Hint) -> Text | None:
    """The reason why the slots named by a hint are missing or wrong. None if they are right. A hint must point at all
    known cards that match, and at no other known cards."""
    hand = position.hands[hint.target]
    unseen = {slot for slot, card in enumerate(hand) if card.face == UNSEEN}
    if hint.slots is None:
        return _("Nobody has seen all of these cards. Enter which of them you point at.") if unseen else None
    if refused := _slot_refusal(hand, hint.slots):
        return refused
    if {*hint.slots} - unseen != {*matching_slots(hand, hint.value)}:
        return _("Point at every card that matches, and at no others.")
    return None if hint.slots else _("A hint must match at least one card.")


def legal_moves(position: Position) -> Iterator[Move]:
    """All legal moves of the seats that may act now, except `Arrange` moves."""
    if position.turn in (HOUSE, None):
        return iter(())
    player = position.active_player
    hints = _possible_hints(position, player) if position.specifications else ()
    return chain(hints, _discards_and_plays(player, len(position.hands[player])), _legal_ability_moves(position))


def _legal_ability_moves(position: Position) -> Iterator[SeatMove]:
    """Yields the legal moves that use the abilities of roles."""
    for seat, role in enumerate(position.roles or ()):
        if role and role not in position.used_roles:
            for ability in catalog().roles[role].abilities:
                if seat == position.active_player or ABILITY_MOVES[ability].ANY_TIME:
                    yield from _moves_with_ability(position, Seat(seat), ability)


def _possible_hints(position: Position, seat: Seat) -> tuple[Specify, ...]:
    """The hints that `seat` could give if a specification card were face up."""
    moves: tuple[Specify, ...] = ()
    for target in _other_seats(len(position.hands), seat):
        moves += _hints(seat, target, possible_hint_values(position.hands[target]))
    if position.unseen_in_hands:
        return tuple(move for move in moves if not _hint_refusal(position, seat, move))
    return moves


@cache
def _other_seats(count: int, seat: Seat) -> tuple[Seat, ...]:
    """All seats but `seat`, in a game with `count` seats."""
    return tuple(Seat(other) for other in range(count) if other != seat)


def _moves_with_ability(position: Position, seat: Seat, ability: str) -> Iterable[SeatMove]:
    """The legal moves of `seat` that use this ability of its role."""
    match ability:
        case SpecifyTwo.use:
            pairs = _pairs_of_hints(seat, _possible_hints(position, seat))
            return _possible(position, *pairs) if position.unseen_in_hands else pairs
        case PlayTwo.use:
            return _plays_of_two(seat, len(position.hands[seat]))
        case PlayOther.use:
            targets = _other_seats(len(position.hands), seat)
            return chain.from_iterable(_plays_of_other(seat, each, len(position.hands[each])) for each in targets)
        case ExtraTurn.use:
            return (ExtraTurn(seat=seat, target=Seat(target)) for target in range(len(position.hands)))
        case Skip.use:
            return (Skip(seat=seat, count=count) for count in range(1, len(position.hands) + 1))
        case PlayFromDiscard.use:
            return (PlayFromDiscard(seat=seat, card=Face(card)) for card in dict.fromkeys(position.discard))
        case PlayFromErrors.use:
            return (PlayFromErrors(seat=seat, card=Face(card)) for card in dict.fromkeys(position.errors))
        case Restore.use:
            return _possible(position, Restore(seat=seat))
        case Recycle.use:
            return _possible(position, Recycle(seat=seat))
        case Undo.use:
            return _possible(position, Undo(seat=seat))
    raise AssertionError(f"{ability} is not an ability in System WON")


def _possible(position: Position, *moves: SeatMove) -> list[SeatMove]:
    """Those of `moves` that are possible and have an effect in this position."""
    return [move for move in moves if _effect_refusal(position, move) is None]


# The most frequent moves are made once and cached.


@lru_cache(maxsize=1 << 12)
def _hints(seat: Seat, target: Seat, values: frozenset[HintValue]) -> tuple[Specify, ...]:
    """The hints from `seat` to `target` that name one of `values`."""
    colors = [Specify(seat=seat, target=target, color=Color(color)) for color in catalog().colors if color in values]
    return (*colors, *(Specify(seat=seat, target=target, rank=rank) for rank in RANKS if rank in values))


@cache
def _discards_and_plays(seat: Seat, hand_size: int) -> tuple[SeatMove, ...]:
    """All discards and plays of a seat that holds `hand_size` cards."""
    kinds: tuple[type[Discard | Play], ...] = (Discard, Play)
    return tuple(kind(seat=seat, slot=slot) for slot in range(hand_size) for kind in kinds)


@lru_cache(maxsize=1 << 12)
def _pairs_of_hints(seat: Seat, single: tuple[Specify, ...]) -> tuple[SpecifyTwo, ...]:
    """The moves that give two of the hints in `single`."""
    hints = (Hint(target=move.target, color=move.color, rank=move.rank) for move in single)
    return tuple(SpecifyTwo(seat=seat, hints=pair) for pair in combinations(hints, 2))


@cache
def _plays_of_two(seat: Seat, hand_size: int) -> tuple[PlayTwo, ...]:
    """The moves that play two cards of a hand of `hand_size` cards."""
    return tuple(PlayTwo(seat=seat, slots=pair) for pair in permutations(range(hand_size), 2))


@cache
def _plays_of_other(seat: Seat, target: Seat, hand_size: int) -> tuple[PlayOther, ...]:
    """The moves of `seat` that play a card of `target`, who holds `hand_size` cards."""
    return tuple(PlayOther(seat=seat, target=target, slot=slot) for slot in range(hand_size))
