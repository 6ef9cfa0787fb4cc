"""Physical instructions: the sentences that tell people how to change the table from one layout to another.

Law: pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from companion.tabletop.expected_layout import Layout
from companion.text.messages import Capitalized, Text, TextLike, _, joined, listed, plural

MAX_CARDS_BY_NAME = 3
"""If more cards than this go back from one pile to their deck at once, people shuffle them into the deck. The
instructions then don't name each card."""


@dataclass(frozen=True)
class Vocabulary:
    """The words that people use for components, places and tokens, and for a component's home ("on top of the disaster
    deck"). Each field is a function.

    `only_component` names a component where no other one has the same name.
    `home_zone` returns the zone of the deck where a component is at home; None if its home is beside the mat.
    `is_side_by_side` returns whether the components in a place lie side by side instead of one below the other.
    `counting_area` names the place in which tokens are counted: for a component, its field.
    `other_side` returns the kind, or the code, of a component's other side; "" if there is no code on that side.
    `is_back` returns whether a kind or a code belongs to a component that lies face down."""

    component: Callable[[str], TextLike]
    only_component: Callable[[str], TextLike]
    place: Callable[[str], TextLike]
    home: Callable[[str], TextLike]
    home_zone: Callable[[str], str | None]
    token: Callable[[str, int], TextLike]
    is_side_by_side: Callable[[str], bool]
    counting_area: Callable[[str], TextLike]
    other_side: Callable[[str], str]
    is_back: Callable[[str], bool]

    def component_among(self, code: str, here: Iterable[str]) -> TextLike:
        """A component in a place that contains the components `here`, in words: "the signal" if it is the only signal
        there, otherwise "a signal"."""
        name = self.component(code)
        return self.only_component(code) if sum(self.component(each) == name for each in here) == 1 else name

    def tokens(self, held: Mapping[str, int]) -> TextLike:
        """A number of tokens of each kind in words: "1 blue cube and 2 red cubes"."""
        counts = [joined(" ", (str(n), self.token(kind, n))) for kind, n in sorted(held.items()) if n]
        return listed(counts) or _("none")

    def destination(self, layout: Layout, kind: str) -> TextLike:
        """Where a component belongs, in words: "on top of Zone 2"."""
        found = layout.place_of(kind)
        return self.destination_in(layout, kind, found[0]) if found else self.home(kind)

    def destination_in(self, layout: Layout, kind: str, place: str) -> Text:
        """Where in a place a component belongs, in words: "in Zone 2, under D07". The words include its direction if
        that matters."""
        kinds, orientation = layout.cards[place], layout.orientations.get(place)
        index = kinds.index(kind)
        if orientation:
            return _("in {place}, pointing to {other}", place=self.place(place), other=self.place(orientation.towards))
        if len(kinds) == 1 or self.is_side_by_side(place):
            return _("in {place}", place=self.place(place))
        if index == 0:
            return _("on top of {place}", place=self.place(place))
        return _("in {place}, under {component}", place=self.place(place), component=self.component(kinds[index - 1]))


def physical_instructions(old: Layout, new: Layout, words: Vocabulary) -> tuple[Text, ...]:
    """The sentences that tell people how to change a table in the layout `old` to the layout `new`."""
    found = (
        *_token_instructions(old, new, words),
        *_card_instructions(old, new, words),
        *_rotation_instructions(old, new, words),
        *_marker_instructions(old, new, words),
    )
    return tuple(map(Capitalized, found))


def _card_instructions(old: Layout, new: Layout, words: Vocabulary) -> Iterator[Text]:
    shuffled = shuffled_piles(old, new)
    for place, count in shuffled.items():
        where = words.place(place)
        yield (
            plural(
                "Shuffle {place} ({n} card) into the deck.",
                "Shuffle {place} ({n} cards) into the deck.",
                count,
                place=where,
            )
            if place in old.shuffled_places
            else plural(
                "Shuffle the {n} card from {place}. It’s the new deck.",
                "Shuffle the {n} cards from {place}. They’re the new deck.",
                count,
                place=where,
            )
        )
    changes = _count_changes(old, new)
    for kind in changes:
        yield from _flip_instructions(kind, changes, old, words)
    for kind, change in changes.items():
        came = [place for place, by in change.items() for _ in range(by)]
        yield from (_arrival_instruction(kind, place, new, words) for place in came)
        went = [place for place, by in change.items() for _ in range(-by) if place not in shuffled]
        for place in went[len(came) :]:
            name, home = words.component_among(kind, old.cards[place]), words.home(kind)
            if place in old.orientations and old.count(kind) > 1:
                # Equal copies that must point in a direction have different places, so name the place.
                yield _(
                    "Put {component} from {place} back {home}.", component=name, place=words.place(place), home=home
                )
            else:
                yield _("Put {component} back {home}.", component=name, home=home)


def _arrival_instruction(kind: str, place: str, new: Layout, words: Vocabulary) -> Text:
    """The instruction to put a component into a place, pointing in the right direction if that matters."""
    return _("Put {component} {spot}.", component=words.component(kind), spot=words.destination_in(new, kind, place))


def _rotation_instructions(old: Layout, new: Layout, words: Vocabulary) -> Iterator[Text]:
    """Yields an instruction for each component that stays in its place and must be rotated."""
    for place, orientation in new.orientations.items():
        if place in old.orientations and old.orientations[place] != orientation:
            here = new.cards.get(place, ())
            for kind in here:
                where, towards = words.place(place), words.place(orientation.towards)
                yield _(
                    "Turn {component} in {place} so that it points to {other}.",
                    component=words.component_among(kind, here),
                    place=where,
                    other=towards,
                )


def _count_changes(old: Layout, new: Layout) -> dict[str, dict[str, int]]:
    """Maps each kind and each place to the number of components of the kind that the place gains from `old` to `new`.
    The number is negative if it loses some. Contains only the places whose components change, and their kinds."""
    kinds = dict.fromkeys(kind for layout in (new, old) for here in layout.cards.values() for kind in here)
    here = {place: (old.cards.get(place, ()), new.cards.get(place, ())) for place in (*old.cards, *new.cards)}
    changed = {place: (before, after) for place, (before, after) in here.items() if before != after}
    moved = {kind for before, after in changed.values() for kind in (*before, *after)}
    return {
        kind: {place: after.count(kind) - before.count(kind) for place, (before, after) in changed.items()}
        for kind in kinds
        if kind in moved
    }


def _flip_instructions(kind: str, changes: dict[str, dict[str, int]], old: Layout, words: Vocabulary) -> Iterator[Text]:
    """Yields an instruction for each component that must be turned over in its place so that `kind` is up. Removes that
    component from `changes`."""
    other = changes.get(words.other_side(kind), {})
    for place, by in changes[kind].items():
        for _each in range(min(by, -other.get(place, 0))):
            changes[kind][place] -= 1
            other[place] += 1
            name = words.component_among(kind, old.cards[place])
            yield flip_text(name, words.place(place), is_face_down=words.is_back(kind))


def flip_text(component: TextLike, place: TextLike, *, is_face_down: bool) -> Text:
    """The instruction to turn a component over in its place. `is_face_down`: whether the component lies face down
    afterwards."""
    if is_face_down:
        return _("Turn {component} in {place} face down.", component=component, place=place)
    return _("Turn {component} in {place} face up.", component=component, place=place)


def shuffled_piles(old: Layout, new: Layout) -> dict[str, int]:
    """The piles that people must shuffle because all their cards go back to a deck. Maps the place of each pile to its
    number of cards."""
    emptied = {place: kinds for place, kinds in old.cards.items() if kinds and not new.cards.get(place)}
    piles = {
        place: kinds
        for place, kinds in emptied.items()
        if place in old.shuffled_places or len(kinds) > MAX_CARDS_BY_NAME
    }
    return {place: len(kinds) for place, kinds in piles.items() if not any(map(new.place_of, kinds))}


def _token_instructions(old: Layout, new: Layout, words: Vocabulary) -> Iterator[Text]:
    kinds = dict.fromkeys(kind for layout in (old, new) for held in layout.tokens.values() for kind in held)
    holders = dict.fromkeys((*old.tokens, *new.tokens))
    carried: dict[tuple[str, str], dict[str, int]] = {}
    for kind in kinds:
        change = {h: new.tokens.get(h, {}).get(kind, 0) - old.tokens.get(h, {}).get(kind, 0) for h in holders}
        givers = [holder for holder, by in change.items() for _ in range(-by)]
        takers = [holder for holder, by in change.items() for _ in range(by)]
        for way, count in Counter(zip(givers, takers, strict=False)).items():
            carried.setdefault(way, {})[kind] = count
    yield from (_carry_instruction(held, giver, taker, words) for (giver, taker), held in carried.items())


def _carry_instruction(held: Mapping[str, int], giver: str, taker: str, words: Vocabulary) -> Text:
    here, there = words.place(giver), words.place(taker)
    if sum(held.values()) == 1:
        (kind,) = held
        return _("Move the {token} from {place} to {other}.", token=words.token(kind, 1), place=here, other=there)
    return _("Move {tokens} from {place} to {other}.", tokens=words.tokens(held), place=here, other=there)


def _marker_instructions(old: Layout, new: Layout, words: Vocabulary) -> Iterator[Text]:
    for track, position in new.markers.items():
        if old.markers.get(track) != position:
            yield _("Set {track} to {position}.", track=words.place(track), position=position)
