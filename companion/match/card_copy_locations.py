"""Finds out from the acts of a match where individual copies of equal cards are: in a hand, played, or no longer on the
table.

Law: pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from companion.games.rules import SPECTATOR, HouseMove, State
from companion.match.history import Act, History
from companion.tabletop.copy_assignment import KnownCopies, ZonesByCode


@dataclass(frozen=True)
class PlayedCodes:
    """The codes of cards that were read when they were played, in the order of play, after the acts `done`."""

    done: tuple[Act, ...] = ()
    codes: tuple[str, ...] = ()

    def after(self, history: History) -> PlayedCodes:
        """The played codes after all acts of a history that are in force. Takes into account only the new ones, if
        `done` are the first of them."""
        is_continued = len(self.done) <= len(history.done) and all(
            one is other for one, other in zip(self.done, history.done, strict=False)
        )
        codes = self.codes if is_continued else ()
        for act in islice(history.done, len(self.done) if is_continued else 0, None):
            codes = _played_codes_after(history, codes, act)
        return PlayedCodes(history.done, codes)


def known_copies(history: History, played: PlayedCodes) -> KnownCopies:
    """The individual copies of cards whose places are known after the last act: those in hands, and those that were
    played."""
    in_hands = _codes_in_hands(history)
    return KnownCopies(in_hands, {*played.codes} - {*in_hands})


def has_come_to_table(history: History, code: str) -> bool:
    """Whether the card with this code was read when it was dealt, has left the hand since, and must still be on the
    table: no card of its kind has left the table since then."""
    number, physical = history.deal_numbers().get(code), history.game.physical
    kind = physical.components.kinds.get(code, code)
    if number is None or (number, kind) in {*physical.hands(history.state)}:
        return False
    for act in reversed(history.done):
        if (number, kind) in {*physical.hands(act.before)}:
            return physical.layout(act.after, SPECTATOR).count(kind) > 0
        if kind in _kinds_on_table(history, act.before) - _kinds_on_table(history, act.after):
            return False
    return False


def removed_by_last_act(history: History) -> Collection[str]:
    """The codes of the cards that may have left the table in the last act. Nobody sees which copy of its kind a card
    is, so if a card has left, the codes of all copies of its kind are returned."""
    act = history.acts[-1]
    return _codes_of(history, _kinds_on_table(history, act.before) - _kinds_on_table(history, act.after))


def added_by_last_act(history: History) -> Collection[str]:
    """The codes of all copies of each kind that has more copies on the table since the last act."""
    act = history.acts[-1]
    return _codes_of(history, _kinds_on_table(history, act.after) - _kinds_on_table(history, act.before))


def sent_home_by_last_act(history: History) -> Mapping[str, Sequence[str]]:
    """For each pile from which the last act has sent cards home, for example to be the new deck: the kinds of these
    cards, with the top card first."""
    act, physical = history.acts[-1], history.game.physical
    before, after = (physical.layout(state, SPECTATOR) for state in (act.before, act.after))
    sent = {
        pile: [kind for kind in before.cards.get(pile, ()) if after.place_of(kind) is None]
        for pile in physical.components.piles
    }
    return {pile: kinds for pile, kinds in sent.items() if kinds}


def given_tokens_by_last_act(history: History) -> Collection[str]:
    """The kinds of the components on which more tokens belong since the last act."""
    act, physical = history.acts[-1], history.game.physical
    before, after = (physical.layout(state, SPECTATOR) for state in (act.before, act.after))
    kinds = set(physical.components.kinds.values()).intersection(after.tokens)
    return [kind for kind in kinds if not Counter(after.tokens_in(kind)) <= Counter(before.tokens_in(kind))]


def taken_by_last_act(history: History, zones: ZonesByCode) -> tuple[Collection[str], ...]:
    """For each card that the last act took off the table while equal copies stayed: the codes of the visible copies
    that may be this card. They all lie in the place from which the card was taken. `zones`: the zone of every visible
    code."""
    act, kinds = history.acts[-1], history.game.physical.components.kinds
    before, after = (history.game.physical.layout(state, SPECTATOR).cards for state in (act.before, act.after))
    taken = list[Collection[str]]()
    for kind, count in (_kinds_on_table(history, act.before) - _kinds_on_table(history, act.after)).items():
        fewer = {place for place in before if before[place].count(kind) > after.get(place, ()).count(kind) > 0}
        if copies := {code for code, zone in zones.items() if zone in fewer and kinds.get(code) == kind}:
            taken += [copies] * count
    return tuple(taken)


def codes_without_move(history: History, zones: ZonesByCode) -> Collection[str]:
    """The codes of the components that can't have been put down for a move after the last act, because they lie where
    the layout lists them before or after this act. Equal copies are left out, and so are components that must point in
    some direction, because they may have been turned for another move. `zones`: the zone of every visible code."""
    act, physical = history.acts[-1], history.game.physical
    layouts = [physical.layout(state, SPECTATOR) for state in (act.before, act.after)]
    directed = {place for layout in layouts for place in layout.orientations}
    return [
        code
        for code, zone in zones.items()
        if zone and zone not in directed and any((layout.place_of(code) or ("",))[0] == zone for layout in layouts)
    ]


def _codes_in_hands(history: History) -> Collection[str]:
    """The codes of cards that were read when they were dealt, and that are still in a hand."""
    physical = history.game.physical
    hands, kinds = set(physical.hands(history.state)), physical.components.kinds
    return {code for code, number in history.deal_numbers().items() if (number, kinds.get(code)) in hands}


def _played_codes_after(history: History, played: tuple[str, ...], act: Act) -> tuple[str, ...]:
    """The codes of played cards after one more act. When a card leaves the table, nobody sees which copy of its kind it
    is. So the codes of all copies of that kind are then removed. Guessing one of them instead could reveal a hidden
    card after the next shuffle."""
    if not (played or act.code):
        return ()
    physical, kinds = history.game.physical, history.game.physical.components.kinds
    removed = _kinds_on_table(history, act.before) - _kinds_on_table(history, act.after) if played else ()
    played = tuple(code for code in played if kinds.get(code, code) not in removed)
    kind = kinds.get(act.code, act.code)
    is_played = act.code and not isinstance(act.steps[0].move, HouseMove)
    if is_played and physical.layout(act.after, SPECTATOR).count(kind):
        return (*(code for code in played if code != act.code), act.code)
    return played


def _kinds_on_table(history: History, state: State) -> Counter[str]:
    """How many cards of each kind belong on the table in a position."""
    return Counter(kind for kinds in history.game.physical.layout(state, SPECTATOR).cards.values() for kind in kinds)


def _codes_of(history: History, kinds: Collection[str]) -> Collection[str]:
    """The codes of all copies of the given kinds."""
    return {code for code, kind in history.game.physical.components.kinds.items() if kind in kinds}
