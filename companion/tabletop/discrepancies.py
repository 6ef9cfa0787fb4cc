"""Discrepancies: the differences between the layout and the tracked table, for people to fix.

Law: pure. Discrepancies never change the match; only moves do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from companion.tabletop.components import ComponentSet
from companion.tabletop.copy_assignment import NOTHING_KNOWN, KnownCopies, assign_copies
from companion.tabletop.layout import Layout, Vocabulary
from companion.tabletop.mat import Mat, Zone
from companion.tabletop.observations import CardSeen, TokensCounted
from companion.tabletop.tracked_table import TrackedTable
from companion.text.messages import Capitalized, Text, TextLike, WithoutPeriod, _, joined


@dataclass(frozen=True)
class Discrepancy:
    """A difference between the layout and the table, with a message that says how to fix it."""

    code: str
    """The code of the component to fix; "" if the message is not about one component."""
    message: TextLike
    is_stray: bool = False
    """Whether the component is in a zone of the mat but belongs in none."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", Capitalized(self.message))


def discrepancies(
    layout: Layout,
    table: TrackedTable,
    components: ComponentSet,
    names: Sequence[str],
    known: KnownCopies = NOTHING_KNOWN,
) -> tuple[Discrepancy, ...]:
    """The differences between the layout and the tracked table; empty while the mat is out of view."""
    mat = components.mat
    if mat is None or table.mat != mat.name:
        return ()
    words = components.vocabulary(names)
    visible = _without_leftovers(table.visible, components, mat)
    secret_zones = {zone.name for zone in mat.zones if zone.secret}
    secret = [seen for seen in visible.values() if seen.zone in secret_zones]
    # Were these cards in view, the other messages would depend on what they are.
    table = replace(table, visible={code: seen for code, seen in visible.items() if seen not in secret})
    zones = table.zones_by_code
    known = known.without_interchanged(table.neighbors_of_gone, zones, components.kinds)
    layout = assign_copies(layout, components, zones, known)
    found = (
        *(Discrepancy("", _("Pick up what is in {place}.", place=words.place(seen.zone or ""))) for seen in secret),
        *_misplacements(layout, table, mat, words),
        *_missing_components(layout, table, mat, words),
        *_wrong_orders(layout, table, mat, words),
        *_wrong_directions(layout, table, words),
        *_wrong_counts(layout, table, words),
    )
    messages = dict.fromkeys(each.message for each in found)
    return tuple(_merge([each for each in found if each.message == message]) for message in messages)


def _without_leftovers(visible: Mapping[str, CardSeen], components: ComponentSet, mat: Mat) -> Mapping[str, CardSeen]:
    """The sightings without components of another game in zones of another mat. Those lay there before this mat came
    into view, and the camera process still reports them for a few seconds."""
    zones = {None, *(zone.name for zone in mat.zones)}
    return {code: seen for code, seen in visible.items() if code in components.kinds or seen.zone in zones}


def _merge(alike: Sequence[Discrepancy]) -> Discrepancy:
    """One discrepancy for several copies of a card with the same message."""
    first = alike[0]
    if len(alike) == 1:
        return first
    return replace(first, message=_("{said} ({n} of them).", said=WithoutPeriod(first.message), n=len(alike)))


def _misplacements(layout: Layout, table: TrackedTable, mat: Mat, words: Vocabulary) -> Iterator[Discrepancy]:
    for code, seen in table.visible.items():
        belongs = layout.place_of(code)
        if seen.zone == (belongs and belongs[0]) and seen.zone is not None:
            continue
        if seen.zone is None and (belongs or not seen.mm or not mat.holds(seen.mm)):
            continue  # anything may lie beside the mat; `_missing_components` reports what belongs on it
        if belongs is None and seen.zone == words.home_zone(code):
            continue
        if seen.zone and words.other_side(code) in layout.cards.get(seen.zone, ()):
            over = _("Turn over {thing} in {place}", thing=words.component(code), place=words.place(seen.zone))
            yield Discrepancy(code, _with_alternative(layout, over, code if code in table.recent_flips else None))
        elif not table.is_covered(code):
            spot = _misplacement_text(
                words.component(code), seen.zone and words.place(seen.zone), words.destination(layout, code)
            )
            alternatives = () if belongs else (code, seen.zone)
            yield Discrepancy(code, _with_alternative(layout, spot, *alternatives), is_stray=belongs is None)


def _misplacement_text(component: TextLike, place: TextLike | None, spot: TextLike) -> Text:
    if place is None:
        return _("{thing} is between two places: put it {spot}", thing=component, spot=spot)
    return _("{thing} is in {place}: put it {spot}", thing=component, place=place, spot=spot)


def _with_alternative(layout: Layout, message: TextLike, *keys: str | None) -> TextLike:
    """`message` as a sentence. If the layout has an alternative to the fix for one of `keys`, the sentence adds the
    first of these."""
    other = next((layout.alternatives[key] for key in keys if key and key in layout.alternatives), "")
    return _("{said}; or {other}.", said=message, other=other) if other else joined("", (message, "."))


def _missing_components(layout: Layout, table: TrackedTable, mat: Mat, words: Vocabulary) -> Iterator[Discrepancy]:
    for zone in mat.zones:
        for code in _codes_expected_in_view(zone, layout.cards.get(zone.name, ()), table):
            seen = table.visible.get(code) or table.visible.get(words.other_side(code))
            if seen is None or seen.zone is None:
                spot = words.destination(layout, code)
                yield Discrepancy(code, _("Put {thing} {spot}.", thing=words.component(code), spot=spot))


def _codes_expected_in_view(zone: Zone, codes: tuple[str, ...], table: TrackedTable) -> tuple[str, ...]:
    """The codes that should be visible in a zone. One visible card of a pile is enough: then the result is empty,
    otherwise it has only the pile's first code."""
    if zone.order != "pile":
        return codes
    here = [code for code in codes if code in table.visible and table.visible[code].zone == zone.name]
    return () if here else codes[:1]


def _wrong_directions(layout: Layout, table: TrackedTable, words: Vocabulary) -> Iterator[Discrepancy]:
    for place, orientation in layout.orientations.items():
        for code in layout.cards.get(place, ()):
            seen = table.visible.get(code)
            if seen and seen.zone == place and not orientation.matches(seen.angle):
                component, where, towards = words.component(code), words.place(place), words.place(orientation.towards)
                wrong = _(
                    "Turn {thing} in {place} so that it points to {other}.", thing=component, place=where, other=towards
                )
                yield Discrepancy(code, wrong)


def _wrong_orders(layout: Layout, table: TrackedTable, mat: Mat, words: Vocabulary) -> Iterator[Discrepancy]:
    for zone in mat.zones:
        visible = table.codes_in(mat, zone.name)
        expected = tuple(code for code in layout.cards.get(zone.name, ()) if code in visible)
        if zone.order in ("down", "right") and expected != tuple(code for code in visible if code in expected):
            in_order = joined(", ", (words.component(code) for code in expected))
            where = words.place(zone.name)
            yield Discrepancy(
                expected[0],
                _("{place} should read, from the left: {things}.", place=where, things=in_order)
                if zone.order == "right"
                else _("{place} should read, from the top: {things}.", place=where, things=in_order),
            )


def _wrong_counts(layout: Layout, table: TrackedTable, words: Vocabulary) -> Iterator[Discrepancy]:
    """Yields a discrepancy for each place where the camera is certain of its count, and the layout has other tokens."""
    for place, counted in _counts_in_use(table).items():
        if counted.certainty == "certain" and counted.tokens != _expected_tokens(layout, place):
            expected, shown = (words.tokens(held) for held in (_expected_tokens(layout, place), counted.tokens or {}))
            wrong = _(
                "{place} should have {tokens}, but the camera sees {others}.",
                place=words.place(place),
                tokens=expected,
                others=shown,
            )
            yield Discrepancy("", wrong)


def uncertain_count_messages(
    layout: Layout, table: TrackedTable, components: ComponentSet, names: Sequence[str]
) -> tuple[TextLike, ...]:
    """The counts that the camera is not certain of, a sentence each."""
    words, in_use = components.vocabulary(names), _counts_in_use(table)
    found = [
        _uncertainty_text(counted, _expected_tokens(layout, place), words)
        for place, counted in table.token_counts.items()
        if place in in_use or counted.why in ("dark", "patches")
    ]
    return tuple(dict.fromkeys(Capitalized(sentence) for sentence in found if sentence))


def _uncertainty_text(counted: TokensCounted, expected: Mapping[str, int], words: Vocabulary) -> TextLike:
    where = words.place(counted.place)
    match counted.why:
        case "dark" if expected:
            return _("it is too dark to count; the game goes by what you tap.")
        case "patches" if expected:
            return _("the camera can't see the mat's color patches, so it can't count; the game goes by what you tap.")
        case "covered" if expected:
            return _("can't count in {place}: something is in the way.", place=where)
        case "unclear" if counted.tokens != expected:
            tokens = words.tokens(counted.tokens or {})
            return _("the camera seems to see {tokens} in {place}, but it is not sure.", place=where, tokens=tokens)
    return ""


def _counts_in_use(table: TrackedTable) -> Mapping[str, TokensCounted]:
    """The camera's count for each place; empty until the camera has seen a token for certain. Until then the
    table is assumed to be played without tokens, with the numbers on the phones only."""
    in_use = any(counted.tokens and counted.certainty == "certain" for counted in table.token_counts.values())
    return table.token_counts if in_use else {}


def _expected_tokens(layout: Layout, place: str) -> Mapping[str, int]:
    return {kind: count for kind, count in layout.tokens.get(place, {}).items() if count}
