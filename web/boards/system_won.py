"""System WON as its template draws it: made of the seat's view and its legal moves, of nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from companion.games.rules import HOUSE, Json, Move, Seat
from companion.games.system_won.card_counting import marks_of, possible
from companion.games.system_won.catalog import RANKS, catalog
from companion.games.system_won.knowledge import UNKNOWN
from companion.games.system_won.labels import card_called, named
from companion.games.system_won.moves import Arrange, Discard, Play, PlayOther, PlayTwo, Specify, SpecifyTwo
from companion.games.system_won.text import ABILITIES, MY_ROLE, when_to_use
from companion.match import notation
from companion.match.view import View
from companion.text.translation import _, later

OWN_BUTTONS = (Specify, Play, Discard, PlayOther, SpecifyTwo, PlayTwo)
"""Moves whose buttons are on the board's own sheets."""

MY_ABILITY = later("Its button is “My ability”, below, whenever it can be used.")
ON_THE_HAND = later("Its button stands over your hand while it can be used.")
WHERE: Mapping[str, str] = {
    PlayOther.use: later("Tap that player’s card."),
    SpecifyTwo.use: ON_THE_HAND,
    PlayTwo.use: ON_THE_HAND,
}
"""Where the ability is used, if not by MY_ABILITY."""


@dataclass(frozen=True)
class Face:
    """A card's face."""

    name: str
    color: str
    letter: str
    rank: int

    @property
    def called(self) -> str:
        """ "red 3", as it is read aloud."""
        return card_called(self.color, self.rank)


@dataclass(frozen=True)
class Mark:
    """What the holder was told of a card, as far as the table wants the phones to remember it."""

    color: str | None = None
    rank: int | None = None
    not_colors: tuple[str, ...] = ()
    not_ranks: tuple[int, ...] = ()
    possible: tuple[Face, ...] = ()
    """What it can still be, by counting; empty without that aid."""

    @property
    def told(self) -> bool:
        """Whether anything was said that pointed at it."""
        return self.color is not None or self.rank is not None

    @property
    def no_colors(self) -> str:
        """ "not red, not blue", as it is read aloud."""
        return ", ".join(_("not {color}", color=_(color)) for color in self.not_colors)

    @property
    def no_ranks(self) -> str:
        """ "no 1, no 5"."""
        return ", ".join(_("no {rank}", rank=rank) for rank in self.not_ranks)


@dataclass(frozen=True)
class Card:
    """A card in a hand. `face` None: this viewer may not know it. Then lines of moves, "" if not possible now; and
    whether the viewer may play it, another's."""

    slot: int
    face: Face | None
    mark: Mark
    play: str = ""
    discard: str = ""
    sooner: str = ""
    later: str = ""
    play_other: bool = False


@dataclass(frozen=True)
class Hint:
    """A specification that may be given: what it says, in words too, the cards that it points at, and its move."""

    said: str
    word: str
    is_color: bool
    slots: tuple[int, ...]
    line: str


@dataclass(frozen=True)
class OneOfTwo:
    """One of two specifications: whose cards, what is said, in words too, and its JSON."""

    target: int
    said: str
    word: str
    is_color: bool
    value: str


@dataclass(frozen=True)
class Ability:
    """What a role may do, when, and where its holder finds it on the page; "" where that goes without saying."""

    when: str
    what: str
    where: str


@dataclass(frozen=True)
class Role:
    """A role card in front of a seat."""

    title: str
    used: bool
    abilities: tuple[Ability, ...]

    @property
    def often(self) -> str:
        """ "Each player is dealt a role card with an ability that may be used ONE TIME ONLY." """
        return _("Only one of these, and once in the game.") if self.abilities[1:] else _("Once in the game.")


@dataclass(frozen=True)
class Hand:
    """What a seat holds."""

    seat: int
    name: str
    own: bool
    acting: bool
    cards: tuple[Card, ...]
    hints: tuple[Hint, ...]
    role: Role | None
    play_other: str
    """The line of a move that plays a card of this hand; the form adds which one."""

    @property
    def unseen(self) -> bool:
        """Whether it holds cards that the viewer does not know, so that whoever specifies says which were meant."""
        return any(card.face is None for card in self.cards)


@dataclass(frozen=True)
class Laid:
    """A card that lies on the table and of which its holder is asked which of the hand it was."""

    face: Face
    discards: bool
    lines: Mapping[int, str]
    """The move, by the slot."""


@dataclass(frozen=True)
class System:
    """A suit's system; `faces` are those built."""

    color: str
    letter: str
    top: int


@dataclass(frozen=True)
class Board:
    """The whole table."""

    hands: tuple[Hand, ...]
    systems: tuple[System, ...]
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
    """By suit: each face, how many of it were discarded, and how many there are."""
    thrown: int
    extra: tuple[str, ...]
    skip: int
    faces: tuple[Face, ...]
    two_hints: tuple[OneOfTwo, ...]
    """Where two specifications may be given at once: each that may be one of them."""
    two_plays: bool
    """Whether two cards may be played at once."""
    two: str
    """The line of the move that does either; the form adds which two."""
    tells_unseen: bool
    """Whether cards may be unknown to the book, so that who plays one may say what it was."""
    nobody_tells: bool
    """Whether nobody tells it any card before it is played."""
    laid: Laid | None
    notes: Mapping[str, tuple[Ability, ...]]
    """What is said above the buttons of the dock, by the first one."""
    hint: str
    """What to tap, where the dock has no buttons."""

    @property
    def own(self) -> Hand | None:
        """The viewer's own hand."""
        return next((hand for hand in self.hands if hand.own), None)


def board(view: View) -> Board:
    """The table as this viewer may see it."""
    state, cards = view.state, catalog()
    return Board(
        hands=tuple(_hand(view, seat) for seat in _around(view)),
        systems=tuple(System(suit.color, suit.letter, state["systems"][suit.color]) for suit in cards.suits),
        ranks=RANKS,
        components=cards.components,
        ready=state["specifications"],
        spent=cards.specifications - state["specifications"],
        deck=state["deck"],
        turns_left=state["turns_left"],
        score=state["score"],
        perfect=cards.perfect,
        errors=tuple(map(_face, state["errors"])),
        discards=tuple(_discards(state["discard"])),
        thrown=len(state["discard"]),
        extra=tuple(view.names[seat] for seat in state["pending"]["extra"]),
        skip=state["pending"]["skip"],
        faces=tuple(map(_face, cards.faces)),
        two_hints=tuple(_two_hints(view)),
        two_plays=any(isinstance(move, PlayTwo) for move in view.legal),
        two=_two(view),
        tells_unseen=view.dealers.get("cards", "companion") != "companion",
        nobody_tells=view.dealers.get("cards") == "unseen",
        laid=_laid(view),
        notes={_(MY_ROLE): _own_abilities(view)},
        hint=_("Tap a card to see what you can do."),
    )


def _own_abilities(view: View) -> tuple[Ability, ...]:
    role = _role(view, view.viewer) if isinstance(view.viewer, int) else None
    if role is None or role.used:
        return ()
    here = (replace(able, where="") if able.where == _(MY_ABILITY) else able for able in role.abilities)
    return (*here, Ability("", role.often, ""))


def _laid(view: View) -> Laid | None:
    """The first card that lies there unexplained, and which it may be by what was said. Where the phones remember
    nothing they don't remember that either: any unseen card may be named, and one that can't be it is refused."""
    moves = [move for move in view.possible_moves if isinstance(move, Play | Discard) and move.card]
    if not moves:
        return None
    first = moves[0]
    card, marks = catalog().cards[first.card or ""], marks_of(view.state, first.seat)
    forgets = view.options.get("aids") == "none"
    alike = (move for move in moves if (type(move), move.card) == (type(first), first.card))
    lines = {move.slot: notation.write(move) for move in alike if forgets or marks[move.slot].allows(card)}
    return Laid(_face(card.face), isinstance(first, Discard), lines)


def _around(view: View) -> Sequence[int]:
    """The seats as they sit from the viewer's left on, the viewer last; for a screen from seat 0 on."""
    seats, own = range(view.seats), view.viewer
    return [(own + n) % view.seats for n in range(1, view.seats + 1)] if isinstance(own, int) else seats


def _hand(view: View, seat: int) -> Hand:
    own = seat == view.viewer
    faces, marks = view.state["hands"][seat], _marks(view, seat)
    slots = range(len(faces))
    return Hand(
        seat,
        view.names[seat],
        own,
        view.turn == seat,
        tuple(_card(view, seat, slot, faces[slot], marks[slot]) for slot in slots),
        tuple(_hints(view, seat, faces)),
        _role(view, seat),
        _line_to_complete(view, PlayOther, target=seat, slot=None),
    )


def _role(view: View, seat: int) -> Role | None:
    role = catalog().roles.get((view.state["roles"] or {seat: None})[seat] or "")
    if role is None:
        return None
    able = tuple(Ability(when_to_use(use), _(ABILITIES[use]), _(WHERE.get(use, MY_ABILITY))) for use in role.abilities)
    return Role(_(role.title), role.id in view.state["roles_used"], able)


def _card(view: View, seat: int, slot: int, face: str, mark: Mark) -> Card:
    shown = None if face == UNKNOWN else _face(face)
    if seat != view.viewer:
        return Card(slot, shown, mark, play_other=bool(_line(view, PlayOther, target=seat, slot=slot)))
    return Card(
        slot,
        shown,
        mark,
        play=_line(view, Play, slot=slot),
        discard=_line(view, Discard, slot=slot),
        sooner=_swapped(view, slot - 1),
        later=_swapped(view, slot),
    )


def _line(view: View, kind: type[Move], **fields: int) -> str:
    """The line of a move of this viewer, or nothing if it can't be made now."""
    if not isinstance(view.viewer, int):
        return ""
    move = kind(seat=view.viewer, **fields)
    return notation.write(move) if move in view.labels else ""


def _line_to_complete(view: View, kind: type[PlayOther | SpecifyTwo | PlayTwo], **fields: Json) -> str:
    """The line of a move with None where a form puts its fields' values (see web/form_moves.py)."""
    return notation.dumps({"seat": view.viewer, "move": kind.NAME, "use": kind.use, **fields})


def _two(view: View) -> str:
    """The move of the sheet on which two specifications, or two cards of the own hand, are chosen."""
    if any(isinstance(move, SpecifyTwo) for move in view.legal):
        return _line_to_complete(view, SpecifyTwo, hints=[None, None])
    cards: dict[str, Json] = {"cards": [None, None]} if view.dealers.get("cards") == "unseen" else {}
    return _line_to_complete(view, PlayTwo, slots=[None, None], **cards)


def _swapped(view: View, slot: int) -> str:
    """The own hand with this card and the next one changed about, where a hand may be arranged now."""
    if view.turn in (None, HOUSE) or not isinstance(view.viewer, int):
        return ""
    count = len(view.state["hands"][view.viewer])
    if not 0 <= slot < count - 1:
        return ""
    order = [*range(count)]
    order[slot], order[slot + 1] = order[slot + 1], order[slot]
    return notation.write(Arrange(seat=Seat(view.viewer), order=tuple(order)))


def _hints(view: View, target: int, faces: Sequence[str]) -> Iterator[Hint]:
    for move in view.legal:
        if isinstance(move, Specify) and move.target == target:
            said = str(move.color or move.rank)
            slots = tuple(slot for slot, face in enumerate(faces) if _says(face, said))
            yield Hint(said, named(move.said), move.color is not None, slots, notation.write(move))


def _two_hints(view: View) -> Iterator[OneOfTwo]:
    pairs = (move.hints for move in view.legal if isinstance(move, SpecifyTwo))
    for hint in dict.fromkeys(hint for pair in pairs for hint in pair):
        said = {"color": hint.color} if hint.rank is None else {"rank": hint.rank}
        value = notation.dumps({"target": hint.target, **said})
        yield OneOfTwo(hint.target, str(hint.said), named(hint.said), hint.color is not None, value)


def _says(face: str, said: str) -> bool:
    card = catalog().cards.get(face)
    return card is not None and said in (card.color, str(card.rank))


# Knowledge ------------------------------------------------------------------------------------------------


def _marks(view: View, seat: int) -> tuple[Mark, ...]:
    """What the phones show of what was said, by the level of help that the table chose."""
    said, level = view.state["knowledge"][seat], view.options.get("aids")
    if level == "none":
        return (Mark(),) * len(said)
    counted = possible(view.state, seat) if level == "counting" and seat == view.viewer else ((),) * len(said)
    return tuple(
        Mark(
            mark["color"],
            mark["rank"],
            tuple(mark["not_colors"]) if level != "said" and not mark["color"] else (),
            tuple(mark["not_ranks"]) if level != "said" and not mark["rank"] else (),
            tuple(map(_face, faces)),
        )
        for mark, faces in zip(said, counted, strict=True)
    )


# Piles ----------------------------------------------------------------------------------------------------


def _face(name: str) -> Face:
    card = catalog().cards[name]
    return Face(name, card.color, name[0], card.rank)


def _discards(discard: Sequence[str]) -> Iterator[tuple[str, tuple[tuple[Face, int, int], ...]]]:
    count, cards = Counter(discard), catalog()
    copies: Mapping[str, int] = dict(zip(cards.faces, cards.deck, strict=True))
    for suit in cards.suits:
        faces = [face for face, card in cards.cards.items() if card.color == suit.color and count[face]]
        yield suit.color, tuple((_face(face), count[face], copies[face]) for face in faces)
