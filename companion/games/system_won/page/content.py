"""The content of System WON's page: everything that its template draws, made from the viewer's position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from companion.games import move_json
from companion.games.rules import Json
from companion.games.system_won.catalog import RANKS, catalog
from companion.games.system_won.display_names import hint_name
from companion.games.system_won.moves import Discard, Play, PlayOther, PlayTwo, Specify, SpecifyTwo
from companion.games.system_won.page.cards import CardFace, face_of
from companion.games.system_won.page.hands import PlayerHand, hand_of, incomplete_move, seats_around
from companion.games.system_won.page.roles import AbilityView, own_abilities
from companion.games.system_won.position import Position
from companion.games.system_won.text import ABILITY_BUTTON
from companion.games.view import View
from companion.text.messages import Text, TextLike, _, joined

OWN_BUTTONS = (Specify, Play, Discard, PlayOther, SpecifyTwo, PlayTwo)
"""The kinds of moves whose buttons are on the page itself instead of in the dock."""


@dataclass(frozen=True)
class HintForPair:
    """A hint that the viewer can give as part of `SpecifyTwo`. `word` is the text of the hint, and `value` is the hint
    as JSON."""

    target: int
    name: str
    word: TextLike
    is_color: bool
    value: str


@dataclass(frozen=True)
class UnexplainedCard:
    """A card on the table that no move explains yet. The player who put it there must say from which slot of the hand
    it came."""

    face: CardFace
    discards: bool
    moves_by_slot: Mapping[int, str]
    """Maps each slot from which the card may have come to the move, as JSON."""


@dataclass(frozen=True)
class SystemView:
    """A suit's system. `top` is the rank of its highest card, or 0 if it has none."""

    color: str
    top: int


@dataclass(frozen=True)
class SystemWonContent:
    """The content of the whole page."""

    hands: tuple[PlayerHand, ...]
    systems: tuple[SystemView, ...]
    ranks: tuple[int, ...]
    components: tuple[str, ...]
    hints_left: int
    hints_spent: int
    deck: int
    turns_left: int | None
    score: int
    perfect: int
    errors: tuple[CardFace, ...]
    discards: tuple[tuple[str, tuple[tuple[CardFace, int, int], ...]], ...]
    """The discarded faces of each color. Each face has the number of its copies in the discard pile and the number of
    its copies in the game."""
    discard_count: int
    """The number of cards in the discard pile."""
    extra: TextLike
    skip: int
    faces: tuple[CardFace, ...]
    two_hints: tuple[HintForPair, ...]
    """The hints from which the viewer may choose two to give in one turn."""
    two_plays: bool
    """Whether the viewer may play two cards in one turn."""
    two: str
    """The move that gives two hints or plays two cards, as JSON with gaps. The form fills in the hints or the
    cards."""
    has_unseen_draws: bool
    """Whether cards may be drawn unseen. A player may then have to enter the face of a played card."""
    all_draws_unseen: bool
    """Whether all cards are drawn unseen."""
    unexplained_card: UnexplainedCard | None
    button_abilities: Mapping[TextLike, tuple[AbilityView, ...]]
    """Maps the label of each button in the dock that opens a sheet to the abilities that the sheet explains."""
    hint: Text
    """The text that says what to tap if the dock has no buttons."""

    @property
    def own(self) -> PlayerHand | None:
        """The viewer's own hand. None for a spectator, who has no hand."""
        return next((hand for hand in self.hands if hand.own), None)


def content(view: View) -> SystemWonContent:
    """The content of the page for this viewer."""
    position = view.position
    assert isinstance(position, Position)
    cards = catalog()
    return SystemWonContent(
        hands=tuple(hand_of(view, seat) for seat in seats_around(view)),
        systems=tuple(SystemView(s.color, top) for s, top in zip(cards.suits, position.systems, strict=True)),
        ranks=RANKS,
        components=cards.components,
        hints_left=position.specifications,
        hints_spent=cards.specifications - position.specifications,
        deck=position.deck_size,
        turns_left=position.turns_left,
        score=position.score,
        perfect=cards.perfect_score,
        errors=tuple(map(face_of, position.errors)),
        discards=tuple(_discards(position.discard)),
        discard_count=len(position.discard),
        extra=joined(", ", (view.names[seat] for seat in position.upcoming_turns.extra_turns)),
        skip=position.upcoming_turns.skip_count,
        faces=tuple(map(face_of, cards.faces)),
        two_hints=tuple(_hints_for_pairs(view)),
        two_plays=any(isinstance(move, PlayTwo) for move in view.choices.legal),
        two=_pair_move(view),
        has_unseen_draws=view.dealers.get("cards", "companion") != "companion",
        all_draws_unseen=view.dealers.get("cards") == "unseen",
        unexplained_card=_unexplained_card(view, position),
        button_abilities={ABILITY_BUTTON: own_abilities(view, position)},
        hint=_("Tap a card to see what you can do."),
    )


def _unexplained_card(view: View, position: Position) -> UnexplainedCard | None:
    """The first card on the table that no move explains yet, with the slots from which it may have come. These are the
    slots whose cards can have this face, according to the hints. None if every card is explained.

    With the option `aids=none`, hints are ignored. Every slot with an unseen card is then offered, and a wrong choice
    is refused.
    """
    moves = [move for move in view.choices.possible_moves if isinstance(move, Play | Discard) and move.card]
    if not moves:
        return None
    first = moves[0]
    card, hand = catalog().cards[first.card or ""], position.hands[first.seat]
    forgets = view.options.get("aids") == "none"
    alike = (move for move in moves if (type(move), move.card) == (type(first), first.card))
    possible = (move for move in alike if forgets or hand[move.slot].knowledge.allows(card))
    moves_by_slot = {move.slot: move_json.write(move) for move in possible}
    return UnexplainedCard(face_of(card.face), isinstance(first, Discard), moves_by_slot)


def _pair_move(view: View) -> str:
    """The move that gives two hints or, if that isn't legal, plays two cards, as JSON with gaps. The form
    fills in the hints or the cards."""
    if any(isinstance(move, SpecifyTwo) for move in view.choices.legal):
        return incomplete_move(view, SpecifyTwo, hints=[None, None])
    cards: dict[str, Json] = {"cards": [None, None]} if view.dealers.get("cards") == "unseen" else {}
    return incomplete_move(view, PlayTwo, slots=[None, None], **cards)


def _hints_for_pairs(view: View) -> Iterator[HintForPair]:
    pairs = (move.hints for move in view.choices.legal if isinstance(move, SpecifyTwo))
    for hint in dict.fromkeys(hint for pair in pairs for hint in pair):
        named = {"color": hint.color} if hint.rank is None else {"rank": hint.rank}
        json = move_json.dumps({"target": hint.target, **named})
        yield HintForPair(hint.target, str(hint.value), hint_name(hint.value), hint.color is not None, json)


def _discards(discard: Sequence[str]) -> Iterator[tuple[str, tuple[tuple[CardFace, int, int], ...]]]:
    counts, copies = Counter(discard), dict(zip(catalog().faces, catalog().copies, strict=True))
    for color in catalog().colors:
        faces = [card.face for card in catalog().cards.values() if card.color == color and counts[card.face]]
        yield color, tuple((face_of(face), counts[face], copies[face]) for face in faces)
