"""The log lines of Commute.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from companion.games.commute.display_names import (
    DestinationKind,
    card_name,
    destination_kind,
    effect_summary,
    line_name,
    more_minutes,
    more_reputation,
    signed,
    uh_oh_text,
)
from companion.games.commute.end_screen import ending
from companion.games.commute.move_preview import landing_after, landing_label
from companion.games.commute.moves import Bump, Choose, Deal, Pick, Travel, UhOh
from companion.games.commute.position import Position
from companion.games.commute.position_parts import EffectTask, SwapTask
from companion.games.commute.suits_and_ranks import UNSEEN
from companion.games.commute.uh_oh_effect_types import Choice, CloseLine, SkipTurn, Swap
from companion.games.deal_grouping import runs_of_deals
from companion.games.rules import Move, Names, Seat, Viewer
from companion.text.messages import Joined, Message, Text, TextLike, _, joined, listed, plural

TRAVEL_LINES: Mapping[DestinationKind, Message] = {
    "work": _("{name} plays the {card} and travels to work, {minutes}."),
    "home": _("{name} plays the {card} and travels home, {minutes}."),
    "space": _("{name} plays the {card} and travels to {space}."),
}
"""The log line of a travel move, for each kind of destination."""
BUMP_LINES: Mapping[DestinationKind, Message] = {
    "work": _("{name} plays the {card} and sends {target} to work."),
    "home": _("{name} plays the {card} and sends {target} home."),
    "space": _("{name} plays the {card} and sends {target} to {space}."),
}
"""The log line of a bump, for each kind of destination."""


def log_line(before: Position, move: Move, after: Position, viewer: Viewer, names: Names) -> TextLike:
    """The log line of a move: a sentence for the move itself, then sentences for its consequences."""
    return joined(
        " ",
        (
            _move_sentence(before, move.as_known_to(viewer, before), names),
            *_consequence_sentences(before, move, after, names),
        ),
    )


def log_lines(steps: Sequence[tuple[Position, Move, Position]], viewer: Viewer, names: Names) -> Iterator[TextLike]:
    """The log lines for the moves of an act. Each of the `steps` contains the position before a move, the move, and the
    position after it. Cards that are dealt to the same player one after the other share a line."""
    known = [move.as_known_to(viewer, before) for before, move, _ in steps]
    for run in runs_of_deals([*zip(known, steps, strict=True)], lambda each: _dealt(each[0])):
        match [move for move, _ in run]:
            case [Deal(to=to), _, *_] as deals:
                yield _hand_sentence([deal.card for deal in deals if isinstance(deal, Deal)], names[to])
            case _:
                yield log_line(*run[0][1], viewer, names)


def _dealt(move: Move) -> tuple[Seat, str] | None:
    return (move.to, move.card) if isinstance(move, Deal) else None


def consequences(line: TextLike) -> TextLike:
    """The sentences of a log line that describe the consequences of a move. These are all sentences but the first,
    which names the move itself."""
    return joined(" ", line.parts[1:]) if isinstance(line, Joined) else ""


def _move_sentence(before: Position, move: Move, names: Names) -> TextLike:
    """The sentence that says which move was made."""
    match move:
        case Travel():
            return _journey_sentence(before, move, TRAVEL_LINES, names[move.seat], names)
        case Bump():
            assert before.bump
            return _journey_sentence(before, move, BUMP_LINES, names[before.bump.target], names)
        case Choose(option=option):
            return _choice_sentence(before, option, names)
        case Deal(to=to, card=card):
            return _deal_sentence(card, names[to])
        case Pick(from_=seat, card=card):
            return _pick_sentence(card, names[seat])
        case UhOh(to=to, card=card):
            return uh_oh_text(before.uh_oh_cards[card], names[to])
    return ""


def _journey_sentence(
    before: Position, move: Travel | Bump, lines: Mapping[DestinationKind, Message], target: str, names: Names
) -> Text:
    """The sentence about a journey. It says which card moves the piece of the player `target`, where the piece goes,
    and how many minutes this adds. `lines` has a sentence for each kind of destination."""
    return lines[destination_kind(before.board, move.to)].with_values(
        name=names[move.seat],
        card=card_name(move.card),
        target=target,
        space=landing_label(before, move),
        minutes=more_minutes(landing_after(before, move).added_minutes),
    )


def _deal_sentence(card: str, name: str) -> Text:
    if card == UNSEEN:
        return _("{name} is dealt a card.", name=name)
    return _("{name} is dealt the {card}.", name=name, card=card_name(card))


def _hand_sentence(cards: Sequence[str], name: str) -> Text:
    if UNSEEN in cards:
        return plural("{name} is dealt {n} card.", "{name} is dealt {n} cards.", len(cards), name=name)
    faces = listed([*map(card_name, cards)])
    return plural(
        "{name} is dealt {n} card: {cards}.", "{name} is dealt {n} cards: {cards}.", len(cards), name=name, cards=faces
    )


def _pick_sentence(card: str, name: str) -> Text:
    if card == UNSEEN:
        return _("A card is drawn from {name}’s hand.", name=name)
    return _("The {card} is drawn from {name}’s hand.", card=card_name(card), name=name)


def _put_up_sentence(card: str, name: str) -> Text:
    if card == UNSEEN:
        return _("{name} offers a card to swap.", name=name)
    return _("{name} offers the {card} to swap.", name=name, card=card_name(card))


def _choice_sentence(before: Position, option: int | str, names: Names) -> Text:
    question = before.question
    assert question
    name = names[question.seat]
    match before.uh_oh.tasks[0], option:
        case EffectTask(effect=Choice(effects)), int():
            return _("{name} chooses: {effect}.", name=name, effect=effect_summary(effects[option]))
        case EffectTask(effect=Swap()), int():
            return _("{name} wants to swap with {other}.", name=name, other=names[option])
        case EffectTask(effect=SkipTurn()), int():
            return _("{name} will lose a turn.", name=names[option])
        case EffectTask(effect=CloseLine()), str():
            return _("{name} closes the {line}.", name=name, line=line_name(option))
    return _put_up_sentence(str(option), name)


def _consequence_sentences(before: Position, move: Move, after: Position, names: Names) -> Iterator[Text]:
    """Yields a sentence for each consequence of a move, in the order in which people see the consequences on the
    table."""
    yield from (_("{name} arrives.", name=names[seat]) for seat in _newly_arrived(before, after))
    if isinstance(move, UhOh | Choose | Pick):
        yield from _change_sentences(before, after, names)
    if after.bump and after.bump != before.bump:
        yield _("{name} is there and must be sent on.", name=names[after.bump.target])
    if len(after.results) > len(before.results):
        yield _score_line(before, after, names)
    if after.is_over:
        yield ending(after, names)


def _newly_arrived(before: Position, after: Position) -> list[int]:
    """The seats that arrived with the last move. If this move ended the commute, `after` no longer records arrivals, so
    this returns all seats that had not arrived in `before`."""
    has_ended = len(after.results) > len(before.results)
    return [seat for seat in before.seats if not before.arrived[seat] and (has_ended or after.arrived[seat])]


def _change_sentences(before: Position, after: Position, names: Names) -> Iterator[Text]:
    """Yields sentences that say how an "Uh-Oh!" card has changed minutes, reputation and hands."""
    for seat in before.seats:
        minutes = after.minutes[seat] - before.minutes[seat]
        reputation = after.reputation[seat] - before.reputation[seat]
        changes = [more_minutes(minutes)] * bool(minutes) + [more_reputation(reputation)] * bool(reputation)
        if changes:
            yield _("{name}: {changes}.", name=names[seat], changes=joined(", ", changes))
    match before.uh_oh.tasks[:1]:
        case (SwapTask(drawer=drawer, partner=partner, given=given),) if given is not None:
            yield _("{name} and {other} swap cards.", name=names[drawer], other=names[partner])


def _score_line(before: Position, after: Position, names: Names) -> Text:
    """The sentence that sums up the commute that has just ended."""
    result = after.results[-1]
    gains = (signed(now - was) for was, now in zip(before.reputation, result.reputation, strict=True))
    seats = joined(", ", map(_seat_score, names, result.minutes, gains))
    if before.is_morning:
        return _("The morning of round {round} is over: {seats} reputation.", round=before.round, seats=seats)
    return _("The evening of round {round} is over: {seats} reputation.", round=before.round, seats=seats)


def _seat_score(name: str, minutes: int, gain: str) -> Text:
    """A player's minutes and gain of reputation in a commute, such as "Ann 98 minutes, −2"."""
    return plural("{name} {n} minute, {gain}", "{name} {n} minutes, {gain}", minutes, name=name, gain=gain)
