"""What System WON says to people: log, buttons, what to do with one's hands, meters.

Law: pure. Every sentence is for a viewer and says only what that viewer may know: of a hidden card, nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from companion.games.game import Meter, MeterLevel
from companion.games.rules import HOUSE, Move, Names, Seat, Viewer
from companion.games.system_won.catalog import HIGHEST
from companion.games.system_won.chance import RECYCLED
from companion.games.system_won.knowledge import UNKNOWN, Said
from companion.games.system_won.labels import completed, error, named
from companion.games.system_won.legality import USES
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
from companion.games.system_won.rules import State
from companion.text.translation import _, later, listed, number, plural

SAY_WHAT = {"strict": later("Only specifications may be said."), "open": later("Talk as you like.")}
"""What may be said, by how the players may communicate."""

ABILITIES: Mapping[str, str] = {
    "specify_two": later("Tell two things at once. No specification card is turned."),
    "restore": later("Turn a specification card front up again."),
    "play_two": later("Play two cards from your hand, then draw for both."),
    "recycle": later("Shuffle two random discards back into the deck."),
    "extra_turn": later("Give somebody an extra turn, right after this one."),
    "skip": later("As many of the next players as you like sit out."),
    "play_from_discard": later("Play any card from the discards."),
    "play_from_errors": later("Play any card from the errors."),
    "play_other": later("Play a card out of another player’s hand."),
    "undo": later("Take back the turn just taken."),
}
"""What each ability does."""


MY_ROLE = later("My ability")
"""The button under which abilities stand."""


def when_to_use(use: str) -> str:
    """ "Role cards will designate whether an ability can be played as an action or be played at any time." """
    return _("Any time") if USES[use].ANY_TIME else _("Your turn")


# The log ----------------------------------------------------------------------------------------------


def tell(before: State, move: Move, after: State, viewer: Viewer, names: Names) -> str:
    """What happened, in one or two sentences."""
    return " ".join((_deed(before, move.seen_by(viewer, before), after, names), *_consequences(before, after, names)))


def _deed(before: State, move: Move, after: State, names: Names) -> str:
    match move:
        case Specify(seat=seat):
            return _("{name} specifies: {what}.", name=names[seat], what=_specified(after, move, names))
        case Discard(seat=seat):
            return _("{name} discards {card}.", name=names[seat], card=after.discard[-1])
        case Play(seat=seat):
            return _("{name} plays {cards}.", name=names[seat], cards=_played(before, after))
        case Arrange(seat=seat):
            return _("{name} rearranges the hand.", name=names[seat])
        case Deal(to=to, card=card):
            unknown = card == UNKNOWN
            return (
                _("{name} gets a card.", name=names[to])
                if unknown
                else _("{name} gets {card}.", name=names[to], card=card)
            )
        case DealRole(to=to, role=role):
            return _("{name}'s role is {role}.", name=names[to], role=_(before.cards.roles[role].title))
        case ShuffleBack(cards=cards):
            back = listed(cards)
            return (
                _("{cards} are shuffled back into the deck.", cards=back)
                if cards[1:]
                else _("{card} is shuffled back into the deck.", card=back)
            )
        case Ability(seat=seat):
            return _ability(before, move, after, names, _holder(before, seat, names))
    return ""


def _ability(before: State, move: Move, after: State, names: Names, name: str) -> str:
    """`name`: who uses it, and as what."""
    match move:
        case SpecifyTwo(hints=hints):
            said = "; ".join(_specified(after, hint, names) for hint in hints)
            return _("{name} specifies two things for free: {what}.", name=name, what=said)
        case Restore():
            return _("{name} turns a specification up.", name=name)
        case PlayTwo():
            return _("{name} plays two cards: {cards}.", name=name, cards=_played(before, after))
        case Recycle():
            return plural(
                "{name} has {n} discard shuffled back into the deck.",
                "{name} has {n} discards shuffled back into the deck.",
                min(RECYCLED, len(before.discard)),
                name=name,
            )
        case ExtraTurn(target=target):
            return _("{name} gives {other} an extra turn after this one.", name=name, other=names[target])
        case Skip(count=count):
            return plural("{name} skips the next turn.", "{name} skips the next {n} turns.", count, name=name)
        case PlayFromDiscard():
            return _("{name} plays from the discard pile: {cards}.", name=name, cards=_played(before, after))
        case PlayFromErrors(card=card):
            again = after.systems == before.systems
            cards = _("{card}, an error again", card=card) if again else _played(before, after)
            return _("{name} plays from the error pile: {cards}.", name=name, cards=cards)
        case PlayOther(target=target):
            played = _played(before, after)
            return _("{name} plays a card of {other}'s: {cards}.", name=name, other=names[target], cards=played)
        case Undo():
            return _("{name} undoes the last turn, {other}'s.", name=name, other=names[after.player])
    return ""


def _holder(state: State, seat: Seat, names: Names) -> str:
    """ "Ann (Designer)"."""
    role = state.roles[seat] if state.roles else None
    return f"{names[seat]} ({_(state.cards.roles[role].title)})" if role else names[seat]


def _specified(state: State, hint: Hint, names: Names) -> str:
    """ "Bob's red cards are 1 and 4": cards are counted from 1, the oldest first."""
    slots = [n for n, held in enumerate(state.hands[hint.target], 1) if hint.said in (held.mark.color, held.mark.rank)]
    name, said = names[hint.target], hint.said
    if not slots[1:]:
        return _one(name, said, slots[0])
    cards = listed([str(slot) for slot in slots])
    if isinstance(said, int):
        return _("{name}'s {rank}s are {cards}", name=name, rank=said, cards=cards)
    return _("{name}'s {color} cards are {cards}", name=name, color=_(said), cards=cards)


def _one(name: str, said: Said, slot: int) -> str:
    if isinstance(said, int):
        return _("{name}'s only {rank} is card {card}", name=name, rank=said, card=slot)
    return _("{name}'s only {color} card is card {card}", name=name, color=_(said), card=slot)


def _played(before: State, after: State) -> str:
    """The cards that systems gained, then those that became errors: "R2", "B3, an error"."""
    cards = before.cards.cards.values()
    built = [c.face for c in cards if before.systems[c.suit] < c.rank <= after.systems[c.suit]]
    return listed([*built, *map(error, after.errors[len(before.errors) :])])


def _consequences(before: State, after: State, names: Names) -> Iterator[str]:
    colors = before.cards.colors
    for color, one, two in zip(colors, before.systems, after.systems, strict=True):
        if two > one and two == HIGHEST:
            yield completed(color)
    if before.last_turns is None and after.last_turns is not None:
        yield plural(
            "That was the deck's last card: {n} turn left.",
            "That was the deck's last card: {n} turns left.",
            after.turns_left or 0,
        )
    if after.over:
        yield ending(after)


def ending(state: State) -> str:
    """How the game ended."""
    rating = state.cards.ratings[state.cards.rating(state.score)]
    said, score = _(rating.says), number(state.score)
    score = _("The score is {score}: {rating}. {says}", score=score, rating=_(rating.title), says=said)
    return f"{_('You have won!')} {score}" if state.won else score


# The buttons ------------------------------------------------------------------------------------------


def label(state: State, move: Move, viewer: Viewer, names: Names) -> tuple[str, ...]:
    """The path to a move through the buttons. Cards of a hand are counted from 1, the oldest first."""
    match move:
        case Specify(target=target):
            return (_("Specify"), names[target], named(move.said))
        case Discard(slot=slot):
            return (_("Discard a card"), _card(slot))
        case Play(slot=slot):
            return (_("Play"), _card(slot))
        case Deal(card=card):
            return (_("Drawn"), _("not seen") if card == UNKNOWN else card)
        case DealRole(role=role):
            return (_("Name the role"), _(state.cards.roles[role].title))
        case ShuffleBack(cards=cards):
            return (_("Name the shuffled cards"), listed(cards))
        case Arrange(order=order):
            return (_("Rearrange"), ", ".join(str(slot + 1) for slot in order))
    return (_(MY_ROLE), *_ability_label(move, names))


def _card(slot: int) -> str:
    return _("card {n}", n=slot + 1)


def _ability_label(move: Move, names: Names) -> tuple[str, ...]:
    match move:
        case SpecifyTwo(hints=hints):
            return (_("Specify two for free"), *(f"{names[hint.target]}: {named(hint.said)}" for hint in hints))
        case PlayTwo(slots=slots):
            return (_("Play two cards"), *map(_card, slots))
        case PlayOther(target=target, slot=slot):
            return (_("Play another's card"), names[target], _card(slot))
        case ExtraTurn(target=target):
            return (_("Give an extra turn"), names[target])
        case Skip(count=count):
            return (_("Skip turns after this one"), f"{count}")
        case PlayFromDiscard(card=card):
            return (_("Play from the discard pile"), card)
        case PlayFromErrors(card=card):
            return (_("Play from the error pile"), card)
        case Restore():
            return (_("Turn a specification up"),)
        case Recycle():
            return (_("Shuffle discards back into the deck"),)
        case Undo():
            return (_("Undo the last turn"), _("Yes, use it: it is once in the game"))
    return (move.NAME,)


# What to do now ---------------------------------------------------------------------------------------


def guide(state: State, viewer: Viewer, names: Names) -> str:
    """What is going on and what to do with one's hands."""
    if state.over:
        return ending(state)
    if state.turn == HOUSE:
        return _guide_house(state, viewer, names)
    if viewer == state.player:
        return " ".join((_guide_you(state), *_last_round(state)))
    return " ".join((_guide_other(state, names), *_last_round(state), _(SAY_WHAT[state.communication])))


def _guide_you(state: State) -> str:
    """Where a turn begins on the phone."""
    if state.specifications:
        return _("Your turn: tap a card of yours to play or discard it, or one of theirs to tell.")
    return _("Your turn: tap a card of yours to play or discard it. No specification is left to tell.")


def _guide_other(state: State, names: Names) -> str:
    if state.specifications:
        return _("{name} may specify, discard or play a card.", name=names[state.player])
    return _("{name} may discard or play a card.", name=names[state.player])


def _last_round(state: State) -> Iterator[str]:
    if (left := state.turns_left) is not None:
        yield plural("This is the game's last turn.", "The deck has run out: {n} turns are left.", left)


def _guide_house(state: State, viewer: Viewer, names: Names) -> str:
    if state.recycling:
        return plural(
            "Take {n} card of the discard pile at random and shuffle it into the deck.",
            "Take {n} cards of the discard pile at random and shuffle them into the deck.",
            min(RECYCLED, len(state.discard)),
        )
    if state.roles and None in state.roles:
        return _("Deal a role card to {name}, face up.", name=names[state.roles.index(None)])
    to = state.dealing[0]
    if viewer == to:
        return _("You take a card from the deck. Don't look at it: show it to the camera and to the others.")
    return _(
        "{name} takes a card from the deck without looking, and shows it to the camera and to the others.",
        name=names[to],
    )


# Meters and results -----------------------------------------------------------------------------------


def meters(state: State) -> tuple[Meter, ...]:
    """What the table's screen and lights show."""
    cards = state.cards
    return (
        Meter(_("Score"), state.score, min(0, state.score), cards.perfect),
        Meter(_("Errors"), len(state.errors), 0, cards.perfect, "poor" if state.errors else "good"),
        Meter(_("Specifications"), state.specifications, 0, cards.specifications, _level(state.specifications)),
        Meter(_("Cards left"), state.deck, 0, sum(cards.deck), _level(state.deck)),
    )


def _level(left: int) -> MeterLevel:
    return "good" if left > 2 else "fair" if left else "poor"


def outcome(state: State) -> dict[str, bool | float | str]:
    """What counts of a finished game."""
    rating = state.cards.ratings[state.cards.rating(state.score)]
    return {"won": state.won, "score": state.score, "rating": rating.title}
