"""The phases of a game of Systems Failing: the set-up, then rounds of four phases.

Law: pure.
"""

from __future__ import annotations

from companion.games.rules import Seat
from companion.games.systems_failing import chance
from companion.games.systems_failing.cube_multiset import WHITE, Cubes
from companion.games.systems_failing.position import P
from companion.games.systems_failing.position_parts import ACTIONS_PER_TURN, CardInPlay, StartingDisasters


def advance(position: P) -> P:
    """Takes all automatic steps, such as the end of a turn. Returns the first position in which a seat or the house
    must act or the game is over. Phases in which there is nothing to do are skipped."""
    while not position.is_over and (after := _step(position)) is not position:
        position = after
    return position


def _step(position: P) -> P:
    """The position after one automatic step. Returns `position` itself if a seat or the house must act in it."""
    match position.phase:
        case "setup":
            return _step_setup(position)
        case "actions" if _is_turn_over(position):
            return _end_turn(position)
        case "stock_up" if chance.drawing_seat(position) is None:
            return position.replace(phase="advance")
        case "appear" if not position.disasters_due or not position.deck:
            return _begin_round(position.replace(round=position.round + 1))
    return position


def _is_turn_over(position: P) -> bool:
    """Whether the active player has no actions left and the last action is complete. It is complete when no cubes must
    be drawn or returned, and an escape sequence is face up."""
    if position.actions_left or position.draws_left or not position.active_escape:
        return False
    return not position.cubes_to_return


def _begin_round(position: P) -> P:
    """The position at the beginning of a round. The first player has the first turn."""
    return position.replace(phase="actions", actions_left=ACTIONS_PER_TURN, active_player=position.first_player)


def _end_turn(position: P) -> P:
    """Gives the turn to the second player. After both turns, passes the first player marker on and begins the stock-up
    phase."""
    second = Seat(1 - position.first_player)
    if position.active_player == position.first_player:
        return position.replace(active_player=second, actions_left=ACTIONS_PER_TURN)
    return position.replace(phase="stock_up", first_player=second)


def begin_appear(position: P) -> P:
    """Begins the appear phase. The number of new disasters is read off the meter card now. If the meters change during
    this phase, the change counts only from the next round on."""
    return position.replace(phase="appear", disasters_due=position.region.draws)


def _step_setup(position: P) -> P:
    """The position after one automatic step of the set-up. Returns `position` itself if the house must deal. White
    cubes join the bag after the first hands have been drawn. Round 1 begins when all starting disasters are in their
    zones."""
    if not position.active_escape or None in position.roles or chance.drawing_seat(position) is not None:
        return position
    whites = position.catalog.whites_at_zero + position.stability
    if position.bag[WHITE] < whites:  # White cubes join the bag right after the last cube of the first hands.
        return position.replace(bag=position.bag + Cubes({WHITE: whites}))
    if position.starting_disasters.zones:
        return position
    return _begin_round(_build_deck(position))


def add_starting_disaster(position: P, card: str) -> P:
    """Puts a starting disaster into its zone. If it replaces one that was set aside, it takes the place of that
    disaster. Otherwise it goes on top of the zone."""
    starting = position.starting_disasters
    number = starting.zones[0]
    zone, index = position.zones[number - 1], starting.replaced_index or 0
    after = position.with_zone(number, (*zone[:index], CardInPlay(card), *zone[index:]))
    left = StartingDisasters(starting.zones[1:], set_aside=starting.set_aside)
    after = after.replace(starting_disasters=left)
    return after if left.zones else _replace_mild_start(after)


def _replace_mild_start(position: P) -> P:
    """Sets one of the starting disasters aside if their total damage is lower than the rules demand. It is the disaster
    with the least damage. If there is a tie, it is the topmost one in the lowest-numbered zone. Another disaster then
    replaces it."""
    cards = [
        (position.catalog.disasters[card.card].damage, number, index)
        for number, zone in enumerate(position.zones, 1)
        for index, card in enumerate(zone)
    ]
    if sum(damage for damage, _, _ in cards) >= position.catalog.min_start_damage:
        return position
    _, number, index = min(cards)
    zone = position.zones[number - 1]
    after = position.with_zone(number, (*zone[:index], *zone[index + 1 :]))
    set_aside = (*position.starting_disasters.set_aside, zone[index].card)
    return after.replace(starting_disasters=StartingDisasters((number,), index, set_aside))


def _build_deck(position: P) -> P:
    """Builds the deck from the systems-failing cards and all disasters that are not in play, including those that were
    set aside."""
    disasters, failing_cards = (
        position.deck.union(position.starting_disasters.set_aside),
        position.catalog.failing_cards,
    )
    stacks = chance.initial_stacks(len(disasters), len(failing_cards))
    return position.replace(deck=disasters | set(failing_cards), stacks=stacks, starting_disasters=StartingDisasters())
