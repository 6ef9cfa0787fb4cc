"""`tablekeeper run`: the command and its arguments. `companion.commands.run_service` runs the service itself."""

from __future__ import annotations

import argparse

from companion.commands.command_list import Subparsers, command_parser
from companion.commands.service_settings import add_settings


def add(subparsers: Subparsers) -> None:
    """Adds the command `run` and its arguments."""
    command = command_parser(
        subparsers,
        "run",
        "tablekeeper run --simulate\n         tablekeeper run --camera 0 --config table.toml\n"
        "         tablekeeper run --camera 0 --tls",
    )
    add_settings(command)
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Runs the service until Ctrl-C or SIGTERM."""
    # Imported here, because loading it would slow down the other commands.
    from companion.commands.run_service import run_service

    return run_service(args)
