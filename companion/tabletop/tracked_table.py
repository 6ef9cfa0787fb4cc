"""What the camera sees now, and what is amiss against the layout.

Law: pure. A sight is a fold of observations. It is held against the layout and never changes the book.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from companion.tabletop.components import ComponentSet
from companion.tabletop.instances import NOTHING, KnownInstances, Where, assign_instances
from companion.tabletop.layout import Layout, Vocabulary
from companion.tabletop.mat import Mat, Zone
from companion.tabletop.observations import CardGone, CardSeen, MatSeen, Observation, TokensCounted
from companion.text.translation import _

T = TypeVar("T")

FLIPPED_MM = 60.0
"""A card that is turned over comes to lie about a card's width from where it was."""
NUDGE_DEGREES = 30.0
"""What is turned by more was not just nudged."""
SAME_PLACE_MM = 12.0
"""Two codes of 25 mm whose middles are nearer than this can't both be seen."""


@dataclass(frozen=True)
class TrackedTable:
    """The last that was seen of every printed thing in view."""

    mat: str | None = None
    """The name of the mat in view."""
    seen: Mapping[str, CardSeen] = field(default_factory=dict)
    last: Mapping[str, CardSeen] = field(default_factory=dict)
    """Where every code was seen last, also of those that are gone."""
    gone: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Of what has left the picture, what else lay in the same place then."""
    counted: Mapping[str, TokensCounted] = field(default_factory=dict)
    """The last count of the tokens in each place."""
    turned: frozenset[str] = frozenset()
    """The codes that were turned up since the last act."""

    def placed(self, observation: Observation, board: Mat | None) -> Observation:
        """The observation with its zone on this board's mat, if that is the one in view; None: as it was told."""
        if not isinstance(observation, CardSeen) or board is None or self.mat != board.name or observation.mm is None:
            return observation
        return replace(observation, zone=board.zone_at(observation.mm))

    def on(self, board: Mat | None) -> TrackedTable:
        """The sight with all zones on this board's mat, likewise; its tokens are counted anew."""
        placed = {thing: self.placed(seen, board) for thing, seen in self.seen.items()}
        seen = {thing: seen for thing, seen in placed.items() if isinstance(seen, CardSeen)}
        return replace(self, seen=seen, counted={})

    def in_turn(self, now: CardSeen, turn: int | Literal["house"] | None) -> CardSeen:
        """A sighting with whose turn it was as the thing came to lie as it lies; a nudge does not count. Of what lay
        there when the eyes opened nobody knows."""
        before = self.seen.get(now.thing)
        if before and now.change == "moved" and now.zone == before.zone and _turned_by(before, now) < NUDGE_DEGREES:
            return replace(now, turn=before.turn)
        return replace(now, turn=None if now.found else turn)

    def settled(self, things: Collection[str]) -> TrackedTable:
        """The sight in which none of these was laid in any turn: a nudge of it is no move."""
        settled = {thing: replace(seen, turn=None) for thing, seen in self.seen.items() if thing in things}
        return replace(self, seen={**self.seen, **settled})

    def after(self, observation: Observation) -> TrackedTable:
        """The sight with one more observation."""
        match observation:
            case CardSeen(thing=thing):
                seen, last = {**self.seen, thing: observation}, {**self.last, thing: observation}
                return replace(self, seen=seen, last=last, gone=_without(self.gone, thing))
            case CardGone(thing=thing) if thing in self.seen:
                left = _without(self.seen, thing)
                beside = frozenset(other for other, seen in left.items() if seen.zone == self.seen[thing].zone)
                return replace(self, seen=left, gone={**self.gone, thing: beside})
            case TokensCounted(place=place):
                return replace(self, counted={**self.counted, place: observation})
            case MatSeen(mat=mat):
                return replace(self, mat=mat, counted=self.counted if mat == self.mat else {})
        return self

    @property
    def where(self) -> Where:
        """The place of everything in view."""
        return {thing: seen.zone for thing, seen in self.seen.items()}

    def flipped(self, now: CardSeen, other_side: Mapping[str, str]) -> bool:
        """Whether a thing that comes to rest lay about there with its other side up, and not with this one since."""
        other, same = self.last.get(other_side.get(now.thing, "")), self.last.get(now.thing)
        if other is None or other.mm is None or now.mm is None or (same is not None and same.t > other.t):
            return False
        return math.dist(other.mm, now.mm) < FLIPPED_MM

    def covered(self, thing: str) -> bool:
        """Whether something else came to rest on the very place of a thing after it was last seen."""
        mine = self.seen[thing]
        return any(
            mine.mm and other.mm and other.t > mine.t and math.dist(mine.mm, other.mm) < SAME_PLACE_MM
            for other in self.seen.values()
        )

    def things_in(self, mat: Mat, zone: str) -> tuple[str, ...]:
        """The things seen in a zone, in the zone's own order."""
        axis = 0 if mat.zone(zone).order == "right" else 1
        here = [seen for seen in self.seen.values() if seen.zone == zone and seen.mm]
        return tuple(seen.thing for seen in sorted(here, key=lambda seen: seen.mm[axis] if seen.mm else 0.0))

    def shows(self, zone: Zone, layout: Layout, kinds: Mapping[str, str]) -> bool:
        """Whether what belongs in a zone is what lies there, the right way round; of a pile, whether its top does. An
        empty place shows nothing."""
        here = [seen for seen in self.seen.values() if seen.zone == zone.name]
        wanted, facing = layout.cards.get(zone.name, ()), layout.facing.get(zone.name)
        found = Counter(kinds.get(seen.thing, seen.thing) for seen in here)
        if not wanted or (facing and not all(facing.matches(seen.angle) for seen in here)):
            return False
        return found[wanted[0]] >= wanted.count(wanted[0]) if zone.order == "pile" else found == Counter(wanted)


def _without(things: Mapping[str, T], thing: str) -> Mapping[str, T]:
    return {name: value for name, value in things.items() if name != thing}


def _turned_by(before: CardSeen, now: CardSeen) -> float:
    return abs((now.angle - before.angle + 180) % 360 - 180)


@dataclass(frozen=True)
class Discrepancy:
    """Something to put right on the table."""

    thing: str
    says: str
    stray: bool = False
    """Whether the thing lies in a place of the mat and belongs in none."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "says", self.says[:1].upper() + self.says[1:])


def discrepancies(
    layout: Layout, sight: TrackedTable, equipment: ComponentSet, names: Sequence[str], known: KnownInstances = NOTHING
) -> tuple[Discrepancy, ...]:
    """The difference between the layout and the sight, as short things to put right; empty without the mat."""
    mat, words = equipment.mat, equipment.words(names)
    if mat is None or sight.mat != mat.name:
        return ()
    sight = replace(sight, seen=_without_ghosts(sight.seen, equipment, mat))
    layout = assign_instances(layout, equipment, sight.where, known.without(sight.gone, sight.where, equipment.kinds))
    found = (
        *_misplaced(layout, sight, mat, words),
        *_missing(layout, sight, mat, words),
        *_order(layout, sight, mat, words),
        *_askew(layout, sight, words),
        *_miscounted(layout, sight, words),
    )
    return tuple(_together([each for each in found if each.says == says]) for says in {each.says: 0 for each in found})


def _without_ghosts(seen: Mapping[str, CardSeen], equipment: ComponentSet, mat: Mat) -> Mapping[str, CardSeen]:
    """What is seen, without another game's things in places of another mat: there they lay before this one came into
    view, and for some seconds the eyes still look for them."""
    places = {None, *(zone.name for zone in mat.zones)}
    return {thing: it for thing, it in seen.items() if thing in equipment.kinds or it.zone in places}


def _together(alike: Sequence[Discrepancy]) -> Discrepancy:
    """The same of several copies is said once."""
    first = alike[0]
    if len(alike) == 1:
        return first
    return replace(first, says=_("{said} ({n} of them).", said=first.says.removesuffix("."), n=len(alike)))


def _misplaced(layout: Layout, sight: TrackedTable, mat: Mat, words: Vocabulary) -> Iterator[Discrepancy]:
    for thing, seen in sight.seen.items():
        belongs = layout.place_of(thing)
        if seen.zone == (belongs and belongs[0]) and seen.zone is not None:
            continue
        if seen.zone is None and (belongs or not seen.mm or not mat.holds(seen.mm)):
            continue  # beside the mat anything may lie; what belongs on it is missed below
        if belongs is None and seen.zone == words.home_zone(thing):
            continue
        if seen.zone and any(zone.secret for zone in mat.zones if zone.name == seen.zone):
            yield Discrepancy("", _("What lies in {place} is to be taken up.", place=words.place(seen.zone)))
            continue
        if seen.zone and words.turned(thing) in layout.cards.get(seen.zone, ()):
            over = _("{thing} in {place} is to be turned over", thing=words.thing(thing), place=words.place(seen.zone))
            yield Discrepancy(thing, _or_else(layout, over, thing if thing in sight.turned else None))
            continue
        if sight.covered(thing):
            continue  # whether it still lies there can't be seen
        lies = _lies(words.thing(thing), seen.zone and words.place(seen.zone), words.spot(layout, thing))
        what = () if belongs else (thing, seen.zone)
        yield Discrepancy(thing, _or_else(layout, lies, *what), stray=belongs is None)


def _lies(thing: str, place: str | None, spot: str) -> str:
    if place is None:
        return _("{thing} lies between the places, it belongs {spot}", thing=thing, spot=spot)
    return _("{thing} lies in {place}, it belongs {spot}", thing=thing, place=place, spot=spot)


def _or_else(layout: Layout, said: str, *what: str | None) -> str:
    """The sentence, with what else may be done than to put it right: the first that there is of some things."""
    other = next((layout.otherwise[each] for each in what if each and each in layout.otherwise), "")
    return _("{said}; or {other}.", said=said, other=other) if other else f"{said}."


def _missing(layout: Layout, sight: TrackedTable, mat: Mat, words: Vocabulary) -> Iterator[Discrepancy]:
    for zone in mat.zones:
        for thing in _visible(zone, layout.cards.get(zone.name, ()), sight):
            seen = sight.seen.get(thing) or sight.seen.get(words.turned(thing))
            if seen is None or seen.zone is None:
                spot = words.spot(layout, thing)
                yield Discrepancy(thing, _("{thing} belongs {spot}.", thing=words.thing(thing), spot=spot))


def _askew(layout: Layout, sight: TrackedTable, words: Vocabulary) -> Iterator[Discrepancy]:
    """What lies in its place and points elsewhere."""
    for place, facing in layout.facing.items():
        for thing in layout.cards.get(place, ()):
            seen = sight.seen.get(thing)
            if seen and seen.zone == place and not facing.matches(seen.angle):
                said, where, towards = words.thing(thing), words.place(place), words.place(facing.towards)
                wrong = _("{thing} in {place} should point to {other}.", thing=said, place=where, other=towards)
                yield Discrepancy(thing, wrong)


def _miscounted(layout: Layout, sight: TrackedTable, words: Vocabulary) -> Iterator[Discrepancy]:
    """Tokens of which a certain count differs from the book."""
    for place, seen in _counted(sight).items():
        if seen.certainty == "certain" and seen.tokens != _booked(layout, place):
            said, shown = (words.tokens(held) for held in (_booked(layout, place), seen.tokens or {}))
            wrong = _(
                "{place}: the book says {tokens}; the table shows {others}.",
                place=words.place(place),
                tokens=said,
                others=shown,
            )
            yield Discrepancy("", wrong)


def uncertain_counts(
    layout: Layout, sight: TrackedTable, equipment: ComponentSet, names: Sequence[str]
) -> tuple[str, ...]:
    """What the camera can't tell for certain of the tokens on the table, a sentence each."""
    words, known = equipment.words(names), _counted(sight)
    found = [
        _uncertain_count(seen, _booked(layout, place), words)
        for place, seen in sight.counted.items()
        if place in known or seen.why in ("dark", "patches")
    ]
    return tuple(dict.fromkeys(said[:1].upper() + said[1:] for said in found if said))


def _uncertain_count(seen: TokensCounted, booked: Mapping[str, int], words: Vocabulary) -> str:
    where = words.place(seen.place)
    match seen.why:
        case "dark" if booked:
            return _("the light is too poor to count by; the book goes by what you tap.")
        case "patches" if booked:
            return _("the mat's patches of colour can't be seen, so nothing is counted; the book goes by what you tap.")
        case "covered" if booked:
            return _("can't count in {place}: something else is in view there.", place=where)
        case "unclear" if seen.tokens != booked:
            tokens = words.tokens(seen.tokens or {})
            return _("in {place} the camera seems to see {tokens}; that is not certain.", place=where, tokens=tokens)
    return ""


def _counted(sight: TrackedTable) -> Mapping[str, TokensCounted]:
    """The counts, once a token was seen for certain: a table on which there are none goes by the phones alone."""
    in_use = any(seen.tokens and seen.certainty == "certain" for seen in sight.counted.values())
    return sight.counted if in_use else {}


def _booked(layout: Layout, place: str) -> Mapping[str, int]:
    return {kind: count for kind, count in layout.tokens.get(place, {}).items() if count}


def _visible(zone: Zone, things: tuple[str, ...], sight: TrackedTable) -> tuple[str, ...]:
    """What must be seen in a zone: of a pile one thing, whichever lies uppermost."""
    if zone.order != "pile":
        return things
    here = [thing for thing in things if thing in sight.seen and sight.seen[thing].zone == zone.name]
    return () if here else things[:1]


def _order(layout: Layout, sight: TrackedTable, mat: Mat, words: Vocabulary) -> Iterator[Discrepancy]:
    for zone in mat.zones:
        seen = sight.things_in(mat, zone.name)
        wanted = tuple(thing for thing in layout.cards.get(zone.name, ()) if thing in seen)
        if zone.order in ("down", "right") and wanted != tuple(thing for thing in seen if thing in wanted):
            listed = ", ".join(words.thing(thing) for thing in wanted)
            where = words.place(zone.name)
            yield Discrepancy(
                wanted[0],
                _("{place} should read, from the left: {things}.", place=where, things=listed)
                if zone.order == "right"
                else _("{place} should read, from the top: {things}.", place=where, things=listed),
            )
