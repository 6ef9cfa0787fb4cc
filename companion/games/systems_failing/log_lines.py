"""The log lines of Systems Failing.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.games.rules import Move, Names, Viewer
from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.cube_multiset import WHITE, Cubes, cubes_of
from companion.games.systems_failing.display_names import (
    DRAWN_CUBE,
    card_list,
    card_name,
    cubes_as_object,
)
from companion.games.systems_failing.end_screen import ending
from companion.games.systems_failing.moves import (
    Advance,
    DealRole,
    Discard,
    Draw,
    EndTurn,
    Repair,
    Return,
    Reveal,
    Scavenge,
    Transfer,
)
from companion.games.systems_failing.position import Position
from companion.text.messages import Text, TextLike, _, joined, plural


def log_line(before: Position, move: Move, after: Position, viewer: Viewer, names: Names) -> TextLike:
    """The log line of a move: a few sentences that say what the move did."""
    return joined(" ", (_move_sentence(before, move, names), *_consequences(before, move, after, names)))


def log_lines(steps: Sequence[tuple[Position, Move, Position]], viewer: Viewer, names: Names) -> Iterator[TextLike]:
    """The log lines for the moves of an act. Each of the `steps` contains the position before a move, the move, and the
    position after it. Cubes that are drawn for the same player one after the other share a line. If a draw has
    consequences, the line ends there. A white cube always has a line of its own."""
    drawn: list[str] = []
    for n, (before, move, after) in enumerate(steps):
        if not isinstance(move, Draw):
            yield log_line(before, move, after, viewer, names)
            continue
        drawn.append(move.cube)
        consequences = [*_consequences(before, move, after, names)]
        follower = steps[n + 1][1] if n + 1 < len(steps) else None
        if (
            consequences
            or not isinstance(follower, Draw)
            or follower.to != move.to
            or WHITE in (move.cube, follower.cube)
        ):
            yield joined(" ", (_draw_sentence(names[move.to], drawn), *consequences))
            drawn = []


def _draw_sentence(name: str, cubes: Sequence[str]) -> Text:
    return _("{name} draws {cubes}.", name=name, cubes=cubes_as_object(Cubes(cubes)))


def _move_sentence(before: Position, move: Move, names: Names) -> TextLike:
    match move:
        case Scavenge(seat=seat):
            return _("{name} scavenges.", name=names[seat])
        case Return(seat=seat, cubes=cubes):
            return _("{name} returns {cubes} to the bag.", name=names[seat], cubes=cubes_as_object(cubes_of(cubes)))
        case Transfer(seat=seat, color=color):
            return _(
                "{giver} gives {taker} {cube}.", giver=names[1 - seat], taker=names[seat], cube=_(DRAWN_CUBE[color])
            )
        case Repair(seat=seat, card=card, cubes=cubes, ability=ability):
            return _repair_sentence(
                names[seat], card_name(card), cubes_of(cubes), before.ignored_color if ability else None
            )
        case Discard(seat=seat):
            return _("{name} empties the pool into the bag.", name=names[seat])
        case EndTurn(seat=seat):
            return _("{name} ends the turn.", name=names[seat])
        case Draw(to=to, cube=cube):
            return _draw_sentence(names[to], [cube])
        case Reveal(card=card):
            return _reveal_sentence(before, card)
        case DealRole(to=to, role=role):
            return _("{name} is the {role}.", name=names[to], role=_(catalog().roles[role].title))
        case Advance():
            return _("Every disaster moves one zone toward the core.")
    return ""


def _repair_sentence(name: str, card: TextLike, cubes: Cubes, ignored: str | None) -> Text:
    if ignored is None:
        return _("{name} puts {cubes} on {card}.", name=name, cubes=cubes_as_object(cubes), card=card)
    if not cubes:
        return _("{name} needs no {color} for {card}.", name=name, color=_(ignored), card=card)
    return _(
        "{name} puts {cubes} on {card} and needs no {color}.",
        name=name,
        cubes=cubes_as_object(cubes),
        card=card,
        color=_(ignored),
    )


def _reveal_sentence(before: Position, card: str) -> Text:
    if card in catalog().failing_cards:
        return _("{card}, systems failing: stability gets worse, and a white cube goes into the bag.", card=card)
    if card in catalog().escapes:
        return _("Escape sequence {card} is next.", card=card)
    zone = before.starting_disasters.zones[0] if before.phase == "setup" else catalog().disasters[card].zone
    return _("{card} appears in Zone {zone}.", card=card_name(card), zone=zone)


def _consequences(before: Position, move: Move, after: Position, names: Names) -> Iterator[TextLike]:
    """Yields a sentence for each consequence of a move, in the order in which people see the consequences on the
    table."""
    yield from _setup_sentences(before, after)
    if isinstance(move, Repair):
        yield from _removal_sentences(before, after, names)
    else:
        yield from _shift_sentences(before, move, after)
    if len(after.deck) > len(before.deck) and before.phase == "appear":
        yield _("The deck ran out. The discards are shuffled to make a new one.")
    yield from _phase_sentences(before, after)


def _setup_sentences(before: Position, after: Position) -> Iterator[Text]:
    yield from (
        _("{card} is too mild for the start and is replaced.", card=card_name(card))
        for card in after.starting_disasters.set_aside
        if card not in before.starting_disasters.set_aside
    )
    if before.phase == "setup" and (whites := after.bag[WHITE] - before.bag[WHITE]):
        yield plural("{n} white cube goes into the bag.", "{n} white cubes go into the bag.", whites)
    if before.phase == "setup" != after.phase:
        yield _("The deck is built from five stacks, each with a systems-failing card.")


def _removal_sentences(before: Position, after: Position, names: Names) -> Iterator[Text]:
    for card, owner in after.repaired_escapes[len(before.repaired_escapes) :]:
        yield _("{card} is repaired and goes to {name}.", card=card, name=names[owner])
    if gone := after.discard[len(before.discard) :]:
        yield plural(
            "{cards} is repaired and discarded.",
            "{cards} are repaired and discarded.",
            len(gone),
            cards=card_list(gone),
        )


def _shift_sentences(before: Position, move: Move, after: Position) -> Iterator[Text]:
    is_surge = not isinstance(move, Advance)
    for number in (2, 1):
        arrivals = {card.card for card in before.zones[number]} & {card.card for card in after.zones[number - 1]}
        for card in sorted(arrivals) if is_surge else ():
            yield _("{card} surges into Zone {zone}.", card=card_name(card), zone=number)
    if hit := after.damage - before.damage:
        left = {card.card for card in after.cards_in_play()}
        core = [card.card for card in before.zones[0] if card.card not in left]
        yield plural(
            "{cards} hits the core: damage rises by {hit} to {now}.",
            "{cards} hit the core: damage rises by {hit} to {now}.",
            len(core),
            cards=card_list(core),
            hit=hit,
            now=after.damage,
        )
    if before.whites_on_deck and not after.whites_on_deck:
        yield _("The white cubes on the deck go back into the bag.")


def _phase_sentences(before: Position, after: Position) -> Iterator[TextLike]:
    if after.phase == "advance" and before.phase == "stock_up":
        yield _("The pools are refilled.")
    if after.round > before.round:
        yield _("Round {round} begins.", round=after.round)
    if after.is_over:
        yield ending(after)
