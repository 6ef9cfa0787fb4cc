"""The commands about printed components: `tablekeeper print`, `codes` and `mat`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, get_args

from companion import component_qr_codes
from companion.commands import CommandError, UsageError
from companion.commands.arguments import add_game, add_options, begin
from companion.commands.command_list import Subparsers, command_parser
from companion.games import GAMES
from companion.games.game import Game
from companion.printing.options import Contents, PrintOptions, Sides
from companion.tabletop.mat import Mat


def add(subparsers: Subparsers) -> None:
    """Adds the commands `print`, `codes` and `mat`, and their arguments."""
    prints = command_parser(
        subparsers,
        "print",
        "tablekeeper print systems-failing -o sf.pdf --paper letter",
    )
    add_game(prints)
    prints.add_argument("-o", "--output", metavar="FILE.pdf", type=Path, help="GAME.pdf by default")
    prints.add_argument("--paper", choices=("a4", "letter"), default="a4", help="a4 by default")
    prints.add_argument(
        "--code-mm",
        type=float,
        metavar="MM",
        help=f"the side of the codes on cards, in mm: at least {component_qr_codes.MIN_CODE_MM:g}, and at most what "
        "the cards have room for (25, or less if they have no room for that)",
    )
    prints.add_argument(
        "--sides",
        choices=get_args(Sides),
        default="paired",
        help="paired (the default): all pages in pairs, so that the whole file can be printed on both sides at once; "
        "both: cards on both sides, the mat on one, without blank pages; one: everything on one side",
    )
    prints.add_argument("--low-ink", action="store_true", help="pale areas with outlines in place of dark ones")
    prints.add_argument(
        "--small",
        action="store_true",
        help="smaller cards, if a camera that sees the whole mat can still read them; the first page gives its height",
    )
    prints.add_argument(
        "--stickers",
        action="store_true",
        help="print codes to stick on cards that you own, instead of those cards (commute: any standard deck)",
    )
    add_options(prints)
    prints.set_defaults(run=run_print)

    listing = command_parser(
        subparsers,
        "codes",
        "tablekeeper codes systems-failing --json",
    )
    add_game(listing, optional=True)
    listing.add_argument("--json", action="store_true", help="print JSON, with the pattern of each code too")
    listing.set_defaults(run=run_codes)

    mat = command_parser(subparsers, "mat", "tablekeeper mat systems-failing --json")
    add_game(mat)
    add_options(mat)
    mat.add_argument("--json", action="store_true", help="print JSON")
    mat.set_defaults(run=run_mat)


def _game_on_board(args: argparse.Namespace) -> Game[Any]:
    """The game that the arguments name, on the board that the options choose. Raises UsageError if the options are
    wrong."""
    game = GAMES[args.game]
    return game.on_board(begin(game, None, args.option)[1])


def run_print(args: argparse.Namespace) -> int:
    """Writes a game's cards, mat and tokens to a PDF file."""
    # Imported here, because loading it takes half a second, and other commands don't need it.
    from companion.printing.pdf import print_game
    from companion.printing.printable_components import PrintError, with_stickers

    game = _game_on_board(args)
    path = args.output or Path(f"{game.name}.pdf")
    if not game.physical.components.components and game.physical.components.mat is None:
        raise CommandError(f"{game.title} has nothing to print: no cards, no mat.")
    options = PrintOptions(args.paper, args.code_mm, args.sides, low_ink=args.low_ink, small=args.small)
    try:
        contents = print_game(with_stickers(game) if args.stickers else game, path, options)
    except PrintError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise CommandError(f"{path} can’t be written ({error.strerror}); name another file with -o.") from error
    print(f"{path}: print it at 100%, {_sides(contents)}; its first page says how.")
    return 0


def _sides(contents: Contents) -> str:
    """A phrase that says which pages to print on both sides of the paper, and which on one side."""
    if contents.both_sides and contents.one_side:
        (first, last), (next_first, next_last) = contents.both_sides, contents.one_side
        return (
            f"pages {first} to {last} on both sides, flipped on the long edge, pages {next_first} to {next_last} on one"
        )
    return "both sides, flipped on the long edge" if contents.both_sides else "one side"


def run_codes(args: argparse.Namespace) -> int:
    """Prints a list of the codes of one game, or of all games."""
    games = [GAMES[args.game]] if args.game else [*GAMES.values()]
    ids = [code for game in games for code in game.physical.components.codes()]
    if args.json:
        print(json.dumps([_code_to_json(code) for code in ids]))
        return 0
    if not ids:
        raise CommandError(f"{games[0].title} has no printed codes.")
    for code in ids:
        print(f"{code:<12} {component_qr_codes.payload(code)}")
    return 0


def run_mat(args: argparse.Namespace) -> int:
    """Prints where the codes and the zones of a game's mat are."""
    game = _game_on_board(args)
    if game.physical.components.mat is None:
        raise CommandError(f"{game.title} has no mat.")
    print(json.dumps(game.physical.components.mat.to_json()) if args.json else _mat_text(game.physical.components.mat))
    return 0


def _code_to_json(code: str) -> dict[str, object]:
    return {
        "id": code,
        "payload": component_qr_codes.payload(code),
        "error": component_qr_codes.ERROR_LEVEL,
        "matrix": list(component_qr_codes.matrix(code)),
    }


def _mat_text(mat: Mat) -> str:
    lines = [f"{mat.size[0]:g} x {mat.size[1]:g} mm; positions in mm from its top left corner"]
    lines += [
        f"{corner.id:<12} {corner.code_mm:g} mm code, center at {corner.center[0]:g}, {corner.center[1]:g}"
        for corner in mat.corners
    ]
    for zone in mat.zones:
        points = "  ".join(f"{x:g},{y:g}" for x, y in zone.polygon)
        lines.append(f"{zone.name:<12} {points}")
    return "\n".join(lines)
