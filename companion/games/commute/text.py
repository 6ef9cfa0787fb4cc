"""What Commute says to people: log, buttons, what to do with one's hands, meters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from companion.games.commute.card_effects import Choice, CloseLine, SkipTurn, Swap
from companion.games.commute.chance import drawer
from companion.games.commute.deck import UNSEEN
from companion.games.commute.labels import (
    Whither,
    card_name,
    describe,
    drawn,
    landing,
    line_name,
    more_minutes,
    more_reputation,
    signed,
    whither,
)
from companion.games.commute.moves import Bump, Choose, Deal, Pick, Travel, UhOh
from companion.games.commute.position_types import Asks, Question, Todo, Trade
from companion.games.commute.position_types import Bump as Owed
from companion.games.commute.rules import State
from companion.games.commute.turn_order import BEST_MORNING
from companion.games.game import Meter, MeterLevel
from companion.games.rules import HOUSE, Move, Names, Viewer
from companion.text.translation import _, later, listed, plural

TRAVELS: Mapping[Whither, str] = {
    "work": later("{name} plays the {card} and travels to work."),
    "home": later("{name} plays the {card} and travels home."),
    "space": later("{name} plays the {card} and travels to {space}."),
}
SENDS: Mapping[Whither, str] = {
    "work": later("{name} plays the {card} and sends {target} to work."),
    "home": later("{name} plays the {card} and sends {target} home."),
    "space": later("{name} plays the {card} and sends {target} to {space}."),
}
CHOOSE: Mapping[Asks, str] = {
    "choice": later("Choose one of the things that the card offers."),
    "partner": later("Choose whom to swap with."),
    "skip": later("Choose who loses a turn."),
    "line": later("Choose a metro line."),
    "card": later("Choose a card to give away."),
}
CHOOSES: Mapping[Asks, str] = {
    "choice": later("{name} chooses one of the things that the card offers."),
    "partner": later("{name} chooses whom to swap with."),
    "skip": later("{name} chooses who loses a turn."),
    "line": later("{name} chooses a metro line."),
    "card": later("{name} chooses a card to give away."),
}

# The log ----------------------------------------------------------------------------------------------


def tell(before: State, move: Move, after: State, viewer: Viewer, names: Names) -> str:
    """What happened, in a few sentences."""
    return " ".join((_deed(before, move.seen_by(viewer, before), names), *_consequences(before, move, after, names)))


def _deed(before: State, move: Move, names: Names) -> str:
    match move:
        case Travel(seat=seat, card=card, to=to):
            said, target = TRAVELS, seat
        case Bump(seat=seat, card=card, to=to):
            assert before.bump
            said, target = SENDS, before.bump.target
        case Choose(option=option):
            return _chosen(before, option, names)
        case Deal(to=to, card=card):
            return _dealt(card, names[to])
        case Pick(from_=seat, card=card):
            return _picked(card, names[seat])
        case UhOh(to=to, card=card):
            return drawn(before.cards[card], names[to])
        case _:
            return ""
    return _(
        said[whither(before.board, to)],
        name=names[seat],
        card=card_name(card),
        target=names[target],
        space=landing(before, to),
    )


def _dealt(card: str, name: str) -> str:
    if card == UNSEEN:
        return _("{name} is dealt a card.", name=name)
    return _("{name} is dealt the {card}.", name=name, card=card_name(card))


def _picked(card: str, name: str) -> str:
    if card == UNSEEN:
        return _("A card is drawn from {name}’s hand.", name=name)
    return _("The {card} is drawn from {name}’s hand.", card=card_name(card), name=name)


def _put_up(card: str, name: str) -> str:
    if card == UNSEEN:
        return _("{name} puts up a card to swap.", name=name)
    return _("{name} puts up the {card} to swap.", name=name, card=card_name(card))


def _chosen(before: State, option: int | str, names: Names) -> str:
    question = before.question
    assert question
    name = names[question.seat]
    match before.tasks[0], option:
        case Todo(effect=Choice(several)), int():
            return _("{name} chooses: {effect}.", name=name, effect=describe(several[option]))
        case Todo(effect=Swap()), int():
            return _("{name} wants to swap with {other}.", name=name, other=names[option])
        case Todo(effect=SkipTurn()), int():
            return _("{name} will lose a turn.", name=names[option])
        case Todo(effect=CloseLine()), str():
            return _("{name} shuts the {line}.", name=name, line=line_name(option))
    return _put_up(str(option), name)


def _consequences(before: State, move: Move, after: State, names: Names) -> Iterator[str]:
    """What followed, in the order in which it is seen on the table."""
    yield from (_("{name} has arrived.", name=names[seat]) for seat in _newly_arrived(before, after))
    if isinstance(move, UhOh | Choose | Pick):
        yield from _settled(before, after, names)
    if after.bump and after.bump != before.bump:
        yield _("{name} stands there and must be sent on.", name=names[after.bump.target])
    if len(after.past) > len(before.past):
        yield _scored(before, after, names)
    if after.over:
        yield ending(after, names)


def _newly_arrived(before: State, after: State) -> list[int]:
    """A commute that has ended was ended by the last arrival."""
    ended = len(after.past) > len(before.past)
    return [seat for seat in before.seats if not before.arrived[seat] and (ended or after.arrived[seat])]


def _settled(before: State, after: State, names: Names) -> Iterator[str]:
    for seat in before.seats:
        minutes = after.minutes[seat] - before.minutes[seat]
        reputation = after.reputation[seat] - before.reputation[seat]
        changes = [more_minutes(minutes)] * bool(minutes) + [more_reputation(reputation)] * bool(reputation)
        if changes:
            yield _("{name}: {changes}.", name=names[seat], changes=", ".join(changes))
    match before.tasks[:1]:
        case (Trade(drawer=drawer, partner=partner, given=given),) if given is not None:
            yield _("{name} and {other} have swapped.", name=names[drawer], other=names[partner])


def _scored(before: State, after: State, names: Names) -> str:
    done = after.past[-1]
    gains = (signed(now - was) for was, now in zip(before.reputation, done.reputation, strict=True))
    seats = ", ".join(map(_tally, names, done.minutes, gains))
    if before.morning:
        return _("The morning of round {round} is over: {seats} reputation.", round=before.round, seats=seats)
    return _("The evening of round {round} is over: {seats} reputation.", round=before.round, seats=seats)


def _tally(name: str, minutes: int, gain: str) -> str:
    return plural("{name} {n} minute, {gain}", "{name} {n} minutes, {gain}", minutes, name=name, gain=gain)


def ending(state: State, names: Names) -> str:
    """Who won."""
    winners = listed([names[seat] for seat in state.winners])
    return plural(
        "{winners} wins with {most} reputation.",
        "{winners} share the win with {most} reputation.",
        len(state.winners),
        winners=winners,
        most=_most(state),
    )


def _won(state: State, names: Names, viewer: Viewer) -> str:
    """The same, said to who has won."""
    if others := listed([names[seat] for seat in state.winners if seat != viewer]):
        return _("You and {others} share the win with {most} reputation!", others=others, most=_most(state))
    return _("You win with {most} reputation!", most=_most(state))


def _most(state: State) -> str:
    return f"{max(state.reputation)}".replace("-", "−")


# Buttons ----------------------------------------------------------------------------------------------


def label(state: State, move: Move, viewer: Viewer, names: Names) -> tuple[str, ...]:
    """The path to a move."""
    match move:
        case Travel(card=card, to=to):
            return (_("Travel"), card_name(card), landing(state, to))
        case Bump(card=card, to=to):
            assert state.bump
            return (_("Send {name} on", name=names[state.bump.target]), card_name(card), landing(state, to))
        case Choose(option=option):
            return (_asked(state), _answer(state, option, names))
        case Deal(to=to, card=card):
            return (_("Deal to {name}", name=names[to]), card_name(card))
        case Pick(from_=seat, card=card):
            which = state.hands[seat].index(card) + 1
            said = card_name(card) if state.may_see_swapped(viewer) else _("card {n}", n=which)
            return (_("Draw from {name}", name=names[seat]), said)
        case UhOh(to=to, card=card):
            return (_("“Uh-Oh!” for {name}", name=names[to]), f"{card} {_(state.cards[card].title)}")
    return ("",)


def _asked(state: State) -> str:
    return _(state.cards[state.uh_oh].title) if state.uh_oh else ""


def _answer(state: State, option: int | str, names: Names) -> str:
    match state.tasks[0], option:
        case Todo(effect=Choice(several)), int():
            return f"{option + 1}: {describe(several[option])}"
        case Todo(effect=CloseLine()), str():
            return line_name(option)
        case Todo(), int():
            return names[option]
    return card_name(str(option))


# The moment -------------------------------------------------------------------------------------------


def guide(state: State, viewer: Viewer, names: Names) -> str:
    """What is going on, and what to do with one's hands."""
    if state.over:
        return _won(state, names, viewer) if viewer in state.winners else ending(state, names)
    if state.turn == HOUSE:
        return _guide_house(state, viewer, names)
    if question := state.question:
        return _guide_question(question, viewer, names)
    if state.bump:
        return _guide_bump(state.bump, viewer, names)
    if viewer == state.player:
        return _guide_player(state)
    name = names[state.player]
    if state.morning:
        return _("{name} plays a card and travels to work.", name=name)
    return _("{name} plays a card and travels home.", name=name)


def _guide_player(state: State) -> str:
    if state.morning:
        return _("Your turn: play a card and travel to work; {best} minutes on arrival are best.", best=BEST_MORNING)
    return _("Your turn: play a card and travel home; the fewest minutes are best.")


def _guide_bump(bump: Owed, viewer: Viewer, names: Names) -> str:
    name, target = names[bump.seat], names[bump.target]
    if viewer == bump.seat:
        return _("{target} stands where you landed: play a card and send them that many spaces on.", target=target)
    if viewer == bump.target:
        return _("{name} must send you on with a card.", name=name)
    return _("{name} must send {target} on with a card.", name=name, target=target)


HAND_BACK = later("Hand your cards back: all forty are shuffled, and three dealt to each.")
"""What people do between two commutes, where they deal."""


def between(state: State) -> bool:
    """Whether a commute has ended and nothing is dealt for the next one."""
    return state.stage == "deal" and bool(state.past) and not any(state.hands)


def pause(state: State) -> str | None:
    """Everybody looks at the tally before cards are dealt again."""
    if state.over or not between(state):
        return None
    return _("Deal for the morning") if state.morning else _("Deal for the evening")


def _guide_house(state: State, viewer: Viewer, names: Names) -> str:
    if between(state):
        if state.morning:
            return _("The evening is over. See who stands where, then deal for the morning.")
        return _("The morning is over. See who stands where, then deal for the evening.")
    if (seat := drawer(state)) is not None:
        return _("You draw a card.") if seat == viewer else _("Deal a card to {name}.", name=names[seat])
    match state.tasks[:1]:
        case (Trade(owner=owner),):
            if owner == viewer:
                return _("Draw a random card from your hand.")
            return _("Draw a random card from {name}’s hand.", name=names[owner])
    lander = state.landed[0]
    if lander == viewer:
        return _("Turn up an “Uh-Oh!” card for you.")
    return _("Turn up an “Uh-Oh!” card for {name}.", name=names[lander])


def _guide_question(question: Question, viewer: Viewer, names: Names) -> str:
    if question.seat == viewer:
        return _(CHOOSE[question.asks])
    return _(CHOOSES[question.asks], name=names[question.seat])


def meters(state: State) -> tuple[Meter, ...]:
    """Everybody's minutes and reputation."""
    return tuple(meter for seat in state.seats for meter in _meters_of(state, seat))


def _meters_of(state: State, seat: int) -> Iterator[Meter]:
    minutes, reputation, who = state.minutes[seat], state.reputation[seat], f"{{{seat}}}"
    late: MeterLevel = "poor" if minutes > BEST_MORNING else "fair" if minutes > BEST_MORNING * 3 // 4 else "good"
    yield Meter(_("{name}: minutes", name=who), minutes, 0, max(150, minutes), late, seat, _("Minutes"))
    loved: MeterLevel = "good" if reputation == max(state.reputation) else "poor" if reputation < 0 else "fair"
    lowest, highest = min(-100, reputation), max(100, reputation)
    yield Meter(_("{name}: reputation", name=who), reputation, lowest, highest, loved, seat, _("Reputation"))
