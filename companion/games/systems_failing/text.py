"""The texts that people read in Systems Failing: button labels, prompts and meters. The log lines are in
`log_lines.py`."""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.game import GameText, Meter, MeterLevel
from companion.games.rules import HOUSE, Move, Names, Seat, Viewer
from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.chance import drawing_seat
from companion.games.systems_failing.cube_multiset import Cubes, cubes_of
from companion.games.systems_failing.display_names import (
    card_name,
    cubes_label,
    repair_path,
    translatable_texts,
)
from companion.games.systems_failing.end_screen import ending, key_figures, open_hands
from companion.games.systems_failing.help_for_position import HELP_FILE, help_topic
from companion.games.systems_failing.log_lines import log_line, log_lines
from companion.games.systems_failing.moves import (
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
from companion.games.systems_failing.position import Position
from companion.games.turn_prompt import own_turn, turn_of
from companion.text.messages import Text, TextLike, _, joined, plural


def label(position: Position, move: Move, viewer: Viewer, names: Names) -> tuple[TextLike, ...]:
    """The labels of the nested menus that lead to a move on a phone, the outer menu first, then the label of the move
    itself."""
    match move:
        case Scavenge():
            return (_("Scavenge: draw 2 cubes"),)
        case Transfer(seat=seat, color=color):
            if viewer == 1 - seat:
                return (_("Take a cube from you"), _(color))
            return (_("Take a cube from {name}", name=names[1 - seat]), _(color))
        case Repair(card=card, cubes=cubes, ability=ability):
            return (*repair_path(card), _repair_label(cubes_of(cubes), position.ignored_color if ability else None))
        case Discard():
            return (_("Empty my pool"),)
        case Return(cubes=cubes):
            return (_("Return to the bag"), cubes_label(cubes_of(cubes)))
        case EndTurn():
            return (_("End turn"),)
        case Draw(cube=cube):
            return (_("Enter the cube"), _(cube))
        case Reveal(card=card):
            return (_("Enter the card"), card_name(card))
        case DealRole(role=role):
            return (_("Enter the role"), _(catalog().roles[role].title))
    return (_("Move disasters"),)


def prompt(position: Position, viewer: Viewer, names: Names) -> TextLike:
    """One or two sentences that tell the viewer what is going on and what to do now."""
    if position.is_over:
        return ending(position)
    if position.turn == HOUSE:
        return _house_prompt(position, viewer, names)
    if viewer == position.active_player:
        return _own_prompt(position)
    return _other_prompt(position, names[position.active_player])


def _own_prompt(position: Position) -> Text:
    if not position.cubes_to_return:
        return own_turn(plural("{n} action left.", "{n} actions left.", position.actions_left))
    return plural(
        "Your pool has more than {limit} cubes: return {n} to the bag.",
        "Your pool has more than {limit} cubes: return {n} to the bag.",
        position.cubes_to_return,
        limit=position.catalog.max_pool,
    )


def _other_prompt(position: Position, name: str) -> Text:
    if not position.cubes_to_return:
        return turn_of(name, plural("{n} action left.", "{n} actions left.", position.actions_left))
    return plural(
        "{name}’s pool has more than {limit} cubes: {n} must go back to the bag.",
        "{name}’s pool has more than {limit} cubes: {n} must go back to the bag.",
        position.cubes_to_return,
        name=name,
        limit=position.catalog.max_pool,
    )


def _house_prompt(position: Position, viewer: Viewer, names: Names) -> TextLike:
    if not position.active_escape:
        return (
            _("Reveal the next escape sequence.")
            if position.repaired_escapes
            else _("Shuffle the escape sequences and reveal one.")
        )
    if None in position.roles:
        return _("Deal a role card to {name}.", name=names[position.roles.index(None)])
    if (seat := drawing_seat(position)) is not None:
        return _draw_prompt(position, seat, None if viewer == seat else names[seat])
    if position.phase == "setup":
        return _start_prompt(position)
    if position.phase == "advance":
        return _advance_prompt(position)
    # The viewer either reveals a card from a real deck, or takes the one that the companion names.
    return plural(
        "Reveal the next disaster, or take the one that the companion names. Put it on top of its zone. {n} new "
        "disaster to come.",
        "Reveal the next disaster, or take the one that the companion names. Put it on top of its zone. {n} new "
        "disasters to come.",
        position.disasters_due,
    )


def _draw_prompt(position: Position, seat: Seat, name: str | None) -> TextLike:
    """The prompt while cubes are drawn. `name` is the name of the player for whom they are drawn; None if this is the
    viewer."""
    if position.phase == "actions":
        return _("{draws}; a white one goes on the deck.", draws=_draw_instruction(position.draws_left, name))
    wanted = position.catalog.first_hand_size if position.phase == "setup" else position.catalog.stock_up_to
    draws = _draw_more_instruction(wanted - position.pools[seat].total, name)
    return joined("", (draws, ".")) if position.phase == "setup" else _("{draws}; white ones go back.", draws=draws)


def _draw_instruction(count: int, name: str | None) -> Text:
    if name is None:
        return plural("You draw {n} cube from the bag", "You draw {n} cubes from the bag", count)
    return plural("{name} draws {n} cube from the bag", "{name} draws {n} cubes from the bag", count, name=name)


def _draw_more_instruction(count: int, name: str | None) -> Text:
    if name is None:
        return plural("You draw {n} more cube from the bag", "You draw {n} more cubes from the bag", count)
    return plural(
        "{name} draws {n} more cube from the bag", "{name} draws {n} more cubes from the bag", count, name=name
    )


def _start_prompt(position: Position) -> Text:
    zone = position.starting_disasters.zones[0]
    if position.starting_disasters.replaced_index is not None:
        return _replacement_prompt(position, zone)
    if not any(position.zones):
        return _(
            "Shuffle the disasters, without the five systems-failing cards, and reveal one for Zone {zone}.", zone=zone
        )
    if position.zones[zone - 1]:
        return _("Reveal a starting disaster and put it on top of Zone {zone}.", zone=zone)
    return _("Reveal a starting disaster for Zone {zone}.", zone=zone)


def _replacement_prompt(position: Position, zone: int) -> Text:
    return _(
        "Set {card} aside and reveal another disaster to replace it in Zone {zone}.",
        card=card_name(position.starting_disasters.set_aside[-1]),
        zone=zone,
    )


def _advance_prompt(position: Position) -> Text:
    if not position.whites_on_deck:
        return _(
            "Move every disaster one zone toward the core, along with its cubes. Whatever reaches the core hits it."
        )
    return _(
        "Move every disaster one zone toward the core, along with its cubes. Whatever reaches the core hits it. Put "
        "the white cubes on the deck back into the bag."
    )


def deck_building_steps(before: Position, after: Position) -> Iterator[Text]:
    """Yields the instruction for building the deck after set-up, for people who deal the cards by hand. It tells them
    to divide the deck into five stacks, to shuffle a systems-failing card into each, and to put the stacks on top of
    one another."""
    if before.phase == "setup" != after.phase:
        yield _(
            "Split the deck into {n} stacks of about the same size and shuffle a systems-failing card into each. Then "
            "put the stacks on top of one another, face down, without shuffling again.",
            n=len(after.stacks),
        )


def _repair_label(cubes: Cubes, ignored: str | None) -> TextLike:
    """The label of a repair: the cubes that are placed and, if the role's ability is used, the color that it
    ignores."""
    if ignored is None:
        return cubes_label(cubes)
    if not cubes:
        return _("repaired without {color}", color=_(ignored))
    return _("{cubes}: repaired without {color}", cubes=cubes_label(cubes), color=_(ignored))


def pause_label(position: Position) -> Text | None:
    """The label of the button that people tap before the companion moves the disasters or reveals a disaster. None if
    there is no such button now."""
    if position.turn != HOUSE or position.phase not in ("advance", "appear"):
        return None
    return _("Move disasters") if position.phase == "advance" else _("Next disaster")


def meters(position: Position) -> tuple[Meter, ...]:
    """The stability meter and the damage meter."""
    cards = position.catalog
    return (
        Meter(_("Stability"), position.stability, 0, cards.stability_limit, _level(position.stability, 0)),
        Meter(_("Damage"), position.damage, 0, cards.damage_limit, _level(0, position.damage)),
    )


def _level(stability: int, damage: int) -> MeterLevel:
    levels: dict[str, MeterLevel] = {"green": "good", "yellow": "fair"}
    return levels.get(catalog().region(stability, damage, is_beginner=False).name, "poor")


def key_moments(before: Position, after: Position, names: Names) -> Iterator[TextLike]:
    """Yields the reasons why an act is a key moment: each rise of a meter, and each repaired escape sequence."""
    if after.damage > before.damage:
        yield _("Damage: {old} → {new}", old=before.damage, new=after.damage)
    if after.stability > before.stability:
        yield _("Stability: {old} → {new}", old=before.stability, new=after.stability)
    if before.active_escape and len(after.repaired_escapes) > len(before.repaired_escapes):
        yield _("Escape sequence {card} repaired", card=before.active_escape.card)


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
    pause_label=pause_label,
    translatable_texts=translatable_texts,
)
