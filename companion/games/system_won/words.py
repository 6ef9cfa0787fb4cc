"""What System WON says to people: log, buttons, what to do with one's hands, meters.

Law: pure. Every sentence is for a viewer and says only what that viewer may know: of a hidden card, nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from companion.games.rules import HOUSE, Level, Meter, Move, Names, Seat, Viewer
from companion.games.system_won.catalog import HIGHEST
from companion.games.system_won.chance import RECYCLED
from companion.games.system_won.legality import USES
from companion.games.system_won.marks import UNKNOWN, Said
from companion.games.system_won.moves import (
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
from companion.games.system_won.rules import State

SAY_WHAT = {"strict": "Only specifications may be said.", "open": "Talk as you like."}


ABILITIES: Mapping[str, str] = {
    "specify_two": "Tell two things at once. No specification card is turned.",
    "restore": "Turn a specification card front up again.",
    "play_two": "Play two cards from your hand, then draw for both.",
    "recycle": "Shuffle two random discards back into the deck.",
    "extra_turn": "Give somebody an extra turn, right after this one.",
    "skip": "As many of the next players as you like sit out.",
    "play_from_discard": "Play any card from the discards.",
    "play_from_errors": "Play any card from the errors.",
    "play_other": "Play a card out of another player’s hand.",
    "undo": "Take back the turn just taken.",
}
"""What each ability does."""


MY_ROLE = "My ability"
"""The button under which abilities stand."""


def when_to_use(use: str) -> str:
    """ "Role cards will designate whether an ability can be played as an action or be played at any time." """
    return "Any time" if USES[use].ANY_TIME else "Your turn"


# The log ----------------------------------------------------------------------------------------------


def tell(before: State, move: Move, after: State, viewer: Viewer, names: Names) -> str:
    """What happened, in one or two sentences."""
    return " ".join((_deed(before, move.seen_by(viewer, before), after, names), *_consequences(before, after, names)))


def _deed(before: State, move: Move, after: State, names: Names) -> str:
    match move:
        case Specify(seat=seat):
            return f"{names[seat]} specifies: {_specified(after, move, names)}."
        case Discard(seat=seat):
            return f"{names[seat]} discards {after.discard[-1]}."
        case Play(seat=seat):
            return f"{names[seat]} plays {_played(before, after)}."
        case Arrange(seat=seat):
            return f"{names[seat]} rearranges the hand."
        case Deal(to=to, card=card):
            return f"{names[to]} gets {'a card' if card == UNKNOWN else card}."
        case DealRole(to=to, role=role):
            return f"{names[to]}'s role is {before.cards.roles[role].title}."
        case ShuffleBack(cards=cards):
            return f"{_and(cards)} {'are' if cards[1:] else 'is'} shuffled back into the deck."
    return _ability(before, move, after, names)


def _ability(before: State, move: Move, after: State, names: Names) -> str:
    match move:
        case SpecifyTwo(seat=seat, hints=hints):
            said = "; ".join(_specified(after, hint, names) for hint in hints)
            return f"{_holder(before, seat, names)} specifies two things for free: {said}."
        case Restore(seat=seat):
            return f"{_holder(before, seat, names)} turns a specification up."
        case PlayTwo(seat=seat):
            return f"{_holder(before, seat, names)} plays two cards: {_played(before, after)}."
        case Recycle(seat=seat):
            count = min(RECYCLED, len(before.discard))
            return f"{_holder(before, seat, names)} has {_count(count, 'discard')} shuffled back into the deck."
        case ExtraTurn(seat=seat, target=target):
            return f"{_holder(before, seat, names)} gives {names[target]} an extra turn after this one."
        case Skip(seat=seat, count=count):
            return f"{_holder(before, seat, names)} skips the next {'turn' if count == 1 else f'{count} turns'}."
        case PlayFromDiscard(seat=seat):
            return f"{_holder(before, seat, names)} plays from the discard pile: {_played(before, after)}."
        case PlayFromErrors(seat=seat, card=card):
            again = f"{card}, an error again" if after.systems == before.systems else _played(before, after)
            return f"{_holder(before, seat, names)} plays from the error pile: {again}."
        case PlayOther(seat=seat, target=target):
            return f"{_holder(before, seat, names)} plays a card of {names[target]}'s: {_played(before, after)}."
        case Undo(seat=seat):
            return f"{_holder(before, seat, names)} undoes the last turn, {names[after.player]}'s."
    return ""


def _holder(state: State, seat: Seat, names: Names) -> str:
    """ "Ann (Designer)"."""
    role = state.roles[seat] if state.roles else None
    return f"{names[seat]} ({state.cards.roles[role].title})" if role else names[seat]


def _specified(state: State, hint: Hint, names: Names) -> str:
    """ "Bob's red cards are 1 and 4": cards are counted from 1, the oldest first."""
    slots = [n for n, held in enumerate(state.hands[hint.target], 1) if hint.said in (held.mark.color, held.mark.rank)]
    what = f"{hint.said}s" if isinstance(hint.said, int) else f"{hint.said} cards"
    return f"{names[hint.target]}'s {what} are {_and(map(str, slots))}" if slots[1:] else _one(hint, slots, names)


def _one(hint: Hint, slots: Sequence[int], names: Names) -> str:
    what = hint.said if isinstance(hint.said, int) else f"{hint.said} card"
    return f"{names[hint.target]}'s only {what} is card {slots[0]}"


def _played(before: State, after: State) -> str:
    """The cards that systems gained, then those that became errors: "R2", "B3, an error"."""
    cards = before.cards.cards.values()
    built = [c.face for c in cards if before.systems[c.suit] < c.rank <= after.systems[c.suit]]
    failed = [f"{face}, an error" for face in after.errors[len(before.errors) :]]
    return _and([*built, *failed])


def _consequences(before: State, after: State, names: Names) -> Iterator[str]:
    colors = before.cards.colors
    for color, one, two in zip(colors, before.systems, after.systems, strict=True):
        if two > one and two == HIGHEST:
            yield f"The {color} system is complete."
    if before.last_turns is None and after.last_turns is not None:
        yield f"That was the deck's last card: {_count(after.turns_left or 0, 'turn')} left."
    if after.over:
        yield ending(after)


def ending(state: State) -> str:
    """How the game ended."""
    rating = state.cards.ratings[state.cards.rating(state.score)]
    won = "You have won! " if state.won else ""
    return f"{won}The score is {state.score}: {rating.title}. {rating.says}"


def _and(words: Sequence[str] | Iterator[str]) -> str:
    *some, last = words
    return f"{', '.join(some)} and {last}" if some else last


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"


# The buttons ------------------------------------------------------------------------------------------


def label(state: State, move: Move, viewer: Viewer, names: Names) -> tuple[str, ...]:
    """The path to a move through the buttons. Cards of a hand are counted from 1, the oldest first."""
    match move:
        case Specify(target=target):
            return ("Specify", names[target], _word(move.said))
        case Discard(slot=slot):
            return ("Discard", f"card {slot + 1}")
        case Play(slot=slot):
            return ("Play", f"card {slot + 1}")
        case Deal(card=card):
            return ("Drawn", "not seen" if card == UNKNOWN else card)
        case DealRole(role=role):
            return ("Dealt", state.cards.roles[role].title)
        case ShuffleBack(cards=cards):
            return ("Shuffled back", _and(cards))
        case Arrange(order=order):
            return ("Rearrange", ", ".join(str(slot + 1) for slot in order))
    return (MY_ROLE, *_ability_label(move, names))


def _word(said: Said) -> str:
    return said if isinstance(said, str) else f"all {said}s"


def _ability_label(move: Move, names: Names) -> tuple[str, ...]:
    match move:
        case SpecifyTwo(hints=hints):
            return ("Specify two for free", *(f"{names[hint.target]}: {_word(hint.said)}" for hint in hints))
        case PlayTwo(slots=slots):
            return ("Play two cards", *(f"card {slot + 1}" for slot in slots))
        case PlayOther(target=target, slot=slot):
            return ("Play another's card", names[target], f"card {slot + 1}")
        case ExtraTurn(target=target):
            return ("Give an extra turn", names[target])
        case Skip(count=count):
            return ("Skip turns after this one", f"{count}")
        case PlayFromDiscard(card=card):
            return ("Play from the discard pile", card)
        case PlayFromErrors(card=card):
            return ("Play from the error pile", card)
        case Restore():
            return ("Turn a specification up",)
        case Recycle():
            return ("Shuffle discards back into the deck",)
        case Undo():
            return ("Undo the last turn", "Yes, use it: it is once in the game")
    return (move.NAME,)


# What to do now ---------------------------------------------------------------------------------------


def guide(state: State, viewer: Viewer, names: Names) -> str:
    """What is going on and what to do with one's hands."""
    if state.over:
        return ending(state)
    if state.turn == HOUSE:
        return _guide_house(state, viewer, names)
    you = viewer == state.player
    what = "specify, discard or play a card." if state.specifications else "discard or play a card."
    turn = f"Your turn: {_how(state)}" if you else f"{names[state.player]} may {what}"
    return " ".join((turn, *_last_round(state), *(() if you else (SAY_WHAT[state.communication],))))


def _how(state: State) -> str:
    """Where a turn begins on the phone."""
    own = "tap a card of yours to play or discard it"
    return f"{own}, or one of theirs to tell." if state.specifications else f"{own}. No specification is left to tell."


def _last_round(state: State) -> Iterator[str]:
    if (left := state.turns_left) is not None:
        yield "This is the game's last turn." if left == 1 else f"The deck has run out: {left} turns are left."


def _guide_house(state: State, viewer: Viewer, names: Names) -> str:
    if state.recycling:
        count = min(RECYCLED, len(state.discard))
        return f"Take {_count(count, 'card')} of the discard pile at random and shuffle them into the deck."
    if state.roles and None in state.roles:
        return f"Deal a role card to {names[state.roles.index(None)]}, face up."
    to = state.dealing[0]
    if viewer == to:
        return "You take a card from the deck. Don't look at it: show it to the camera and to the others."
    return f"{names[to]} takes a card from the deck without looking, and shows it to the camera and to the others."


# Meters and results -----------------------------------------------------------------------------------


def meters(state: State) -> tuple[Meter, ...]:
    """What the table's screen and lights show."""
    cards = state.cards
    return (
        Meter("Score", state.score, min(0, state.score), cards.perfect),
        Meter("Errors", len(state.errors), 0, cards.perfect, "poor" if state.errors else "good"),
        Meter("Specifications", state.specifications, 0, cards.specifications, _level(state.specifications)),
        Meter("Cards left", state.deck, 0, sum(cards.deck), _level(state.deck)),
    )


def _level(left: int) -> Level:
    return "good" if left > 2 else "fair" if left else "poor"


def outcome(state: State) -> dict[str, bool | float | str]:
    """What counts of a finished game."""
    rating = state.cards.ratings[state.cards.rating(state.score)]
    return {"won": state.won, "score": state.score, "rating": rating.title}
