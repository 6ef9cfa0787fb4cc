"""What Commute says to people: log, buttons, what to do with one's hands, meters."""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.commute.chance import drawer
from companion.games.commute.course import BEST_MORNING
from companion.games.commute.deck import UNSEEN, title
from companion.games.commute.effects import (
    All,
    AtStation,
    ByCommute,
    Choice,
    CloseLine,
    Effect,
    Minutes,
    Reputation,
    SkipTurn,
    Swap,
)
from companion.games.commute.moves import Bump, Choose, Deal, Pick, Travel, UhOh
from companion.games.commute.pieces import Question, Todo, Trade
from companion.games.commute.rules import State
from companion.games.commute.uh_oh import UhOhCard
from companion.games.rules import HOUSE, Level, Meter, Move, Names, Seat, Viewer

LINE: dict[bool, str] = {True: "morning", False: "evening"}


def signed(number: int) -> str:
    """ "+3" or "−2"."""
    return f"{'−' if number < 0 else '+'}{abs(number)}"


def describe(effect: Effect) -> str:
    """What an effect does, in a few words."""
    match effect:
        case Minutes(amount):
            return f"{signed(amount)} minutes"
        case Reputation(amount):
            return f"{signed(amount)} reputation"
        case ByCommute(morning, evening):
            return f"{describe(morning)} in the morning, {describe(evening)} in the evening"
        case All(several):
            return " and ".join(map(describe, several))
        case Choice(several):
            return " or ".join(map(describe, several))
        case AtStation(then, otherwise):
            return f"{describe(then)} on stations" + (f", {describe(otherwise)} elsewhere" if otherwise else "")
        case Swap():
            return "swap a card"
        case SkipTurn(who):
            return "lose a turn" if who == "self" else "make another player lose a turn"
        case CloseLine():
            return "shut a metro line"


def place(state: State, space: str) -> str:
    """A space as people call it."""
    if space == state.board.work:
        return "work"
    return "home" if space in state.houses else space


def towards(state: State, space: str) -> str:
    """ "to s12", "to work", "home"."""
    there = place(state, space)
    return there if there == "home" else f"to {there}"


def _landing(state: State, space: str) -> str:
    """ "s12, +3 minutes"."""
    if space in state.board.ends:
        return place(state, space)
    there = state.board.spaces[space]
    marks = {"uh_oh": ", “Uh-Oh!”", "station": f", {there.line} line"}
    return f"{space}, {signed(there.minutes)} minutes{marks.get(there.kind, '')}"


def _journey(state: State, space: str) -> str:
    """ "to s12, +3 minutes", "home"."""
    return towards(state, space) if space in state.board.ends else f"to {_landing(state, space)}"


# The log ----------------------------------------------------------------------------------------------


def tell(before: State, move: Move, after: State, viewer: Viewer, names: Names) -> str:
    """What happened, in a few sentences."""
    return " ".join((_deed(before, move.seen_by(viewer, before), names), *_consequences(before, move, after, names)))


def _deed(before: State, move: Move, names: Names) -> str:
    match move:
        case Travel(seat=seat, card=card, to=to):
            return f"{names[seat]} plays the {title(card)} and travels {_journey(before, to)}."
        case Bump(seat=seat, card=card, to=to):
            assert before.bump
            target = names[before.bump.target]
            return f"{names[seat]} plays the {title(card)} and sends {target} {_journey(before, to)}."
        case Choose(option=option):
            return _chosen(before, option, names)
        case Deal(to=to, card=card):
            return f"{names[to]} is dealt {_the(card)}."
        case Pick(from_=seat, card=card):
            return f"{_the(card).capitalize()} is drawn from {names[seat]}’s hand."
        case UhOh(to=to, card=card):
            return drawn(before.cards[card], names[to])
    return ""


def drawn(card: UhOhCard, name: str) -> str:
    """Who draws a card, and what it says."""
    return f"{name} draws “{card.title}”. {card.text}"


def _the(card: str) -> str:
    return "a card" if card == UNSEEN else f"the {title(card)}"


def _chosen(before: State, option: int | str, names: Names) -> str:
    question = before.question
    assert question
    name = names[question.seat]
    match before.tasks[0], option:
        case Todo(effect=Choice(several)), int():
            return f"{name} chooses: {describe(several[option])}."
        case Todo(effect=Swap()), int():
            return f"{name} wants to swap with {names[option]}."
        case Todo(effect=SkipTurn()), int():
            return f"{names[option]} will lose a turn."
        case Todo(effect=CloseLine()), str():
            return f"{name} shuts the {option} line."
    return f"{name} puts up {_the(str(option))} to swap."


def _consequences(before: State, move: Move, after: State, names: Names) -> Iterator[str]:
    """What followed, in the order in which it is seen on the table."""
    yield from (f"{names[seat]} has arrived." for seat in _newly_arrived(before, after))
    if isinstance(move, UhOh | Choose | Pick):
        yield from _settled(before, after, names)
    if after.bump and after.bump != before.bump:
        yield f"{names[after.bump.target]} stands there and must be sent on."
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
        changes = [f"{signed(minutes)} minutes"] * bool(minutes) + [f"{signed(reputation)} reputation"] * bool(
            reputation
        )
        if changes:
            yield f"{names[seat]}: {', '.join(changes)}."
    match before.tasks[:1]:
        case (Trade(drawer=drawer, partner=partner, given=given),) if given is not None:
            yield f"{names[drawer]} and {names[partner]} have swapped."


def _scored(before: State, after: State, names: Names) -> str:
    done = after.past[-1]
    seats = ", ".join(
        f"{names[seat]} {done.minutes[seat]} minutes, {signed(done.reputation[seat] - before.reputation[seat])}"
        for seat in before.seats
    )
    return f"The {LINE[before.morning]} of round {before.round} is over: {seats} reputation."


def ending(state: State, names: Names) -> str:
    """Who won."""
    winners = " and ".join(names[seat] for seat in state.winners)
    most = f"{max(state.reputation)}".replace("-", "−")
    return f"{winners} {'share the win' if len(state.winners) > 1 else 'wins'} with {most} reputation."


# Buttons ----------------------------------------------------------------------------------------------


def label(state: State, move: Move, viewer: Viewer, names: Names) -> tuple[str, ...]:
    """The path to a move."""
    match move:
        case Travel(card=card, to=to):
            return ("Travel", title(card), _landing(state, to))
        case Bump(card=card, to=to):
            assert state.bump
            return (f"Send {names[state.bump.target]} on", title(card), _landing(state, to))
        case Choose(option=option):
            return (_asked(state), _answer(state, option, names))
        case Deal(to=to, card=card):
            return (f"Deal to {names[to]}", title(card))
        case Pick(from_=seat, card=card):
            seen = state.may_see_swapped(viewer)
            return (f"Draw from {names[seat]}", title(card) if seen else f"card {state.hands[seat].index(card) + 1}")
        case UhOh(to=to, card=card):
            return (f"“Uh-Oh!” for {names[to]}", f"{card} {state.cards[card].title}")
    return ("",)


def _asked(state: State) -> str:
    return state.cards[state.uh_oh].title if state.uh_oh else ""


def _answer(state: State, option: int | str, names: Names) -> str:
    match state.tasks[0], option:
        case Todo(effect=Choice(several)), int():
            return f"{option + 1}: {describe(several[option])}"
        case Todo(effect=CloseLine()), str():
            return f"{option} line"
        case Todo(), int():
            return names[option]
    return title(str(option))


# The moment -------------------------------------------------------------------------------------------


def guide(state: State, viewer: Viewer, names: Names) -> str:
    """What is going on, and what to do with one's hands."""
    if state.over:
        return ending(state, names)
    if state.turn == HOUSE:
        return _guide_house(state, viewer, names)
    if question := state.question:
        return _guide_question(question, viewer, names)
    if state.bump:
        target = "you" if viewer == state.bump.target else names[state.bump.target]
        if viewer == state.bump.seat:
            return f"{target} stands where you landed: play a card and send them that many spaces on."
        return f"{names[state.bump.seat]} must send {target} on with a card."
    goal = "to work" if state.morning else "home"
    if viewer != state.player:
        return f"{names[state.player]} plays a card and travels {goal}."
    aim = f"; {BEST_MORNING} minutes on arrival are best" if state.morning else "; the fewest minutes are best"
    return f"Your turn: play a card and travel {goal}{aim}."


HAND_BACK = "Hand your cards back: all forty are shuffled, and three dealt to each."
"""What people do between two commutes, where they deal."""


def between(state: State) -> bool:
    """Whether a commute has ended and nothing is dealt for the next one."""
    return state.stage == "deal" and bool(state.past) and not any(state.hands)


def pause(state: State) -> str | None:
    """Everybody looks at the tally before cards are dealt again."""
    return f"Deal for the {LINE[state.morning]}" if between(state) and not state.over else None


def _guide_house(state: State, viewer: Viewer, names: Names) -> str:
    def name(seat: Seat) -> str:
        return "you" if seat == viewer else names[seat]

    if between(state):
        return f"The {LINE[not state.morning]} is over. See who stands where, then deal for the {LINE[state.morning]}."
    if (seat := drawer(state)) is not None:
        return "You draw a card." if seat == viewer else f"Deal a card to {names[seat]}."
    match state.tasks[:1]:
        case (Trade(owner=owner),):
            return f"Draw a random card from {'your' if owner == viewer else f'{names[owner]}’s'} hand."
    return f"Turn up an “Uh-Oh!” card for {name(state.landed[0])}."


def _guide_question(question: Question, viewer: Viewer, names: Names) -> str:
    you = question.seat == viewer
    what = {
        "choice": "one of the things that the card offers",
        "partner": "whom to swap with",
        "skip": "who loses a turn",
        "line": "a metro line",
        "card": "a card to give away",
    }[question.asks]
    return f"{'Choose' if you else f'{names[question.seat]} chooses'} {what}."


def meters(state: State) -> tuple[Meter, ...]:
    """Everybody's minutes and reputation."""
    return tuple(meter for seat in state.seats for meter in _meters_of(state, seat))


def _meters_of(state: State, seat: int) -> Iterator[Meter]:
    minutes, reputation, who = state.minutes[seat], state.reputation[seat], f"{{{seat}}}"
    late: Level = "poor" if minutes > BEST_MORNING else "fair" if minutes > BEST_MORNING * 3 // 4 else "good"
    yield Meter(f"{who}: minutes", minutes, 0, max(150, minutes), late, seat, "Minutes")
    loved: Level = "good" if reputation == max(state.reputation) else "poor" if reputation < 0 else "fair"
    yield Meter(
        f"{who}: reputation", reputation, min(-100, reputation), max(100, reputation), loved, seat, "Reputation"
    )
