"""The resolution of "Uh-Oh!" cards: applies their effects to a position.

Law: pure. `Position.uh_oh.tasks` holds the remaining tasks, the next one first. `resolve_next` performs a task that
needs no answer. `apply_answer` applies a seat's answer, and `add_swap_card` adds a card that a seat or the house has
selected.
"""

from __future__ import annotations

from dataclasses import replace

from companion.games.commute.position import P, Position
from companion.games.commute.position_parts import Closure, EffectTask, SwapTask, UhOhTask
from companion.games.commute.position_updates import with_hand, with_minutes_added, with_skips_added, with_uh_oh
from companion.games.commute.possible_faces import after_face_down_gift
from companion.games.commute.seat_order import seats_under_way
from companion.games.commute.suits_and_ranks import UNSEEN
from companion.games.commute.uh_oh_effect_types import (
    AllOf,
    AtStation,
    ByCommute,
    Choice,
    CloseLine,
    Effect,
    Minutes,
    Reputation,
    SkipTurn,
    Swap,
)
from companion.games.rules import Seat


def resolve_next(position: P) -> P:
    """The position after the next task. Returns the object `position` itself if the task waits for an answer or for a
    random card."""
    match position.uh_oh.tasks[0]:
        case EffectTask(seat=seat, effect=effect) if not position.question:
            return _apply_effect(_with_next_task_replaced(position), seat, effect)
    return position


def _with_next_task_replaced(position: P, *tasks: UhOhTask) -> P:
    """The position with the next task replaced by `tasks`, of which there may be any number, including none."""
    return with_uh_oh(position, tasks=(*tasks, *position.uh_oh.tasks[1:]))


def _with_effects_first(position: P, seat: Seat, *effects: Effect) -> P:
    """The position with a new task for each of `effects`. The new tasks apply to `seat` and come before all other
    tasks."""
    return with_uh_oh(position, tasks=(*(EffectTask(seat, effect) for effect in effects), *position.uh_oh.tasks))


def _apply_effect(position: P, seat: Seat, effect: Effect) -> P:
    """The position after an effect has been applied to a seat or broken up into tasks."""
    match effect:
        case Minutes(amount):
            return with_minutes_added(position, seat, amount)
        case Reputation(amount):
            old = position.reputation
            return position.replace(reputation=(*old[:seat], old[seat] + amount, *old[seat + 1 :]))
        case ByCommute(morning, evening):
            return _with_effects_first(position, seat, morning if position.is_morning else evening)
        case AllOf(effects):
            return _with_effects_first(position, seat, *effects)
        case AtStation():
            return _with_station_effects_first(position, seat, effect)
        case SkipTurn("self"):
            return with_skips_added(position, seat, 1)
    return position  # the effect asks a question that has no possible answer


def _with_station_effects_first(position: P, drawer: Seat, effect: AtStation) -> P:
    """The position with the tasks of an `AtStation` effect added before all others. There is one for each affected
    seat: the drawer's first, then the others' in turn order."""
    seats = seats_under_way(position.replace(active_player=drawer))
    effects = ((seat, effect.then if _is_at_station(position, seat) else effect.otherwise) for seat in seats)
    return with_uh_oh(
        position, tasks=(*(EffectTask(seat, each) for seat, each in effects if each), *position.uh_oh.tasks)
    )


def _is_at_station(position: Position, seat: Seat) -> bool:
    return position.board.spaces[position.locations[seat]].kind == "station"


def apply_answer(position: P, option: int | str) -> P:
    """The position after the open question has been answered with `option`."""
    match position.uh_oh.tasks[0], option:
        case EffectTask(seat=seat, effect=Choice(effects)), int():
            return _with_effects_first(_with_next_task_replaced(position), seat, effects[option])
        case EffectTask(seat=seat, effect=Swap() as swap), int():
            return _with_next_task_replaced(position, SwapTask(seat, Seat(option), swap))
        case EffectTask(effect=SkipTurn()), int():
            return with_skips_added(_with_next_task_replaced(position), Seat(option), 1)
        case EffectTask(seat=seat, effect=CloseLine(turns)), str():
            closures = (*position.closures, Closure(option, seat, turns))
            return _with_next_task_replaced(position).replace(closures=closures)
        case SwapTask(), str():
            return add_swap_card(position, option)
    raise AssertionError(f"{option} does not answer the open question")


def add_swap_card(position: P, card: str) -> P:
    """The position after a card has been selected for the swap. After the second card, the cards change hands, and each
    goes to the end of its new hand."""
    task = position.uh_oh.tasks[0]
    assert isinstance(task, SwapTask)
    if task.given is None:
        return _with_next_task_replaced(position, replace(task, given=card))
    drawer, partner = task.drawer, task.partner
    after = _without_card(_without_card(_with_next_task_replaced(position), drawer, task.given), partner, card)
    after = with_hand(after, drawer, (*after.hands[drawer], card))
    return with_hand(after, partner, (*after.hands[partner], task.given))


def _without_card(position: P, seat: Seat, card: str) -> P:
    """The position after a card has been taken out of the hand of `seat` for a swap."""
    before = after_face_down_gift(position, seat) if card == UNSEEN else position
    return with_hand(before, seat, hand_without(position.hands[seat], card))


def hand_without(hand: tuple[str, ...], card: str) -> tuple[str, ...]:
    """The hand with one copy of a card removed."""
    index = hand.index(card)
    return (*hand[:index], *hand[index + 1 :])
