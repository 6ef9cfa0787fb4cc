"""What the rules of Systems Failing allow.

Law: pure. `refusal` says what is legal and why not; `legal_moves` lists the same moves (a test holds them together).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from companion.games.rules import HOUSE, HouseMove, Move, Seat
from companion.games.systems_failing.chance import awaited
from companion.games.systems_failing.cubes import Color, Cubes, cubes_of
from companion.games.systems_failing.labels import cubes_named
from companion.games.systems_failing.moves import CardId, Discard, EndTurn, Repair, Return, Scavenge, Transfer
from companion.games.systems_failing.position_types import Laid
from companion.text.translation import _

if TYPE_CHECKING:
    from companion.games.systems_failing.rules import State


def refusal(state: State, move: Move) -> str | None:
    """Why the rules don't allow a move whose turn it is, or None if they do."""
    if isinstance(move, HouseMove):
        return _refuse_house(state, move)
    pool = state.pools[state.player]
    if isinstance(move, Return):
        return _refuse_return(state, cubes_of(move.cubes), pool)
    if surplus := state.must_return:
        limit = state.cards.at_most
        return _("Your pool is over {limit} cubes: return {n} of them to the bag first.", limit=limit, n=surplus)
    match move:
        case Scavenge() if not state.bag:
            return _("The bag is empty, there is nothing to draw.")
        case Transfer(color=color) if color not in state.pools[1 - state.player]:
            return _("The other player has no {color} cube to give.", color=_(color))
        case Discard() if not pool:
            return _("Your pool is empty already.")
        case Repair():
            return _refuse_repair(state, move, pool)
    return None


def _refuse_return(state: State, cubes: Cubes, pool: Cubes) -> str | None:
    if not (surplus := state.must_return):
        return _("Cubes are returned only from a pool of more than {limit}.", limit=state.cards.at_most)
    if cubes.total != surplus:
        return _("Return exactly {wanted}, not {given}.", wanted=surplus, given=cubes.total)
    return None if cubes <= pool else _not_in(pool)


def _refuse_repair(state: State, move: Repair, pool: Cubes) -> str | None:
    laid, cubes = state.laid(move.card), cubes_of(move.cubes)
    if laid is None:
        return _("{card} is not in play: repair the active escape sequence or a disaster in a zone.", card=move.card)
    missing = state.missing(laid)
    if not cubes <= missing:
        return _("{card} takes no more than it still needs: {cubes}.", card=move.card, cubes=cubes_named(missing))
    if not cubes <= pool:
        return _not_in(pool)
    if move.ability:
        return _refuse_ability(state, laid, missing - cubes)
    return None if cubes else _("A repair places at least one cube, or uses the ability.")


def _refuse_ability(state: State, laid: Laid, rest: Cubes) -> str | None:
    """ "Ignore a particular resource during a repair action, provided the action results in the immediate
    removal of a card." """
    if not state.can_leave(laid):
        return _(
            "Your ability needs the card to leave at once, but {card} lies under another disaster; place cubes "
            "without it.",
            card=laid.card,
        )
    if set(rest) == {state.ignores}:
        return None
    if not rest:
        return _("These are all the cubes that {card} needs: repair it without your ability.", card=laid.card)
    return _(
        "Your ability ignores {color} only, here {cubes} would be missing; place the others.",
        color=_(state.ignores or "nothing"),
        cubes=cubes_named(rest),
    )


def _refuse_house(state: State, move: HouseMove) -> str | None:
    due = awaited(state)
    return due.refusal(move) if due else None


def _not_in(pool: Cubes) -> str:
    return _("Your pool holds {cubes}.", cubes=cubes_named(pool))


# The legal moves --------------------------------------------------------------------------------------


def legal_moves(state: State) -> Iterator[Move]:
    """Every legal move of the seat that may act now, each once: what `refusal` lets pass, made and not sifted."""
    if state.turn in (HOUSE, None):
        return
    seat = state.player
    pool, other = state.pools[seat], state.pools[1 - seat]
    if surplus := state.must_return:
        yield from (_return(seat, cubes) for cubes in pool.parts() if cubes.total == surplus)
        return
    if state.bag:
        yield Scavenge(seat=seat)
    yield from (_transfer(seat, color) for color in other)
    for laid in state.in_play():
        yield from _repairs(state, seat, laid)
    if pool:
        yield Discard(seat=seat)
    yield EndTurn(seat=seat)


def _repairs(state: State, seat: Seat, laid: Laid) -> Iterator[Repair]:
    missing, pool = state.missing(laid), state.pools[seat]
    usable = missing & pool
    for cubes in usable.parts()[1:]:
        yield _repair(seat, laid.card, cubes, False)
    ignored = missing.only(state.ignores)
    if ignored and state.can_leave(laid) and missing - ignored <= usable:
        for cubes in usable.only(state.ignores).parts():
            if cubes != ignored:
                yield _repair(seat, laid.card, missing - ignored + cubes, True)


@lru_cache
def _transfer(seat: Seat, color: Color) -> Transfer:
    return Transfer(seat=seat, color=color)


@lru_cache(maxsize=4096)
def _repair(seat: Seat, card: str, cubes: Cubes, ability: bool) -> Repair:
    return Repair(seat=seat, card=CardId(card), cubes=cubes.listed(), ability=ability)


@lru_cache(maxsize=1024)
def _return(seat: Seat, cubes: Cubes) -> Return:
    return Return(seat=seat, cubes=cubes.listed())
