"""The simulated deck of a game whose codes, kinds and faces are unrelated strings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from random import Random
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from flask import Flask

from companion.games.ending import Ending
from companion.games.game import Game, GameRules, PhysicalGame
from companion.games.rules import HOUSE, HouseMove, Move, Seat, Start, Viewer
from companion.simulator.draw_from_pile import MatchSnapshot
from companion.simulator.simulated_table import SimulatedTable
from companion.tabletop.components import Component, ComponentSet
from companion.tabletop.expected_layout import Layout
from companion.tabletop.mat import Corner, Mat, Zone, rectangle
from web.error_responses import RequestError
from web.moves import photo_moves

KINDS = {"guard": "Q-4", "priest": "Q-guard", "princess": "ROYAL"}
"""The kind of each card. One kind looks like the code of another card's face."""
COPIES = {"guard": ("Q-17", "Q-03", "Z"), "priest": ("Q-18", "Q-02"), "princess": ("Q-19",)}
MAT = Mat(
    (400, 200),
    tuple(Corner(f"MAT-Q-{n}", (0, 0), 25) for n in range(1, 5)),  # type: ignore[arg-type]
    (
        Zone("deck", "the deck", rectangle(0, 0, 80, 100), "pile"),
        Zone("open", "the open cards", rectangle(100, 0, 300, 100), "right"),
    ),
)
COMPONENTS = ComponentSet(
    components=tuple(
        Component(code, f"a {face}", face.title(), "on the deck", "deck", face=face, kind=KINDS[face])
        for face, codes in COPIES.items()
        for code in codes
    ),
    mat=MAT,
)


@dataclass(frozen=True, kw_only=True)
class Deal(HouseMove):
    NAME: ClassVar[str] = "deal"
    CHANCE_SOURCE: ClassVar[str] = "cards"
    card: str

    @property
    def face(self) -> str:
        return self.card


@dataclass(frozen=True)
class Court:
    """The state of the game: the face-up cards. The princess can only be revealed after all other cards."""

    cards: tuple[str, ...] = ()

    @property
    def turn(self) -> Any:
        return HOUSE if len(self.cards) < sum(map(len, COPIES.values())) else None

    @property
    def ending(self) -> Ending | None:
        return Ending(None) if self.turn is None else None

    def play(self, move: Deal) -> Court:
        return replace(self, cards=(*self.cards, move.card))

    def legal_moves(self) -> Iterator[Move]:
        yield from ()

    def chances(self) -> Iterator[tuple[HouseMove, int]]:
        others = {face: len(COPIES[face]) - self.cards.count(face) for face in ("guard", "priest")}
        weights = others if any(others.values()) else {"princess": 1}
        yield from ((Deal(card=face), weight) for face, weight in weights.items() if weight)

    def as_known_to(self, viewer: Viewer) -> Court:
        return self

    def to_json(self) -> dict[str, Any]:
        return {"turn": self.turn, "over": self.turn is None, "cards": list(self.cards)}


COURT: Game[Any] = Game(
    rules=GameRules(
        name="court",
        title="Court",
        summary="",
        seats=range(2, 3),
        version=1,
        moves=(Deal,),
        begin=lambda seats, setup: Start(Court()),
        chance_sources={"cards": "The cards"},
    ),
    physical=PhysicalGame(
        components=COMPONENTS,
        layout=lambda state, viewer: Layout({"open": tuple(KINDS[face] for face in state.cards)}),
    ),
)


@pytest.mark.parametrize("seed", range(5))
def test_only_cards_that_can_come_are_dealt(seed: int) -> None:
    """A whole deck is drawn from the pile, and each card is one that the rules allow next."""
    positions = [MatchSnapshot(1, Court())]
    table = SimulatedTable(COURT, {}, lambda: positions[-1], rng=Random(seed), hand_s=0)
    face_of = {code: face for face, codes in COPIES.items() for code in codes}
    while (state := positions[-1].state).turn == HOUSE:
        face = face_of[table.draw("pile-1", 120 + 40 * len(positions), 50)]
        (move,) = [move for move, _ in state.chances() if move.face == face]
        positions.append(MatchSnapshot(1, state.play(move)))
    assert positions[-1].state.cards[-1] == "princess"


def completed(codes: Sequence[str]) -> Any:
    view: Any = SimpleNamespace(game=COURT)
    form = {"photo:card": (BytesIO(b""), "card.jpg")}
    with Flask("test").test_request_context(method="POST", data=form):
        return photo_moves.with_card(view, {"seat": Seat(0), "move": "play"}, codes)


def test_a_photograph_completes_a_move_with_the_face_of_the_card() -> None:
    """A photo of two copies of a card gives one face; a photo of two different cards gives none."""
    assert completed(["Q-18", "Q-02"]) == {"seat": 0, "move": "play", "card": "priest"}
    with pytest.raises(RequestError, match="more than one card"):
        completed(["Q-18", "Q-17"])
