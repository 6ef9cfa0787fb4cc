"""The moves of System WON that people have begun on the table, and how to complete them.

Law: pure. This module uses public information only: what lies on the table, and the position as a spectator knows it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from companion.games.system_won.catalog import catalog
from companion.games.system_won.components import BACK_SUFFIX, faces_by_code, role_component_id, specification_ids
from companion.games.system_won.mat import system_zone
from companion.games.system_won.moves import Restore
from companion.games.system_won.position import Position
from companion.tabletop.begun_move import BegunMove
from companion.tabletop.tracked_table import TrackedTable
from companion.text.messages import PlayerName, Text, _


def begun_move(position: Position, table: TrackedTable) -> BegunMove | None:
    """The first move that people have begun. None if there is none. A move is begun if a role card has been turned over
    but the use of its ability has not been reported, or if a specification card has been turned over."""
    return next(iter((*_abilities(position, table), *_specifications(position, table))), None)


def _cards_put_down(position: Position, table: TrackedTable) -> frozenset[str]:
    """The codes of the cards that were put down in this turn in a zone where cards are played or discarded. Cards that
    the camera has already seen in their proper places are left out, because they belong to earlier moves."""
    zones = {"play", "discard", "errors", *map(system_zone, catalog().colors)}
    put_down = table.put_down_in(position.turn) - table.confirmed
    return frozenset(code for code in put_down if code in table.visible and table.visible[code].zone in zones)


def _cards_taken_from_piles(position: Position, table: TrackedTable) -> frozenset[str]:
    """The codes of discards and errors, according to the match, that lie where people may have put them to play them
    with an ability. Includes the codes of all their copies, because any of them may be missing from its pile then."""
    zones, taken = table.zones_by_code, set[str]()
    for face in {*position.discard, *position.errors}:
        card, system = catalog().cards[face], system_zone(catalog().cards[face].color)
        here = Counter(zone for code, zone in zones.items() if faces_by_code().get(code) == face)
        is_in_system = here[system] > 0 and position.systems[card.suit] < card.rank
        if here["play"] or is_in_system or here["errors"] > position.errors.count(face):
            taken.add(face)
    return frozenset(code for code, face in faces_by_code().items() if face in taken)


def _abilities(position: Position, table: TrackedTable) -> Iterator[BegunMove]:
    """Yields a begun move for each role whose card is turned over although no use of the role is recorded. The begun
    move includes the cards put down in this turn, since they may belong to the ability."""
    for seat, role in enumerate(position.roles or ()):
        back = role_component_id(role or "") + BACK_SUFFIX
        if role and role not in position.used_roles and _is_in(table, back, "roles"):
            step = _(
                "{name}: enter the ability on your phone, or turn the {role} face up again.",
                name=PlayerName(seat),
                role=_(catalog().roles[role].title),
            )
            cards = _cards_put_down(position, table) | _cards_taken_from_piles(position, table)
            yield BegunMove(seat, frozenset({back}) | cards, step)


def _is_in(table: TrackedTable, code: str, zone: str) -> bool:
    return code in table.visible and table.visible[code].zone == zone


def _specifications(position: Position, table: TrackedTable) -> Iterator[BegunMove]:
    """Yields a begun move if one specification card has been turned over since the last act, face up or face down, and
    no card has been put down in this turn. Cards that people had to turn over for the last act do not count."""
    if not isinstance(position.turn, int) or _cards_put_down(position, table):
        return
    ids, turned = specification_ids(), frozenset(table.recent_flips - table.confirmed)
    up = frozenset(code for code in ids if _is_in(table, code, "specifications"))
    down = frozenset(code + BACK_SUFFIX for code in ids if _is_in(table, code + BACK_SUFFIX, "specifications"))
    if len(up) == position.specifications + 1 and turned & up:
        yield BegunMove(position.turn, turned & up, _completing_step(position))
    spent = catalog().specifications - position.specifications
    if len(down) == spent + 1 and turned & down:
        step = _(
            "{name}: enter the hint on your phone, or turn the card face up again.",
            name=PlayerName(position.turn),
        )
        yield BegunMove(position.turn, turned & down, step)


def _completing_step(position: Position) -> Text:
    """The sentence that says how to complete a move that people have begun by turning a specification card face up."""
    may_restore = position.roles and any(
        role and role not in position.used_roles and Restore.use in catalog().roles[role].abilities
        for role in position.roles
    )
    if may_restore:
        return _("Now discard the card or turn over the Designer, or turn the specification card face down again.")
    return _("Now discard the card, or turn the specification card face down again.")
