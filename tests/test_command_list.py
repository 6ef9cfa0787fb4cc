"""The list of commands, and what a command imports."""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.commands.command_list import COMMANDS

ROOT = Path(__file__).parents[1]
MODULES = sorted({command.module for command in COMMANDS.values()})
IMPORTED = """
import sys
from companion.__main__ import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(*sys.modules, file=sys.stderr)
"""
"""Runs a command, then prints the names of all imported modules to standard error."""


def imported(*words: str) -> set[str]:
    """The modules that a command imports."""
    command = [sys.executable, "-c", IMPORTED, *words]
    return {*subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stderr.split()}


def test_every_module_with_a_command_is_in_the_list() -> None:
    """The list has every module that adds commands."""
    files = (ROOT / "companion" / "commands").glob("*.py")
    assert sorted(file.stem for file in files if "\ndef add(" in file.read_text()) == MODULES


@pytest.mark.parametrize("module", MODULES)
def test_a_module_adds_the_commands_of_the_list(module: str) -> None:
    """Each module adds the commands that the list names, and no other."""
    subparsers = argparse.ArgumentParser().add_subparsers()
    import_module(f"companion.commands.{module}").add(subparsers)
    assert {*subparsers.choices} == {name for name, command in COMMANDS.items() if command.module == module}


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """`tablekeeper --help` lists every command in the order of the list, and so does the error for an unknown one."""
    for words in (["--help"], ["nonsense"]):
        with pytest.raises(SystemExit):
            main(words)
    shown, error = capsys.readouterr()
    listed = [line.split()[0] for line in shown.splitlines() if line[:4].isspace() and line[4:5].strip()]
    assert listed == [*COMMANDS]
    assert error.index("'run'") < error.index("'bench'")


def test_a_command_imports_no_other() -> None:
    """`tablekeeper --help` imports no command, a command imports no other one, and both import no game that they do not
    need."""
    modules = {f"companion.commands.{module}" for module in MODULES}
    assert imported("--help") & {*modules, "companion.games", "numpy"} == set()
    assert imported("config", "--help") & {*modules, "companion.games"} == {"companion.commands.config_check"}
