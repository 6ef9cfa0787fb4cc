"""The effects of the moves of Systems Failing: actions, draws, repairs, surges, damage and revealed cards.

Law: pure; functions return the position afterwards. The legality of a move has been checked before.
"""

from __future__ import annotations

from typing import Any

from companion.games.rules import Move, Seat
from companion.games.systems_failing import chance, phases
from companion.games.systems_failing.cube_multiset import ONE_CUBE, WHITE, Cubes, cubes_of
from companion.games.systems_failing.moves import (
    Advance,
    DealRole,
    Discard,
    Draw,
    EndTurn,
    Repair,
    Return,
    Reveal,
    Scavenge,
    Transfer,
)
from companion.games.systems_failing.position import P
from companion.games.systems_failing.position_parts import CUBES_PER_SCAVENGE, MAX_CARDS_PER_ZONE, CardInPlay, Stack


def apply_move(position: P, move: Move) -> P:
    """The position right after a legal move, before `phases.advance` takes the automatic steps that follow."""
    match move:
        case Scavenge():
            return _spend_action(position, draws_left=CUBES_PER_SCAVENGE)
        case Transfer(color=color):
            return _transfer(_spend_action(position), color)
        case Repair():
            return _repair(_spend_action(position), move)
        case Discard():
            return _return_to_bag(_spend_action(position), position.pools[position.active_player])
        case Return(cubes=cubes):
            return _return_to_bag(position, cubes_of(cubes))
        case EndTurn():
            return position.replace(actions_left=0)
        case Draw(to=to, cube=cube):
            return _draw(position, to, cube)
        case Reveal(card=card):
            return _reveal(position, card)
        case DealRole(to=to, role=role):
            return position.replace(roles=(role, position.roles[1]) if to == 0 else (position.roles[0], role))
        case Advance():
            return _shift_disasters(position)
    raise AssertionError(f"{move} is not a move of Systems Failing")


def _spend_action(position: P, **changes: Any) -> P:
    """The position after the active player has used an action, with `changes` to other fields."""
    return position.replace(actions_left=position.actions_left - 1, **changes)


def _transfer(position: P, color: str) -> P:
    """The position after the active player has taken a cube from the other player's pool."""
    taker, giver = position.active_player, Seat(1 - position.active_player)
    return _with_cube_added(position.with_pool(giver, position.pools[giver] - ONE_CUBE[color]), taker, color)


def _with_cube_added(position: P, seat: Seat, color: str) -> P:
    """The position with one more cube in the pool of a seat."""
    return position.with_pool(seat, position.pools[seat] + ONE_CUBE[color])


def _return_to_bag(position: P, cubes: Cubes) -> P:
    """The position after the active player has returned cubes from the pool to the bag."""
    seat = position.active_player
    return position.with_pool(seat, position.pools[seat] - cubes).replace(bag=position.bag + cubes)


def _draw(position: P, seat: Seat, cube: str) -> P:
    """The position after a cube has been drawn for a seat. A white cube goes on top of the disaster deck and causes a
    surge. Any other cube joins the seat's pool."""
    after = position.replace(bag=position.bag - ONE_CUBE[cube], draws_left=max(0, position.draws_left - 1))
    if cube == WHITE:
        after = _surge_by_white_cube(after.replace(whites_on_deck=position.whites_on_deck + 1))
    else:
        after = _with_cube_added(after, seat, cube)
    # A surge may have returned cubes to the bag. If the bag is still empty, no second cube is drawn.
    return after if after.bag else after.replace(draws_left=0)


def _repair(position: P, move: Repair) -> P:
    """The position after the active player has put cubes on a card. A card is repaired once it has all its cubes. A
    repaired escape sequence leaves play at once. A repaired disaster leaves play as soon as it is on top of its
    zone."""
    card, cubes, seat = position.card_in_play(move.card), cubes_of(move.cubes), position.active_player
    assert card
    after = position.with_pool(seat, position.pools[seat] - cubes)
    changed = CardInPlay(card.card, card.cubes + cubes)
    is_repaired = move.ability or not after.missing_cubes(changed)
    if card is position.active_escape:
        return _remove_escape(after, changed) if is_repaired else after.replace(active_escape=changed)
    number = next(n for n, zone in enumerate(position.zones, 1) if card in zone)
    zone = tuple(changed if other is card else other for other in position.zones[number - 1])
    if move.ability:
        return _remove_repaired(_with_discarded(after.with_zone(number, zone[1:]), changed), number)
    return _remove_repaired(after.with_zone(number, zone), number)


def _remove_escape(position: P, card: CardInPlay) -> P:
    """The position after a repaired escape sequence has left play and its cubes have returned to the bag. If it was the
    last escape sequence, the game is won."""
    repaired = (*position.repaired_escapes, (card.card, position.active_player))
    after = position.replace(active_escape=None, repaired_escapes=repaired, bag=position.bag + card.cubes)
    return after if position.escape_deck else after.replace(end_cause="escape")


def _remove_repaired(position: P, number: int) -> P:
    """The position after the repaired disasters on top of zone `number` have been discarded, down to the first disaster
    that is not repaired."""
    while (zone := position.zones[number - 1]) and not position.missing_cubes(zone[0]):
        position = _with_discarded(position.with_zone(number, zone[1:]), zone[0])
    return position


def _with_discarded(position: P, card: CardInPlay) -> P:
    """The position with a disaster on the discard pile and its cubes back in the bag. The disaster must already have
    been removed from its zone."""
    return position.replace(discard=(*position.discard, card.card), bag=position.bag + card.cubes)


def _surge_by_white_cube(position: P) -> P:
    """The position after the surge that a white cube causes. The rightmost zone with a disaster surges. Nothing happens
    if there is no disaster."""
    number = next((n for n in (3, 2, 1) if position.zones[n - 1]), None)
    return _surge(position, number) if number else position


def _surge(position: P, number: int) -> P:
    """The position after zone `number` has surged. Its bottom disaster moves to the top of the zone on the left or,
    from zone 1, into the core. The cubes on the disaster return to the bag."""
    *rest, bottom = position.zones[number - 1]
    after = position.with_zone(number, tuple(rest)).replace(bag=position.bag + bottom.cubes)
    return _hit_core(after, CardInPlay(bottom.card)) if number == 1 else _add_to_zone(after, number - 1, bottom.card)


def _add_to_zone(position: P, number: int, card: str) -> P:
    """The position after a disaster has been put on top of zone `number`. If the zone then has more than three
    disasters, it surges."""
    after = position.with_zone(number, (CardInPlay(card), *position.zones[number - 1]))
    return _surge(after, number) if len(after.zones[number - 1]) > MAX_CARDS_PER_ZONE else after


def _hit_core(position: P, *cards: CardInPlay) -> P:
    """The position after disasters have reached the core. Each adds its damage and is discarded. The game is lost when
    the damage reaches its limit."""
    limit = position.catalog.damage_limit
    damage = position.damage + sum(position.catalog.disasters[card.card].damage for card in cards)
    for card in cards:
        position = _with_discarded(position, card)
    return position.replace(damage=damage) if damage < limit else position.replace(damage=limit, end_cause="damage")


def _shift_disasters(position: P) -> P:
    """The position after all disasters have moved one zone to the left, or from zone 1 into the core. Repaired
    disasters that lie under others move too. The white cubes on the deck have returned to the bag, and the appear phase
    has begun."""
    core, second, third = position.zones
    bag = position.bag + Cubes({WHITE: position.whites_on_deck})
    shifted = position.replace(zones=(second, third, ()), whites_on_deck=0, bag=bag)
    return phases.begin_appear(_hit_core(shifted, *core))


def _reveal(position: P, card: str) -> P:
    """The position after a card has been revealed. An escape sequence becomes the active one. A disaster goes to its
    zone. A systems-failing card raises the stability meter. If the deck is then empty, the discards become the deck."""
    if card in position.escape_deck:
        return position.replace(escape_deck=position.escape_deck - {card}, active_escape=CardInPlay(card))
    is_failing = card in position.catalog.failing_cards
    stacks = chance.stacks_without(position.stacks, is_failing=is_failing)
    after = position.replace(deck=position.deck - {card}, stacks=stacks)
    if position.phase == "setup":
        return phases.add_starting_disaster(after, card)
    if is_failing:
        after = _raise_stability(after, card)
    else:
        due = position.disasters_due - 1
        after = _add_to_zone(after.replace(disasters_due=due), position.catalog.disasters[card].zone, card)
    return after if after.is_over or after.deck else _reshuffle(after)


def _raise_stability(position: P, card: str) -> P:
    """The position after a systems-failing card has been revealed. The card is discarded, stability rises by one, and a
    white cube joins the bag. The game is lost when stability reaches its limit."""
    after = position.replace(stability=position.stability + 1, discard=(*position.discard, card))
    if after.stability >= position.catalog.stability_limit:
        return after.replace(end_cause="stability")
    return after.replace(bag=position.bag + ONE_CUBE[WHITE])


def _reshuffle(position: P) -> P:
    """The position after the discards have been shuffled and have become the deck, in a single stack."""
    failing = sum(card in position.catalog.failing_cards for card in position.discard)
    stack = Stack(len(position.discard) - failing, failing)
    return position.replace(deck=frozenset(position.discard), stacks=(stack,), discard=())
