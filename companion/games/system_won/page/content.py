"""The content of System WON's page: everything that its template draws, made from the viewer's position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from companion.games import notation
from companion.games.rules import HOUSE, UNSEEN, Json, Move, Seat
from companion.games.system_won.catalog import RANKS, catalog
from companion.games.system_won.moves import Arrange, Discard, Play, PlayOther, PlayTwo, Specify, SpecifyTwo
from companion.games.system_won.names import card_name, hint_name
from companion.games.system_won.position import Position
from companion.games.system_won.possible_faces import possible_faces
from companion.games.system_won.received_hints import CardKnowledge
from companion.games.system_won.text import ABILITY_BUTTON, ABILITY_TEXTS, ability_timing
from companion.games.view import View
from companion.text.messages import Text, TextLike, _, joined

OWN_BUTTONS = (Specify, Play, Discard, PlayOther, SpecifyTwo, PlayTwo)
"""The kinds of moves whose buttons are on the page itself, not in the dock."""

MY_ABILITY = _("Its button is “My ability”, below, whenever it can be used.")
ON_THE_HAND = _("Its button stands over your hand while it can be used.")
ABILITY_LOCATIONS: Mapping[str, Text] = {
    PlayOther.use: _("Tap that player’s card."),
    SpecifyTwo.use: ON_THE_HAND,
    PlayTwo.use: ON_THE_HAND,
}
"""The text that says where on the page an ability is used, by ability. For all other abilities it is `MY_ABILITY`."""


@dataclass(frozen=True)
class Face:
    """A card's face, as the page draws it."""

    name: str
    color: str
    rank: int

    @property
    def spoken_name(self) -> Text:
        """The name that is read aloud: "red 3"."""
        return card_name(self.color, self.rank)


@dataclass(frozen=True)
class ShownKnowledge:
    """What hints have said about a card, reduced to what the option `aids` lets phones show."""

    color: str | None = None
    rank: int | None = None
    not_colors: tuple[str, ...] = ()
    not_ranks: tuple[int, ...] = ()
    possible: tuple[Face, ...] = ()
    """The faces that the card can have by counting cards. Empty if phones don't show that."""

    @property
    def is_specified(self) -> bool:
        """Whether a hint pointed at the card."""
        return self.color is not None or self.rank is not None

    @property
    def no_colors(self) -> TextLike:
        """The colors that the card does not have, as a text to be read aloud: "not red, not blue"."""
        return joined(", ", (_("not {color}", color=_(color)) for color in self.not_colors))

    @property
    def no_ranks(self) -> TextLike:
        """The ranks that the card does not have, as a text to be read aloud: "no 1, no 5"."""
        return joined(", ", (_("no {rank}", rank=rank) for rank in self.not_ranks))


@dataclass(frozen=True)
class CardView:
    """A card in a hand.

    `face` is None if the viewer may not know it. `play`, `discard`, `move_left` and `move_right` are moves as lines of
    JSON: they play the card, discard it, or move it by one slot. A move that isn't legal now is "". `play_other` says
    whether the viewer may play the card from another player's hand.
    """

    slot: int
    face: Face | None
    knowledge: ShownKnowledge
    play: str = ""
    discard: str = ""
    move_left: str = ""
    move_right: str = ""
    play_other: bool = False


@dataclass(frozen=True)
class Hint:
    """A legal hint. `word` is its text, `slots` are the known cards that it points at, and `line` is the move as a line
    of JSON."""

    name: str
    word: TextLike
    is_color: bool
    slots: tuple[int, ...]
    line: str


@dataclass(frozen=True)
class HintForPair:
    """A hint that the viewer can give as one of the two hints of `SpecifyTwo`. `word` is the text of the hint, `value`
    is the hint as JSON."""

    target: int
    name: str
    word: TextLike
    is_color: bool
    value: str


@dataclass(frozen=True)
class AbilityView:
    """An ability as the page explains it: when it may be used, what it does, and where on the page its button is.
    `when` and `where` are "" if the page need not say them."""

    when: TextLike
    what: TextLike
    where: TextLike


@dataclass(frozen=True)
class Role:
    """A role card in front of a seat."""

    title: Text
    used: bool
    abilities: tuple[AbilityView, ...]

    @property
    def usage_note(self) -> Text:
        """The note "Once in the game." or, for a role with several abilities, "Only one of these, and once in the
        game." """
        return _("Only one of these, and once in the game.") if self.abilities[1:] else _("Once in the game.")


@dataclass(frozen=True)
class Hand:
    """A seat with its hand and its role."""

    seat: int
    name: str
    own: bool
    acting: bool
    cards: tuple[CardView, ...]
    hints: tuple[Hint, ...]
    role: Role | None
    play_other: str
    """The move that plays a card of this hand, as a line of JSON. The form fills in the slot."""

    @property
    def unseen(self) -> bool:
        """Whether the hand has a card whose face the viewer does not know. A hint to this hand must then name the
        slots."""
        return any(card.face is None for card in self.cards)


@dataclass(frozen=True)
class UnexplainedCard:
    """A card on the table that no move explains yet. The player who laid it there must say from which slot of the hand
    it came."""

    face: Face
    discards: bool
    lines: Mapping[int, str]
    """For each slot that the card can have come from, the move as a line of JSON."""


@dataclass(frozen=True)
class SystemView:
    """A suit's system. `top` is the rank of its highest card, 0 for none."""

    color: str
    top: int


@dataclass(frozen=True)
class SystemWonContent:
    """The content of the whole page."""

    hands: tuple[Hand, ...]
    systems: tuple[SystemView, ...]
    ranks: tuple[int, ...]
    components: tuple[str, ...]
    ready: int
    spent: int
    deck: int
    turns_left: int | None
    score: int
    perfect: int
    errors: tuple[Face, ...]
    discards: tuple[tuple[str, tuple[tuple[Face, int, int], ...]], ...]
    """For each color, its discarded faces, each with the numbers of copies in the discard pile and in the game."""
    discard_count: int
    """The number of cards in the discard pile."""
    extra: TextLike
    skip: int
    faces: tuple[Face, ...]
    two_hints: tuple[HintForPair, ...]
    """The hints of which the viewer may give two at once."""
    two_plays: bool
    """Whether the viewer may play two cards at once."""
    two: str
    """The move that gives two hints or plays two cards, as a line of JSON. The form fills in the hints or the cards."""
    has_unseen_draws: bool
    """Whether cards may be drawn unseen, so that a player may have to state the face of a played card."""
    all_draws_unseen: bool
    """Whether all cards are drawn unseen."""
    unexplained_card: UnexplainedCard | None
    notes: Mapping[TextLike, tuple[AbilityView, ...]]
    """The abilities that are explained on the sheet that a button in the dock opens, by the label of the button."""
    hint: Text
    """The text that says what to tap if the dock has no buttons."""

    @property
    def own(self) -> Hand | None:
        """The viewer's own hand; None for a spectator, who has no hand."""
        return next((hand for hand in self.hands if hand.own), None)


def content(view: View) -> SystemWonContent:
    """The content of the page for this viewer."""
    position: Position = view.position
    cards = catalog()
    return SystemWonContent(
        hands=tuple(_hand(view, seat) for seat in _seats_around(view)),
        systems=tuple(SystemView(s.color, top) for s, top in zip(cards.suits, position.systems, strict=True)),
        ranks=RANKS,
        components=cards.components,
        ready=position.specifications,
        spent=cards.specifications - position.specifications,
        deck=position.deck_size,
        turns_left=position.turns_left,
        score=position.score,
        perfect=cards.perfect_score,
        errors=tuple(map(_face, position.errors)),
        discards=tuple(_discards(position.discard)),
        discard_count=len(position.discard),
        extra=joined(", ", (view.names[seat] for seat in position.extra_turns)),
        skip=position.skip_count,
        faces=tuple(map(_face, cards.faces)),
        two_hints=tuple(_hints_for_pairs(view)),
        two_plays=any(isinstance(move, PlayTwo) for move in view.choices.legal),
        two=_pair_line(view),
        has_unseen_draws=view.dealers.get("cards", "companion") != "companion",
        all_draws_unseen=view.dealers.get("cards") == "unseen",
        unexplained_card=_unexplained_card(view, position),
        notes={ABILITY_BUTTON: _own_abilities(view, position)},
        hint=_("Tap a card to see what you can do."),
    )


def _own_abilities(view: View, position: Position) -> tuple[AbilityView, ...]:
    role = _role(position, view.viewer) if isinstance(view.viewer, int) else None
    if role is None or role.used:
        return ()
    here = (replace(able, where="") if able.where == MY_ABILITY else able for able in role.abilities)
    return (*here, AbilityView("", role.usage_note, ""))


def _unexplained_card(view: View, position: Position) -> UnexplainedCard | None:
    """The first card on the table that no move explains yet, and the slots that it may have come from: the slots of the
    cards that can have its face, according to the hints. None if every card is explained.

    If phones remember nothing, every slot with an unseen card is offered, and a wrong choice is refused.
    """
    moves = [move for move in view.choices.possible_moves if isinstance(move, Play | Discard) and move.card]
    if not moves:
        return None
    first = moves[0]
    card, hand = catalog().cards[first.card or ""], position.hands[first.seat]
    forgets = view.options.get("aids") == "none"
    alike = (move for move in moves if (type(move), move.card) == (type(first), first.card))
    lines = {move.slot: notation.write(move) for move in alike if forgets or hand[move.slot].knowledge.allows(card)}
    return UnexplainedCard(_face(card.face), isinstance(first, Discard), lines)


def _seats_around(view: View) -> Sequence[int]:
    """The seats clockwise from the viewer's left, with the viewer last. For a spectator they start at seat 0."""
    seats, own = range(view.seats), view.viewer
    return [(own + n) % view.seats for n in range(1, view.seats + 1)] if isinstance(own, int) else seats


def _hand(view: View, seat: int) -> Hand:
    position: Position = view.position
    faces, all_knowledge = [card.face for card in position.hands[seat]], _hand_knowledge(view, position, seat)
    return Hand(
        seat,
        view.names[seat],
        seat == view.viewer,
        view.turn == seat,
        tuple(
            _card(view, seat, slot, face, knowledge)
            for slot, (face, knowledge) in enumerate(zip(faces, all_knowledge, strict=True))
        ),
        tuple(_legal_hints(view, seat, faces)),
        _role(position, seat),
        _incomplete_line(view, PlayOther, target=seat, slot=None),
    )


def _role(position: Position, seat: int) -> Role | None:
    role = catalog().roles.get(position.roles[seat] or "") if position.roles else None
    if role is None:
        return None
    abilities = tuple(
        AbilityView(ability_timing(use), ABILITY_TEXTS[use], ABILITY_LOCATIONS.get(use, MY_ABILITY))
        for use in role.abilities
    )
    return Role(_(role.title), role.id in position.used_roles, abilities)


def _card(view: View, seat: int, slot: int, name: str, knowledge: ShownKnowledge) -> CardView:
    face = None if name == UNSEEN else _face(name)
    if seat != view.viewer:
        return CardView(slot, face, knowledge, play_other=bool(_move_line(view, PlayOther, target=seat, slot=slot)))
    return CardView(
        slot,
        face,
        knowledge,
        play=_move_line(view, Play, slot=slot),
        discard=_move_line(view, Discard, slot=slot),
        move_left=_swap_line(view, slot - 1),
        move_right=_swap_line(view, slot),
    )


def _move_line(view: View, kind: type[Move], **fields: int) -> str:
    """The move of this kind with these fields, made by the viewer, as a line of JSON; "" if it isn't legal now."""
    if not isinstance(view.viewer, int):
        return ""
    move = kind(seat=view.viewer, **fields)
    return notation.write(move) if move in view.choices.labels else ""


def _incomplete_line(view: View, kind: type[PlayOther | SpecifyTwo | PlayTwo], **fields: Json) -> str:
    """A move of the viewer as a line of JSON, with null where a form fills in values (see web/form_moves.py)."""
    return notation.dumps({"seat": view.viewer, "move": kind.NAME, "use": kind.use, **fields})


def _pair_line(view: View) -> str:
    """The move that gives two hints or, if that isn't legal, plays two cards, as a line of JSON. The form fills in the
    hints or the cards."""
    if any(isinstance(move, SpecifyTwo) for move in view.choices.legal):
        return _incomplete_line(view, SpecifyTwo, hints=[None, None])
    cards: dict[str, Json] = {"cards": [None, None]} if view.dealers.get("cards") == "unseen" else {}
    return _incomplete_line(view, PlayTwo, slots=[None, None], **cards)


def _swap_line(view: View, slot: int) -> str:
    """The move that swaps the viewer's cards in `slot` and the next slot, as a line of JSON; "" if there is no next
    slot or no hand may be rearranged now."""
    if view.turn in (None, HOUSE) or not isinstance(view.viewer, int):
        return ""
    count = len(view.position.hands[view.viewer])
    if not 0 <= slot < count - 1:
        return ""
    order = [*range(count)]
    order[slot], order[slot + 1] = order[slot + 1], order[slot]
    return notation.write(Arrange(seat=Seat(view.viewer), order=tuple(order)))


def _legal_hints(view: View, target: int, faces: Sequence[str]) -> Iterator[Hint]:
    for move in view.choices.legal:
        if isinstance(move, Specify) and move.target == target:
            slots = tuple(slot for slot, face in enumerate(faces) if move.value in catalog().hint_values[face])
            value, line = str(move.value), notation.write(move)
            yield Hint(value, hint_name(move.value), move.color is not None, slots, line)


def _hints_for_pairs(view: View) -> Iterator[HintForPair]:
    pairs = (move.hints for move in view.choices.legal if isinstance(move, SpecifyTwo))
    for hint in dict.fromkeys(hint for pair in pairs for hint in pair):
        named = {"color": hint.color} if hint.rank is None else {"rank": hint.rank}
        json = notation.dumps({"target": hint.target, **named})
        yield HintForPair(hint.target, str(hint.value), hint_name(hint.value), hint.color is not None, json)


# Knowledge ------------------------------------------------------------------------------------------------


def _hand_knowledge(view: View, position: Position, seat: int) -> tuple[ShownKnowledge, ...]:
    """What the page shows of the knowledge of each card of a hand, by slot."""
    hand, aids = position.hands[seat], view.options.get("aids")
    if aids == "none":
        return (ShownKnowledge(),) * len(hand)
    counts = aids == "counting" and seat == view.viewer
    possible = possible_faces(position, seat) if counts else ((),) * len(hand)
    return tuple(
        _shown_knowledge(card.knowledge, faces, positive_only=aids == "said")
        for card, faces in zip(hand, possible, strict=True)
    )


def _shown_knowledge(knowledge: CardKnowledge, faces: Sequence[str], *, positive_only: bool) -> ShownKnowledge:
    return ShownKnowledge(
        knowledge.color,
        knowledge.rank,
        () if positive_only or knowledge.color else knowledge.excluded_colors,
        () if positive_only or knowledge.rank else knowledge.excluded_ranks,
        tuple(map(_face, faces)),
    )


# Piles ----------------------------------------------------------------------------------------------------


def _face(name: str) -> Face:
    card = catalog().cards[name]
    return Face(name, card.color, card.rank)


def _discards(discard: Sequence[str]) -> Iterator[tuple[str, tuple[tuple[Face, int, int], ...]]]:
    counts, copies = Counter(discard), dict(zip(catalog().faces, catalog().copies, strict=True))
    for color in catalog().colors:
        faces = [card.face for card in catalog().cards.values() if card.color == color and counts[card.face]]
        yield color, tuple((_face(face), counts[face], copies[face]) for face in faces)
