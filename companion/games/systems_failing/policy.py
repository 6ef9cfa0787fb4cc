"""A careful policy for Systems Failing, for playouts. It uses only what its seat knows about the position.

Before each action, it plans the rest of the round (`round_planner`) and then does its part of the plan. Spare actions
are first used to scavenge, because more cubes allow a better plan. The last spare actions put cubes on cards, where
they stay. That costs little, because the next stock-up phase fills pools up to six cubes for free.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from companion.games.game import GamePolicies, choose_at_random
from companion.games.rules import Move, Seat
from companion.games.systems_failing.cube_multiset import WHITE, cubes_of
from companion.games.systems_failing.moves import Discard, EndTurn, Repair, Return, Scavenge, Transfer
from companion.games.systems_failing.position import Position
from companion.games.systems_failing.round_planner import (
    EXPLOSION_COST,
    Plan,
    PlannedRepair,
    RepairTarget,
    best_plan,
    repair_targets,
)

SCAVENGED_CUBE_VALUE: Final = 7.68
"""The value of a colored cube that is scavenged while the player has further actions left."""
NEXT_TURN_CUBE_VALUE: Final = 0.8
"""The value of one more cube at the beginning of the next turn."""
CUBE_ON_ESCAPE_VALUE: Final = 0.84
CUBE_ON_DISASTER_VALUE: Final = 0.35
USELESS_CUBE_COST: Final = 0.5
SURGE_COST: Final = 0.12
"""The cost of a surge, for each point of damage of the disaster that it moves."""


def choose_carefully(position: Position, seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
    """The move of the careful policy. If cubes must be returned, it returns those that the cards in play need least.
    Otherwise, it makes the first of these moves that applies:

    - a scavenge, if the best plan leaves an action to spare and scavenging is the best use of this action;
    - the next action for the first repair by this player in the plan;
    - the best other move.

    A planned transfer that is not among the legal moves has been declined by the other player, and is then not made.
    """
    targets = repair_targets(position)
    if isinstance(legal[0], Return):
        return min(legal, key=lambda move: _demand(targets, move.cubes) if isinstance(move, Return) else 0.0)
    plan = best_plan(position, seat, targets)
    own_repairs = [repair for repair in plan.repairs if repair.actions]
    spare = _best_spare_move(position, targets, plan, legal)
    if own_repairs and not isinstance(spare, Scavenge):
        return _next_action(own_repairs[0], legal) or spare
    return spare


def _next_action(repair: PlannedRepair, legal: Sequence[Move]) -> Move | None:
    """The player's next action for a repair: a transfer while cubes are lacking, then the repair. None if the other
    player has declined the transfer."""
    for move in legal:
        match move:
            case Transfer(color=color) if color in repair.transferred:
                return move
            case Repair(card=repair.target.card, ability=repair.uses_ability, cubes=cubes) if (
                not repair.transferred and cubes_of(cubes) == repair.cubes
            ):
                return move
    assert repair.transferred, f"{repair} is not legal"
    return None


def _demand(targets: Sequence[RepairTarget], colors: Sequence[str]) -> float:
    """The demand for cubes of these colors. Each cube adds 1 for each escape sequence that lacks its color, and 0.125
    per point of damage for each disaster that lacks it."""
    return sum(
        0.125 * target.damage if target.zone else 1.0
        for color in colors
        for target in targets
        if color in target.missing
    )


def _best_spare_move(position: Position, targets: Sequence[RepairTarget], plan: Plan, legal: Sequence[Move]) -> Move:
    """The best move that doesn't interfere with the plan. If no move has a value above 0, the move that ends the
    turn."""
    end_turn = next(move for move in legal if isinstance(move, EndTurn))
    if not plan.resources.actions:
        return end_turn
    return max((end_turn, *legal), key=lambda move: _spare_value(position, targets, plan, move))


def _spare_value(position: Position, targets: Sequence[RepairTarget], plan: Plan, move: Move) -> float:
    pool = plan.resources.pool
    match move:
        case Repair(ability=False, cubes=cubes) if cubes_of(cubes) <= pool:
            target = next(target for target in targets if target.card == move.card)
            return _placement_value(position, target, plan, len(cubes))
        case Scavenge():
            return _scavenge_value(position, plan)
        case Discard() if position.actions_left == 1:
            useful = sum(min(1.0, 0.7 * _demand(targets, (color,))) for color in pool.colors())
            refill = position.catalog.stock_up_to
            more = refill - _next_pool_size(position, pool.total)
            return NEXT_TURN_CUBE_VALUE * more + USELESS_CUBE_COST * (min(refill, pool.total) - useful)
    return 0.0


def _placement_value(position: Position, target: RepairTarget, plan: Plan, count: int) -> float:
    """The value of putting `count` cubes on a card without completing the repair. The cubes stay on the card, and the
    pool is filled up again."""
    is_planned = any(repair.actions for repair in plan.repairs if repair.target is target)
    if target.zone == 1 or target.card in plan.repaired_this_turn or is_planned:
        return 0.0
    pool = plan.resources.pool.total
    more = count + _next_pool_size(position, pool - count) - _next_pool_size(position, pool)
    if target.zone == 0:
        return CUBE_ON_ESCAPE_VALUE * count + NEXT_TURN_CUBE_VALUE * more
    missing = 1 + target.missing.total - count
    return CUBE_ON_DISASTER_VALUE * count * target.damage / missing + NEXT_TURN_CUBE_VALUE * more


def _scavenge_value(position: Position, plan: Plan) -> float:
    white_share = position.bag[WHITE] / position.bag.total
    colored = 2 * (1 - white_share)
    pool = plan.resources.pool.total
    if plan.resources.actions == 1:
        more = _next_pool_size(position, pool + colored) - _next_pool_size(position, pool)
        gain = NEXT_TURN_CUBE_VALUE * more
    else:
        gain = SCAVENGED_CUBE_VALUE * colored
    return gain - 2 * white_share * _surge_cost(position)


def _next_pool_size(position: Position, cubes: float) -> float:
    """The size of a pool after the next stock-up phase, if it has `cubes` cubes now."""
    return max(position.catalog.stock_up_to, min(position.catalog.max_pool, cubes))


def _surge_cost(position: Position) -> float:
    """The cost of the surge that a white cube would cause now."""
    number = next((number for number in (3, 2, 1) if position.zones[number - 1]), None)
    if number is None:
        return 0.0
    bottom = position.zones[number - 1][-1]
    damage = position.catalog.disasters[bottom.card].damage
    if number > 1:
        return SURGE_COST * damage + 0.3 * bottom.cubes.total
    explodes = position.damage + damage >= position.catalog.damage_limit
    return 2 * SURGE_COST * damage + (EXPLOSION_COST if explodes else 0.0)


POLICIES: GamePolicies[Position] = GamePolicies(by_name={"random": choose_at_random, "careful": choose_carefully})
