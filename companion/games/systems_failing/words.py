"""What Systems Failing says to people: log, buttons, what to do with one's hands, meters."""

from __future__ import annotations

from companion.games.rules import HOUSE, Level, Meter, Move, Names, Viewer
from companion.games.systems_failing.catalog import catalog
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
    return " ".join((_deed(before, move, names), *_consequences(before, after)))


def _deed(before: State, move: Move, names: Names) -> str:
    match move:
        case Scavenge(seat=seat):
            return f"{names[seat]} scavenges."
        case Return(seat=seat, cubes=cubes):
            return f"{names[seat]} returns {listed(cubes)} to the bag."
        case Transfer(seat=seat, color=color):
            return f"{names[1 - seat]} hands {names[seat]} a {color} cube."
        case Repair(seat=seat, card=card, cubes=cubes, ability=ability):
            what = listed(cubes) if cubes else "no cube"
            return (
                f"{names[seat]} puts {what} on {card_name(card)}{' and ignores the rest' if ability else ''}."
            )
        case Discard(seat=seat):
            return f"{names[seat]} empties the pool into the bag."
        case EndTurn(seat=seat):
            return f"{names[seat]} ends the turn."
        case Draw(to=to, cube=cube):
            white = "a white cube: a surge" if cube == WHITE else f"a {cube} cube"
            return f"{names[to]} draws {white}."
        case Reveal(card=card):
            return _revealed(before, card)
        case DealRole(to=to, role=role):
            return f"{names[to]} is the {catalog().roles[role].title}."
        case Advance():
            return "Every disaster moves one zone toward the core."
    return ""


def _revealed(before: State, card: str) -> str:
    if card in catalog().failing:
        return f"{card}, systems failing: stability worsens and a white cube joins the bag."
    if card in catalog().escapes:
        return f"Escape sequence {card} is next."
    zone = before.starting[0] if before.phase == "setup" else catalog().disasters[card].zone
    return f"{card_name(card)} appears in Zone {zone}."


def _consequences(before: State, after: State) -> list[str]:
    said = []
    if gone := [card for card, _ in after.done if card not in dict(before.done)]:
        said.append(f"{gone[0]} is repaired.")
    hit = after.damage - before.damage
    off = [card for card in after.discard if card not in before.discard and card not in catalog().failing]
    if off and not hit:
        said.append(
            f"{' and '.join(map(card_name, off))} {'is' if len(off) == 1 else 'are'} repaired and discarded."
        )
    if hit:
        said.append(f"The core takes {hit} damage and is at {after.damage}.")
    said += [
        f"{card_name(card)} is too mild to start with and is replaced."
        for card in after.aside
        if card not in before.aside
    ]
    for n in (1, 2, 3):
        said += [
            f"{card_name(laid.card)} surges into Zone {n}."
            for laid in after.zones[n - 1]
            if after.phase == before.phase and any(laid.card == was.card for was in (before.zones + ((),))[n])
        ]
    if after.phase == "stock_up" and before.phase != "stock_up":
        said.append("Both pools are filled up.")
    if after.round > before.round:
        said.append(f"Round {after.round} begins.")
    if after.result:
        said.append(ending(after))
    return said


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


def label(move: Move, names: Names) -> tuple[str, ...]:
    """The path to a seat's move through the buttons."""
    match move:
        case Scavenge():
            return ("Scavenge: draw 2 cubes",)
        case Transfer(seat=seat, color=color):
            return (f"Take a cube from {names[1 - seat]}", color)
        case Repair(card=card, cubes=cubes, ability=ability):
            parts = ([listed(cubes)] if cubes else []) + (["my ability"] if ability else [])
            return ("Repair", card_name(card), " + ".join(parts))
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
        return _guide_house(state, names)
    you = viewer == state.player
    name = "You" if you else names[state.player]
    if state.must_return:
        return f"{name} must return {state.must_return} of {'your' if you else 'the'} cubes to the bag."
    left = f"{state.actions_left} action{'s' if state.actions_left != 1 else ''} left"
    return f"Your turn: {left}." if you else f"{name} is acting, {left}."


def _guide_house(state: State, names: Names) -> str:
    if not state.active:
        return "Turn up the next escape sequence."
    if None in state.roles:
        return f"Deal a role card to {names[state.roles.index(None)]}."
    match state.phase:
        case "setup" if (
            state.starting
            and not state.to_draw
            and state.pools[1 - state.first].total >= state.cards.first_hand
        ):
            return f"Turn up a starting disaster for Zone {state.starting[0]}."
        case "actions":
            return f"{names[state.player]} draws {state.to_draw} cube{'s' if state.to_draw != 1 else ''} from the bag."
        case "setup" | "stock_up":
            return "Draw cubes from the bag until both pools are filled up; whites go back."
        case "advance":
            whites = " and put the white cubes on the deck back into the bag" if state.deck_whites else ""
            return f"Shift every disaster one zone toward the core, cubes and all; what reaches the core hits it{whites}."
    return (
        f"{state.due} new disaster{'s' if state.due != 1 else ''} to come: turn up the top card of the deck."
    )


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
