"""The texts of System WON: log lines, labels of buttons, prompts, meters and results.

Law: pure. Every text is for a viewer and says only what that viewer may know: nothing of a hidden card.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from companion.games.game import GameText, Meter, MeterLevel
from companion.games.rules import HOUSE, UNSEEN, Move, Names, Seat, Viewer
from companion.games.system_won.catalog import HIGHEST_RANK, catalog
from companion.games.system_won.chance import RECYCLED_CARDS
from companion.games.system_won.ending import key_figures, open_hands
from companion.games.system_won.help_for_position import HELP_FILE, help_topic
from companion.games.system_won.legality import ABILITY_MOVES
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
from companion.games.system_won.names import (
    card_name,
    completion,
    error_name,
    face_name,
    hint_name,
    translatable_texts,
)
from companion.games.system_won.position import Position
from companion.games.system_won.received_hints import HintValue
from companion.text.guidebook import guidebook
from companion.text.messages import Number, Text, TextLike, _, joined, listed, plural

COMMUNICATION_RULES = {"strict": _("Only specifications may be said."), "open": _("Talk as you like.")}
"""The sentence about what players may say, for each value of the option `communication`."""

ABILITY_TEXTS: Mapping[str, Text] = {
    "specify_two": _("Tell two things at once. No specification card is turned."),
    "restore": _("Turn a specification card front up again."),
    "play_two": _("Play two cards from your hand, then draw for both."),
    "recycle": _("Shuffle two random discards back into the deck."),
    "extra_turn": _("Give somebody an extra turn, right after this one."),
    "skip": _("As many of the next players as you like sit out."),
    "play_from_discard": _("Play any card from the discards."),
    "play_from_errors": _("Play any card from the errors."),
    "play_other": _("Play a card out of another player’s hand."),
    "undo": _("Take back the turn just taken."),
}
"""The sentence that says what an ability does, for each ability."""

ABILITY_BUTTON = _("My ability")
"""The label of the button that leads to the abilities."""


def ability_timing(ability: str) -> Text:
    """The text "Any time" or "Your turn": when the holder of a role may use this ability."""
    return _("Any time") if ABILITY_MOVES[ability].ANY_TIME else _("Your turn")


# The log ----------------------------------------------------------------------------------------------


def log_line(before: Position, move: Move, after: Position, viewer: Viewer, names: Names) -> TextLike:
    """The sentences of the log about a move, for a viewer."""
    return joined(
        " ",
        (
            _move_sentence(before, move.as_known_to(viewer, before), after, names),
            *_consequence_sentences(before, after, names),
        ),
    )


def _move_sentence(before: Position, move: Move, after: Position, names: Names) -> TextLike:
    match move:
        case Specify(seat=seat):
            return _("{name} specifies: {what}.", name=names[seat], what=_hint_sentence(after, move, names))
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
            return _("{name}'s role is {role}.", name=names[to], role=_(catalog().roles[role].title))
        case ShuffleBack(cards=cards):
            return _("Shuffled back into the deck: {cards}.", cards=listed([*map(face_name, cards)]))
        case Ability(seat=seat):
            return _ability_sentence(before, move, after, names, _name_with_role(before, seat, names))
    return ""


def _ability_sentence(before: Position, move: Move, after: Position, names: Names, name: TextLike) -> TextLike:
    """The sentence of the log about the use of an ability. `name` is the player's name with the role."""
    match move:
        case SpecifyTwo(hints=hints):
            what = joined("; ", (_hint_sentence(after, hint, names) for hint in hints))
            return _("{name} specifies two things for free: {what}.", name=name, what=what)
        case Restore():
            return _("{name} turns a specification up.", name=name)
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
            return _("{name} plays a card of {other}'s: {cards}.", name=name, other=names[target], cards=played)
        case Undo():
            return _("{name} undoes the last turn, {other}'s.", name=name, other=names[after.active_player])
    return ""


def _name_with_role(position: Position, seat: Seat, names: Names) -> TextLike:
    """The name of a seat with its role: "Ann (Designer)"."""
    role = position.roles[seat] if position.roles else None
    return joined("", (names[seat], " (", _(catalog().roles[role].title), ")")) if role else names[seat]


def _hint_sentence(position: Position, hint: Hint, names: Names) -> Text:
    """The text "Bob's red cards are 1 and 4", without a period. Cards are counted from 1, the oldest first."""
    hand, name, value = position.hands[hint.target], names[hint.target], hint.value
    slots = [n for n, card in enumerate(hand, 1) if value in (card.knowledge.color, card.knowledge.rank)]
    if not slots[1:]:
        return _single_card_sentence(name, value, slots[0])
    cards = listed([str(slot) for slot in slots])
    if isinstance(value, int):
        return _("{name}'s {rank}s are {cards}", name=name, rank=value, cards=cards)
    return _("{name}'s {color} cards are {cards}", name=name, color=_(value), cards=cards)


def _single_card_sentence(name: str, value: HintValue, slot: int) -> Text:
    if isinstance(value, int):
        return _("{name}'s only {rank} is card {card}", name=name, rank=value, card=slot)
    return _("{name}'s only {color} card is card {card}", name=name, color=_(value), card=slot)


def _played_cards_text(before: Position, after: Position) -> TextLike:
    """The list of the cards that joined systems and of those that became errors: "red 2 and blue 3, an error"."""
    cards = catalog().cards.values()
    built = [card_name(c.color, c.rank) for c in cards if before.systems[c.suit] < c.rank <= after.systems[c.suit]]
    return listed([*built, *map(error_name, after.errors[len(before.errors) :])])


def _consequence_sentences(before: Position, after: Position, names: Names) -> Iterator[TextLike]:
    for color, one, two in zip(catalog().colors, before.systems, after.systems, strict=True):
        if two > one and two == HIGHEST_RANK:
            yield completion(color)
    if before.regular_turns_left is None and after.regular_turns_left is not None:
        yield plural(
            "That was the deck's last card: {n} turn left.",
            "That was the deck's last card: {n} turns left.",
            after.turns_left or 0,
        )
    if after.is_over:
        yield ending(after)


def ending(position: Position) -> TextLike:
    """The sentences about the result of a finished game."""
    rating = catalog().ratings[catalog().rating_index(position.score)]
    score = _(
        "The score is {score}: {rating}. {says}",
        score=Number(position.score),
        rating=_(rating.title),
        says=_(rating.comment),
    )
    return joined(" ", (_("You have won!"), score)) if position.is_won else score


# The buttons ------------------------------------------------------------------------------------------


def label(position: Position, move: Move, viewer: Viewer, names: Names) -> tuple[TextLike, ...]:
    """The labels of the buttons that lead to a move, in the order of tapping. The cards of a hand are numbered from 1,
    the oldest first."""
    match move:
        case Specify(target=target):
            return (_("Specify"), names[target], hint_name(move.value))
        case Discard(slot=slot):
            return (_("Discard a card"), _card_number_text(slot))
        case Play(slot=slot):
            return (_("Play"), _card_number_text(slot))
        case Deal(card=card):
            return (_("Drawn"), _("not seen") if card == UNSEEN else face_name(card))
        case DealRole(role=role):
            return (_("Name the role"), _(catalog().roles[role].title))
        case ShuffleBack(cards=cards):
            return (_("Name the shuffled cards"), listed([*map(face_name, cards)]))
        case Arrange(order=order):
            return (_("Rearrange"), ", ".join(str(slot + 1) for slot in order))
    return (ABILITY_BUTTON, *_ability_label(move, names))


def _card_number_text(slot: int) -> Text:
    return _("card {n}", n=slot + 1)


def _ability_label(move: Move, names: Names) -> tuple[TextLike, ...]:
    match move:
        case SpecifyTwo(hints=hints):
            return (
                _("Specify two for free"),
                *(joined(": ", (names[hint.target], hint_name(hint.value))) for hint in hints),
            )
        case PlayTwo(slots=slots):
            return (_("Play two cards"), *map(_card_number_text, slots))
        case PlayOther(target=target, slot=slot):
            return (_("Play another's card"), names[target], _card_number_text(slot))
        case ExtraTurn(target=target):
            return (_("Give an extra turn"), names[target])
        case Skip(count=count):
            return (_("Skip turns after this one"), f"{count}")
        case PlayFromDiscard(card=card):
            return (_("Play from the discard pile"), face_name(card))
        case PlayFromErrors(card=card):
            return (_("Play from the error pile"), face_name(card))
        case Restore():
            return (_("Turn a specification up"),)
        case Recycle():
            return (_("Shuffle discards back into the deck"),)
        case Undo():
            return (_("Undo the last turn"), _("Yes, use it: it is once in the game"))
    return (move.NAME,)


# The prompt -------------------------------------------------------------------------------------------


def prompt(position: Position, viewer: Viewer, names: Names) -> TextLike:
    """The sentences that tell a viewer what is going on and what to do at the table."""
    if position.is_over:
        return ending(position)
    if position.turn == HOUSE:
        return _house_prompt(position, viewer, names)
    if viewer == position.active_player:
        return joined(" ", (_own_prompt(position), *_last_round_note(position)))
    return joined(
        " ", (_other_prompt(position, names), *_last_round_note(position), COMMUNICATION_RULES[position.communication])
    )


def _own_prompt(position: Position) -> Text:
    """The sentence that tells the active player what to tap on the phone."""
    if position.specifications:
        return _("Your turn: tap a card of yours to play or discard it, or one of theirs to tell.")
    return _("Your turn: tap a card of yours to play or discard it. No specification is left to tell.")


def _other_prompt(position: Position, names: Names) -> Text:
    if position.specifications:
        return _("{name} may specify, discard or play a card.", name=names[position.active_player])
    return _("{name} may discard or play a card.", name=names[position.active_player])


def _last_round_note(position: Position) -> Iterator[Text]:
    if (left := position.turns_left) is not None:
        yield plural("This is the game's last turn.", "The deck has run out: {n} turns are left.", left)


def _house_prompt(position: Position, viewer: Viewer, names: Names) -> Text:
    if position.is_recycling:
        return plural(
            "Take {n} card of the discard pile at random and shuffle it into the deck.",
            "Take {n} cards of the discard pile at random and shuffle them into the deck.",
            min(RECYCLED_CARDS, len(position.discard)),
        )
    if position.roles and None in position.roles:
        return _("Deal a role card to {name}, face up.", name=names[position.roles.index(None)])
    to = position.pending_draws[0]
    if viewer == to:
        return _("You take a card from the deck. Don't look at it: show it to the camera and to the others.")
    return _(
        "{name} takes a card from the deck without looking, and shows it to the camera and to the others.",
        name=names[to],
    )


# Meters and results -----------------------------------------------------------------------------------


def meters(position: Position) -> tuple[Meter, ...]:
    """Four meters: the score, the errors, the specification cards that are face up, and the cards in the deck."""
    return (
        Meter(_("Score"), position.score, min(0, position.score), catalog().perfect_score, is_score=True),
        Meter(_("Errors"), len(position.errors), 0, catalog().perfect_score, "poor" if position.errors else "good"),
        Meter(
            _("Specifications"),
            position.specifications,
            0,
            catalog().specifications,
            _meter_level(position.specifications),
        ),
        Meter(_("Cards left"), position.deck_size, 0, sum(catalog().copies), _meter_level(position.deck_size)),
    )


def _meter_level(left: int) -> MeterLevel:
    return "good" if left > 2 else "fair" if left else "poor"


def key_moments(before: Position, after: Position, names: Names) -> Iterator[TextLike]:
    """Yields the moments to look back at: each error, each system that is complete, and the last card of the deck."""
    for face in after.errors[len(before.errors) :]:
        yield _("Error: {card}", card=face_name(face))
    for color, old, new in zip(catalog().colors, before.systems, after.systems, strict=True):
        if new == HIGHEST_RANK > old:
            yield completion(color)
    if before.deck_size > after.deck_size == 0:
        yield _("The deck is empty")


TEXT: GameText[Position] = GameText(
    log_line=log_line,
    label=label,
    prompt=prompt,
    key_figures=key_figures,
    open_hands=open_hands,
    guidebook=lambda: guidebook(HELP_FILE),
    help_topic=help_topic,
    key_moments=key_moments,
    translatable_texts=translatable_texts,
)
