"""`tablekeeper cards`: prints the data of a game's cards, from the game's data file."""

from __future__ import annotations

import argparse
import json

from companion.commands import CommandError
from companion.commands.arguments import add_game
from companion.commands.command_list import Subparsers, command_parser
from companion.commands.data_file_listing import listing
from companion.games import GAMES


def add(subparsers: Subparsers) -> None:
    """Adds the command `cards` and its arguments."""
    cards = command_parser(subparsers, "cards", "tablekeeper cards systems-failing")
    add_game(cards)
    cards.add_argument("--json", action="store_true", help="print JSON")
    cards.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the data of a game's cards. Raises CommandError for a game without cards."""
    game = GAMES[args.game]
    if game.rules.card_data is None:
        raise CommandError(f"{game.title} has no cards.")
    data = game.rules.card_data()
    print(json.dumps(data) if args.json else "\n".join(listing(data)))
    return 0
