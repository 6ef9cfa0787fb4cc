"""The phases of a game of Commute: how turns, commutes and rounds follow one another.

Law: pure.
"""

from __future__ import annotations

from companion.games.commute.chance import card_recipient
from companion.games.commute.position import P, Position
from companion.games.commute.position_parts import Closure, CommuteResult, Deck
from companion.games.commute.position_updates import with_deck, with_skips_added, with_uh_oh
from companion.games.commute.possible_faces import after_reshuffle
from companion.games.commute.scoring import evening_gains, morning_gains
from companion.games.commute.seat_order import seats_in_turn_order
from companion.games.commute.uh_oh_resolution import resolve_next
from companion.games.rules import Seat


def advance(position: P) -> P:
    """Goes on to the first position that waits for a seat or for the house, or in which the game is over. Returns the
    object `position` itself if this is the first such position."""
    while not position.is_over and (after := _step(position)) is not position:
        position = after
    return position


def _step(position: P) -> P:
    """The position one step later. The same object if it waits for a seat or for the house."""
    if card_recipient(position) is not None:
        return position if position.deck_size else with_deck(after_reshuffle(position), discard=())
    match position.stage:
        case "deal":
            return position.replace(stage="travel", active_player=_first_player(position))
        case "cascade" if not position.bump:
            return _end_commute(position) if all(position.arrived) else position.replace(stage="uh_oh")
        case "uh_oh":
            return _step_uh_oh(position)
        case "replenish":
            return _pass_turn(position)
    return position


def _step_uh_oh(position: P) -> P:
    """The position one step later in the stage "uh_oh". The same object if it waits. First, the "Uh-Oh!" card in play
    is completed. Then the seats in the queue draw, unless they have arrived. The stage "replenish" comes last."""
    if position.uh_oh.tasks:
        return resolve_next(position)
    if position.uh_oh.card:
        return with_uh_oh(position, card=None)
    if not position.uh_oh.queue:
        return position.replace(stage="replenish")
    if position.arrived[position.uh_oh.queue[0]]:
        return with_uh_oh(position, queue=position.uh_oh.queue[1:])
    if position.uh_oh.deck:
        return position
    return with_uh_oh(position, deck=frozenset(position.uh_oh_cards), drawn=())


def _pass_turn(position: P) -> P:
    """Passes the turn to the next seat that has not arrived and has no turn to skip. Each seat that skips on the way
    then has one turn less to skip."""
    while True:
        position = _with_active_player(position, seats_in_turn_order(position)[1])
        seat = position.active_player
        if position.arrived[seat]:
            continue
        if not position.skips[seat]:
            return position.replace(stage="travel")
        position = with_skips_added(position, seat, -1)


def _with_active_player(position: P, seat: Seat) -> P:
    """The position with `seat` as the active player. The metro lines that this seat closed are one turn closer to
    reopening, or reopen now."""
    if not position.closures:
        return position.replace(active_player=seat)
    closures = (Closure(c.line, c.drawer, c.turns - (c.drawer == seat)) for c in position.closures)
    return position.replace(active_player=seat, closures=tuple(closure for closure in closures if closure.turns))


def _end_commute(position: P) -> P:
    """The position after the current commute has been scored: the start of the next commute, or the end of the game."""
    gains = morning_gains(position.minutes) if position.is_morning else evening_gains(position.minutes)
    reputation = tuple(old + gain for old, gain in zip(position.reputation, gains, strict=True))
    results = (*position.results, CommuteResult(position.minutes, reputation))
    ended = with_uh_oh(position.replace(reputation=reputation, results=results), queue=())
    if position.commute + 1 == position.commute_count:
        return ended.replace(is_over=True)
    return begin_commute(with_deck(ended.replace(commute=position.commute + 1), fixed_draws=()))


def _first_player(position: Position) -> Seat:
    """The seat that has the first turn in each commute of the current round. In the next round, this is the next seat
    clockwise."""
    return Seat((position.round - 1) % len(position.houses))


def begin_commute(position: P) -> P:
    """The position at the start of the current commute. All pieces are at home in the morning and at work in the
    evening. Nobody has minutes or cards."""
    count = len(position.houses)
    return position.replace(
        stage="deal",
        active_player=_first_player(position),
        locations=position.houses if position.is_morning else (position.board.work,) * count,
        hands=((),) * count,
        minutes=(0,) * count,
        arrived=(False,) * count,
        skips=(0,) * count,
        closures=(),
        deck=Deck(fixed_draws=position.deck.fixed_draws),
        face_candidates=(),
    )
