"""`tablekeeper config check`: prints what is wrong with a settings file, and the settings that are used."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

from companion.commands import CommandError
from companion.commands.command_list import Subparsers, command_parser, subcommand_parser
from companion.commands.data_folder import data_folder
from companion.commands.redacted_settings import shown_address
from companion.commands.settings_file import INSTALLED, Settings, read_settings
from companion.devices.pins import Pins
from companion.mqtt.broker_address import Broker


def add(subparsers: Subparsers) -> None:
    """Adds the command `config` and its arguments."""
    command = command_parser(
        subparsers,
        "config",
        "tablekeeper config check\n         tablekeeper config check my.toml",
    )
    actions = command.add_subparsers(metavar="check", required=True)
    check = subcommand_parser(
        actions,
        "check",
        "check a settings file, and print what it sets",
        "tablekeeper config check my.toml",
    )
    check.add_argument("file", type=Path, nargs="?", default=INSTALLED, metavar="FILE", help=str(INSTALLED))
    check.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints each problem with the file, and the settings that are used. Raises CommandError if there is a problem."""
    defaults = Settings(data=data_folder())
    found = read_settings(args.file, defaults)
    for problem in found.problems:
        print(f"FAIL  {problem!s}")
    for field in fields(Settings):
        value = getattr(found.settings, field.name)
        if value != getattr(defaults, field.name):
            print(f"ok    {field.name} = {_shown(field.name, value)}")
    if found.data_problem:
        raise CommandError(f"Nobody can play with {args.file}, because it’s unclear where the games are stored.")
    if found.problems:
        raise CommandError(f"{len(found.problems)} of the settings in {args.file} can’t be used; the others count.")
    print("All good.")
    return 0


def _shown(name: str, value: object) -> object:
    """The value of a setting, for people: without passwords, and without the names of our own classes."""
    if isinstance(value, Broker):
        return value.address
    if isinstance(value, Pins):
        return ", ".join(f"{part} {bcm}" for part, bcm in value.used().items())
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return shown_address(value) if name == "camera" and isinstance(value, str) else value
