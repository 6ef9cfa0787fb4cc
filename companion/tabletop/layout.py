"""What the table should look like, and the difference to what it looked like before.

Law: pure. A layout lists every physical thing that matters: coded things by place (top first), tokens by
holder (a bag, a pool, a card), markers by track. Games make layouts; nothing here knows a game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from companion.text.translation import _, plural

FACING_TOLERANCE_DEGREES = 30.0
"""A component that points somewhere may lie askew by this much."""
MAX_CARDS_BY_NAME = 3
"""If more cards of a pile go home together, they are a deck to shuffle, and are not named one by one."""


@dataclass(frozen=True)
class Facing:
    """Which way round a thing lies: the angle of its code's top edge on the mat, degrees clockwise; and the place, as
    the layout names it, to which the thing points then."""

    degrees: float
    towards: str

    def matches(self, angle: float) -> bool:
        """Whether a thing at this angle may be taken to lie so."""
        return abs((angle - self.degrees + 180) % 360 - 180) <= FACING_TOLERANCE_DEGREES


@dataclass(frozen=True)
class Layout:
    """Where everything belongs.

    `cards` maps a place (a zone of the mat, or another place that the game names) to the things in it, top
    first; a thing that is listed nowhere is at home (in its deck, in the box). Copies are listed by their kind.
    `tokens` maps a holder (a place or a thing) to how many tokens of each kind it holds.
    `markers` maps a track to the position that its marker shows.
    `facing` says of places in which a thing's turn matters which way round it lies there.
    `mixed` are the places whose things are shuffled into their deck when they go home.
    `otherwise` says what else may be done than to put right a thing that lies wrong in a place, or a code that was just
    turned over: it may be half of a move.
    """

    cards: Mapping[str, tuple[str, ...]]
    tokens: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    markers: Mapping[str, int | str] = field(default_factory=dict)
    facing: Mapping[str, Facing] = field(default_factory=dict)
    mixed: Collection[str] = ()
    otherwise: Mapping[str, str] = field(default_factory=dict)

    def count(self, kind: str) -> int:
        """How many of a kind belong somewhere."""
        return sum(things.count(kind) for things in self.cards.values())

    def place_of(self, thing: str) -> tuple[str, int] | None:
        """The place of a thing and its position in it from the top, or None if it is at home."""
        for place, things in self.cards.items():
            if thing in things:
                return place, things.index(thing)
        return None


@dataclass(frozen=True)
class Vocabulary:
    """How people call things, places, so many of a token; where a thing is at home ("on top of the deck").

    `beside`: whether the things in a place lie side by side instead of one below the other. `turned`: the kind, or the
    code, of a thing's other side, "" if it has one only.
    """

    thing: Callable[[str], str]
    place: Callable[[str], str]
    home: Callable[[str], str]
    home_zone: Callable[[str], str | None]
    token: Callable[[str, int], str]
    beside: Callable[[str], bool]
    turned: Callable[[str], str]

    def tokens(self, held: Mapping[str, int]) -> str:
        """Tokens in words: "2 red cubes, 1 blue cube"."""
        return ", ".join(f"{n} {self.token(kind, n)}" for kind, n in sorted(held.items()) if n) or _("none")

    def spot(self, layout: Layout, thing: str) -> str:
        """Where a thing belongs: "on top of Zone 2"."""
        found = layout.place_of(thing)
        return self.spot_in(layout, thing, found[0]) if found else self.home(thing)

    def spot_in(self, layout: Layout, thing: str, place: str) -> str:
        """Where in a place a thing belongs."""
        things = layout.cards[place]
        index = things.index(thing)
        if len(things) == 1 or self.beside(place):
            return _("in {place}", place=self.place(place))
        if index == 0:
            return _("on top of {place}", place=self.place(place))
        return _("in {place}, under {thing}", place=self.place(place), thing=self.thing(things[index - 1]))


@dataclass(frozen=True)
class TokenPlacement:
    """A token on the mat itself, by its middle: mm, and degrees clockwise."""

    kind: str
    x: float
    y: float
    angle: float = 0.0


def physical_instructions(old: Layout, new: Layout, words: Vocabulary) -> tuple[str, ...]:
    """What hands must do to make a table that looks like `old` look like `new`, a sentence each."""
    found = (*_tokens(old, new, words), *_cards(old, new, words), *_swung(old, new, words), *_markers(old, new, words))
    return tuple(said[:1].upper() + said[1:] for said in found)


def _cards(old: Layout, new: Layout, words: Vocabulary) -> Iterator[str]:
    shuffled = _shuffled(old, new)
    for place, count in shuffled.items():
        where = words.place(place)
        yield (
            plural(
                "Shuffle {place} ({n} card) into the deck.",
                "Shuffle {place} ({n} cards) into the deck.",
                count,
                place=where,
            )
            if place in old.mixed
            else plural(
                "Shuffle the {n} card from {place}; it is the deck again.",
                "Shuffle the {n} cards from {place}; they are the deck again.",
                count,
                place=where,
            )
        )
    kinds = dict.fromkeys(kind for layout in (new, old) for things in layout.cards.values() for kind in things)
    changes = {kind: _change(kind, old, new) for kind in kinds}
    for kind in kinds:
        yield from _turned(kind, changes, words)
    for kind, change in changes.items():
        came = [place for place, by in change.items() for _ in range(by)]
        yield from (_come(kind, place, new, words) for place in came)
        went = [place for place, by in change.items() for _ in range(-by) if place not in shuffled]
        for place in went[len(came) :]:
            thing, home = words.thing(kind), words.home(kind)
            if place in old.facing and old.count(kind) > 1:
                # Copies that lie each in a place of their own differ by what they pointed to.
                yield _("{thing} in {place} goes back {home}.", thing=thing, place=words.place(place), home=home)
            else:
                yield _("{thing} goes back {home}.", thing=thing, home=home)


def _come(kind: str, place: str, new: Layout, words: Vocabulary) -> str:
    """Where a thing goes, and which way round where that matters."""
    thing, spot, facing = words.thing(kind), words.spot_in(new, kind, place), new.facing.get(place)
    if facing is None:
        return _("{thing} goes {spot}.", thing=thing, spot=spot)
    return _("{thing} goes {spot}, pointing to {other}.", thing=thing, spot=spot, other=words.place(facing.towards))


def _swung(old: Layout, new: Layout, words: Vocabulary) -> Iterator[str]:
    """What stays and is turned to point elsewhere."""
    for place, facing in new.facing.items():
        if place in old.facing and old.facing[place] != facing:
            for thing in new.cards.get(place, ()):
                where, towards = words.place(place), words.place(facing.towards)
                yield _(
                    "Turn {thing} in {place}: it points to {other}.",
                    thing=words.thing(thing),
                    place=where,
                    other=towards,
                )


def _change(kind: str, old: Layout, new: Layout) -> dict[str, int]:
    """By how many each place has more of a kind."""
    places = dict.fromkeys((*old.cards, *new.cards))
    return {place: new.cards.get(place, ()).count(kind) - old.cards.get(place, ()).count(kind) for place in places}


def _turned(kind: str, changes: dict[str, dict[str, int]], words: Vocabulary) -> Iterator[str]:
    """What was turned over where it lies; taken out of the changes."""
    other = changes.get(words.turned(kind), {})
    for place, by in changes[kind].items():
        for _each in range(min(by, -other.get(place, 0))):
            changes[kind][place] -= 1
            other[place] += 1
            yield _("Turn over {thing} in {place}.", thing=words.thing(kind), place=words.place(place))


def _shuffled(old: Layout, new: Layout) -> dict[str, int]:
    """The piles that have become a deck again, or part of one: all of several things went home together."""
    emptied = {place: things for place, things in old.cards.items() if things and not new.cards.get(place)}
    piles = {
        place: things for place, things in emptied.items() if len(things) > MAX_CARDS_BY_NAME or place in old.mixed
    }
    return {place: len(t) for place, t in piles.items() if all(new.place_of(thing) is None for thing in t)}


def _tokens(old: Layout, new: Layout, words: Vocabulary) -> Iterator[str]:
    kinds = dict.fromkeys(kind for layout in (old, new) for held in layout.tokens.values() for kind in held)
    holders = dict.fromkeys((*old.tokens, *new.tokens))
    carried: dict[tuple[str, str], dict[str, int]] = {}
    for kind in kinds:
        change = {h: new.tokens.get(h, {}).get(kind, 0) - old.tokens.get(h, {}).get(kind, 0) for h in holders}
        givers = [holder for holder, by in change.items() for _ in range(-by)]
        takers = [holder for holder, by in change.items() for _ in range(by)]
        for way, count in Counter(zip(givers, takers, strict=False)).items():
            carried.setdefault(way, {})[kind] = count
    yield from (_carry(held, giver, taker, words) for (giver, taker), held in carried.items())


def _carry(held: Mapping[str, int], giver: str, taker: str, words: Vocabulary) -> str:
    here, there = words.place(giver), words.place(taker)
    if sum(held.values()) == 1:
        (kind,) = held
        return _("Move the {token} from {place} to {other}.", token=words.token(kind, 1), place=here, other=there)
    return _("Move {tokens} from {place} to {other}.", tokens=words.tokens(held), place=here, other=there)


def _markers(old: Layout, new: Layout, words: Vocabulary) -> Iterator[str]:
    for track, position in new.markers.items():
        if old.markers.get(track) != position:
            yield _("Set {track} to {position}.", track=words.place(track), position=position)
