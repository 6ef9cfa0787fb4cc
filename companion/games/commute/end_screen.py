"""How a game of Commute ended: the result as a sentence, the figures that tell how it went, and all hands.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.drawing.canvas import PAPER
from companion.games.commute.display_names import card_name
from companion.games.commute.emblems import SUIT_COLORS
from companion.games.commute.moves import UhOh
from companion.games.commute.position import Position
from companion.games.commute.scoring import BEST_MORNING_MINUTES
from companion.games.commute.suits_and_ranks import UNSEEN
from companion.games.end_screen import KeyFigure, OpenCard
from companion.games.rules import Move, Names, Viewer
from companion.text.messages import Number, Text, _, listed, plural


def ending(position: Position, names: Names) -> Text:
    """The sentence that says who has won the game."""
    winners = listed([names[seat] for seat in position.winners])
    return plural(
        "{winners} wins with {most} reputation.",
        "{winners} share the win, with {most} reputation each.",
        len(position.winners),
        winners=winners,
        most=_top_reputation(position),
    )


def ending_for_winner(position: Position, names: Names, viewer: Viewer) -> Text:
    """The sentence about the end of the game for `viewer`, who is a winner."""
    if others := listed([names[seat] for seat in position.winners if seat != viewer]):
        return _(
            "You and {others} share the win, with {most} reputation each!",
            others=others,
            most=_top_reputation(position),
        )
    return _("You win with {most} reputation!", most=_top_reputation(position))


def _top_reputation(position: Position) -> str:
    """The highest reputation of any player, as text."""
    return f"{max(position.reputation)}".replace("-", "−")


def key_figures(steps: Sequence[tuple[Position, Move, Position]], names: Names) -> Iterator[KeyFigure]:
    """Yields up to three figures: the morning total that came closest to BEST_MORNING_MINUTES, the minutes of the
    fastest evening, if there was one, and the number of "Uh-Oh!" cards drawn."""
    results = steps[-1][2].results
    mornings = [minutes for result in results[::2] for minutes in result.minutes]
    evenings = [minutes for result in results[1::2] for minutes in result.minutes]
    closest = min(mornings, key=lambda minutes: abs(minutes - BEST_MORNING_MINUTES), default=0)
    yield KeyFigure(_("Best morning"), _("{n} min", n=closest))
    if evenings:
        yield KeyFigure(_("Fastest evening"), _("{n} min", n=min(evenings)))
    yield KeyFigure(_("“Uh-Oh!” cards"), Number(sum(isinstance(move, UhOh) for _before, move, _after in steps)))


def open_hands(position: Position) -> tuple[tuple[OpenCard, ...], ...]:
    """The cards in each hand."""
    return tuple(tuple(map(_open_card, hand)) for hand in position.hands)


def _open_card(card: str) -> OpenCard:
    if card == UNSEEN:
        return OpenCard(card_name(card), UNSEEN)
    return OpenCard(card_name(card), card[:-1], f"suit-{card[-1]}", PAPER, SUIT_COLORS[card[-1]])
