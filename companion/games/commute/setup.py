"""Setting up Commute: options and set-up files, checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from companion.games.board_files import board_option, chosen_board, settled
from companion.games.commute.board import Board
from companion.games.commute.catalog import boards, files, read
from companion.games.commute.components import equipment_on
from companion.games.commute.deck import DECK, UNSEEN
from companion.games.commute.moves import OptionId, SpaceId
from companion.games.commute.rules import State
from companion.games.commute.uh_oh import uh_oh_cards
from companion.games.rules import Option, Start, check_keys
from companion.text.refusals import SetupError
from companion.text.translation import _

BOARD = board_option(files(), "metropolis", "The city that you live and work in.")

ROUNDS = Option(
    "rounds",
    "Rounds",
    (("", "One for each player"), ("0.5", "A single morning"), *((f"{n}", f"{n}") for n in range(1, 6))),
    "",
    "A round is a morning and an evening.",
    other="any number of half rounds",
)
MOST_ROUNDS = 50

OPTIONS = (BOARD, ROUNDS)


def settle(setup: Mapping[str, Any]) -> Mapping[str, Any]:
    """The set-up with the text of a person's own board in it; raises SetupError."""
    return settled(setup, BOARD)


def begin(seats: int, setup: Mapping[str, Any]) -> Start[State]:
    """The position before the first deal, and what the set-up fixes; raises SetupError. A person's own board must be
    settled."""
    check_keys("Commute", setup, ("board", "rounds", "deck", "uh_oh", "houses"))
    board, cards = _board(setup), uh_oh_cards()
    houses = _houses(setup.get("houses", []), board, seats)
    state = State(
        board=board,
        cards=cards,
        houses=houses,
        commutes=_commutes(setup.get(ROUNDS.name, ROUNDS.default), seats),
        positions=houses,
        hands=((),) * seats,
        minutes=(0,) * seats,
        reputation=(0,) * seats,
        arrived=(False,) * seats,
        skips=(0,) * seats,
        uh_oh_deck=frozenset(cards),
        order=_some(setup.get("deck", []), "deck", DECK, len(DECK)),
        uh_oh_order=_some(setup.get("uh_oh", []), "uh_oh", tuple(cards), len(cards)),
    )
    return Start(state, identifiers=names_on(board), components=equipment_on(board))


def names_on(board: Board) -> Mapping[Any, Collection[str]]:
    """The names that a board brings."""
    return {SpaceId: tuple(board.spaces), OptionId: (*DECK, UNSEEN, *board.lines)}


def _board(setup: Mapping[str, Any]) -> Board:
    board = chosen_board(setup, BOARD, boards(), read)
    if board.name in files() and not isinstance(setup.get(BOARD.name, BOARD.default), str):
        raise SetupError(
            _("{board} is the name of a board that comes with the game; change it in the file.", board=board.name)
        )
    return board


def _commutes(value: Any, seats: int) -> int:
    """ "By default, the number of rounds played is equal to the number of players, but the players can agree on the
    number of rounds, even playing just a half of a round." """
    if value == ROUNDS.default and isinstance(value, str):
        return 2 * seats
    try:
        twice = 2 * float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else 0.0
    except (ValueError, OverflowError):
        twice = 0.0
    if not twice.is_integer() or not 1 <= twice <= 2 * MOST_ROUNDS:
        raise SetupError(
            _("rounds is {value}; it must be 0.5 to {most}, in halves.", value=repr(value), most=MOST_ROUNDS)
        )
    return int(twice)


def _houses(value: Any, board: Board, seats: int) -> tuple[str, ...]:
    """ "Players choose … a house"; seats for which none is chosen take the board's first ones left."""
    if seats > len(board.houses):
        raise SetupError(
            _(
                "{board} has {houses} houses, too few for {seats} seats.",
                board=board.name,
                houses=len(board.houses),
                seats=seats,
            )
        )
    given = _some(value, "houses", board.houses, seats)
    left = [house for house in board.houses if house not in given]
    return (*given, *left[: seats - len(given)])


def _some(value: Any, key: str, known: tuple[str, ...], most: int) -> tuple[str, ...]:
    """Some of the known names, each once."""
    if not isinstance(value, list):
        raise SetupError(_("{key} must be a list.", key=key))
    for name in value:
        if not isinstance(name, str) or name not in known:
            some = f"{known[0]}, {known[1]}, … {known[-1]}"
            raise SetupError(_("{key} holds {name}; it may hold {known}.", key=key, name=repr(name), known=some))
        if value.count(name) > 1:
            raise SetupError(_("{key} holds {name} twice.", key=key, name=name))
    if len(value) > most:
        raise SetupError(_("{key} holds {n} names, {most} are the most.", key=key, n=len(value), most=most))
    return tuple(value)
