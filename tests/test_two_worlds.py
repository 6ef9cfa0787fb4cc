"""Nothing reveals to a viewer what it may not know: checked for every game on the shelf that has hidden information.

A fifth game is checked as soon as it is on the shelf. The games' own tests examine single rules more closely.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from companion.games import GAMES
from companion.games.game import Game, Meter, PhysicalGame
from companion.games.rules import Move, Start, Viewer
from companion.tabletop.layout import Layout
from companion.text.refusals import IllegalMove
from tests.phones import SECRETS, Deal, Guess, Secrets
from tests.two_worlds import compare_worlds

HIDDEN = [pytest.param(game, id=name) for name, game in GAMES.items() if game.rules.has_hidden_information]


@pytest.mark.parametrize("game", HIDDEN)
def test_a_viewer_is_told_the_same_in_two_worlds_that_it_cannot_tell_apart(game: Game[Any]) -> None:
    """Both worlds give the same view, log, legal moves, labels, refusals, layout, meters, `play --seat` output, pages
    and events."""
    compare_worlds(game)


# The comparison itself: games that leak ---------------------------------------------------------------


def other_card(state: Secrets) -> str:
    """The hidden card of the seat that is not in turn, or of either seat at the end."""
    return str(state.cards[1 - state.turn if isinstance(state.turn, int) else 0])


class TellsAll(Secrets):
    """A position that hides nothing."""

    def as_known_to(self, viewer: Viewer) -> Secrets:
        return self


class Refuses(Secrets):
    """A position in which a guess can't be repeated."""

    def play(self, move: Any) -> Secrets:
        if isinstance(move, Guess) and move.card in self.guesses:
            raise IllegalMove(self.refusal())
        return super().play(move)

    def legal_moves(self) -> Iterator[Move]:
        return (move for move in super().legal_moves() if move.card not in self.guesses)  # type: ignore[attr-defined]

    def refusal(self) -> str:
        return "That was guessed."


class RefusesWithTheCard(Refuses):
    def refusal(self) -> str:
        return f"That was guessed; it is {other_card(self)}."


class OffersTheCardOnly(Secrets):
    """A position in which a guess must be close to the hidden card."""

    def legal_moves(self) -> Iterator[Move]:
        return (move for move in super().legal_moves() if abs(move.card - int(other_card(self))) < 5)  # type: ignore[attr-defined]


def playing(state: type[Secrets], moves: tuple[type[Move], ...] = (Deal, Guess)) -> Game[Any]:
    """The game Secrets with this state class."""
    rules = replace(SECRETS.rules, begin=lambda seats, setup: Start(state()), moves=moves)
    return replace(SECRETS, rules=rules)


def saying(**text: Any) -> Game[Any]:
    """The game Secrets, in which guesses can't be repeated, with these texts."""
    return replace(playing(Refuses), text=replace(SECRETS.text, **text))


def with_physical(**fields: Any) -> Game[Any]:
    """The game Secrets, in which guesses can't be repeated, with this physical side."""
    return replace(playing(Refuses), physical=PhysicalGame(**fields))


def cards_in_all_hands(state: Secrets, viewer: Viewer) -> Layout:
    return Layout(cards={f"hand {seat}": (str(card),) for seat, card in enumerate(state.cards)})


LEAKS: dict[str, Game[Any]] = {
    "position": playing(TellsAll),
    "refusal": playing(RefusesWithTheCard),
    "legal moves": playing(OffersTheCardOnly),
    "label": saying(label=lambda state, move, viewer, names: ("Guess", f"{move.card} or {other_card(state)}")),
    "log": saying(log_line=lambda before, move, after, viewer, names: f"{names[0]}: {move}"),
    "prompt": saying(prompt=lambda state, viewer, names: f"{state.cards}"),
    "help": saying(help_topic=lambda state, viewer: f"{state.cards}"),
    "pause": saying(pause_label=lambda state: f"Deal after {state.cards}"),
    "meter": with_physical(meters=lambda state: tuple(Meter("card", card, 1, 9) for card in state.cards)),
    "dial": with_physical(dial_moves=lambda state: [*state.legal_moves()][: int(other_card(state))]),
    "layout": with_physical(layout=cards_in_all_hands),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_found(monkeypatch: pytest.MonkeyPatch, leak: str) -> None:
    """The comparison finds a leak in any channel."""
    monkeypatch.setitem(GAMES, "secrets", LEAKS[leak])
    with pytest.raises(AssertionError, match=r"Deal|Guess|guess"):
        compare_worlds(LEAKS[leak])


def test_a_game_without_a_leak_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game without a leak passes. Every channel was compared, and in each the worlds could have differed."""
    game = playing(Refuses)
    monkeypatch.setitem(GAMES, "secrets", game)
    assert min(compare_worlds(game).values()) >= 3


class OpenDeal(Deal):
    """A deal that everyone sees."""

    def as_known_to(self, viewer: Viewer, before: Any) -> Move:
        return self


class DealsOpenly(Secrets):
    def chances(self) -> Iterator[tuple[OpenDeal, int]]:
        return ((OpenDeal(to=move.to, card=move.card), weight) for move, weight in super().chances())  # type: ignore[attr-defined]


class HidesNothing(DealsOpenly, TellsAll):
    """A game that declares hidden information but has none."""


@pytest.mark.parametrize("state", [DealsOpenly, HidesNothing])
def test_a_game_that_hides_nothing_in_its_log_is_found(state: type[Secrets]) -> None:
    """The comparison fails if it could compare nothing."""
    with pytest.raises(AssertionError, match="secrets has hidden information, but the state of no two worlds"):
        compare_worlds(playing(state, (OpenDeal, Guess)))
