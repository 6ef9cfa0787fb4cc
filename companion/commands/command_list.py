"""The list of commands, and their argument parsers.

A command is imported only when it is used, because importing all of them takes longer than most of them run."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

Subparsers = Any
"""The type of what `add_subparsers()` returns, which is private to argparse."""


@dataclass(frozen=True)
class Command:
    """A command. `module`: the module in this folder that adds it, perhaps together with others. `help`: what the
    command does, in one line."""

    module: str
    help: str

    def add(self, subparsers: Subparsers) -> None:
        """Imports the module, and adds its commands and their arguments."""
        import_module(f"companion.commands.{self.module}").add(subparsers)


COMMANDS: Final[Mapping[str, Command]] = {
    "run": Command("run", "run the service: camera, buttons, journal, and pages for phones"),
    "venue": Command("venue", "show many tables on one wall, and keep their results; needs the extra [mqtt]"),
    "play": Command("play_json_lines", "referee a game: read moves as JSON lines, print positions"),
    "simulate": Command("simulate", "play whole games and print how they end"),
    "read": Command("read", "decode the codes in images, and print where they are"),
    "watch": Command(
        "watch", "follow a camera, a video or a stream, and print when a code appears, moves, turns or leaves"
    ),
    "record": Command(
        "recording_commands",
        "record the table from now on: what the camera sees, and small pictures when something is in the wrong place",
    ),
    "replay-table": Command(
        "replay_recording", "run a recording of the table through this version of Tablekeeper, and compare the results"
    ),
    "print": Command("print_commands", "write a game’s cards, mat and tokens to a PDF file"),
    "codes": Command(
        "print_commands",
        "list the id and the content of every printed code, including those at the corners of the mats",
    ),
    "mat": Command("print_commands", "print where a mat’s codes and zones are"),
    "cards": Command("card_data", "check a game’s card data and print it"),
    "board": Command("board_check", "check a board and print what is on it"),
    "games": Command("journal_commands", "list the games that can be played and the games in the journal"),
    "export": Command("journal_commands", "write a game of the journal to a file"),
    "import": Command("journal_commands", "add an exported game to the journal"),
    "replay": Command("journal_commands", "print every position of a stored or exported game, one per line"),
    "verify": Command("journal_commands", "check that a stored or exported game replays to the same positions"),
    "doctor": Command(
        "doctor", "check camera, GPIO, box, zbar, disk, clock, network and permissions; say how to fix what is wrong"
    ),
    "backup": Command(
        "backup", "save games, calibration, certificates and settings to one file; a service may be running"
    ),
    "restore": Command("backup", "verify a backup, then restore it; what it replaces is kept in a folder of its own"),
    "update": Command("update", "install another version on an installed table, and go back if it doesn’t work"),
    "support": Command(
        "support", "collect logs, checks, versions and settings in one file, without secrets, for people who help you"
    ),
    "config": Command("config_check", "check a settings file"),
    "drill": Command(
        "drill", "inject faults into a simulated table, and report what players saw and how long recovery took"
    ),
    "hotspot": Command("hotspot", "open the table’s own Wi-Fi if the table isn’t on a network"),
    "bench": Command("bench", "measure Tablekeeper’s speed relative to other tools, in the same run"),
}
"""The commands by name, in the order of `tablekeeper --help`."""


def command_parser(subparsers: Subparsers, name: str, example: str) -> argparse.ArgumentParser:
    """Adds a command of the list and returns its argument parser. The command's `--help` ends with `example`."""
    return subcommand_parser(subparsers, name, COMMANDS[name].help, example)


def subcommand_parser(subparsers: Subparsers, name: str, help: str, example: str) -> argparse.ArgumentParser:
    """Adds a command below another one, and returns its argument parser. The command's `--help` ends with `example`."""
    command: argparse.ArgumentParser = subparsers.add_parser(
        name,
        help=help,
        description=help[0].upper() + help[1:] + ".",
        epilog=f"example: {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return command
