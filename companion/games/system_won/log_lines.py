"""The log lines of System WON.

Law: pure. Each line is made for one viewer and reveals nothing about cards that are hidden from that viewer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.games.deal_grouping import runs_of_deals
from companion.games.rules import UNSEEN, Move, Names, Seat, Viewer
from companion.games.system_won.card_knowledge import HintValue
from companion.games.system_won.catalog import HIGHEST_RANK, catalog
from companion.games.system_won.chance import RECYCLED_CARDS
from companion.games.system_won.display_names import (
    card_name,
    completion,
    error_name,
    face_name,
)
from companion.games.system_won.end_screen import ending
from companion.games.system_won.moves import (
    Ability,
    Arrange,
    Deal,
    DealRole,
    Discard,
    ExtraTurn,
    Hint,
    Play,
    PlayFromDiscard,
    PlayFromErrors,
    PlayOther,
    PlayTwo,
    Recycle,
    Restore,
    ShuffleBack,
    Skip,
    Specify,
    SpecifyTwo,
    Undo,
)
from companion.games.system_won.position import Position
from companion.text.messages import Text, TextLike, _, joined, listed, plural

_Step = tuple[Position, Move, Position]
_KnownStep = tuple[Move, _Step]
"""A move as the viewer knows it, and the step that contains the complete move."""


def log_line(before: Position, move: Move, after: Position, viewer: Viewer, names: Names) -> TextLike:
    """The sentences of the log about a move, for a viewer."""
    return joined(
        " ",
        (
            _move_sentence(before, move.as_known_to(viewer, before), after, names),
            *_consequence_sentences(before, after, names),
        ),
    )


def log_lines(steps: Sequence[_Step], viewer: Viewer, names: Names) -> Iterator[TextLike]:
    """The log lines for the moves of an act. Each of the `steps` contains the position before a move, the move, and the
    position after it. Cards that are dealt to the same player one after the other share a line. If a deal has
    consequences, the line ends there."""
    known = [(move.as_known_to(viewer, before), (before, move, after)) for before, move, after in steps]

    def has_consequences(step: _KnownStep) -> bool:
        before, _move, after = step[1]
        return any(_consequence_sentences(before, after, names))

    for run in runs_of_deals(known, lambda step: _dealt(step[0]), has_consequences):
        move, (before, _move, after) = run[-1]
        if isinstance(move, Deal) and len(run) > 1:
            cards = [deal.card for deal, _ in run if isinstance(deal, Deal)]
            yield joined(" ", (_hand_sentence(cards, names[move.to]), *_consequence_sentences(before, after, names)))
        else:
            yield log_line(*run[-1][1], viewer, names)


def _dealt(move: Move) -> tuple[Seat, str] | None:
    return (move.to, move.card) if isinstance(move, Deal) else None


def _hand_sentence(cards: Sequence[str], name: str) -> Text:
    if UNSEEN in cards:
        return plural("{name} gets {n} card.", "{name} gets {n} cards.", len(cards), name=name)
    faces = listed([*map(face_name, cards)])
    return plural(
        "{name} gets {n} card: {cards}.", "{name} gets {n} cards: {cards}.", len(cards), name=name, cards=faces
    )


def _move_sentence(before: Position, move: Move, after: Position, names: Names) -> TextLike:
    match move:
        case Specify(seat=seat):
            return _("{name} gives a hint: {what}.", name=names[seat], what=_hint_sentence(after, move, names))
        case Discard(seat=seat):
            return _("{name} discards a {card}.", name=names[seat], card=face_name(after.discard[-1]))
        case Play(seat=seat):
            return _("{name} plays a {card}.", name=names[seat], card=_played_cards_text(before, after))
        case Arrange(seat=seat):
            return _("{name} rearranges the hand.", name=names[seat])
        case Deal(to=to, card=card):
            if card == UNSEEN:
                return _("{name} gets a card.", name=names[to])
            return _("{name} gets a {card}.", name=names[to], card=face_name(card))
        case DealRole(to=to, role=role):
            return _("{name}’s role is {role}.", name=names[to], role=_(catalog().roles[role].title))
        case ShuffleBack(cards=cards):
            return _("Shuffled back into the deck: {cards}.", cards=listed([*map(face_name, cards)]))
        case Ability(seat=seat):
            return _ability_sentence(before, move, after, names, _name_with_role(before, seat, names))
    return ""


def _ability_sentence(before: Position, move: Move, after: Position, names: Names, name: TextLike) -> TextLike:
    """The sentence in the log about the use of an ability. `name` is the player's name with the role."""
    match move:
        case SpecifyTwo(hints=hints):
            what = joined("; ", (_hint_sentence(after, hint, names) for hint in hints))
            return _("{name} gives two hints for free: {what}.", name=name, what=what)
        case Restore():
            return _("{name} turns a specification card up.", name=name)
        case PlayTwo():
            return _("{name} plays two cards: {cards}.", name=name, cards=_played_cards_text(before, after))
        case Recycle():
            return plural(
                "{name} has {n} discard shuffled back into the deck.",
                "{name} has {n} discards shuffled back into the deck.",
                min(RECYCLED_CARDS, len(before.discard)),
                name=name,
            )
        case ExtraTurn(target=target):
            return _("{name} gives {other} an extra turn after this one.", name=name, other=names[target])
        case Skip(count=count):
            return plural("{name} skips the next turn.", "{name} skips the next {n} turns.", count, name=name)
        case PlayFromDiscard():
            return _("{name} plays from the discard pile: {cards}.", name=name, cards=_played_cards_text(before, after))
        case PlayFromErrors(card=card):
            again = after.systems == before.systems
            cards = _("{card}, an error again", card=face_name(card)) if again else _played_cards_text(before, after)
            return _("{name} plays from the error pile: {cards}.", name=name, cards=cards)
        case PlayOther(target=target):
            played = _played_cards_text(before, after)
            return _("{name} plays a card of {other}’s: {cards}.", name=name, other=names[target], cards=played)
        case Undo():
            return _("{name} undoes {other}’s last turn.", name=name, other=names[after.active_player])
    return ""


def _name_with_role(position: Position, seat: Seat, names: Names) -> TextLike:
    """The name of a seat with its role, such as "Ann (Designer)"."""
    role = position.roles[seat] if position.roles else None
    return joined("", (names[seat], " (", _(catalog().roles[role].title), ")")) if role else names[seat]


def _hint_sentence(position: Position, hint: Hint, names: Names) -> Text:
    """The text of a hint, such as "Bob's cards 1 and 4 are red", without a period. Cards are counted from 1, the oldest
    first."""
    hand, name, value = position.hands[hint.target], names[hint.target], hint.value
    slots = [n for n, card in enumerate(hand, 1) if value in (card.knowledge.color, card.knowledge.rank)]
    if not slots[1:]:
        return _single_card_sentence(name, value, slots[0])
    cards = listed([str(slot) for slot in slots])
    if isinstance(value, int):
        return _("{name}’s cards {cards} are {rank}s", name=name, rank=value, cards=cards)
    return _("{name}’s cards {cards} are {color}", name=name, color=_(value), cards=cards)


def _single_card_sentence(name: str, value: HintValue, slot: int) -> Text:
    if isinstance(value, int):
        return _("{name}’s card {card} is the only {rank}", name=name, rank=value, card=slot)
    return _("{name}’s card {card} is the only {color} one", name=name, color=_(value), card=slot)


def _played_cards_text(before: Position, after: Position) -> TextLike:
    """The list of played cards, which joined systems or became errors, such as "red 2 and blue 3, an error"."""
    cards = catalog().cards.values()
    built = [card_name(c.color, c.rank) for c in cards if before.systems[c.suit] < c.rank <= after.systems[c.suit]]
    return listed([*built, *map(error_name, after.errors[len(before.errors) :])])


def _consequence_sentences(before: Position, after: Position, names: Names) -> Iterator[TextLike]:
    for color, one, two in zip(catalog().colors, before.systems, after.systems, strict=True):
        if two > one and two == HIGHEST_RANK:
            yield completion(color)
    was, left = before.upcoming_turns.regular_turns_left, after.upcoming_turns.regular_turns_left
    if was is None and left is not None:
        yield plural(
            "That was the last card of the deck: {n} turn left.",
            "That was the last card of the deck: {n} turns left.",
            after.turns_left or 0,
        )
    if after.is_over:
        yield ending(after)
