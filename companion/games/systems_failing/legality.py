"""The legal moves of Systems Failing, and the reasons why other moves are refused.

Law: pure. `refusal` says why a move is not legal, and `legal_moves` generates all legal moves. A test checks that the
two agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from companion.games.rules import HOUSE, HouseMove, Move, Seat
from companion.games.systems_failing.chance import next_chance_move
from companion.games.systems_failing.cube_multiset import Color, Cubes, cubes_of
from companion.games.systems_failing.display_names import counted_cubes
from companion.games.systems_failing.moves import CardId, Discard, EndTurn, Repair, Return, Scavenge, Transfer
from companion.games.systems_failing.position import Position
from companion.games.systems_failing.position_parts import CardInPlay
from companion.text.messages import Text, TextLike, _


def refusal(position: Position, move: Move) -> TextLike | None:
    """The reason why a move is not legal. None if it is legal. The move must come from the seat or the house whose turn
    it is."""
    if isinstance(move, HouseMove):
        return _house_refusal(position, move)
    pool = position.pools[position.active_player]
    if isinstance(move, Return):
        return _return_refusal(position, cubes_of(move.cubes), pool)
    if surplus := position.cubes_to_return:
        limit = position.catalog.max_pool
        return _("Your pool has more than {limit} cubes. Return {n} of them to the bag first.", limit=limit, n=surplus)
    match move:
        case Scavenge() if not position.bag:
            return _("The bag is empty, so there’s nothing to draw.")
        case Transfer(color=color) if color not in position.pools[1 - position.active_player]:
            return _("The other player has no {color} cube to give.", color=_(color))
        case Discard() if not pool:
            return _("Your pool is already empty.")
        case Repair():
            return _repair_refusal(position, move, pool)
    return None


def _return_refusal(position: Position, cubes: Cubes, pool: Cubes) -> Text | None:
    """The reason why the active player may not return these cubes to the bag. None if the player may. Cubes are
    returned only from a pool over the limit, and then exactly the surplus."""
    if not (surplus := position.cubes_to_return):
        return _("You only return cubes from a pool of more than {limit}.", limit=position.catalog.max_pool)
    if cubes.total != surplus:
        return _("Return exactly {wanted}, not {given}.", wanted=surplus, given=cubes.total)
    return None if cubes <= pool else _pool_refusal(pool)


def _repair_refusal(position: Position, move: Repair, pool: Cubes) -> Text | None:
    """The reason why a repair is not legal. None if it is legal. A repair takes cubes from the player's pool and puts
    them on a card in play. The card must still need all of these cubes. There must be at least one cube, unless the
    player uses the ability of their role."""
    card, cubes = position.card_in_play(move.card), cubes_of(move.cubes)
    if card is None:
        return _("{card} isn’t in play. Repair the active escape sequence, or a disaster in a zone.", card=move.card)
    missing = position.missing_cubes(card)
    if not missing:
        return _("{card} needs no more cubes.", card=move.card)
    if not cubes <= missing:
        return _("{card} only takes the cubes it still needs: {cubes}.", card=move.card, cubes=counted_cubes(missing))
    if not cubes <= pool:
        return _pool_refusal(pool)
    if move.ability:
        return _ability_refusal(position, card, missing - cubes)
    return None if cubes else _("To repair, place at least one cube or use your ability.")


def _ability_refusal(position: Position, card: CardInPlay, rest: Cubes) -> Text | None:
    """The reason why a repair may not use the ability of the player's role. None if it may. The ability leaves out the
    cubes of one color, provided that the card leaves play at once. `rest`: all cubes that the repair would leave
    out."""
    if not _can_leave(position, card):
        return _(
            "Your ability only works if the card leaves at once, but {card} lies under another disaster. Place cubes "
            "without it.",
            card=card.card,
        )
    if set(rest) == {position.ignored_color}:
        return None
    if not rest:
        return _("That’s every cube that {card} needs. Repair it without your ability.", card=card.card)
    return _(
        "Your ability only ignores {color}, but {cubes} would still be missing. Place the others too.",
        color=_(position.ignored_color or "nothing"),
        cubes=counted_cubes(rest),
    )


def _can_leave(position: Position, card: CardInPlay) -> bool:
    """Whether a card would leave play as soon as it is repaired. True for the active escape sequence and for the top
    disaster of each zone."""
    return card is position.active_escape or any(zone and zone[0] is card for zone in position.zones)


def _house_refusal(position: Position, move: HouseMove) -> Text | None:
    """The reason why the house can't make this move now. None if it can."""
    due = next_chance_move(position)
    return due.refusal(move) if due else None


def _pool_refusal(pool: Cubes) -> Text:
    return _("Your pool contains {cubes}.", cubes=counted_cubes(pool)) if pool else _("Your pool is empty.")


def legal_moves(position: Position) -> Iterator[Move]:
    """Yields every legal move of the active player, each once. Yields nothing while the house must act or after the end
    of the game."""
    if position.turn in (HOUSE, None):
        return
    seat = position.active_player
    pool, other = position.pools[seat], position.pools[1 - seat]
    if surplus := position.cubes_to_return:
        yield from (_return(seat, cubes) for cubes in pool.subsets() if cubes.total == surplus)
        return
    if position.bag:
        yield Scavenge(seat=seat)
    yield from (_transfer(seat, color) for color in other)
    for card in position.cards_in_play():
        yield from _repairs(position, seat, card)
    if pool:
        yield Discard(seat=seat)
    yield EndTurn(seat=seat)


def _repairs(position: Position, seat: Seat, card: CardInPlay) -> Iterator[Repair]:
    """Yields every legal repair of a card, both with and without the ability of the player's role."""
    missing, pool = position.missing_cubes(card), position.pools[seat]
    usable = missing & pool
    yield from _placements(seat, card.card, usable)
    color = position.ignored_color
    if color not in missing or not _can_leave(position, card):
        return
    ignored = missing.only(color)
    if missing - ignored <= usable:
        for cubes in usable.only(color).subsets():
            if cubes != ignored:
                yield _repair(seat, card.card, missing - ignored + cubes, True)


@lru_cache
def _transfer(seat: Seat, color: Color) -> Transfer:
    return Transfer(seat=seat, color=color)


@lru_cache(maxsize=4096)
def _repair(seat: Seat, card: str, cubes: Cubes, ability: bool) -> Repair:
    return Repair(seat=seat, card=CardId(card), cubes=cubes.colors(), ability=ability)


@lru_cache(maxsize=1024)
def _placements(seat: Seat, card: str, cubes: Cubes) -> tuple[Repair, ...]:
    """All repairs of a card that use some or all of these cubes, without the ability of the player's role."""
    return tuple(_repair(seat, card, some, False) for some in cubes.subsets()[1:])


@lru_cache(maxsize=1024)
def _return(seat: Seat, cubes: Cubes) -> Return:
    return Return(seat=seat, cubes=cubes.colors())
