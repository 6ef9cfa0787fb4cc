"""Discrepancies: the differences between the layout and the tracked table, for people to fix.

Law: pure. Discrepancies never change the match; only moves do. Each has one fix, a single physical act such as putting
a component in a place or turning it over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from companion.tabletop.begun_move import BegunMove
from companion.tabletop.beliefs import is_out_of_view, is_touched_by_others
from companion.tabletop.components import ComponentSet
from companion.tabletop.copy_assignment import NOTHING_KNOWN, KnownCopies, assign_copies
from companion.tabletop.direction_discrepancies import wrong_directions
from companion.tabletop.discrepancy import Discrepancy, Fix
from companion.tabletop.expected_layout import Layout
from companion.tabletop.mat import Mat, Zone
from companion.tabletop.observations import CardSeen
from companion.tabletop.physical_instructions import MAX_CARDS_BY_NAME, Vocabulary, flip_text
from companion.tabletop.token_count_discrepancies import wrong_counts
from companion.tabletop.tracked_table import TrackedTable
from companion.text.messages import Text, TextLike, WithoutPeriod, _, joined


def discrepancies(
    layout: Layout,
    table: TrackedTable,
    components: ComponentSet,
    names: Sequence[str],
    known: KnownCopies = NOTHING_KNOWN,
    begun: BegunMove | None = None,
    emptied: Collection[str] = (),
) -> tuple[Discrepancy, ...]:
    """The differences between the layout and the tracked table; empty while the mat is out of view, and until the
    camera has looked at the whole table. `begun`: the move that people have begun on the table. Its components, and the
    places that it changes, may differ from the layout. `emptied`: the piles that became the new deck in the last
    act."""
    mat = components.mat
    if mat is None or table.mat != mat.name or not table.is_searched:
        return ()
    words = components.vocabulary(names)
    visible = _without_leftovers(table.visible, components, mat)
    own = (seen for code, seen in visible.items() if code in components.kinds and code not in table.confirmed)
    # Only what comes from a face-down deck can be secret. What comes from the box may be named.
    secret = [seen for seen in own if words.home_zone(seen.code) and _secret_zone(seen, mat)]
    # The secret cards are left out, because the other messages would otherwise reveal what they are.
    table = replace(table, visible={code: seen for code, seen in visible.items() if seen not in secret})
    layout = assign_copies(layout, components, table.zones_by_code, known)
    found = (
        *(_secret_card(seen, mat, words, table.changed_at.get(seen.code, 0.0)) for seen in secret),
        *_misplacements(layout, table, components, mat, words, emptied),
        *_missing_components(layout, table, components, mat, words),
        *_wrong_orders(layout, table, components, mat, words),
        *wrong_directions(layout, table, components, words),
        *wrong_counts(layout, table, words, components),
    )
    dated = [_located(each, table, mat, words) for each in found if not _is_excused(each, layout, table, begun)]
    # People follow the list from the top. So what must leave a place comes before anything that must be put there.
    coming = [each for each in dated if any(_must_leave_first(other, each) for other in dated)]
    dated = [each for each in dated if each not in coming] + coming
    messages = dict.fromkeys(each.message for each in dated)
    return tuple(_merge([each for each in dated if each.message == message]) for message in messages)


def _must_leave_first(leaving: Discrepancy, coming: Discrepancy) -> bool:
    """Whether one discrepancy asks people to take something away from the place where the other asks them to put
    something."""
    is_leaving = leaving.fix.act == "put" and leaving.zone not in (None, leaving.fix.place)
    return is_leaving and coming.fix.act == "put" and leaving.zone == coming.fix.place


def _is_excused(found: Discrepancy, layout: Layout, table: TrackedTable, begun: BegunMove | None) -> bool:
    """Whether a discrepancy is not shown, because people have said to ignore its component or because a begun move
    explains the difference. The tokens of a begun move may hide a component that can hold tokens."""
    if found.code in table.ignored:
        return True
    if begun is not None and begun.places and found.code in table.hidden and found.code in layout.tokens:
        return True
    return begun is not None and (found.code in begun.codes or found.fix.place in begun.places)


def _located(found: Discrepancy, table: TrackedTable, mat: Mat, words: Vocabulary) -> Discrepancy:
    """The discrepancy with the fields `since`, `zone`, `at` and `beside` filled in from the tracked table."""
    seen = table.visible.get(found.code) or table.visible.get(words.other_side(found.code))
    found = replace(found, since=_since(found, table))
    if seen is None:
        return found
    is_between = seen.zone is None and seen.mm is not None and mat.holds(seen.mm)
    beside = mat.zones_by_distance(seen.mm)[0].name if is_between and seen.mm else None
    return replace(found, zone=seen.zone, at=seen.mm, beside=beside)


def _since(found: Discrepancy, table: TrackedTable) -> float:
    """When the components and tokens of a discrepancy were last seen to change."""
    if found.fix.act == "count":
        return max(found.since, table.mat_seen_at, table.counted_at.get(found.fix.place or "", 0.0))
    codes = {found.code, *found.fix.codes}
    return max(found.since, table.mat_seen_at, *(table.changed_at.get(each, 0.0) for each in codes))


def _without_leftovers(visible: Mapping[str, CardSeen], components: ComponentSet, mat: Mat) -> Mapping[str, CardSeen]:
    """The sightings, except those of another game's components in zones of another mat. These components lay there
    before this mat came into view, and the camera process still reports them for a few seconds."""
    zones = {None, *(zone.name for zone in mat.zones)}
    return {code: seen for code, seen in visible.items() if code in components.kinds or seen.zone in zones}


def _merge(alike: Sequence[Discrepancy]) -> Discrepancy:
    """Merges into one the discrepancies with the same message, which are about several copies of a card."""
    first = alike[0]
    if len(alike) == 1:
        return first
    codes = tuple(code for each in alike for code in each.fix.codes)
    return replace(
        first,
        message=_("{said} ({n} of them).", said=WithoutPeriod(first.message), n=len(alike)),
        fix=replace(first.fix, codes=codes),
        since=max(each.since for each in alike),
    )


def _secret_zone(seen: CardSeen, mat: Mat) -> str | None:
    """The secret zone in or beside which a card lies; None if it lies elsewhere. A card that is on the mat but in no
    zone counts as beside the nearest zone."""
    if seen.zone is not None:
        zone = next((zone for zone in mat.zones if zone.name == seen.zone), None)
    else:
        zone = mat.zones_by_distance(seen.mm)[0] if seen.mm and mat.holds(seen.mm) else None
    return zone.name if zone and zone.secret else None


def _secret_card(seen: CardSeen, mat: Mat, words: Vocabulary, since: float) -> Discrepancy:
    """The discrepancy for a card that was shown to the camera and is still there. It does not name the card."""
    zone = _secret_zone(seen, mat) or ""
    message = (
        _("Pick up what is in “{place}”.", place=words.place(zone))
        if seen.zone == zone
        else _("Pick up what is next to “{place}”, and show it there.", place=words.place(zone))
    )
    return Discrepancy("", message, Fix("pick_up", place=zone), since=since)


def _misplacements(
    layout: Layout,
    table: TrackedTable,
    components: ComponentSet,
    mat: Mat,
    words: Vocabulary,
    emptied: Collection[str],
) -> Iterator[Discrepancy]:
    shuffled = {zone: _cards_to_shuffle(zone, layout, table, is_emptied=zone in emptied) for zone in components.piles}
    for code, seen in table.visible.items():
        if code in shuffled.get(seen.zone or "", ()):
            continue
        belongs = layout.place_of(code)
        is_right = seen.zone is not None and seen.zone == (belongs and belongs[0])
        if is_right or is_out_of_view(code, table, components) or _may_stay(code, layout, table, components):
            continue
        # A component of another game means no move, so there is only one way to put things right.
        offered = layout if code in components.kinds else replace(layout, alternatives={})
        if seen.zone is None:
            yield from _outside_zones(code, seen, offered, mat, words)
        elif belongs is None and _may_have_replaced_equal(code, seen.zone, layout, table, components):
            text = _(
                "There seems to be one too many in {place}: "
                "lift {component}, and if another one lies below, put one {spot}",
                component=words.component(code),
                place=words.place(seen.zone),
                spot=words.destination(layout, code),
            )
            yield _misplacement(code, text, offered, mat, seen.zone)
        else:
            yield _in_wrong_zone(code, seen.zone, offered, table, mat, words)
    for zone, codes in shuffled.items():
        if codes:
            message = _("Shuffle all cards from {place}. They’re the new deck.", place=words.place(zone))
            yield Discrepancy(codes[0], message, Fix("put", codes), is_stray=True)


def _may_have_replaced_equal(
    code: str, zone: str, layout: Layout, table: TrackedTable, components: ComponentSet
) -> bool:
    """Whether a card lies on a pile where an equal one belongs that is out of view. The camera can't know whether
    people have put this card on the other one, or exchanged the two."""
    if zone not in components.piles:
        return False
    kind = components.kinds.get(code, code)
    equal = [other for other in layout.cards.get(zone, ()) if components.kinds.get(other, other) == kind]
    return any(other in table.visible and is_out_of_view(other, table, components) for other in equal)


def _may_stay(code: str, layout: Layout, table: TrackedTable, components: ComponentSet) -> bool:
    """Whether a card may stay on top of a pile although the layout lists an equal card there. An act has taken one of
    them out of play, and people may have taken the listed one, which the camera can't see."""
    zone = table.visible[code].zone
    top = next(iter(layout.cards.get(zone or "", ())), "")
    is_either = zone in components.piles and any(code in copies and top in copies for copies in table.taken)
    return is_either and top in table.visible and is_out_of_view(top, table, components)


def _cards_to_shuffle(zone: str, layout: Layout, table: TrackedTable, *, is_emptied: bool) -> tuple[str, ...]:
    """The codes of the cards that people should shuffle together, because none of them belongs in this pile any more.
    Empty if the cards are few enough to be named one by one, or if the layout lists other cards in this zone. A card
    that was never placed here correctly is left out. `is_emptied`: whether the pile has become the new deck, so that
    the cards in view may cover many others."""
    here = (code for code, seen in table.visible.items() if seen.zone == zone and code in table.placed)
    found = tuple(code for code in here if layout.place_of(code) is None)
    are_many = is_emptied or len(found) > MAX_CARDS_BY_NAME
    return found if are_many and not layout.cards.get(zone) else ()


def _in_wrong_zone(
    code: str, zone: str, layout: Layout, table: TrackedTable, mat: Mat, words: Vocabulary
) -> Discrepancy:
    """The discrepancy for a component that lies in a zone where it does not belong, or in the right zone with the wrong
    side up."""
    name, where, other = words.component(code), words.place(zone), words.other_side(code)
    if other in layout.cards.get(zone, ()):
        only = words.component_among(code, _codes_seen_in(zone, table))
        text = flip_text(only, where, is_face_down=words.is_back(other))
        alternative = code if code in table.recent_flips else None
        return Discrepancy(code, _with_alternative(layout, WithoutPeriod(text), alternative), Fix("flip", (code,)))
    if layout.place_of(code) is None and zone == words.home_zone(code):
        face_up = _("{component} is face up in {place}: turn it face down, or pick it up", component=name, place=where)
        return _misplacement(code, face_up, layout, mat, zone)
    wanted = _wanted_side(code, layout, words)
    text = _(
        "{component} is in {place}: put it {spot}", component=name, place=where, spot=_spot(code, wanted, layout, words)
    )
    return _misplacement(code, text, layout, mat, zone, wanted)


def _wanted_side(code: str, layout: Layout, words: Vocabulary) -> str:
    """The code on the side of a component that should be up. This is the code on the other side if only that side has a
    place in the layout, otherwise `code`."""
    other = words.other_side(code)
    return other if layout.place_of(code) is None and other and layout.place_of(other) else code


def _spot(code: str, wanted: str, layout: Layout, words: Vocabulary) -> TextLike:
    """Where a component belongs, in words. `code` is the code on the side that is up, and `wanted` is the code on the
    side that should be up. If they differ, the words also say which side must be up."""
    spot = words.destination(layout, wanted)
    if code == wanted:
        return spot
    return _("{spot}, face down", spot=spot) if words.is_back(wanted) else _("{spot}, face up", spot=spot)


def _outside_zones(code: str, seen: CardSeen, layout: Layout, mat: Mat, words: Vocabulary) -> Iterator[Discrepancy]:
    """Yields a discrepancy for a component that is on the mat but in none of its zones. Components beside the mat are
    ignored, and so are components that belong in a place without a zone, such as a hand."""
    if not seen.mm or not mat.holds(seen.mm):
        return
    wanted = _wanted_side(code, layout, words)
    place, zones = next(iter(layout.place_of(wanted) or ("",))), {zone.name: zone for zone in mat.zones}
    if place and (place not in zones or wanted in _codes_expected_in_view(zones[place], layout)):
        return  # `_missing_components` reports the components that should be visible
    nearest = mat.zones_by_distance(seen.mm)[0].name
    where, spot = words.place(nearest), _spot(code, wanted, layout, words)
    text = _("{component} is next to {place}: put it {spot}", component=words.component(code), place=where, spot=spot)
    yield _misplacement(code, text, layout, mat, nearest, wanted)


def _misplacement(code: str, text: Text, layout: Layout, mat: Mat, zone: str, wanted: str | None = None) -> Discrepancy:
    """The discrepancy for a component in or beside `zone` that must be put elsewhere; `text` says where. `wanted`: the
    code on the side that should be up. None if this is `code`, the side that is up now."""
    wanted = wanted or code
    belongs = layout.place_of(wanted)
    place = belongs[0] if belongs and belongs[0] in {each.name for each in mat.zones} else None
    message = _with_alternative(layout, text, *(() if belongs else (code, zone)))
    return Discrepancy(code, message, _put(wanted, place, layout), is_stray=belongs is None)


def _put(code: str, place: str | None, layout: Layout) -> Fix:
    orientation = layout.orientations.get(place or "")
    return Fix("put", (code,), place, orientation.degrees if orientation else None)


def _with_alternative(layout: Layout, message: TextLike, *keys: str | None) -> TextLike:
    """`message` as a sentence, followed by an alternative to the fix if the layout lists one. `keys`: the places and
    codes whose alternatives are looked up; the first that is found is added."""
    other = next((layout.alternatives[key] for key in keys if key and key in layout.alternatives), "")
    return _("{said}; or {other}.", said=message, other=other) if other else joined("", (message, "."))


def _missing_components(
    layout: Layout, table: TrackedTable, components: ComponentSet, mat: Mat, words: Vocabulary
) -> Iterator[Discrepancy]:
    for zone in mat.zones:
        for code in _codes_expected_in_view(zone, layout):
            seen = table.visible.get(code) or table.visible.get(words.other_side(code))
            is_elsewhere = seen is not None and seen.zone not in (None, zone.name)
            # `_misplacements` reports a component that lies elsewhere, unless others cover it there.
            is_unseen_elsewhere = is_elsewhere and seen is not None and is_out_of_view(seen.code, table, components)
            fix = _put(code, zone.name, layout)
            if seen is None and _has_tokens(code, layout, components) and code not in table.last_seen:
                # Since the camera has started, tokens may have hidden the code.
                yield Discrepancy(code, _out_of_view_text(code, zone, layout, words), fix)
            elif seen is None or seen.zone is None or is_unseen_elsewhere or _is_too_deep(seen, zone, layout, table):
                spot = _spot(seen.code if seen else code, code, layout, words)
                message = _("Put {component} {spot}.", component=words.component(code), spot=spot)
                yield Discrepancy(code, message, fix)
            elif _is_to_be_uncovered(seen, zone, layout, table, components):
                yield Discrepancy(code, _out_of_view_text(code, zone, layout, words), fix)


def _out_of_view_text(code: str, zone: Zone, layout: Layout, words: Vocabulary) -> Text:
    """The sentence for a component that may lie where it belongs, but can't be seen there."""
    component = words.component_among(code, layout.cards[zone.name])
    return _(
        "Can’t see {component} in {place}: put it in full view.", component=component, place=words.place(zone.name)
    )


def _has_tokens(code: str, layout: Layout, components: ComponentSet) -> bool:
    """Whether tokens belong on a component."""
    return bool(layout.tokens_in(components.kinds.get(code, code)))


def _is_too_deep(top: CardSeen, zone: Zone, layout: Layout, table: TrackedTable) -> bool:
    """Whether the card that belongs on top of a pile is out of sight, if it is in the pile at all, because a later card
    that belongs further down is in view."""
    if zone.order != "pile" or top.zone != zone.name or top.code not in table.hidden:
        return False
    lower = (table.visible[code] for code in layout.cards[zone.name][1:] if code in table.visible)
    return any(other.zone == zone.name and other.t > top.t and other.code not in table.hidden for other in lower)


def _is_to_be_uncovered(
    seen: CardSeen, zone: Zone, layout: Layout, table: TrackedTable, components: ComponentSet
) -> bool:
    """Whether a component must be put in full view: it was last seen in this zone, where it is hidden now, and neither
    another component nor tokens explain why. False if the component's direction matters: then `wrong_directions`
    reports it."""
    if seen.zone != zone.name or seen.code not in table.hidden or zone.name in layout.orientations:
        return False
    is_explained = is_touched_by_others(seen.code, table, components) or _may_be_below_tokens(
        seen.code, layout, table, components
    )
    return not is_explained


def _may_be_below_tokens(code: str, layout: Layout, table: TrackedTable, components: ComponentSet) -> bool:
    """Whether tokens may hide the code of a component: tokens belong on it, and it went out of view when people put
    some of them there."""
    return code in table.below_tokens and _has_tokens(code, layout, components)


def _codes_seen_in(zone: str, table: TrackedTable) -> Iterator[str]:
    """The codes of all components that the camera sees in a zone."""
    return (code for code, seen in table.visible.items() if seen.zone == zone)


def _codes_expected_in_view(zone: Zone, layout: Layout) -> tuple[str, ...]:
    """The codes that should be visible in a zone. In a pile, this is only the first one."""
    codes = layout.cards.get(zone.name, ())
    return codes[:1] if zone.order == "pile" else codes


def _wrong_orders(
    layout: Layout, table: TrackedTable, components: ComponentSet, mat: Mat, words: Vocabulary
) -> Iterator[Discrepancy]:
    for zone in mat.zones:
        if zone.order not in ("down", "right"):
            continue
        visible = tuple(code for code in table.codes_in(mat, zone.name) if not is_out_of_view(code, table, components))
        expected = tuple(code for code in layout.cards.get(zone.name, ()) if code in visible)
        if expected != tuple(code for code in visible if code in expected):
            in_order = joined(", ", (words.component(code) for code in expected))
            where = words.place(zone.name)
            yield Discrepancy(
                expected[0],
                _("Put {place} in this order, from the left: {things}.", place=where, things=in_order)
                if zone.order == "right"
                else _("Put {place} in this order, from the top: {things}.", place=where, things=in_order),
                Fix("sort", expected, zone.name),
            )
