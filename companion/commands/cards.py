"""`tablekeeper cards`: prints the data of a game's cards, from the game's data file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping

from companion.commands import CommandError
from companion.commands.arguments import Subparsers, add_game, parser
from companion.games import GAMES
from companion.games.rules import Json


def add(subparsers: Subparsers) -> None:
    """Adds the command `cards` and its arguments."""
    cards = parser(subparsers, "cards", "print the data of a game's cards", "tablekeeper cards systems-failing")
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


def listing(data: Mapping[str, Json]) -> Iterator[str]:
    """Yields the content of a data file as lines of text: a heading for each kind of entry, and a line for each
    entry."""
    for kind, entries in data.items():
        match entries:
            case str():
                yield f"{kind}: {entries}"
            case dict():
                yield from (f"{kind}:", *(f"  {name}  {_entry_text(value)}" for name, value in entries.items()))
            case _:
                yield from (f"{kind}:", *(f"  {_entry_text(entry)}" for entry in entries))


def _entry_text(entry: Json) -> str:
    match entry:
        case dict():
            return "  ".join(_entry_text(value) for value in entry.values() if value is not None)
        case list():
            return ", ".join(map(_entry_text, entry))
    return str(entry)
