"""The command line: runs a command, and turns exceptions into one line and an exit status."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper, UnsupportedOperation

from companion.commands import CommandError, UsageError
from companion.commands.command_list import COMMANDS
from companion.commands.startup_errors import TRACEBACK, explanation
from companion.match.journal_error import JournalError
from companion.text.toml_files import DataError
from companion.version import product_version


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status: 0 for success, 1 for failure, 2 for wrong usage, 130 after Ctrl-C.
    The user sees an error as one line, without a traceback."""
    _replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # printing a name must never fail
    try:
        try:
            words = sys.argv[1:] if argv is None else argv
            args = _parser(words).parse_args(words)
            return int(args.run(args))
        finally:
            sys.stdout.flush()
    except UsageError as error:
        return _print_error(error, 2)
    except (CommandError, DataError, JournalError) as error:
        return _print_error(error, 1)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _discard_output()
        return 0
    except OSError as error:
        _discard_output()
        return _print_error(explanation(error), 1)
    except Exception as error:
        if TRACEBACK in os.environ:
            raise
        return _print_error(explanation(error), 1)


def _replace_closed_streams() -> None:
    """Opens the null device in place of each standard stream that is closed (`>&-`). Otherwise the next file that is
    opened would get the descriptor of the stream, and receive the output of the program. The system always assigns the
    lowest free descriptor, so each stream gets its own."""
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: SIM115  # open until exit
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115


def _print_error(message: Exception | str, status: int) -> int:
    print(f"tablekeeper: {' '.join(str(message).split())}", file=sys.stderr)
    return status


def _discard_output() -> None:
    """Discards the output that could not be written. Otherwise the interpreter would try again at exit, and report
    another error."""
    with suppress(UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """The parser for these arguments. It defines only the arguments of the command that `argv` names."""
    parser = argparse.ArgumentParser(prog="tablekeeper", description="A companion for tabletop games.")
    parser.add_argument("--version", action="version", version=f"tablekeeper {product_version()}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    named = COMMANDS.get(next((word for word in argv if not word.startswith("-")), ""))
    for name, command in COMMANDS.items():
        if not named or command.module != named.module:
            subparsers.add_parser(name, help=command.help)
        elif command is named:
            named.add(subparsers)
    return parser


if __name__ == "__main__":
    sys.exit(main())
