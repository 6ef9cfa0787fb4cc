"""What Systems Failing says to people: log, buttons, what to do with one's hands, meters."""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.game import Meter, MeterLevel
from companion.games.rules import HOUSE, Move, Names, Seat, Viewer
from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.chance import drawer
from companion.games.systems_failing.cubes import WHITE, Cubes, cubes_of
from companion.games.systems_failing.labels import A_CUBE, card_name, cards_named, cubes_named, way_to_repair
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
from companion.text.translation import _, plural

# The log ----------------------------------------------------------------------------------------------


def tell(before: State, move: Move, after: State, viewer: Viewer, names: Names) -> str:
    """What happened, in one or two sentences."""
    return " ".join((_deed(before, move, names), *_consequences(before, move, after, names)))


def _deed(before: State, move: Move, names: Names) -> str:
    match move:
        case Scavenge(seat=seat):
            return _("{name} scavenges.", name=names[seat])
        case Return(seat=seat, cubes=cubes):
            return _("{name} returns {cubes} to the bag.", name=names[seat], cubes=cubes_named(cubes_of(cubes)))
        case Transfer(seat=seat, color=color):
            return _("{giver} hands {taker} {cube}.", giver=names[1 - seat], taker=names[seat], cube=_(A_CUBE[color]))
        case Repair(seat=seat, card=card, cubes=cubes, ability=ability):
            return _repair(names[seat], card_name(card), cubes_of(cubes), before.ignores if ability else None)
        case Discard(seat=seat):
            return _("{name} empties the pool into the bag.", name=names[seat])
        case EndTurn(seat=seat):
            return _("{name} ends the turn.", name=names[seat])
        case Draw(to=to, cube=cube):
            return _("{name} draws {cube}.", name=names[to], cube=_(A_CUBE[cube]))
        case Reveal(card=card):
            return _revealed(before, card)
        case DealRole(to=to, role=role):
            return _("{name} is the {role}.", name=names[to], role=_(catalog().roles[role].title))
        case Advance():
            return _("Every disaster moves one zone toward the core.")
    return ""


def _repair(name: str, card: str, cubes: Cubes, ignored: str | None) -> str:
    put = cubes_named(cubes)
    if ignored is None:
        return _("{name} puts {cubes} on {card}.", name=name, cubes=put, card=card)
    if not cubes:
        return _("{name} needs no {color} for {card}.", name=name, color=_(ignored), card=card)
    return _("{name} puts {cubes} on {card} and needs no {color}.", name=name, cubes=put, card=card, color=_(ignored))


def _revealed(before: State, card: str) -> str:
    if card in catalog().failing:
        return _("{card}, systems failing: stability worsens and a white cube joins the bag.", card=card)
    if card in catalog().escapes:
        return _("Escape sequence {card} is next.", card=card)
    zone = before.starting[0] if before.phase == "setup" else catalog().disasters[card].zone
    return _("{card} appears in Zone {zone}.", card=card_name(card), zone=zone)


def _consequences(before: State, move: Move, after: State, names: Names) -> Iterator[str]:
    """What followed from the deed, in the order in which it is seen on the table."""
    yield from _set_up(before, after)
    if isinstance(move, Repair):
        yield from _repaired(before, after, names)
    else:
        yield from _moved(before, move, after)
    if len(after.deck) > len(before.deck) and before.phase == "appear":
        yield _("The deck ran out: the discards, shuffled, are the new deck.")
    yield from _course(before, after)


def _set_up(before: State, after: State) -> Iterator[str]:
    yield from (
        _("{card} is too mild to start with and is replaced.", card=card_name(card))
        for card in after.aside
        if card not in before.aside
    )
    if before.phase == "setup" and (whites := after.bag[WHITE] - before.bag[WHITE]):
        yield plural("{n} white cube joins the bag.", "{n} white cubes join the bag.", whites)
    if before.phase == "setup" != after.phase:
        yield _("The deck is made of five stacks, a systems-failing card in each.")


def _repaired(before: State, after: State, names: Names) -> Iterator[str]:
    for card, owner in after.done[len(before.done) :]:
        yield _("{card} is repaired and goes to {name}.", card=card, name=names[owner])
    if gone := after.discard[len(before.discard) :]:
        yield plural(
            "{cards} is repaired and discarded.",
            "{cards} are repaired and discarded.",
            len(gone),
            cards=cards_named(gone),
        )


def _moved(before: State, move: Move, after: State) -> Iterator[str]:
    surge = not isinstance(move, Advance)
    for number in (2, 1):
        arrived = {laid.card for laid in before.zones[number]} & {laid.card for laid in after.zones[number - 1]}
        for card in sorted(arrived) if surge else ():
            yield _("{card} surges into Zone {zone}.", card=card_name(card), zone=number)
    if hit := after.damage - before.damage:
        left = {laid.card for laid in after.in_play()}
        core = cards_named([laid.card for laid in before.zones[0] if laid.card not in left])
        yield _("The core is hit by {cards}: damage rises by {hit} to {now}.", cards=core, hit=hit, now=after.damage)
    if before.deck_whites and not after.deck_whites:
        yield _("The white cubes on the deck go back into the bag.")


def _course(before: State, after: State) -> Iterator[str]:
    if after.phase == "advance" and before.phase == "stock_up":
        yield _("The pools are filled up.")
    if after.round > before.round:
        yield _("Round {round} begins.", round=after.round)
    if after.result:
        yield ending(after)


def ending(state: State) -> str:
    """How the game ended."""
    match state.result:
        case "escape":
            return _("All six escape sequences run: you are out, and you have won!")
        case "stability":
            return _("The ship's systems break down for good: you have lost.")
        case "damage":
            return _("The core explodes: you have lost.")
    return ""


# The buttons ------------------------------------------------------------------------------------------


def label(state: State, move: Move, viewer: Viewer, names: Names) -> tuple[str, ...]:
    """The path to a move through the buttons."""
    match move:
        case Scavenge():
            return (_("Scavenge: draw 2 cubes"),)
        case Transfer(seat=seat, color=color):
            if viewer == 1 - seat:
                return (_("Take a cube from you"), _(color))
            return (_("Take a cube from {name}", name=names[1 - seat]), _(color))
        case Repair(card=card, cubes=cubes, ability=ability):
            return (*way_to_repair(card), _put_on(cubes_of(cubes), state.ignores if ability else None))
        case Discard():
            return (_("Empty my pool"),)
        case Return(cubes=cubes):
            return (_("Return to the bag"), cubes_named(cubes_of(cubes)))
        case EndTurn():
            return (_("End my turn"),)
        case Draw(cube=cube):
            return (_("Name the cube"), _(cube))
        case Reveal(card=card):
            return (_("Name the card"), card_name(card))
        case DealRole(role=role):
            return (_("Name the role"), _(catalog().roles[role].title))
    return (_("Disasters move"),)


# What to do now ---------------------------------------------------------------------------------------


def guide(state: State, viewer: Viewer, names: Names) -> str:
    """What is going on and what to do with one's hands."""
    if state.result:
        return ending(state)
    if state.turn == HOUSE:
        return _guide_house(state, viewer, names)
    if viewer == state.player:
        return _guide_you(state)
    return _guide_other(state, names[state.player])


def _guide_you(state: State) -> str:
    if not state.must_return:
        return plural("Your turn: {n} action left.", "Your turn: {n} actions left.", state.actions_left)
    return plural(
        "You must return {n} cube to the bag: your pool is over {limit}.",
        "You must return {n} cubes to the bag: your pool is over {limit}.",
        state.must_return,
        limit=state.cards.at_most,
    )


def _guide_other(state: State, name: str) -> str:
    if not state.must_return:
        left = state.actions_left
        return plural("{name} is acting, {n} action left.", "{name} is acting, {n} actions left.", left, name=name)
    return plural(
        "{name} must return {n} cube to the bag: the pool is over {limit}.",
        "{name} must return {n} cubes to the bag: the pool is over {limit}.",
        state.must_return,
        name=name,
        limit=state.cards.at_most,
    )


def _guide_house(state: State, viewer: Viewer, names: Names) -> str:
    if not state.active:
        return (
            _("Turn up the next escape sequence.") if state.done else _("Shuffle the escape sequences and turn one up.")
        )
    if None in state.roles:
        return _("Deal a role card to {name}.", name=names[state.roles.index(None)])
    if (seat := drawer(state)) is not None:
        return _guide_draw(state, seat, None if viewer == seat else names[seat])
    if state.phase == "setup":
        return _guide_start(state)
    if state.phase == "advance":
        return _guide_advance(state)
    # Said before a card is turned up from a real deck, and before the companion names one of its own.
    return plural(
        "Turn up the next disaster, or take the one that the companion names, and lay it on top of its zone: {n} new "
        "disaster to come.",
        "Turn up the next disaster, or take the one that the companion names, and lay it on top of its zone: {n} new "
        "disasters to come.",
        state.due,
    )


def _guide_draw(state: State, seat: Seat, name: str | None) -> str:
    """`name`: who draws, if it is not the viewer."""
    if state.phase == "actions":
        return _("{draws}; a white one goes on the deck.", draws=_draws(state.to_draw, name))
    wanted = state.cards.first_hand if state.phase == "setup" else state.cards.stock_up_to
    draws = _draws_more(wanted - state.pools[seat].total, name)
    return f"{draws}." if state.phase == "setup" else _("{draws}; white ones go back.", draws=draws)


def _draws(count: int, name: str | None) -> str:
    if name is None:
        return plural("You draw {n} cube from the bag", "You draw {n} cubes from the bag", count)
    return plural("{name} draws {n} cube from the bag", "{name} draws {n} cubes from the bag", count, name=name)


def _draws_more(count: int, name: str | None) -> str:
    if name is None:
        return plural("You draw {n} more cube from the bag", "You draw {n} more cubes from the bag", count)
    return plural(
        "{name} draws {n} more cube from the bag", "{name} draws {n} more cubes from the bag", count, name=name
    )


def _guide_start(state: State) -> str:
    zone = state.starting[0]
    if state.replacing is not None:
        return _guide_replacing(state, zone)
    if not any(state.zones):
        return _(
            "Shuffle the disasters, without the five systems-failing cards, and turn one up for Zone {zone}.", zone=zone
        )
    if state.zones[zone - 1]:
        return _("Turn up a starting disaster and lay it on top of Zone {zone}.", zone=zone)
    return _("Turn up a starting disaster for Zone {zone}.", zone=zone)


def _guide_replacing(state: State, zone: int) -> str:
    return _(
        "Set {card} aside and turn up another disaster in its place in Zone {zone}.",
        card=card_name(state.aside[-1]),
        zone=zone,
    )


def _guide_advance(state: State) -> str:
    if not state.deck_whites:
        return _("Shift every disaster one zone toward the core, cubes and all; what reaches the core hits it.")
    return _(
        "Shift every disaster one zone toward the core, cubes and all; what reaches the core hits it; put the white "
        "cubes on the deck back into the bag."
    )


def stacked(before: State, after: State) -> Iterator[str]:
    """ "Separate the disaster deck into 5 separate stacks … Shuffle a systems failing card into each …, place them on
    top of one another (do not shuffle them)": what hands do that deal the cards."""
    if before.phase == "setup" != after.phase:
        yield _(
            "Split the deck into {n} stacks of about the same size and shuffle a systems-failing card into each; then "
            "lay the stacks on top of one another, face down, without shuffling again.",
            n=len(after.stacks),
        )


def _put_on(cubes: Cubes, ignored: str | None) -> str:
    """What is put on a card, and what it needs no more as the role is used: it then leaves the table."""
    if ignored is None:
        return cubes_named(cubes)
    if not cubes:
        return _("repaired without {color}", color=_(ignored))
    return _("{cubes}: repaired without {color}", cubes=cubes_named(cubes), color=_(ignored))


def pause(state: State) -> str | None:
    """What the people at the table do before the companion goes on."""
    if state.turn != HOUSE or state.phase not in ("advance", "appear"):
        return None
    return _("Disasters move") if state.phase == "advance" else _("Next disaster")


def meters(state: State) -> tuple[Meter, ...]:
    """The meter card."""
    cards = state.cards
    return (
        Meter(_("Stability"), state.stability, 0, cards.stability_explodes_at, _level(state.stability, 0)),
        Meter(_("Damage"), state.damage, 0, cards.damage_explodes_at, _level(0, state.damage)),
    )


def _level(stability: int, damage: int) -> MeterLevel:
    levels: dict[str, MeterLevel] = {"green": "good", "yellow": "fair"}
    return levels.get(catalog().region(stability, damage, beginner=False).name, "poor")


def outcome(state: State) -> dict[str, bool | float | str]:
    """What counts of a finished game."""
    return {"won": state.result == "escape", "cause": state.result or "", "rounds": state.round}
