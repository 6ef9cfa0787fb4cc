"""`tablekeeper cards`: a game's data, checked and resolved."""

from __future__ import annotations

import argparse
import json
from typing import Any

from companion.commands import CommandError
from companion.commands.arguments import Subparsers, add_game, parser
from companion.games import GAMES


def add(subparsers: Subparsers) -> None:
    """The command's arguments."""
    cards = parser(
        subparsers, "cards", "check a game's data file and print what is in it", "tablekeeper cards systems-failing"
    )
    add_game(cards)
    cards.add_argument("--json", action="store_true", help="print JSON")
    cards.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the data; a mistake in the file was told when the game was loaded."""
    game = GAMES[args.game]
    if game.data is None:
        raise CommandError(f"{game.title} has no cards.")
    data = game.data()
    print(json.dumps(data) if args.json else "\n".join(_table(data)))
    return 0


def _table(data: dict[str, Any]) -> list[str]:
    lines = []
    for kind, entries in data.items():
        lines.append(f"{kind}:")
        for entry in entries:
            values = entry.values() if isinstance(entry, dict) else [entry]
            lines.append("  " + "  ".join(", ".join(v) if isinstance(v, list) else str(v) for v in values))
    return lines
