"""Builds the view of a match: what a viewer may know of it.

Law: pure. A view is made only from the position and the moves as the viewer knows them, and the game's text for that
viewer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from companion.games.game import Game, Meter
from companion.games.rules import REFEREE, Move, Names, Viewer
from companion.games.view import (
    Choices,
    ConsentRequest,
    Explanation,
    LogEntry,
    MoveLabels,
    Revision,
    TabletopView,
    View,
)
from companion.match.cards_on_phones import is_played_on_phones, layout_in_use
from companion.match.explaining_moves import explanations, moves_on_table
from companion.match.history import Act, History
from companion.match.match import Match
from companion.match.sighting_interpreter import SightingInterpreter
from companion.match.stored_game import Header
from companion.tabletop.discrepancies import discrepancies
from companion.tabletop.discrepancy import Discrepancy
from companion.tabletop.expected_layout import Layout
from companion.tabletop.physical_instructions import physical_instructions, shuffled_piles
from companion.tabletop.token_count_discrepancies import uncertain_count_messages
from companion.tabletop.tracked_table import TrackedTable
from companion.text.messages import NamingPlayers, Text, TextLike, TextWithNames, _

MAX_LOG_ENTRIES = 200
"""The greatest number of log entries in a view."""
KindsByPlace = Mapping[str, tuple[str, ...]]
"""Maps each place to the kinds of the components there, top first."""


@dataclass(frozen=True)
class Tabletop:
    """The real table as a viewer may know it. `meanings`: maps the code of each component whose meaning is unclear to
    the moves that it may mean. `discrepancies`: all discrepancies to report now. `view`: the part for the viewer's
    page; it has no discrepancies if the match is played on phones."""

    tracked: TrackedTable
    meanings: Mapping[str, tuple[Move, ...]]
    discrepancies: tuple[Discrepancy, ...]
    view: TabletopView


def view_of_match(
    match: Match,
    viewer: Viewer,
    tabletop: Tabletop,
    revision: Revision,
    request: ConsentRequest | None,
    notice: TextLike,
    dial: tuple[int, int] | None,
) -> View:
    """The view of a match: what the viewer may know of the match and of the tracked table. `dial`: the index of the
    move that is selected with the dial, and the number of moves; None if no move is selected."""
    found, begun = tabletop.discrepancies, tabletop.view.begun_move
    unclear = [*(item.code for item in found if item.is_stray), *(sorted(begun.codes) if begun else ())]
    return replace(
        view_of_history(match.id, match.header, match.history, viewer, match.acts_before),
        revision=revision,
        notice=notice,
        shuffle=("revealed" if match.header.shuffle.opened else "sealed") if match.header.shuffle else "",
        choices=replace(
            _choices(match, viewer, request),
            possible_moves=(possible := _possible_moves(viewer, unclear, tabletop.meanings)),
            explanations=_explanations(match, viewer, tabletop, possible),
        ),
        tabletop=replace(tabletop.view, dial=dial),
    )


def _possible_moves(
    viewer: Viewer, unclear: Collection[str], meanings: Mapping[str, tuple[Move, ...]]
) -> tuple[Move, ...]:
    """The viewer's own moves that the components with unclear meaning may mean."""
    return tuple(move for code in unclear for move in meanings.get(code, ()) if move.seat == viewer)


def _explanations(
    match: Match, viewer: Viewer, tabletop: Tabletop, possible: Sequence[Move]
) -> tuple[Explanation, ...]:
    """The viewer's own moves that would explain the table. While a move is begun, only the moves that would complete
    it. `possible`: the moves that components with unclear meaning may mean; they come first."""
    if not isinstance(viewer, int):
        return ()
    labels = [Explanation(move, match.game.text.label(match.state, move, viewer, match.names)) for move in possible]
    begun, table = tabletop.view.begun_move, tabletop.tracked
    if begun is None:
        return (*labels, *explanations(match, viewer, table, tabletop.discrepancies, possible))
    is_own = begun.seat == viewer and not match.game.rules.has_hidden_information
    return (*labels, *moves_on_table(match, viewer, table)) if is_own else tuple(labels)


def _choices(match: Match, viewer: Viewer, request: ConsentRequest | None) -> Choices:
    """The moves and other choices that the viewer has now. The caller adds `possible_moves` and `explanations`."""
    game, state, names = match.game, match.state, match.names
    legal = tuple(move for move in match.legal_moves() if move.seat == viewer)
    reports = match.reports(viewer) if isinstance(viewer, int) else ()
    return Choices(
        legal=legal,
        reports=reports,
        labels=MoveLabels((*legal, *reports), lambda move: game.text.label(state, move, viewer, names)),
        pause_label=match.pause_label(),
        request=request,
        request_label=game.text.label(state, request.move, viewer, names) if request else (),
        can_undo=request is not None or match.can_undo,
        can_redo=match.can_redo,
        can_reopen=match.can_reopen,
    )


def tabletop_of_match(
    match: Match,
    viewer: Viewer,
    table: TrackedTable,
    is_due: Callable[[Discrepancy], bool] = lambda found: True,
    companion_seats: Collection[int] = (),
) -> Tabletop:
    """The real table as the viewer may know it, without the dial, which the caller adds. `is_due` returns whether a
    discrepancy is to be reported now. `companion_seats`: the seats that the companion plays."""
    components = match.game.physical.components
    is_on_phones = table.phones_only or is_played_on_phones(match, table)
    table = TrackedTable() if table.phones_only else table
    layout = layout_in_use(match, table, match.layout(viewer))
    reading = SightingInterpreter(match, table, companion_seats)
    meanings = {code: moves for code, seen in table.visible.items() if (moves := reading.possible_meanings(seen))}
    begun = reading.begun_move(meanings.keys())
    known = reading.known_copies(begun.codes if begun else ())
    before = _layout_before_last_act(match, viewer, table)
    # Until the camera has looked, nobody knows what people have already done.
    has_instructions = table.is_searched and not is_on_phones
    emptied = shuffled_piles(before, layout).keys() - before.shuffled_places if before else ()
    differences = discrepancies(layout, table, components, match.names, known, begun, emptied)
    found = tuple(filter(is_due, differences))
    is_empty = not table.visible.keys() & components.kinds.keys()
    mentioned = found if match.state.turn is not None else ()
    view = TabletopView(
        discrepancies=() if is_on_phones else found,
        begun_move=begun and replace(begun, next_step=NamingPlayers(begun.next_step, match.names)),
        uncertain_count_messages=uncertain_count_messages(layout, table, components, match.names),
        physical_instructions=_instructions(match, before, layout, table, mentioned) if has_instructions else (),
        has_camera=components.mat is not None and table.mat == components.mat.name,
        is_bare=is_empty and not any(counted.tokens for counted in table.token_counts.values()),
        is_cleared=is_empty
        and components.mat is not None
        and any(layout.cards.get(z.name) for z in components.mat.zones),
        is_on_phones=is_on_phones,
        awaits_camera=not table.is_searched,
        pending_discrepancies=tuple(each for each in differences if each not in found),
    )
    return Tabletop(table, meanings, found, view)


def view_of_history(id: int, header: Header, history: History, viewer: Viewer, acts_before: int = 0) -> View:
    """The view of a history, without moves for the viewer to choose from. `acts_before`: the number of acts in all
    earlier games; the versions of this game continue from that number. Once the game is over, everyone sees the whole
    position."""
    game, state, names = history.game, history.state, header.names
    knows_as = REFEREE if state.turn is None else viewer
    return View(
        id=id,
        game=game,
        revision=Revision(acts_before + history.version, 0),
        viewer=viewer,
        names=names,
        options={option.name: header.setup.get(option.name, option.default) for option in game.rules.options},
        dealers={component: header.dealers.get(component, "companion") for component in game.rules.chance_sources},
        position=state.as_known_to(knows_as),
        previous_position=history.acts[-1].before.as_known_to(knows_as) if history.acts else None,
        prompt=game.text.prompt(state, viewer, names),
        help_topic=game.text.help_topic(state, viewer),
        meters=tuple(_with_player_name(meter, names) for meter in game.physical.meters(state)),
        replay_steps={acts_before + act.version: step for step, act in enumerate(history.done, 1)},
        log=tuple([log_entry(game, act, knows_as, names, acts_before) for act in history.acts[-MAX_LOG_ENTRIES:]]),
        what_if=header.what_if,
    )


def _with_player_name(meter: Meter, names: Names) -> Meter:
    """The meter with the placeholders in its name, if there are any, replaced by the players' names."""
    return replace(meter, name=TextWithNames(meter.name, tuple(names))) if _names_players(meter.name) else meter


@lru_cache(maxsize=256)
def _names_players(name: TextLike) -> bool:
    return "{" in str(name)


def _layout_before_last_act(match: Match, viewer: Viewer, table: TrackedTable) -> Layout | None:
    """The layout before the last act, without the cards that phones replace; None if there was no act."""
    if not match.history.acts:
        return None
    return layout_in_use(match, table, match.game.physical.layout(match.history.acts[-1].before, viewer))


def _instructions(
    match: Match, before: Layout | None, after: Layout, table: TrackedTable, found: Collection[Discrepancy]
) -> tuple[TextLike, ...]:
    """The sentences that say what people must do on the table after the last act, which led from the layout `before` to
    the layout `after`. What they have done already is left out, and so are places that discrepancies mention."""
    if before is None:
        return ()
    last, game = match.history.acts[-1], match.game
    mentioned = _mentioned_places(found, after, table, game)
    by_hand = (
        steps for source, steps in game.physical.manual_steps.items() if match.header.dealers.get(source) == "table"
    )
    manual = (sentence for steps in by_hand for sentence in steps(last.before, last.after))
    remaining = _with_finished_places(before, after, table, game, mentioned)
    return (*physical_instructions(remaining, after, game.physical.components.vocabulary(match.names)), *manual)


def _mentioned_places(
    found: Collection[Discrepancy], layout: Layout, table: TrackedTable, game: Game[Any]
) -> Collection[str]:
    """The places that discrepancies mention: those where components are, and those where they belong."""
    actual = (table.visible[each.code].zone for each in found if each.code in table.visible)
    kinds = game.physical.components.kinds
    expected = (layout.place_of(kinds.get(each.code, each.code)) for each in found)
    return {place for place in (*actual, *(there[0] for there in expected if there)) if place}


def _with_finished_places(
    before: Layout, after: Layout, table: TrackedTable, game: Game[Any], mentioned: Collection[str]
) -> Layout:
    """The layout `before`, but with the contents of `after` in every place for which no instruction is needed: the
    camera sees that the place is finished, or a discrepancy mentions the place. Tokens need no instruction once the
    camera is certain of every place that it counts and that the act has changed."""
    mat, kinds = game.physical.components.mat, game.physical.components.kinds
    if mat is None or table.mat != mat.name:
        return before
    finished = [
        zone.name
        for zone in mat.zones
        if zone.name in mentioned
        or table.zone_matches(zone, after, kinds)
        or (not after.cards.get(zone.name) and table.was_emptied(zone))
    ]
    cards: KindsByPlace = {**before.cards, **{place: after.cards.get(place, ()) for place in finished}}
    for place in finished:
        arrived = Counter(after.cards.get(place, ())) - Counter(before.cards.get(place, ()))
        for kind, count in arrived.items():
            cards = _without_surplus(cards, kind, count, after, place)
    orientations = {
        **before.orientations,
        **{place: after.orientations[place] for place in finished if place in after.orientations},
    }
    counted = [place for place in table.token_counts if before.tokens_in(place) != after.tokens_in(place)]
    are_carried = bool(counted) and all(table.counts_match(place, after) for place in counted)
    return replace(
        before, cards=cards, orientations=orientations, tokens=after.tokens if are_carried else before.tokens
    )


def _without_surplus(cards: KindsByPlace, kind: str, count: int, after: Layout, arrived_in: str) -> KindsByPlace:
    """The cards by place, without those cards of one kind that have moved to the place `arrived_in`. At most `count`
    cards are removed, and only from places that have more cards of this kind than in `after`."""
    remaining = dict(cards)
    for place, here in cards.items():
        surplus = here.count(kind) - after.cards.get(place, ()).count(kind)
        for _removed in range(min(count, surplus) if place != arrived_in else 0):
            index = remaining[place].index(kind)
            remaining[place] = remaining[place][:index] + remaining[place][index + 1 :]
            count -= 1
    return remaining


def match_log_entry(match: Match, act: Act, viewer: Viewer) -> LogEntry:
    """The log entry of an act of the match on the table, as the viewer may know it. Once the match is over, everyone
    may know everything."""
    knows_as = REFEREE if match.state.turn is None else viewer
    return log_entry(match.game, act, knows_as, match.names, match.acts_before)


def log_entry(game: Game[Any], act: Act, viewer: Viewer, names: tuple[str, ...], acts_before: int = 0) -> LogEntry:
    """The log entry of an act, as the viewer may know it. `acts_before`: the number of acts in all earlier games; the
    versions of this game continue from that number."""
    key = viewer, names, acts_before
    if (entry := act.log_entries.get(key)) is None:
        entry = act.log_entries[key] = _make_log_entry(game, act, viewer, names, acts_before)
    return entry


def _make_log_entry(game: Game[Any], act: Act, viewer: Viewer, names: Names, acts_before: int) -> LogEntry:
    moves = tuple(step.move.as_known_to(viewer, step.before) for step in act.steps)
    lines = tuple(_log_lines(game, act, viewer, names))
    if act.kind in ("undo", "redo"):
        lines = (_undo_line(act, lines[0], names),)
    return LogEntry(acts_before + act.version, act.kind, act.seat, moves, lines, act.before.turn, act.at)


def _log_lines(game: Game[Any], act: Act, viewer: Viewer, names: Names) -> Iterable[TextLike]:
    if game.text.log_lines:
        return game.text.log_lines([(step.before, step.move, step.after) for step in act.steps], viewer, names)
    return (game.text.log_line(step.before, step.move, step.after, viewer, names) for step in act.steps)


def _undo_line(act: Act, line: TextLike, names: Names) -> Text:
    match act.kind, act.seat:
        case "undo", None:
            return _("The table undid: {words}", words=line)
        case "undo", int(seat):
            return _("{name} undid: {words}", name=names[seat], words=line)
        case _, None:
            return _("The table redid: {words}", words=line)
        case _, seat:
            return _("{name} redid: {words}", name=names[seat], words=line)
