"""What the rules of System WON allow.

Law: pure. `barred` is the one place that says what is legal: `legal_moves` lists what it lets pass. A move that is
made must besides say, truly as far as its player may know, what the unseen cards are that it touches (`unsaid`).

No refusal names a card that its player may not know, or depends on one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, permutations
from typing import TYPE_CHECKING

from companion.games.rules import HOUSE, HouseMove, Move, Seat
from companion.games.system_won import chance
from companion.games.system_won.catalog import RANKS
from companion.games.system_won.contradictions import contradiction
from companion.games.system_won.hidden_cards import believed, could_match, matches, turned_up
from companion.games.system_won.knowledge import UNKNOWN, Hand
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
    SeatMove,
    Skip,
    Specify,
    SpecifyTwo,
    Undo,
)
from companion.text.translation import _

if TYPE_CHECKING:
    from companion.games.system_won.rules import State

USES: Mapping[str, type[Ability]] = {kind.__dict__["use"]: kind for kind in MOVES if issubclass(kind, Ability)}


def refusal(state: State, move: Move) -> str | None:
    """Why the rules don't allow a move whose turn it is, or None if they do."""
    if isinstance(move, HouseMove):
        return chance.refusal(state, move)
    assert isinstance(move, SeatMove)
    return barred(state, move) or unsaid(state, move)


def barred(state: State, move: SeatMove) -> str | None:
    """Why a seat may not do this now, whatever the cards are that nobody has seen."""
    if isinstance(move, Ability) and (refused := _refuse_role(state, move)):
        return refused
    match move:
        case Specify() if not state.specifications:
            return _("No specification is face up: discard or play a card, a discard turns one up.")
        case Specify(seat=seat):
            return _refuse_hint(state, seat, move)
        case SpecifyTwo(seat=seat, hints=hints):
            return _refuse_hints(state, seat, hints)
        case Discard(seat=seat, slot=slot) | Play(seat=seat, slot=slot):
            return _refuse_slots(state.hands[seat], (slot,))
        case PlayTwo(seat=seat, slots=slots):
            return _("Name two slots of your hand.") if len(slots) != 2 else _refuse_slots(state.hands[seat], slots)
        case PlayOther(seat=seat, target=target) if seat == target:
            return _("Play another player's card with this, not your own.")
        case PlayOther(target=target, slot=slot):
            return _refuse_slots(state.hands[target], (slot,))
        case Arrange(seat=seat, order=order) if sorted(order) != [*range(len(state.hands[seat]))]:
            return _("An arrangement names each slot of your hand once.")
    return _refuse_rest(state, move)


def _refuse_rest(state: State, move: Move) -> str | None:
    """The abilities that touch no hand."""
    match move:
        case Restore() if state.specifications == state.cards.specifications:
            return _("All specifications are face up already.")
        case Recycle() if not state.discard:
            return _("The discard pile is empty, nothing can be shuffled back.")
        case Skip(count=count) if count < 1:
            return _("Skip one player or more.")
        case PlayFromDiscard(card=card) if card not in state.discard:
            return _("There is no {card} in the discard pile.", card=card)
        case PlayFromErrors(card=card) if card not in state.errors:
            return _("There is no {card} in the error pile.", card=card)
        case Undo() if not state.past:
            return _("No turn has been taken that could be undone.")
    return None


def _refuse_role(state: State, move: Ability) -> str | None:
    """ "Each player is dealt a role card with an ability that may be used ONE TIME ONLY." """
    if state.roles is None:
        return _("This game is played without roles.")
    role = state.cards.roles[state.roles[move.seat] or ""]
    if move.use not in role.abilities:
        holder = state.cards.role_with(move.use)
        return _("Only {role} may do that.", role=_(holder.title)) if holder else _("No role may do that in this game.")
    if role.id in state.used:
        return _("{role} has been used already: each role is used once.", role=_(role.title))
    return None


def _refuse_slots(hand: Hand, slots: Sequence[int]) -> str | None:
    if slots and not 0 <= min(slots) <= max(slots) < len(hand):
        return _("The hand has slots 0 to {last}.", last=len(hand) - 1) if hand else _("The hand is empty.")
    return _("A card is named twice; name each once.") if len(set(slots)) < len(slots) else None


def _refuse_hint(state: State, seat: Seat, *hints: Hint) -> str | None:
    for hint in hints:
        if hint.target == seat:
            return _("Specify another player's cards, not your own.")
        if hint.rank is not None and hint.rank not in RANKS:
            return _("A rank is {lowest} to {highest}.", lowest=RANKS[0], highest=RANKS[-1])
    if could_match(state, seat, hints):
        return None
    return _("A specification must point at one card at least; none matches.")


def _refuse_hints(state: State, seat: Seat, hints: Sequence[Hint]) -> str | None:
    if len(hints) != 2:
        return _("Specify exactly two pieces of information.")
    if len({(hint.target, hint.said) for hint in hints}) < 2:
        return _("The two pieces of information must differ.")
    return _refuse_hint(state, seat, *hints)


# What a move must say of unseen cards -----------------------------------------------------------------


def unsaid(state: State, move: SeatMove) -> str | None:
    """Why what a move says of cards that nobody has seen will not do."""
    match move:
        case Specify():
            hints: Sequence[Hint] = (move,)
        case SpecifyTwo():
            hints = move.hints
        case _:
            hints = ()
    for hint in hints:
        if refused := _refuse_pointing(state, hint):
            return refused
    if any(face is None for _seat, _slot, face in turned_up(state, move)):
        return _("Nobody has seen that card yet: say which it is.")
    if believed(state, move.seat, move):
        return None
    return contradiction(state, move.seat, move)


def _refuse_pointing(state: State, hint: Hint) -> str | None:
    """ "A player must give complete information": the known cards that match, and no other known ones."""
    hand = state.hands[hint.target]
    sure = matches(state.cards, hand, hint.said)
    unseen = {slot for slot, held in enumerate(hand) if held.face == UNKNOWN}
    if hint.slots is None:
        return _("Nobody has seen all of these cards: say which of them you point at.") if unseen else None
    if refused := _refuse_slots(hand, hint.slots):
        return refused
    if {*hint.slots} - unseen != {*sure}:
        return _("Point at all cards that match, and at no others.")
    return None if hint.slots else _("A specification must point at one card at least.")


# The legal moves --------------------------------------------------------------------------------------


def legal_moves(state: State) -> Iterator[Move]:
    """Every legal move of the seats that may act now, each once; but for the ways to arrange a hand."""
    if state.turn in (HOUSE, None):
        return
    for move in _candidates(state):
        if barred(state, move) is None:
            yield move


def _candidates(state: State) -> Iterator[SeatMove]:
    """Whatever could be said on this turn, and at any time."""
    player = state.player
    yield from _specifications(state, player)
    for slot in range(len(state.hands[player])):
        yield _discard(player, slot)
        yield _play(player, slot)
    for seat, role in enumerate(state.roles or ()):
        if role and role not in state.used:
            for use in state.cards.roles[role].abilities:
                if seat == player or USES[use].ANY_TIME:
                    yield from _uses(state, Seat(seat), use)


def _specifications(state: State, seat: Seat) -> Iterator[Specify]:
    for target in _others(state, seat):
        for color in state.cards.colors:
            yield _specify_color(seat, target, color)
        for rank in RANKS:
            yield _specify_rank(seat, target, rank)


def _others(state: State, seat: Seat) -> list[Seat]:
    return [Seat(other) for other in range(len(state.hands)) if other != seat]


def _uses(state: State, seat: Seat, use: str) -> Iterator[SeatMove]:
    """The ways to use an ability."""
    match use:
        case SpecifyTwo.use:
            every = [m for m in _specifications(state, seat) if not _refuse_hint(state, seat, m)]
            hints = (Hint(target=one.target, color=one.color, rank=one.rank) for one in every)
            yield from (SpecifyTwo(seat=seat, hints=pair) for pair in combinations(hints, 2))
        case PlayTwo.use:
            slots = range(len(state.hands[seat]))
            yield from (PlayTwo(seat=seat, slots=pair) for pair in permutations(slots, 2))
        case PlayOther.use:
            for target in _others(state, seat):
                yield from (PlayOther(seat=seat, target=target, slot=n) for n in range(len(state.hands[target])))
        case ExtraTurn.use:
            yield from (ExtraTurn(seat=seat, target=Seat(target)) for target in range(len(state.hands)))
        case Skip.use:
            yield from (Skip(seat=seat, count=count) for count in range(1, len(state.hands) + 1))
        case PlayFromDiscard.use:
            yield from (PlayFromDiscard(seat=seat, card=Face(card)) for card in dict.fromkeys(state.discard))
        case PlayFromErrors.use:
            yield from (PlayFromErrors(seat=seat, card=Face(card)) for card in dict.fromkeys(state.errors))
        case Restore.use:
            yield Restore(seat=seat)
        case Recycle.use:
            yield Recycle(seat=seat)
        case Undo.use:
            yield Undo(seat=seat)


# The commonest moves are made once.


@cache
def _specify_color(seat: Seat, target: Seat, color: str) -> Specify:
    return Specify(seat=seat, target=target, color=Color(color))


@cache
def _specify_rank(seat: Seat, target: Seat, rank: int) -> Specify:
    return Specify(seat=seat, target=target, rank=rank)


@cache
def _discard(seat: Seat, slot: int) -> Discard:
    return Discard(seat=seat, slot=slot)


@cache
def _play(seat: Seat, slot: int) -> Play:
    return Play(seat=seat, slot=slot)
