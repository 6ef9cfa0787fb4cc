"""The texts of System WON: labels of buttons, prompts and meters. The log lines are in `log_lines.py`.

Law: pure. Each text is made for one viewer and reveals nothing about cards that are hidden from that viewer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from companion.games.game import GameText, Meter, MeterLevel
from companion.games.rules import HOUSE, UNSEEN, Move, Names, Viewer
from companion.games.system_won.catalog import HIGHEST_RANK, catalog
from companion.games.system_won.chance import RECYCLED_CARDS
from companion.games.system_won.display_names import (
    completion,
    face_name,
    hint_name,
    translatable_texts,
)
from companion.games.system_won.end_screen import ending, key_figures, open_hands
from companion.games.system_won.help_for_position import HELP_FILE, help_topic
from companion.games.system_won.legality import ABILITY_MOVES
from companion.games.system_won.log_lines import log_line, log_lines
from companion.games.system_won.moves import (
    Arrange,
    Deal,
    DealRole,
    Discard,
    ExtraTurn,
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
from companion.games.turn_prompt import own_turn
from companion.text.messages import Text, TextLike, _, joined, listed, plural

COMMUNICATION_RULES = {"strict": _("Hints only, no other talk."), "open": _("Talk as you like.")}
"""The sentence about what players may say, for each value of the option `communication`."""

ABILITY_TEXTS: Mapping[str, Text] = {
    "specify_two": _("Give two hints at once, without turning a specification card."),
    "restore": _("Turn a specification card face up again."),
    "play_two": _("Play two cards from your hand, then draw two."),
    "recycle": _("Shuffle two random discards back into the deck."),
    "extra_turn": _("Give someone an extra turn, right after this one."),
    "skip": _("Skip as many of the next players as you like."),
    "play_from_discard": _("Play any card from the discards."),
    "play_from_errors": _("Play any card from the errors."),
    "play_other": _("Play a card from another player’s hand."),
    "undo": _("Undo the last turn."),
}
"""Maps each ability to the sentence that says what it does."""

ABILITY_BUTTON = _("My ability")
"""The label of the button that leads to the abilities."""


def ability_timing(ability: str) -> Text:
    """When the holder of a role may use this ability: "Any time" or "Your turn"."""
    return _("Any time") if ABILITY_MOVES[ability].ANY_TIME else _("Your turn")


def label(position: Position, move: Move, viewer: Viewer, names: Names) -> tuple[TextLike, ...]:
    """The labels of the buttons that lead to a move, in the order of tapping. Cards in a hand are numbered from 1, the
    oldest first."""
    match move:
        case Specify(target=target):
            return (_("Give a hint"), names[target], hint_name(move.value))
        case Discard(slot=slot):
            return (_("Discard a card"), _card_number_text(slot))
        case Play(slot=slot):
            return (_("Play"), _card_number_text(slot))
        case Deal(card=card):
            return (_("Drawn"), _("not seen") if card == UNSEEN else face_name(card))
        case DealRole(role=role):
            return (_("Enter the role"), _(catalog().roles[role].title))
        case ShuffleBack(cards=cards):
            return (_("Enter the shuffled cards"), listed([*map(face_name, cards)]))
        case Arrange(order=order):
            return (_("Rearrange"), ", ".join(str(slot + 1) for slot in order))
    return (ABILITY_BUTTON, *_ability_label(move, names))


def _card_number_text(slot: int) -> Text:
    return _("card {n}", n=slot + 1)


def _ability_label(move: Move, names: Names) -> tuple[TextLike, ...]:
    match move:
        case SpecifyTwo(hints=hints):
            return (
                _("Two hints for free"),
                *(joined(": ", (names[hint.target], hint_name(hint.value))) for hint in hints),
            )
        case PlayTwo(slots=slots):
            return (_("Play two cards"), *map(_card_number_text, slots))
        case PlayOther(target=target, slot=slot):
            return (_("Play another’s card"), names[target], _card_number_text(slot))
        case ExtraTurn(target=target):
            return (_("Give an extra turn"), names[target])
        case Skip(count=count):
            return (_("Skip turns after this one"), f"{count}")
        case PlayFromDiscard(card=card):
            return (_("Play from the discard pile"), face_name(card))
        case PlayFromErrors(card=card):
            return (_("Play from the error pile"), face_name(card))
        case Restore():
            return (_("Turn a specification card up"),)
        case Recycle():
            return (_("Shuffle discards back into the deck"),)
        case Undo():
            return (_("Undo the last turn"), _("Yes, use it (once per game)"))
    return (move.NAME,)


def prompt(position: Position, viewer: Viewer, names: Names) -> TextLike:
    """The sentences that tell a viewer what is going on and what to do now."""
    if position.is_over:
        return ending(position)
    if position.turn == HOUSE:
        return _house_prompt(position, viewer, names)
    if viewer == position.active_player:
        return own_turn(joined(" ", (_own_instruction(position), *_last_round_text(position))))
    return joined(
        " ", (_other_prompt(position, names), *_last_round_text(position), COMMUNICATION_RULES[position.communication])
    )


def _own_instruction(position: Position) -> Text:
    """The sentence that tells the active player what to tap on the phone."""
    if position.specifications:
        return _("tap your own card to play or discard it, or another player’s card to give a hint.")
    return _("tap your own card to play or discard it. There are no hints left.")


def _other_prompt(position: Position, names: Names) -> Text:
    if position.specifications:
        return _("{name} can give a hint, or discard or play a card.", name=names[position.active_player])
    return _("{name} can discard or play a card.", name=names[position.active_player])


def _last_round_text(position: Position) -> Iterator[Text]:
    if (left := position.turns_left) is not None:
        yield plural("This is the last turn of the game.", "The deck has run out: {n} turns left.", left)


def _house_prompt(position: Position, viewer: Viewer, names: Names) -> Text:
    if position.is_recycling:
        return plural(
            "Take {n} random card from the discard pile and shuffle it into the deck.",
            "Take {n} random cards from the discard pile and shuffle them into the deck.",
            min(RECYCLED_CARDS, len(position.discard)),
        )
    if position.roles and None in position.roles:
        return _("Deal a role card to {name}, face up.", name=names[position.roles.index(None)])
    to = position.pending_draws[0]
    if viewer == to:
        return _("Draw a card from the deck. Don’t look at it: show it to the camera and to the others.")
    return _(
        "{name} draws a card without looking, and shows it to the camera and to the others.",
        name=names[to],
    )


def meters(position: Position) -> tuple[Meter, ...]:
    """Four meters: the score, the errors, the specification cards that are face up, and the cards in the deck."""
    return (
        Meter(_("Score"), position.score, min(0, position.score), catalog().perfect_score, is_score=True),
        Meter(_("Errors"), len(position.errors), 0, catalog().perfect_score, "poor" if position.errors else "good"),
        Meter(
            _("Hints left"),
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
    """Yields the reasons why an act is a key moment: each error, each completed system, and the draw of the deck's last
    card."""
    for face in after.errors[len(before.errors) :]:
        yield _("Error: {card}", card=face_name(face))
    for color, old, new in zip(catalog().colors, before.systems, after.systems, strict=True):
        if new == HIGHEST_RANK > old:
            yield completion(color)
    if before.deck_size > after.deck_size == 0:
        yield _("The deck is empty")


TEXT: GameText[Position] = GameText(
    log_line=log_line,
    log_lines=log_lines,
    label=label,
    prompt=prompt,
    key_figures=key_figures,
    open_hands=open_hands,
    guidebook_file=HELP_FILE,
    help_topic=help_topic,
    key_moments=key_moments,
    translatable_texts=translatable_texts,
)
