"""The command line, and the wiring: the only module that imports web and vision."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from companion.commands import CommandError, UsageError
from companion.datafile import DataError


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command; the exit status is 0 fine, 1 failed, 2 wrong usage. No traceback reaches the user."""
    try:
        args = _parser().parse_args(argv)
        status: int = args.run(args)
        sys.stdout.flush()
    except UsageError as error:
        return _complain(error, 2)
    except (CommandError, DataError) as error:
        return _complain(error, 1)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has gone; without this the interpreter complains once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


def _complain(error: Exception, status: int) -> int:
    print(f"tablekeeper: {' '.join(str(error).split())}", file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    # Imported here, so that a mistake in a data file becomes a line and not a traceback.
    from companion.commands import cards, journal, play, printing, simulate
    from vision import commands as seeing

    parser = argparse.ArgumentParser(prog="tablekeeper", description="A companion for the tabletop.")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for module in (play, simulate, seeing, printing, cards, journal):
        module.add(subparsers)
    return parser


if __name__ == "__main__":
    sys.exit(main())
