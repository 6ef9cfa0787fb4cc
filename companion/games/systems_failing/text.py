"""The texts that people read in Systems Failing: log lines, button labels, prompts, meters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.games.game import GameText, Meter, MeterLevel
from companion.games.rules import HOUSE, Move, Names, Seat, Viewer
from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.chance import drawing_seat
from companion.games.systems_failing.cubes import WHITE, Cubes, cubes_of
from companion.games.systems_failing.ending import key_figures, open_hands
from companion.games.systems_failing.help_for_position import HELP, help_topic
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
from companion.games.systems_failing.names import (
    DRAWN_CUBE,
    card_list,
    card_name,
    counted_cubes,
    cubes_label,
    repair_path,
    translatable_texts,
)
from companion.games.systems_failing.position import Position
from companion.text.guidebook import guidebook
from companion.text.messages import Text, TextLike, _, joined, plural

# The log ----------------------------------------------------------------------------------------------


def log_line(before: Position, move: Move, after: Position, viewer: Viewer, names: Names) -> TextLike:
    """The log line for a move: a few sentences that say what it did."""
    return joined(" ", (_move_sentence(before, move, names), *_consequences(before, move, after, names)))


def log_lines(steps: Sequence[tuple[Position, Move, Position]], viewer: Viewer, names: Names) -> Iterator[TextLike]:
    """The log lines for the moves of an act. Each of the `steps` has the position before a move, the move, and the
    position after it. Cubes that a player draws one after the other share a line, which ends as soon as a draw has
    consequences. A white cube always has a line of its own."""
    drawn: list[str] = []
    for n, (before, move, after) in enumerate(steps):
        if not isinstance(move, Draw):
            yield log_line(before, move, after, viewer, names)
            continue
        drawn.append(move.cube)
        consequences = [*_consequences(before, move, after, names)]
        follower = steps[n + 1][1] if n + 1 < len(steps) else None
        if (
            consequences
            or not isinstance(follower, Draw)
            or follower.to != move.to
            or WHITE in (move.cube, follower.cube)
        ):
            yield joined(" ", (_draw_sentence(names[move.to], drawn), *consequences))
            drawn = []


def _draw_sentence(name: str, cubes: Sequence[str]) -> Text:
    if len(cubes) == 1:
        return _("{name} draws {cube}.", name=name, cube=_(DRAWN_CUBE[cubes[0]]))
    return _("{name} draws {cubes}.", name=name, cubes=counted_cubes(Cubes(cubes)))


def _move_sentence(before: Position, move: Move, names: Names) -> TextLike:
    match move:
        case Scavenge(seat=seat):
            return _("{name} scavenges.", name=names[seat])
        case Return(seat=seat, cubes=cubes):
            return _("{name} returns {cubes} to the bag.", name=names[seat], cubes=cubes_label(cubes_of(cubes)))
        case Transfer(seat=seat, color=color):
            return _(
                "{giver} hands {taker} {cube}.", giver=names[1 - seat], taker=names[seat], cube=_(DRAWN_CUBE[color])
            )
        case Repair(seat=seat, card=card, cubes=cubes, ability=ability):
            return _repair_sentence(
                names[seat], card_name(card), cubes_of(cubes), before.ignored_color if ability else None
            )
        case Discard(seat=seat):
            return _("{name} empties the pool into the bag.", name=names[seat])
        case EndTurn(seat=seat):
            return _("{name} ends the turn.", name=names[seat])
        case Draw(to=to, cube=cube):
            return _draw_sentence(names[to], [cube])
        case Reveal(card=card):
            return _reveal_sentence(before, card)
        case DealRole(to=to, role=role):
            return _("{name} is the {role}.", name=names[to], role=_(catalog().roles[role].title))
        case Advance():
            return _("Every disaster moves one zone toward the core.")
    return ""


def _repair_sentence(name: str, card: TextLike, cubes: Cubes, ignored: str | None) -> Text:
    placed = cubes_label(cubes)
    if ignored is None:
        return _("{name} puts {cubes} on {card}.", name=name, cubes=placed, card=card)
    if not cubes:
        return _("{name} needs no {color} for {card}.", name=name, color=_(ignored), card=card)
    return _(
        "{name} puts {cubes} on {card} and needs no {color}.", name=name, cubes=placed, card=card, color=_(ignored)
    )


def _reveal_sentence(before: Position, card: str) -> Text:
    if card in catalog().failing_cards:
        return _("{card}, systems failing: stability worsens and a white cube joins the bag.", card=card)
    if card in catalog().escapes:
        return _("Escape sequence {card} is next.", card=card)
    zone = before.start_zones[0] if before.phase == "setup" else catalog().disasters[card].zone
    return _("{card} appears in Zone {zone}.", card=card_name(card), zone=zone)


def _consequences(before: Position, move: Move, after: Position, names: Names) -> Iterator[TextLike]:
    """Yields a sentence for each consequence of a move, in the order in which people see the consequences on the
    table."""
    yield from _setup_sentences(before, after)
    if isinstance(move, Repair):
        yield from _removal_sentences(before, after, names)
    else:
        yield from _shift_sentences(before, move, after)
    if len(after.deck) > len(before.deck) and before.phase == "appear":
        yield _("The deck ran out: the discards, shuffled, are the new deck.")
    yield from _phase_sentences(before, after)


def _setup_sentences(before: Position, after: Position) -> Iterator[Text]:
    yield from (
        _("{card} is too mild to start with and is replaced.", card=card_name(card))
        for card in after.set_aside
        if card not in before.set_aside
    )
    if before.phase == "setup" and (whites := after.bag[WHITE] - before.bag[WHITE]):
        yield plural("{n} white cube joins the bag.", "{n} white cubes join the bag.", whites)
    if before.phase == "setup" != after.phase:
        yield _("The deck is made of five stacks, a systems-failing card in each.")


def _removal_sentences(before: Position, after: Position, names: Names) -> Iterator[Text]:
    for card, owner in after.repaired_escapes[len(before.repaired_escapes) :]:
        yield _("{card} is repaired and goes to {name}.", card=card, name=names[owner])
    if gone := after.discard[len(before.discard) :]:
        yield plural(
            "{cards} is repaired and discarded.",
            "{cards} are repaired and discarded.",
            len(gone),
            cards=card_list(gone),
        )


def _shift_sentences(before: Position, move: Move, after: Position) -> Iterator[Text]:
    is_surge = not isinstance(move, Advance)
    for number in (2, 1):
        arrivals = {card.card for card in before.zones[number]} & {card.card for card in after.zones[number - 1]}
        for card in sorted(arrivals) if is_surge else ():
            yield _("{card} surges into Zone {zone}.", card=card_name(card), zone=number)
    if hit := after.damage - before.damage:
        left = {card.card for card in after.cards_in_play()}
        core = card_list([card.card for card in before.zones[0] if card.card not in left])
        yield _("The core is hit by {cards}: damage rises by {hit} to {now}.", cards=core, hit=hit, now=after.damage)
    if before.whites_on_deck and not after.whites_on_deck:
        yield _("The white cubes on the deck go back into the bag.")


def _phase_sentences(before: Position, after: Position) -> Iterator[TextLike]:
    if after.phase == "advance" and before.phase == "stock_up":
        yield _("The pools are filled up.")
    if after.round > before.round:
        yield _("Round {round} begins.", round=after.round)
    if after.is_over:
        yield _ending(after)


def _ending(position: Position) -> TextLike:
    match position.end_cause:
        case "escape":
            return _("All six escape sequences run: you are out, and you have won!")
        case "stability":
            return _("The ship's systems break down for good: you have lost.")
        case "damage":
            return _("The core explodes: you have lost.")
    return ""


# Buttons ----------------------------------------------------------------------------------------------


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
            return (_("End my turn"),)
        case Draw(cube=cube):
            return (_("Name the cube"), _(cube))
        case Reveal(card=card):
            return (_("Name the card"), card_name(card))
        case DealRole(role=role):
            return (_("Name the role"), _(catalog().roles[role].title))
    return (_("Disasters move"),)


# Prompts ----------------------------------------------------------------------------------------------


def prompt(position: Position, viewer: Viewer, names: Names) -> TextLike:
    """One or two sentences that tell the viewer what is going on and what to do now."""
    if position.is_over:
        return _ending(position)
    if position.turn == HOUSE:
        return _house_prompt(position, viewer, names)
    if viewer == position.active_player:
        return _own_prompt(position)
    return _other_prompt(position, names[position.active_player])


def _own_prompt(position: Position) -> Text:
    if not position.cubes_to_return:
        return plural("Your turn: {n} action left.", "Your turn: {n} actions left.", position.actions_left)
    return plural(
        "You must return {n} cube to the bag: your pool is over {limit}.",
        "You must return {n} cubes to the bag: your pool is over {limit}.",
        position.cubes_to_return,
        limit=position.catalog.max_pool,
    )


def _other_prompt(position: Position, name: str) -> Text:
    if not position.cubes_to_return:
        left = position.actions_left
        return plural("{name} is acting, {n} action left.", "{name} is acting, {n} actions left.", left, name=name)
    return plural(
        "{name} must return {n} cube to the bag: the pool is over {limit}.",
        "{name} must return {n} cubes to the bag: the pool is over {limit}.",
        position.cubes_to_return,
        name=name,
        limit=position.catalog.max_pool,
    )


def _house_prompt(position: Position, viewer: Viewer, names: Names) -> TextLike:
    if not position.active_escape:
        return (
            _("Turn up the next escape sequence.")
            if position.repaired_escapes
            else _("Shuffle the escape sequences and turn one up.")
        )
    if None in position.roles:
        return _("Deal a role card to {name}.", name=names[position.roles.index(None)])
    if (seat := drawing_seat(position)) is not None:
        return _draw_prompt(position, seat, None if viewer == seat else names[seat])
    if position.phase == "setup":
        return _start_prompt(position)
    if position.phase == "advance":
        return _advance_prompt(position)
    # The viewer may turn up a card of a real deck, or wait for the companion to name one.
    return plural(
        "Turn up the next disaster, or take the one that the companion names, and lay it on top of its zone: {n} new "
        "disaster to come.",
        "Turn up the next disaster, or take the one that the companion names, and lay it on top of its zone: {n} new "
        "disasters to come.",
        position.disasters_due,
    )


def _draw_prompt(position: Position, seat: Seat, name: str | None) -> TextLike:
    """The prompt while cubes are drawn. `name` is the name of the player who draws; None if it is the viewer."""
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
    zone = position.start_zones[0]
    if position.replaced_index is not None:
        return _replacement_prompt(position, zone)
    if not any(position.zones):
        return _(
            "Shuffle the disasters, without the five systems-failing cards, and turn one up for Zone {zone}.", zone=zone
        )
    if position.zones[zone - 1]:
        return _("Turn up a starting disaster and lay it on top of Zone {zone}.", zone=zone)
    return _("Turn up a starting disaster for Zone {zone}.", zone=zone)


def _replacement_prompt(position: Position, zone: int) -> Text:
    return _(
        "Set {card} aside and turn up another disaster in its place in Zone {zone}.",
        card=card_name(position.set_aside[-1]),
        zone=zone,
    )


def _advance_prompt(position: Position) -> Text:
    if not position.whites_on_deck:
        return _("Shift every disaster one zone toward the core, cubes and all; what reaches the core hits it.")
    return _(
        "Shift every disaster one zone toward the core, cubes and all; what reaches the core hits it; put the white "
        "cubes on the deck back into the bag."
    )


def deck_building_steps(before: Position, after: Position) -> Iterator[Text]:
    """Yields the instruction to build the deck, after set-up, for people who deal the cards by hand: "Separate the
    disaster deck into 5 separate stacks … Shuffle a systems failing card into each … Place them on top of one another
    (do not shuffle them)." """
    if before.phase == "setup" != after.phase:
        yield _(
            "Split the deck into {n} stacks of about the same size and shuffle a systems-failing card into each; then "
            "lay the stacks on top of one another, face down, without shuffling again.",
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
    """The label of the button that people tap before the companion moves the disasters or reveals one; None at other
    times."""
    if position.turn != HOUSE or position.phase not in ("advance", "appear"):
        return None
    return _("Disasters move") if position.phase == "advance" else _("Next disaster")


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
    """Yields the moments to look back at: each rise of a meter, and each escape sequence that is turned up."""
    if after.damage > before.damage:
        yield _("Damage: {old} → {new}", old=before.damage, new=after.damage)
    if after.stability > before.stability:
        yield _("Stability: {old} → {new}", old=before.stability, new=after.stability)
    if after.active_escape and (not before.active_escape or after.active_escape.card != before.active_escape.card):
        yield _("Escape sequence {card}", card=after.active_escape.card)


TEXT: GameText[Position] = GameText(
    log_line=log_line,
    log_lines=log_lines,
    label=label,
    prompt=prompt,
    key_figures=key_figures,
    open_hands=open_hands,
    guidebook=lambda: guidebook(HELP),
    help_topic=help_topic,
    key_moments=key_moments,
    pause_label=pause_label,
    translatable_texts=translatable_texts,
)
