"""The hands on System WON's page, with the moves that the viewer can make with each card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from companion.games import move_json
from companion.games.rules import HOUSE, UNSEEN, Json, Move, Seat
from companion.games.system_won.catalog import catalog
from companion.games.system_won.display_names import hint_name
from companion.games.system_won.moves import Arrange, Discard, Play, PlayOther, PlayTwo, Specify, SpecifyTwo
from companion.games.system_won.page.cards import CardFace, ShownKnowledge, face_of, hand_knowledge
from companion.games.system_won.page.roles import RoleCard, role_of
from companion.games.system_won.position import Position
from companion.games.view import View
from companion.text.messages import TextLike


@dataclass(frozen=True)
class CardInHand:
    """A card in a hand.

    `face` is None if the viewer may not know it. `play`, `discard`, `move_left` and `move_right` are moves as
    JSON, which play the card, discard it, or move it by one slot. They are "" if the move isn't legal now. `play_other`
    says whether the viewer may play this card from another player's hand.
    """

    slot: int
    face: CardFace | None
    knowledge: ShownKnowledge
    play: str = ""
    discard: str = ""
    move_left: str = ""
    move_right: str = ""
    play_other: bool = False


@dataclass(frozen=True)
class LegalHint:
    """A legal hint. `word` is its text, `slots` are the slots of the known cards that it points at, and `move` is the
    move as JSON."""

    name: str
    word: TextLike
    is_color: bool
    slots: tuple[int, ...]
    move: str


@dataclass(frozen=True)
class PlayerHand:
    """A seat with its hand and its role."""

    seat: int
    name: str
    own: bool
    acting: bool
    cards: tuple[CardInHand, ...]
    hints: tuple[LegalHint, ...]
    role: RoleCard | None
    play_other: str
    """The move that plays a card of this hand, as JSON with a gap. The form fills in the slot. "" if the viewer may not
    play any."""

    @property
    def unseen(self) -> bool:
        """Whether the hand has a card whose face the viewer does not know. If so, a hint to this hand must name the
        slots."""
        return any(card.face is None for card in self.cards)


def seats_around(view: View) -> Sequence[int]:
    """The seats in clockwise order, from the one on the viewer's left to the viewer. For a spectator, they begin with
    seat 0."""
    seats, own = range(view.seats), view.viewer
    return [(own + n) % view.seats for n in range(1, view.seats + 1)] if isinstance(own, int) else seats


def hand_of(view: View, seat: int) -> PlayerHand:
    """The hand of a seat as the viewer sees it."""
    position = view.position
    assert isinstance(position, Position)
    faces, all_knowledge = [card.face for card in position.hands[seat]], hand_knowledge(view, position, seat)
    playable = {move.slot for move in view.choices.legal if isinstance(move, PlayOther) and move.target == seat}
    return PlayerHand(
        seat,
        view.names[seat],
        seat == view.viewer,
        view.turn == seat,
        tuple(
            _own_card(view, position, slot, known)
            if seat == view.viewer
            else CardInHand(slot, _face(faces[slot]), known, play_other=slot in playable)
            for slot, known in enumerate(all_knowledge)
        ),
        tuple(_legal_hints(view, seat, faces)),
        role_of(position, seat),
        incomplete_move(view, PlayOther, target=seat, slot=None) if playable else "",
    )


def _face(name: str) -> CardFace | None:
    return None if name == UNSEEN else face_of(name)


def _own_card(view: View, position: Position, slot: int, knowledge: ShownKnowledge) -> CardInHand:
    assert isinstance(view.viewer, int)
    return CardInHand(
        slot,
        _face(position.hands[view.viewer][slot].face),
        knowledge,
        play=_legal_move(view, Play, slot=slot),
        discard=_legal_move(view, Discard, slot=slot),
        move_left=_swap_move(view, position, slot - 1),
        move_right=_swap_move(view, position, slot),
    )


def _legal_move(view: View, kind: type[Move], **fields: int) -> str:
    """The viewer's move of this kind with these fields, as JSON. "" if it isn't legal now."""
    if not isinstance(view.viewer, int):
        return ""
    move = kind(seat=view.viewer, **fields)
    return move_json.write(move) if move in view.choices.labels else ""


def _swap_move(view: View, position: Position, slot: int) -> str:
    """The move that swaps the viewer's card in `slot` with the one in the next slot, as JSON. "" if there is
    no next slot, or if no hand may be rearranged now."""
    if view.turn in (None, HOUSE) or not isinstance(view.viewer, int):
        return ""
    count = len(position.hands[view.viewer])
    if not 0 <= slot < count - 1:
        return ""
    return _swap_json(Seat(view.viewer), count, slot)


@cache
def _swap_json(seat: Seat, count: int, slot: int) -> str:
    order = [*range(count)]
    order[slot], order[slot + 1] = order[slot + 1], order[slot]
    return move_json.write(Arrange(seat=seat, order=tuple(order)))


def _legal_hints(view: View, target: int, faces: Sequence[str]) -> Iterator[LegalHint]:
    for move in view.choices.legal:
        if isinstance(move, Specify) and move.target == target:
            slots = tuple(slot for slot, face in enumerate(faces) if move.value in catalog().hint_values[face])
            name, is_color = hint_name(move.value), move.color is not None
            yield LegalHint(str(move.value), name, is_color, slots, move_json.write(move))


def incomplete_move(view: View, kind: type[PlayOther | SpecifyTwo | PlayTwo], **fields: Json) -> str:
    """A move of the viewer as JSON, with null for the values that a form fills in (see
    web/moves/form_moves.py)."""
    return move_json.dumps({"seat": view.viewer, "move": kind.NAME, "use": kind.use, **fields})
