"""The options and the set-up of Commute. This module checks them and creates the position before the first deal."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from companion.games.board_files import board_option, selected_board, with_board_file
from companion.games.commute.board import Board
from companion.games.commute.board_reader import boards, files, read
from companion.games.commute.component_set import component_set_for
from companion.games.commute.moves import OptionId, SpaceId
from companion.games.commute.position_parts import Deck, UhOhPosition
from companion.games.commute.rules import State
from companion.games.commute.suits_and_ranks import DECK, UNSEEN
from companion.games.commute.uh_oh_cards import uh_oh_cards
from companion.games.rules import Option, Start, check_keys
from companion.games.setup_list_checks import distinct_names
from companion.text.messages import _
from companion.text.refusal_errors import SetupError

BOARD = board_option(files(), "metropolis", "The city where you live and work.")

ROUNDS = Option(
    "rounds",
    "Rounds",
    (("", "One for each player"), ("0.5", "A single morning"), *((f"{n}", f"{n}") for n in range(1, 6))),
    "",
    "A round is a morning and an evening.",
    other="any number of half rounds",
)
MAX_ROUNDS = 50

OPTIONS = (BOARD, ROUNDS)


def resolve_setup(setup: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the set-up with the text of a board file in place of the file's path, if it contains a path. Raises
    SetupError if the file can't be read."""
    return with_board_file(setup, BOARD)


def begin(seats: int, setup: Mapping[str, Any]) -> Start[State]:
    """The start of a game: the position before the first deal, the valid ids, and the components of the board. The
    set-up must be a result of `resolve_setup`, which reads board files. Raises SetupError if the set-up has an unknown
    key or a wrong value."""
    check_keys("Commute", setup, ("board", "rounds", "deck", "uh_oh", "houses"))
    board, cards = _board(setup), uh_oh_cards()
    houses = _houses(setup.get("houses", []), board, seats)
    state = State(
        board=board,
        uh_oh_cards=cards,
        houses=houses,
        commute_count=_commute_count(setup.get(ROUNDS.name, ROUNDS.default), seats),
        locations=houses,
        hands=((),) * seats,
        minutes=(0,) * seats,
        reputation=(0,) * seats,
        arrived=(False,) * seats,
        skips=(0,) * seats,
        deck=Deck(fixed_draws=distinct_names(setup.get("deck", []), "deck", DECK, len(DECK))),
        uh_oh=UhOhPosition(
            deck=frozenset(cards),
            fixed_draws=distinct_names(setup.get("uh_oh", []), "uh_oh", tuple(cards), len(cards)),
        ),
    )
    return Start(state, identifiers=identifiers_for(board), components=component_set_for(board))


def identifiers_for(board: Board) -> Mapping[Any, Collection[str]]:
    """The valid ids on a board, by type of id: the ids of spaces, and the ids of options (cards and metro lines)."""
    return {SpaceId: tuple(board.spaces), OptionId: (*DECK, UNSEEN, *board.lines)}


def _board(setup: Mapping[str, Any]) -> Board:
    """The board that the set-up selects. Raises SetupError if there is no such board, if its file has errors, or if a
    board file has the name of a built-in board."""
    board = selected_board(setup, BOARD, boards(), read)
    if board.name in files() and not isinstance(setup.get(BOARD.name, BOARD.default), str):
        raise SetupError(_("{board} is the name of a built-in board. Change it in the file.", board=board.name))
    return board


def _commute_count(value: Any, seats: int) -> int:
    """The number of commutes in a game of `value` rounds: two for each round. `value` may be any number of half rounds
    up to MAX_ROUNDS rounds. The default is one round for each seat. Raises SetupError for any other value."""
    if value == ROUNDS.default and isinstance(value, str):
        return 2 * seats
    try:
        twice = 2 * float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else 0.0
    except (ValueError, OverflowError):
        twice = 0.0
    if not twice.is_integer() or not 1 <= twice <= 2 * MAX_ROUNDS:
        raise SetupError(
            _("rounds is {value}; it must be 0.5 to {most}, in halves.", value=repr(value), most=MAX_ROUNDS)
        )
    return int(twice)


def _houses(value: Any, board: Board, seats: int) -> tuple[str, ...]:
    """The house of each seat. `value` lists the houses of the first seats. The other seats get the board's remaining
    houses, in order. Raises SetupError if the board has too few houses or `value` is wrong."""
    if seats > len(board.houses):
        raise SetupError(
            _(
                "{board} has {houses} houses, which is too few for {seats} seats.",
                board=board.name,
                houses=len(board.houses),
                seats=seats,
            )
        )
    given = distinct_names(value, "houses", board.houses, seats)
    left = [house for house in board.houses if house not in given]
    return (*given, *left[: seats - len(given)])
