"""Compares the camera's counts of tokens with the layout: which places hold the wrong tokens, and which counts the
camera is not certain of.

Law: pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from companion.tabletop.beliefs import is_out_of_view
from companion.tabletop.components import ComponentSet
from companion.tabletop.discrepancy import Discrepancy, Fix
from companion.tabletop.expected_layout import Layout
from companion.tabletop.observations import TokensCounted
from companion.tabletop.physical_instructions import Vocabulary
from companion.tabletop.tracked_table import TOKENS, TrackedTable
from companion.text.messages import Capitalized, TextLike, _, joined


def wrong_counts(
    layout: Layout, table: TrackedTable, words: Vocabulary, components: ComponentSet
) -> Iterator[Discrepancy]:
    """Yields a discrepancy for each place where the camera's count is certain and differs from the layout. Yields none
    if people have said that they play without tokens."""
    for place, counted in (table.token_counts if TOKENS not in table.ignored else {}).items():
        expected = layout.tokens_in(place)
        if counted.certainty != "certain" or _may_have_left(place, layout, table, components):
            continue
        if counted.tokens != expected:
            wrong = _wrong_count_text(place, expected, counted.tokens or {}, words)
            if _stacks_may_hide_rest(counted, expected):
                wrong = joined(" ", (wrong, _("If one is on top of another, put them side by side.")))
            fix = Fix("count", place=place, tokens=expected)
            yield Discrepancy("", wrong, fix, may_lack_tokens=not table.has_tokens)


def _may_have_left(place: str, layout: Layout, table: TrackedTable, components: ComponentSet) -> bool:
    """Whether a place is the field of a component that no longer belongs where it was seen, and is out of view there.
    It may have been taken away, so its last count says nothing."""
    seen = table.visible.get(place)
    if seen is None or not is_out_of_view(place, table, components):
        return False
    found = layout.place_of(place)
    return found is None or found[0] != seen.zone


def _wrong_count_text(place: str, expected: Mapping[str, int], seen: Mapping[str, int], words: Vocabulary) -> TextLike:
    """The sentence that says which tokens to put in a place, or to take out of it, and how many of these kinds it then
    has."""
    missing, surplus = Counter(expected) - Counter(seen), Counter(seen) - Counter(expected)
    right = {kind: expected[kind] for kind in (*missing, *surplus) if expected.get(kind)}
    parts = {
        "place": words.counting_area(place),
        "tokens": words.tokens(missing or surplus),
        "right": words.tokens(right),
    }
    if missing and surplus:
        return _(
            "Put {tokens} in {place}, and take out {surplus}, so that it has {right}.",
            surplus=words.tokens(surplus),
            **parts,
        )
    if surplus and right:
        return _("Take {tokens} out of {place}, so that it has {right}.", **parts)
    if surplus:
        return _("Take {tokens} out of {place}.", **parts)
    if any(seen.get(kind) for kind in missing):
        return _("Put {tokens} in {place}, so that it has {right}.", **parts)
    return _("Put {tokens} in {place}: the camera sees none.", **parts)


def _stacks_may_hide_rest(counted: TokensCounted, expected: Mapping[str, int]) -> bool:
    """Whether the only error in the count may be that some tokens are hidden under others."""
    seen = Counter(counted.tokens or {})
    missing = Counter(expected) - seen
    return not seen - Counter(expected) and 0 < missing.total() <= counted.possible_stacks


def uncertain_count_messages(
    layout: Layout, table: TrackedTable, components: ComponentSet, names: Sequence[str]
) -> tuple[TextLike, ...]:
    """A sentence for each uncertain count that people should know about. Nothing is said about the fields of
    components: older prints have none, and cubes may lie beside them."""
    words, in_use = components.vocabulary(names), _counts_in_use(table)
    colors = components.mat.token_colors if components.mat else None
    is_optional = colors is not None and colors.is_optional
    found = [
        _uncertainty_text(counted, layout.tokens_in(place), words)
        for place, counted in table.token_counts.items()
        if colors is None or place not in colors.fields
        if place in in_use or (counted.why in ("dark", "patches") and not is_optional)
    ]
    return tuple(dict.fromkeys(Capitalized(sentence) for sentence in found if sentence))


def _uncertainty_text(counted: TokensCounted, expected: Mapping[str, int], words: Vocabulary) -> TextLike:
    where = words.place(counted.place)
    match counted.why:
        case "dark" if expected:
            return _("it’s too dark to count, so what you tap counts.")
        case "patches" if expected:
            return _("the camera can’t see the mat’s color patches, so it can’t count. What you tap counts.")
        case "covered" if expected:
            return _("can’t count in {place}: something is in the way.", place=where)
        case "unclear" if counted.tokens != expected:
            tokens = words.tokens(counted.tokens or {})
            return _("the camera may see {tokens} in {place}, but it isn’t sure.", place=where, tokens=tokens)
    return ""


def _counts_in_use(table: TrackedTable) -> Mapping[str, TokensCounted]:
    """The camera's count for each place; empty until the camera has been certain of a token. Until then, people may be
    playing without tokens, going by the numbers on their phones."""
    return table.token_counts if table.has_tokens else {}
