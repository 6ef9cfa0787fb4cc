"""How turns, commutes and rounds follow one another.

Law: pure.
"""

from __future__ import annotations

from companion.games.commute.chance import card_recipient
from companion.games.commute.effect_resolution import resolve_next
from companion.games.commute.hidden_cards import after_reshuffle
from companion.games.commute.position import ALL_CARDS, P
from companion.games.commute.position_types import Closure, CommuteResult
from companion.games.commute.scoring import evening_gains, morning_gains
from companion.games.rules import Seat


def advance(position: P) -> P:
    """The next position that waits for a seat or for the house."""
    while not position.is_over and (after := _step(position)) is not position:
        position = after
    return position


def _step(position: P) -> P:
    """One step further; the same position if it waits."""
    if card_recipient(position) is not None:
        return position if position.deck_size else after_reshuffle(position).replace(discard=())
    match position.stage:
        case "deal":
            return position.replace(stage="travel", active_player=position.first_player)
        case "cascade" if not position.bump:
            return _end_commute(position) if all(position.arrived) else position.replace(stage="uh_oh")
        case "uh_oh":
            return _step_uh_oh(position)
        case "replenish":
            return _pass_turn(position)
    return position


def _step_uh_oh(position: P) -> P:
    """Finishes the card in play, then draws for those who landed and have not arrived, then fills up the hands."""
    if position.tasks:
        return resolve_next(position)
    if position.uh_oh:
        return position.replace(uh_oh=None)
    if not position.uh_oh_queue:
        return position.replace(stage="replenish")
    if position.arrived[position.uh_oh_queue[0]]:
        return position.replace(uh_oh_queue=position.uh_oh_queue[1:])
    return position if position.uh_oh_deck else position.replace(uh_oh_deck=frozenset(position.uh_oh_cards))


# Turns ------------------------------------------------------------------------------------------------


def _pass_turn(position: P) -> P:
    """Passes the turn to the next seat that is under way and skips no turn."""
    while True:
        position = _with_active_player(position, position.seats_in_turn_order()[1])
        seat = position.active_player
        if position.arrived[seat]:
            continue
        if not position.skips[seat]:
            return position.replace(stage="travel")
        position = position.with_skips_added(seat, -1)


def _with_active_player(position: P, seat: Seat) -> P:
    """Lines reopen as the turn order comes round to the seat that closed them."""
    if not position.closures:
        return position.replace(active_player=seat)
    closures = (Closure(c.line, c.drawer, c.turns - (c.drawer == seat)) for c in position.closures)
    return position.replace(active_player=seat, closures=tuple(closure for closure in closures if closure.turns))


# Commutes ---------------------------------------------------------------------------------------------


def _end_commute(position: P) -> P:
    gains = morning_gains(position.minutes) if position.is_morning else evening_gains(position.minutes)
    reputation = tuple(old + gain for old, gain in zip(position.reputation, gains, strict=True))
    results = (*position.results, CommuteResult(position.minutes, reputation))
    ended = position.replace(reputation=reputation, results=results, uh_oh_queue=())
    if position.commute + 1 == position.commute_count:
        return ended.replace(is_over=True)
    return begin_commute(ended.replace(commute=position.commute + 1, fixed_draws=()))


def begin_commute(position: P) -> P:
    """All players start at home in the morning and at work in the evening, with no minutes and no cards."""
    count = len(position.houses)
    return position.replace(
        stage="deal",
        active_player=position.first_player,
        locations=position.houses if position.is_morning else (position.board.work,) * count,
        hands=((),) * count,
        minutes=(0,) * count,
        arrived=(False,) * count,
        skips=(0,) * count,
        closures=(),
        discard=(),
        last_shuffle=ALL_CARDS,
        face_candidates=(),
    )
