"""The moves of Systems Failing that people have begun on the table, and how to complete them.

Law: pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from companion.games.rules import Seat
from companion.games.systems_failing.catalog import PREFIX
from companion.games.systems_failing.chance import drawing_seat
from companion.games.systems_failing.components import FIRST_MARKER
from companion.games.systems_failing.cube_multiset import cubes_of
from companion.games.systems_failing.display_names import card_name
from companion.games.systems_failing.effects import apply_move
from companion.games.systems_failing.legality import legal_moves
from companion.games.systems_failing.moves import Discard, Repair, Return, Transfer
from companion.games.systems_failing.position import Position
from companion.tabletop.begun_move import BegunMove
from companion.tabletop.tracked_table import TrackedTable
from companion.text.messages import PlayerName, _

CubesByPlace = Mapping[str, Mapping[str, int]]


def begun_move(position: Position, table: TrackedTable) -> BegunMove | None:
    """The move that people have begun. None if there is none. A repair is begun if the card that it would complete has
    been put on the discard pile, but no phone has reported the cubes. A move of cubes is begun if the camera has seen
    them leave a pool or arrive there. The end of a round is begun if the first-player marker has been passed on."""
    begun = _begun_with_card(position, table) or _begun_with_cubes(position, table)
    if not _is_marker_passed_on(position, table):
        return begun
    if begun is not None:
        return replace(begun, codes=begun.codes | {FIRST_MARKER})
    player = position.active_player
    step = _("{name}: end your turn on the phone, or put the first-player marker back.", name=PlayerName(player))
    return BegunMove(player, frozenset({FIRST_MARKER}), step)


def _is_marker_passed_on(position: Position, table: TrackedTable) -> bool:
    """Whether the first-player marker has been put in front of the other player in this turn, which is the last one of
    the round."""
    if position.phase != "actions" or position.active_player == position.first_player:
        return False
    seen = table.visible.get(FIRST_MARKER) if FIRST_MARKER in table.put_down_in(position.turn) else None
    return seen is not None and seen.zone == f"role-{position.active_player}"


def _begun_with_card(position: Position, table: TrackedTable) -> BegunMove | None:
    """The repair that people have begun by putting its card on the discard pile, or a repaired card below it. None if
    there is none."""
    put_down = table.put_down_in(position.turn).intersection(table.visible)
    discarded = {code for code in put_down if table.visible[code].zone == "discard"}
    repairs = (move for move in legal_moves(position) if isinstance(move, Repair)) if discarded else ()
    cards = {move: _repaired_cards(position, move) | {PREFIX + move.card} for move in repairs}
    begun = [move for move, codes in cards.items() if codes & discarded]
    if not begun:
        return None
    codes = frozenset[str]().union(*(cards[move] for move in begun))
    step = _("Enter the repair of {card} on the phone, or put the card back.", card=card_name(begun[0].card))
    return BegunMove(begun[0].seat, codes, step, codes | {"pool-0", "pool-1"})


def _repaired_cards(position: Position, move: Repair) -> frozenset[str]:
    """The codes of the cards that leave play with a repair: its card if it needs no more cubes, and the repaired cards
    below it."""
    card = position.card_in_play(move.card)
    if not move.ability and card and position.missing_cubes(card) - cubes_of(move.cubes):
        return frozenset()
    after = apply_move(position, move)
    left = {card.card for card in after.cards_in_play()}
    return frozenset(PREFIX + card.card for card in position.cards_in_play() if card.card not in left)


def _begun_with_cubes(position: Position, table: TrackedTable) -> BegunMove | None:
    """The move of cubes that people have begun: they have moved some or all of its cubes, but no phone has reported it.
    None if there is no such move, or if no cube has ever been seen. Wherever the camera's count differs from the
    position, it must lie between the counts before and after the move. People may have taken the card that the move
    repairs."""
    before = _counted_places(position)
    certain = {place: seen for place, seen in table.token_counts.items() if seen.certainty == "certain"}
    counts = {place: certain[place].tokens or {} for place in before if place in certain}
    if not table.has_tokens or all(seen == before[place] for place, seen in counts.items()) or position.is_over:
        return None
    fitting = [change for change in _changes_by_moves(position, counts) if change.allows(counts, before)]
    if not fitting:
        return None
    seat = fitting[0].seat
    taken = frozenset().union(*(change.repaired for change in fitting)).difference(table.visible)
    step = _("{name}: enter the move of the cubes on the phone, or put them back.", name=PlayerName(seat))
    return BegunMove(seat, taken, step, frozenset(before))


def _counted_places(position: Position) -> CubesByPlace:
    """The cubes in each place where the camera counts: the pools, and the fields of the cards in play."""
    pools = {f"pool-{seat}": position.pools[seat].counts() for seat in (0, 1)}
    return {**pools, **{PREFIX + card.card: card.cubes.counts() for card in position.cards_in_play()}}


@dataclass(frozen=True)
class _ChangeByMove:
    """What a move of a seat does to the cubes. `least`, `greatest`: the least and the greatest number of cubes of each
    color while people make the move, in each place that it may change. `repaired`: the codes of the cards that leave
    play with the move."""

    seat: Seat
    least: CubesByPlace
    greatest: CubesByPlace
    repaired: frozenset[str] = field(default=frozenset())

    def allows(self, counts: CubesByPlace, before: CubesByPlace) -> bool:
        """Whether the camera may count these cubes while people make the move. `before`: the cubes before the move."""
        low, high = {**before, **self.least}, {**before, **self.greatest}
        return all(_is_between(low[place], seen, high[place]) for place, seen in counts.items())


def _changes_by_moves(position: Position, counts: CubesByPlace) -> Iterator[_ChangeByMove]:
    """Yields what each move of cubes that is possible now does to the cubes. `counts`: what the camera has counted for
    certain."""
    before = _counted_places(position)
    pools = {f"pool-{seat}": before[f"pool-{seat}"] for seat in (0, 1)}
    drawing = drawing_seat(position)
    for seat in (Seat(0), Seat(1)) if drawing is not None else ():
        # People draw for both players at once, in any order.
        most = {place: Counter(pool) + Counter(position.bag.counts()) for place, pool in pools.items()}
        yield _ChangeByMove(seat, {}, most)
    player = position.active_player
    own, other = f"pool-{player}", f"pool-{1 - player}"
    for move in legal_moves(position):
        match move:
            case Repair(card=card, cubes=cubes):
                place, repaired = PREFIX + card, _repaired_cards(position, move)
                # When a card is repaired, all its cubes go back to the bag.
                least: CubesByPlace = {own: Counter(pools[own]) - Counter(cubes), **{code: {} for code in repaired}}
                yield _ChangeByMove(player, least, {place: Counter(before[place]) + Counter(cubes)}, repaired)
            case Return(cubes=cubes):
                yield _ChangeByMove(player, {own: Counter(pools[own]) - Counter(cubes)}, {})
            case Discard() if 2 * sum(counts.get(own, pools[own]).values()) < sum(pools[own].values()):
                # Only once most of the pool has gone: otherwise, any missing cube would look like a discard.
                yield _ChangeByMove(player, {own: {}}, {own: pools[own]})
            case Transfer(color=color):
                # Only once the cube has left the other pool: otherwise, any surplus cube would look like a transfer.
                without = Counter(pools[other]) - Counter([color])
                most = {other: without, own: Counter(pools[own]) + Counter([color])}
                yield _ChangeByMove(player, {other: without}, most)


def _is_between(low: Mapping[str, int], counted: Mapping[str, int], high: Mapping[str, int]) -> bool:
    """Whether the count of each color is from `low` to `high`."""
    return all(low.get(color, 0) <= counted.get(color, 0) <= high.get(color, 0) for color in {*low, *counted, *high})
