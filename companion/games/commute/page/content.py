"""The content of Commute's page: the position as the viewer knows it, prepared for the template.

Law: pure. The rules compute the consequences of possible journeys from this position.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.games import move_json
from companion.games.commute.components import COLORS, color_index
from companion.games.commute.display_names import space_name
from companion.games.commute.log_lines import consequences
from companion.games.commute.moves import Bump, Choose, Deal, Travel, UhOh
from companion.games.commute.moves import Pick as RandomCard
from companion.games.commute.page.city_map import City, city
from companion.games.commute.page.dealt_card_form import DealtCardForm, report
from companion.games.commute.page.possible_journeys import CardChoice, PlayingCard, card, card_choices
from companion.games.commute.page.reputation_chart import ReputationChart, chart
from companion.games.commute.position import Position
from companion.games.commute.position_parts import EffectTask, SwapTask, closed_lines
from companion.games.commute.scoring import BEST_MORNING_MINUTES
from companion.games.commute.suits_and_ranks import DECK, UNSEEN
from companion.games.commute.text import HAND_BACK
from companion.games.deal_grouping import runs_of_deals
from companion.games.rules import Move, Seat
from companion.games.view import View
from companion.text.messages import Text, TextLike, _

OWN_BUTTONS = (Travel, Bump, Choose, Deal, RandomCard)
"""The kinds of moves whose buttons are on the page itself."""

MOST_CARDS_SHOWN = 2
"""The number of settled "Uh-Oh!" cards from one act for which a phone has room, next to the map and the hand."""
LETTERS = "ABCDE"
"""The letters on printed pieces and houses, in the order of the colors."""


@dataclass(frozen=True)
class CommutePlayer:
    """A player on the page. `cards` is the hand as the viewer knows it. `color`, `shape` and `letter` describe the
    player's piece."""

    seat: int
    color: str
    shape: int
    letter: str
    name: str
    own: bool
    acting: bool
    at: TextLike
    minutes: int
    reputation: int
    cards: tuple[PlayingCard, ...]
    arrived: bool
    skips: int
    leads: bool


@dataclass(frozen=True)
class PawnView:
    """A piece on the map, and where it is drawn. Pieces at the same house or at work are drawn side by side: `aside`
    says how far this piece is to the right of the middle, as a multiple of the distance between two pieces. A single
    piece has 0, and two pieces have -0.5 and 0.5. On other spaces, each piece has a place of its own beside the number,
    and `aside` is 0."""

    player: CommutePlayer
    place: str
    aside: float
    at_end: bool
    space: str
    """The id of the space, which is written beside the piece. "" at a house and at work, and for all but one of several
    pieces on the same space."""


@dataclass(frozen=True)
class UhOhCardView:
    """An "Uh-Oh!" card on the page. `by` is the player who drew the card, `outcome` describes the consequences, and
    `is_open` says whether the card is still being resolved."""

    title: Text
    text: Text
    by: CommutePlayer
    outcome: TextLike
    is_open: bool


@dataclass(frozen=True)
class CardAnswer:
    """An answer to the question of a card: a player, a playing card, a metro line (`metro`), or one of the card's
    options.

    `move` is the move as JSON, and `label` is the label of the button.
    """

    move: str
    label: TextLike
    player: CommutePlayer | None
    card: PlayingCard | None
    metro: str


@dataclass(frozen=True)
class MapFix:
    """The marks on the map for a component that people must move on the table: one or two marks and, between two marks,
    a line. `start` is the center of the space where the component lies, or a point beside a space; None if the
    component lies elsewhere. `end` is the center of the space to which the component must be moved; None if it does not
    belong on another space."""

    start: tuple[int, int] | None
    end: tuple[int, int] | None


@dataclass(frozen=True)
class CommuteContent:
    """Everything that the page's template shows."""

    city: City
    players: tuple[CommutePlayer, ...]
    pieces: tuple[PawnView, ...]
    morning: bool
    round: int
    rounds: str
    is_single_morning: bool
    """Whether the whole game is one morning."""
    deck: int
    best: int
    """The number of minutes on arrival that costs no reputation in the morning."""
    hand: tuple[PlayingCard, ...]
    picks: tuple[CardChoice, ...]
    traveler: CommutePlayer
    """The player whose piece must move next."""
    goal: str
    bumper: CommutePlayer | None
    """The player who must send the traveler on."""
    uh_oh_cards: tuple[UhOhCardView, ...]
    """The "Uh-Oh!" card that asks a question. If none does, the last cards of the last act, at most
    MOST_CARDS_SHOWN."""
    asked: CommutePlayer | None
    answers: tuple[CardAnswer, ...]
    report: DealtCardForm | None
    news: tuple[TextLike, ...]
    chart: ReputationChart | None
    is_between_commutes: bool
    """Whether a commute has ended and the next one has not begun."""
    fixes: tuple[MapFix, ...]
    """The marks on the map for components that people must move on the table."""
    hand_back: TextLike
    """The instruction to hand the cards back between commutes, if people deal by hand. Otherwise empty."""


def content(view: View) -> CommuteContent:
    """The content of the page for a viewer."""
    position = view.position
    assert isinstance(position, Position)
    owners = {house: seat for seat, house in enumerate(position.houses)}
    drawing = city(position.board, owners, closed_lines(position.closures))
    players = tuple(_player(view, position, seat) for seat in position.seats)
    is_between_commutes = bool(position.results) and not any(position.hands)
    is_dealt_by_hand = view.dealers[Deal.CHANCE_SOURCE] != "companion"
    bump, question = position.bump, position.question
    traveler = bump.target if bump else position.active_player
    return CommuteContent(
        city=drawing,
        players=players,
        pieces=tuple(_pieces(position, drawing, players)),
        morning=position.is_morning,
        round=position.round,
        rounds=_rounds(position.commute_count),
        is_single_morning=position.commute_count == 1,
        deck=position.deck_size,
        best=BEST_MORNING_MINUTES,
        hand=tuple(map(card, position.hands[view.viewer])) if isinstance(view.viewer, int) else (),
        picks=tuple(card_choices(view, position, drawing)),
        traveler=players[traveler],
        goal=position.goal(traveler),
        bumper=players[bump.seat] if bump else None,
        uh_oh_cards=_shown_cards(tuple(_uh_oh_cards(view, position, players))),
        asked=players[question.seat] if question and not bump else None,
        answers=tuple(_answers(view, position, players)),
        report=report(view, position),
        news=tuple(_news(view)),
        chart=chart(position.results, position.commute_count),
        is_between_commutes=is_between_commutes,
        fixes=tuple(_fixes(view, drawing)),
        hand_back=HAND_BACK if is_between_commutes and is_dealt_by_hand and view.turn is not None else "",
    )


def _fixes(view: View, drawing: City) -> Iterator[MapFix]:
    """Yields marks for each discrepancy whose component lies on or beside a space, or must be put on one."""
    mat, spots = view.game.physical.components.mat, {name: spot.xy for name, spot in drawing.spots.items()}
    for each in view.tabletop.discrepancies:
        start, end = spots.get(each.zone or ""), spots.get(each.fix.place or "")
        if each.beside in spots and each.at and mat:
            x, y = mat.drawn_at(each.at, spots)
            start = round(x), round(y)
        if start or end:
            yield MapFix(start, end if end != start else None)


def _rounds(commute_count: int) -> str:
    """The number of rounds as text, such as "3" or "1½"."""
    return f"{commute_count // 2 or ''}{'½' * (commute_count % 2)}"


def _player(view: View, position: Position, seat: int) -> CommutePlayer:
    most, shape = max(position.reputation), color_index(position.board, seat, position.houses[seat])
    return CommutePlayer(
        seat=seat,
        color=COLORS[shape],
        shape=shape,
        letter=LETTERS[shape],
        name=view.names[seat],
        own=seat == view.viewer,
        acting=seat == view.turn,
        at=space_name(position, position.locations[seat]),
        minutes=position.minutes[seat],
        reputation=position.reputation[seat],
        cards=tuple(map(card, position.hands[seat])),
        arrived=position.arrived[seat],
        skips=position.skips[seat],
        leads=position.reputation[seat] == most > min(position.reputation),
    )


def _pieces(position: Position, drawing: City, players: tuple[CommutePlayer, ...]) -> Iterator[PawnView]:
    """Yields each player's piece for the map."""
    for player in players:
        here = position.locations[player.seat]
        sharing = [seat for seat in position.seats if position.locations[seat] == here]
        number, spot = sharing.index(player.seat), drawing.spots[here]
        if here in position.board.ends:
            yield PawnView(player, spot.place, number - (len(sharing) - 1) / 2, at_end=True, space="")
        else:
            place = f"{spot.place};{spot.pawns[number % len(spot.pawns)]}"
            yield PawnView(player, place, 0, at_end=False, space="" if number else here)


def _uh_oh_cards(view: View, position: Position, players: tuple[CommutePlayer, ...]) -> Iterator[UhOhCardView]:
    """Yields the "Uh-Oh!" cards that were drawn in the last act, then an earlier one if it is still being resolved."""
    in_play, is_new = position.uh_oh.card, False
    for move, words in _last_moves(view):
        if isinstance(move, UhOh):
            by, is_new = players[move.to], move.card == in_play
            uh_oh = position.uh_oh_cards[move.card]
            yield UhOhCardView(_(uh_oh.title), _(uh_oh.text), by, consequences(words), is_new)
    if in_play and not is_new:
        uh_oh = position.uh_oh_cards[in_play]
        yield UhOhCardView(_(uh_oh.title), _(uh_oh.text), players[_drawer(position)], "", is_open=True)


def _shown_cards(cards: tuple[UhOhCardView, ...]) -> tuple[UhOhCardView, ...]:
    """The cards in play for which a phone has room, next to the map and the hand: the card that asks a question or, if
    none does, the last ones. The log has all cards."""
    return tuple([card for card in cards if card.is_open]) or cards[-MOST_CARDS_SHOWN:]


def _drawer(position: Position) -> int:
    """The seat that drew the "Uh-Oh!" card in play, as given by the card's next task."""
    match position.uh_oh.tasks[0]:
        case EffectTask(seat=seat) | SwapTask(drawer=seat):
            return seat


def _answers(view: View, position: Position, players: tuple[CommutePlayer, ...]) -> Iterator[CardAnswer]:
    """Yields the answers to the open question that the viewer may give."""
    kind = position.question.kind if position.question else None
    for move in view.choices.legal:
        if isinstance(move, Choose):
            option = move.option
            yield CardAnswer(
                move_json.write(move),
                view.choices.labels[move][-1],
                players[option] if isinstance(option, int) and kind in ("partner", "skip") else None,
                card(option) if isinstance(option, str) and option in (*DECK, UNSEEN) else None,
                str(option) if kind == "line" else "",
            )


def _last_moves(view: View) -> Iterator[tuple[Move, TextLike]]:
    """Yields the moves of the last act, each with its log line. If several deals share a line, only the first is
    yielded."""
    if view.log and view.log[-1].kind == "move":
        runs = runs_of_deals(view.log[-1].moves, _dealt)
        yield from ((run[0], words) for run, words in zip(runs, view.log[-1].words, strict=True))


def _dealt(move: Move) -> tuple[Seat, str] | None:
    return (move.to, move.card) if isinstance(move, Deal) else None


def _news(view: View) -> Iterator[TextLike]:
    """Yields the log lines of the last act, with two exceptions: lines about dealt cards, which everyone expects, and
    lines about “Uh-Oh!” cards, which the page shows in full."""
    if view.log and view.log[-1].kind in ("undo", "redo"):
        yield from view.log[-1].words
    yield from (words for move, words in _last_moves(view) if not isinstance(move, Deal | UhOh))
