"""The texts of Commute for people: buttons, prompts and meters. The log lines are in `log_lines.py`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from companion.games.commute.chance import card_recipient
from companion.games.commute.display_names import (
    card_name,
    effect_summary,
    line_name,
    more_minutes,
    translatable_texts,
)
from companion.games.commute.end_screen import ending, ending_for_winner, key_figures, open_hands
from companion.games.commute.help_for_position import HELP_FILE, help_topic
from companion.games.commute.log_lines import log_line, log_lines
from companion.games.commute.move_preview import landing_label
from companion.games.commute.moves import Bump, Choose, Deal, Pick, Travel, UhOh
from companion.games.commute.position import Position
from companion.games.commute.position_parts import EffectTask, PendingBump, Question, QuestionKind, SwapTask
from companion.games.commute.scoring import BEST_MORNING_MINUTES
from companion.games.commute.uh_oh_effect_types import Choice, CloseLine
from companion.games.game import GameText, Meter, MeterLevel
from companion.games.rules import HOUSE, Move, Names, Viewer
from companion.games.turn_prompt import own_turn
from companion.text.messages import Message, Text, TextLike, _, joined

MANY_MINUTES = 20
"""An act is a key moment if it adds at least this many minutes to one player's total."""
QUESTION_TO_SEAT: Mapping[QuestionKind, Message] = {
    "choice": _("Choose one of the options on the card."),
    "partner": _("Choose who to swap with."),
    "skip": _("Choose who loses a turn."),
    "line": _("Choose a metro line."),
    "card": _("Choose a card to give away."),
}
"""The prompt for the player who must answer a question, for each kind of question."""
QUESTION_TO_OTHERS: Mapping[QuestionKind, Message] = {
    "choice": _("{name} is choosing an option on the card."),
    "partner": _("{name} is choosing who to swap with."),
    "skip": _("{name} is choosing who loses a turn."),
    "line": _("{name} is choosing a metro line."),
    "card": _("{name} is choosing a card to give away."),
}
"""The prompt for everyone else, for each kind of question."""


def button_path(position: Position, move: Move, viewer: Viewer, names: Names) -> tuple[TextLike, ...]:
    """The labels of the buttons that lead to a move, in the order of tapping."""
    match move:
        case Travel(card=card):
            return (_("Travel"), card_name(card), landing_label(position, move))
        case Bump(card=card):
            assert position.bump
            target = names[position.bump.target]
            return (_("Send {name} on", name=target), card_name(card), landing_label(position, move))
        case Choose(option=option):
            return (_question_title(position), _answer_label(position, option, names))
        case Deal(to=to, card=card):
            return (_("Deal to {name}", name=names[to]), card_name(card))
        case Pick(from_=seat, card=card):
            number = position.hands[seat].index(card) + 1
            label = card_name(card) if position.uh_oh.may_see_swapped_card(viewer) else _("card {n}", n=number)
            return (_("Draw from {name}", name=names[seat]), label)
        case UhOh(to=to, card=card):
            return (_("“Uh-Oh!” for {name}", name=names[to]), joined(" ", (card, _(position.uh_oh_cards[card].title))))
    return ("",)


def _question_title(position: Position) -> TextLike:
    """The title of the "Uh-Oh!" card that asks the question."""
    return _(position.uh_oh_cards[position.uh_oh.card].title) if position.uh_oh.card else ""


def _answer_label(position: Position, option: int | str, names: Names) -> TextLike:
    """The label of the button for an answer to a card's question."""
    match position.uh_oh.tasks[0], option:
        case EffectTask(effect=Choice(effects)), int():
            return joined(": ", (str(option + 1), effect_summary(effects[option])))
        case EffectTask(effect=CloseLine()), str():
            return line_name(option)
        case EffectTask(), int():
            return names[option]
    return card_name(str(option))


def prompt(position: Position, viewer: Viewer, names: Names) -> Text:
    """The text that says what is going on, and what the viewer must do."""
    if position.is_over:
        return ending_for_winner(position, names, viewer) if viewer in position.winners else ending(position, names)
    if position.turn == HOUSE:
        return _prompt_for_house(position, viewer, names)
    if question := position.question:
        return _prompt_for_question(question, viewer, names)
    if position.bump:
        return _prompt_for_bump(position.bump, viewer, names)
    if viewer == position.active_player:
        return _prompt_for_player(position)
    name = names[position.active_player]
    if position.is_morning:
        return _("{name} plays a card to travel to work.", name=name)
    return _("{name} plays a card to travel home.", name=name)


def _prompt_for_player(position: Position) -> Text:
    """The prompt for the active player, who must travel."""
    if position.is_morning:
        return own_turn(
            _("play a card and travel to work. Aim to arrive at {best} minutes.", best=BEST_MORNING_MINUTES)
        )
    return own_turn(_("play a card and travel home. The fewer minutes, the better."))


def _prompt_for_bump(bump: PendingBump, viewer: Viewer, names: Names) -> Text:
    name, target = names[bump.seat], names[bump.target]
    if viewer == bump.seat:
        return _("You landed on {target}. Play a card to send them on.", target=target)
    if viewer == bump.target:
        return _("{name} must play a card to send you on.", name=name)
    return _("{name} must play a card to send {target} on.", name=name, target=target)


HAND_BACK = _("Return your cards. Shuffle all forty and deal three to each player.")
"""The instruction between two commutes, for people who deal by hand."""


def is_between_commutes(position: Position) -> bool:
    """Whether a commute has ended and no card has been dealt for the next one."""
    return position.stage == "deal" and bool(position.results) and not any(position.hands)


def pause_label(position: Position) -> Text | None:
    """The label of the button with which people start the next commute after they have looked at the results. None
    unless a commute has just ended."""
    if position.is_over or not is_between_commutes(position):
        return None
    return _("Deal for the morning") if position.is_morning else _("Deal for the evening")


def _prompt_for_house(position: Position, viewer: Viewer, names: Names) -> Text:
    if is_between_commutes(position):
        if position.is_morning:
            return _("The evening is over. Check the scores, then deal for the morning.")
        return _("The morning is over. Check the scores, then deal for the evening.")
    if (seat := card_recipient(position)) is not None:
        return _("You draw a card.") if seat == viewer else _("Deal a card to {name}.", name=names[seat])
    match position.uh_oh.tasks[:1]:
        case (SwapTask(owner=owner),):
            if owner == viewer:
                return _("Draw a random card from your hand.")
            return _("Draw a random card from {name}’s hand.", name=names[owner])
    seat = position.uh_oh.queue[0]
    if seat == viewer:
        return _("Reveal an “Uh-Oh!” card for you.")
    return _("Reveal an “Uh-Oh!” card for {name}.", name=names[seat])


def _prompt_for_question(question: Question, viewer: Viewer, names: Names) -> Text:
    if question.seat == viewer:
        return QUESTION_TO_SEAT[question.kind]
    return QUESTION_TO_OTHERS[question.kind].with_values(name=names[question.seat])


def meters(position: Position) -> tuple[Meter, ...]:
    """Two meters for each player: the player's minutes and the player's reputation."""
    return tuple(meter for seat in position.seats for meter in _seat_meters(position, seat))


def _seat_meters(position: Position, seat: int) -> Iterator[Meter]:
    """Yields the two meters of a seat: its minutes and its reputation."""
    minutes, reputation, player = position.minutes[seat], position.reputation[seat], f"{{{seat}}}"
    level, name = _minutes_level(minutes), _("{name}: minutes", name=player)
    yield Meter(name, minutes, 0, max(150, minutes), level, seat, _("Minutes"))
    level, name = _reputation_level(position, reputation), _("{name}: reputation", name=player)
    lowest, highest = min(-100, reputation), max(100, reputation)
    yield Meter(name, reputation, lowest, highest, level, seat, _("Reputation"), is_score=True)


def _minutes_level(minutes: int) -> MeterLevel:
    if minutes > BEST_MORNING_MINUTES:
        return "poor"
    return "fair" if minutes > BEST_MORNING_MINUTES * 3 // 4 else "good"


def _reputation_level(position: Position, reputation: int) -> MeterLevel:
    if reputation == max(position.reputation):
        return "good"
    return "poor" if reputation < 0 else "fair"


def key_moments(before: Position, after: Position, names: Names) -> Iterator[TextLike]:
    """Yields the reasons why an act is a key moment: it ended a commute, or it added many minutes to a player's
    total."""
    if len(after.results) > len(before.results):
        text = _("Morning of round {round}") if before.is_morning else _("Evening of round {round}")
        yield text.with_values(round=before.round)
    else:
        for name, old, new in zip(names, before.minutes, after.minutes, strict=True):
            if new - old >= MANY_MINUTES:
                yield joined(": ", (name, more_minutes(new - old)))


TEXT: GameText[Position] = GameText(
    log_line=log_line,
    log_lines=log_lines,
    label=button_path,
    prompt=prompt,
    key_figures=key_figures,
    open_hands=open_hands,
    guidebook_file=HELP_FILE,
    help_topic=help_topic,
    key_moments=key_moments,
    pause_label=pause_label,
    translatable_texts=translatable_texts,
)
