"""docs/contract.md names everything that other programs can rely on, and its examples are what the program really
prints."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from companion import component_qr_codes
from companion.__main__ import main
from companion.games import GAMES
from companion.games.rules import HouseMove
from companion.text.refusal_errors import Refusal
from web.api.openapi import description
from web.error_responses import HTTP_ERRORS
from web.moves.photo_moves import PROBLEMS

ROOT = Path(__file__).parents[1]
CONTRACT = (ROOT / "docs" / "contract.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", CONTRACT, re.MULTILINE | re.DOTALL)
TRANSCRIPTS = [text for kind, text in BLOCKS if kind == "console"]
MESSAGE = re.compile(r'"message":"(?:[^"\\]|\\.)*"')


def is_named(name: str, text: str = CONTRACT) -> bool:
    """Whether `text` contains `name` in code font, alone or as a whole word of a longer piece of code."""
    return any(name in re.findall(r"[\w./-]+", span) for span in re.findall(r"`([^`\n]+)`", text))


def section(heading: str) -> str:
    """The text under a heading, up to the next heading of the same level."""
    level = re.escape(re.match(r"#+ ", heading)[0])  # type: ignore[index]
    found = re.search(rf"^{re.escape(heading)}$(.*?)(?=^{level}|\Z)", CONTRACT, re.MULTILINE | re.DOTALL)
    assert found, heading
    return found[1]


def section_of_game(name: str) -> str:
    """The section of a game. The test is skipped for a new game, whose JSON is not promised yet."""
    if f"### {name}" not in CONTRACT.splitlines():
        pytest.skip(f"{name} has no section in docs/contract.md yet")
    return section(f"### {name}")


def help_of(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    return capsys.readouterr().out


def test_every_command_and_option_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """The document names exactly the commands and options that `--help` lists."""
    commands = re.findall(r"^    ([\w-]+)(?: |$)", help_of(capsys), re.MULTILINE)
    rows = dict(re.findall(r"^\| `tablekeeper ([\w-]+)(.*)$", section("## Command line"), re.MULTILINE))
    assert set(rows) == set(commands)
    assert len(commands) >= 17
    for command in commands:
        row = rows[command] + (rows["run"] if "options of `run`" in rows[command] else "")
        options = set(re.findall(r"(?<![\w-])--[a-z-]+", help_of(capsys, command).split("\nexample:")[0]))
        assert {option for option in options - {"--help", "--output"} if option not in row} == set(), command


@pytest.mark.parametrize("name", GAMES)
def test_every_move_of_every_game_is_named(name: str) -> None:
    """Each game's section names every move with its keys, under the seats' moves or the house's."""
    text = section_of_game(name)
    seats_part, _, house_part = text.partition("| house's move |")
    for kind in GAMES[name].rules.moves:
        part = house_part if issubclass(kind, HouseMove) else seats_part
        use = getattr(kind, "use", None)
        assert is_named(kind.NAME, part), kind
        assert use is None or is_named(use, part), kind
        keys = {field.name.removesuffix("_") for field in fields(kind)} - {"seat"}
        assert {key for key in keys if not is_named(key, part)} == set(), kind


@pytest.mark.parametrize("name", GAMES)
def test_every_key_of_a_state_and_every_option_is_named(name: str) -> None:
    rules, text = GAMES[name].rules, section_of_game(name)
    state = rules.begin(rules.seat_count(None), {}).state.to_json()
    assert {key for key in (*state, *(option.name for option in rules.options)) if not is_named(key, text)} == set()


def test_every_route_is_named() -> None:
    """The document names every route of the OpenAPI description, and no other route."""
    text = section("## HTTP")
    assert {path for path in description()["paths"] if not is_named(path, text)} == set()
    described = set(re.findall(r"/(?:api/[a-z.]+|healthz)", text)) - set(description()["paths"])
    assert described == set()


def error_codes() -> Iterator[str]:
    """Yields the code of every refusal in the source."""
    kinds = [Refusal]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        yield from [kind.code] if "code" in vars(kind) else []
    yield from (code for code, _ in HTTP_ERRORS.values())
    yield from (code for _, code, _ in PROBLEMS.values())
    for path in sorted((ROOT / "web").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="RequestError"), args=[_, ast.Constant(value=str(code)), *_]):
                    yield code


def test_every_error_code_is_named() -> None:
    """The table of codes lists exactly the codes that can be raised."""
    listed = {
        code
        for cell in re.findall(r"^\| (`.*?) \|", section("## Error codes"), re.MULTILINE)
        for code in re.findall(r"`(\w+)`", cell)
    }
    assert set(error_codes()) | {"refused", "unreadable"} == listed


def examples() -> Iterator[Any]:
    """Yields the values of all JSON examples. A block contains a single value, or one value per line."""
    for kind, text in BLOCKS:
        if kind == "json":
            try:
                yield json.loads(text)
            except json.JSONDecodeError:
                decoder, rest = json.JSONDecoder(), text.strip()
                while rest:
                    value, end = decoder.raw_decode(rest)
                    yield value
                    rest = rest[end:].strip()


def test_every_json_example_parses() -> None:
    assert len(list(examples())) >= 20


def test_the_example_of_a_code_is_the_printed_one() -> None:
    (code,) = next(value for value in examples() if isinstance(value, list) and "matrix" in value[0])
    assert code["payload"] == component_qr_codes.payload(code["id"])
    assert code["matrix"] == list(component_qr_codes.matrix(code["id"]))


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda text: text.split("tablekeeper ")[1].split(" -")[0])
def test_a_transcript_is_what_the_program_prints(transcript: str) -> None:
    """Each command in a transcript prints exactly the output that is shown below it, except for messages for people."""
    command, _, printed = transcript.removeprefix("$ ").partition("\n")
    assert "tablekeeper play" in command
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=ROOT, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=True
    )
    assert MESSAGE.sub('"message":"…"', done.stdout) == printed


@pytest.mark.parametrize("name", GAMES)
def test_there_are_transcripts_of_every_game(name: str) -> None:
    assert section_of_game(name)
    assert any(f"play {name} " in text for text in TRANSCRIPTS)
