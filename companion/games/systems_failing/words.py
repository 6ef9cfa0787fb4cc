"""What Systems Failing says to people: log, buttons, what to do with one's hands, meters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.games.rules import HOUSE, Level, Meter, Move, Names, Seat, Viewer
from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.chance import drawer
from companion.games.systems_failing.cubes import WHITE, Cubes
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
from companion.games.systems_failing.rules import State

TOKENS = {color: f"{color} cube" for color in ("orange", "blue", "yellow", "red", "black", "green", "white")}


def card_name(card: str) -> str:
    """ "D07 Thruster stutter"."""
    disaster = catalog().disasters.get(card)
    return f"{card} {disaster.name}" if disaster else card


def listed(cubes: tuple[str, ...]) -> str:
    """ "red, 2 blue"."""
    return ", ".join(color if n == 1 else f"{n} {color}" for color, n in Cubes(cubes).items())


# The log ----------------------------------------------------------------------------------------------


def tell(before: State, move: Move, after: State, viewer: Viewer, names: Names) -> str:
    """What happened, in one or two sentences."""
    return " ".join((_deed(before, move, names), *_consequences(before, move, after)))


def _deed(before: State, move: Move, names: Names) -> str:
    match move:
        case Scavenge(seat=seat):
            return f"{names[seat]} scavenges."
        case Return(seat=seat, cubes=cubes):
            return f"{names[seat]} returns {listed(cubes)} to the bag."
        case Transfer(seat=seat, color=color):
            return f"{names[1 - seat]} hands {names[seat]} {_a(color)} cube."
        case Repair(seat=seat, card=card, cubes=cubes, ability=ability):
            return _repair(names[seat], card_name(card), cubes, before.ignores if ability else None)
        case Discard(seat=seat):
            return f"{names[seat]} empties the pool into the bag."
        case EndTurn(seat=seat):
            return f"{names[seat]} ends the turn."
        case Draw(to=to, cube=cube):
            white = "a white cube: a surge" if cube == WHITE else f"{_a(cube)} cube"
            return f"{names[to]} draws {white}."
        case Reveal(card=card):
            return _revealed(before, card)
        case DealRole(to=to, role=role):
            return f"{names[to]} is the {catalog().roles[role].title}."
        case Advance():
            return "Every disaster moves one zone toward the core."
    return ""


def _repair(name: str, card: str, cubes: tuple[str, ...], ignored: str | None) -> str:
    if not cubes:
        return f"{name} needs no {ignored} for {card}."
    return f"{name} puts {listed(cubes)} on {card}{f' and needs no {ignored}' if ignored else ''}."


def _revealed(before: State, card: str) -> str:
    if card in catalog().failing:
        return f"{card}, systems failing: stability worsens and a white cube joins the bag."
    if card in catalog().escapes:
        return f"Escape sequence {card} is next."
    zone = before.starting[0] if before.phase == "setup" else catalog().disasters[card].zone
    return f"{card_name(card)} appears in Zone {zone}."


def _consequences(before: State, move: Move, after: State) -> Iterator[str]:
    """What followed from the deed, in the order in which it is seen on the table."""
    yield from _set_up(before, after)
    if isinstance(move, Repair):
        yield from _repaired(before, after)
    else:
        yield from _moved(before, move, after)
    if len(after.deck) > len(before.deck) and before.phase == "appear":
        yield "The deck ran out: the discards, shuffled, are the new deck."
    yield from _course(before, after)


def _set_up(before: State, after: State) -> Iterator[str]:
    yield from (
        f"{card_name(card)} is too mild to start with and is replaced."
        for card in after.aside
        if card not in before.aside
    )
    if before.phase == "setup" and (whites := after.bag[WHITE] - before.bag[WHITE]):
        yield f"{_count(whites, 'white cube')} join{'s' if whites == 1 else ''} the bag."
    if before.phase == "setup" != after.phase:
        yield "The deck is made of five stacks, a systems-failing card in each."


def _repaired(before: State, after: State) -> Iterator[str]:
    gone = [*(card for card, _ in after.done[len(before.done) :]), *after.discard[len(before.discard) :]]
    if gone:
        yield f"{_and(gone)} {'are' if gone[1:] else 'is'} repaired and out of play."


def _moved(before: State, move: Move, after: State) -> Iterator[str]:
    surge = not isinstance(move, Advance)
    for number in (2, 1):
        arrived = {laid.card for laid in before.zones[number]} & {laid.card for laid in after.zones[number - 1]}
        yield from (f"{card_name(card)} surges into Zone {number}." for card in sorted(arrived) if surge)
    if hit := after.damage - before.damage:
        left = {laid.card for laid in after.in_play()}
        core = [laid.card for laid in before.zones[0] if laid.card not in left]
        yield f"The core is hit by {_and(core)}: damage rises by {hit} to {after.damage}."
    if before.deck_whites and not after.deck_whites:
        yield "The white cubes on the deck go back into the bag."


def _course(before: State, after: State) -> Iterator[str]:
    if after.phase == "advance" and before.phase == "stock_up":
        yield "The pools are filled up."
    if after.round > before.round:
        yield f"Round {after.round} begins."
    if after.result:
        yield ending(after)


def _a(color: str) -> str:
    return f"{'an' if color[0] in 'aeiou' else 'a'} {color}"


def _and(cards: Sequence[str]) -> str:
    return " and ".join(map(card_name, cards))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"


def ending(state: State) -> str:
    """How the game ended."""
    match state.result:
        case "escape":
            return "All six escape sequences run: you are out, and you have won!"
        case "stability":
            return "The ship's systems break down for good: you have lost."
        case "damage":
            return "The core explodes: you have lost."
    return ""


# The buttons ------------------------------------------------------------------------------------------


def label(state: State, move: Move, viewer: Viewer, names: Names) -> tuple[str, ...]:
    """The path to a move through the buttons."""
    match move:
        case Scavenge():
            return ("Scavenge: draw 2 cubes",)
        case Transfer(seat=seat, color=color):
            return (f"Take a cube from {names[1 - seat]}", color)
        case Repair(card=card, cubes=cubes, ability=ability):
            parts = ([listed(cubes)] if cubes else []) + (["my ability"] if ability else [])
            name = card_name(card) if card in catalog().disasters else f"Escape sequence {card}"
            return ("Repair", name, " + ".join(parts))
        case Discard():
            return ("Empty my pool into the bag",)
        case Return(cubes=cubes):
            return ("Return to the bag", listed(cubes))
        case EndTurn():
            return ("End my turn",)
        case Draw(cube=cube):
            return ("Drawn from the bag", cube)
        case Reveal(card=card):
            return ("Revealed", card_name(card))
        case DealRole(role=role):
            return ("Dealt", catalog().roles[role].title)
    return (move.NAME.replace("_", " ").capitalize(),)


# What to do now ---------------------------------------------------------------------------------------


def guide(state: State, viewer: Viewer, names: Names) -> str:
    """What is going on and what to do with one's hands."""
    if state.result:
        return ending(state)
    if state.turn == HOUSE:
        return _guide_house(state, viewer, names)
    you = viewer == state.player
    name = "You" if you else names[state.player]
    if state.must_return:
        cubes = _count(state.must_return, "cube")
        return f"{name} must return {cubes} to the bag: {'your' if you else 'the'} pool is over {state.cards.at_most}."
    left = f"{_count(state.actions_left, 'action')} left"
    return f"Your turn: {left}." if you else f"{name} is acting, {left}."


def _guide_house(state: State, viewer: Viewer, names: Names) -> str:
    if not state.active:
        return "Turn up the next escape sequence."
    if None in state.roles:
        return f"Deal a role card to {names[state.roles.index(None)]}."
    if (seat := drawer(state)) is not None:
        return _guide_draw(state, seat, "You draw" if viewer == seat else f"{names[seat]} draws")
    if state.phase == "setup":
        return _guide_start(state)
    if state.phase == "advance":
        whites = "; put the white cubes on the deck back into the bag" if state.deck_whites else ""
        return f"Shift every disaster one zone toward the core, cubes and all; what reaches the core hits it{whites}."
    return f"Turn up the top card of the deck: {_count(state.due, 'new disaster')} to come."


def _guide_draw(state: State, seat: Seat, draws: str) -> str:
    if state.phase == "actions":
        return f"{draws} {_count(state.to_draw, 'cube')} from the bag; a white one goes on the deck."
    wanted = state.cards.first_hand if state.phase == "setup" else state.cards.stock_up_to
    whites = "" if state.phase == "setup" else "; white ones go back"
    return f"{draws} {_count(wanted - state.pools[seat].total, 'more cube')} from the bag{whites}."


def _guide_start(state: State) -> str:
    if state.replacing is None:
        return f"Turn up a starting disaster for Zone {state.starting[0]}."
    last = card_name(state.aside[-1])
    return f"Set {last} aside and turn up another disaster in its place in Zone {state.starting[0]}."


def pause(state: State) -> str | None:
    """What the people at the table do before the companion goes on."""
    if state.turn != HOUSE or state.phase not in ("advance", "appear"):
        return None
    return "Disasters move" if state.phase == "advance" else "Next disaster"


def meters(state: State) -> tuple[Meter, ...]:
    """The meter card."""
    cards = state.cards
    return (
        Meter("Stability", state.stability, 0, cards.stability_explodes_at, _level(state.stability, 0)),
        Meter("Damage", state.damage, 0, cards.damage_explodes_at, _level(0, state.damage)),
    )


def _level(stability: int, damage: int) -> Level:
    levels: dict[str, Level] = {"green": "good", "yellow": "fair"}
    return levels.get(catalog().region(stability, damage, beginner=False).name, "poor")


def outcome(state: State) -> dict[str, bool | float | str]:
    """What counts of a finished game."""
    return {"won": state.result == "escape", "cause": state.result or "", "rounds": state.round}
