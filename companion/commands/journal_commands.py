"""The commands for the journal: `tablekeeper games`, `export`, `import`, `replay` and `verify`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from companion.commands import CommandError, UsageError
from companion.commands.arguments import new_seed
from companion.commands.command_list import Subparsers, command_parser
from companion.commands.data_folder import add_data, data_folder
from companion.games import GAMES, move_json
from companion.games.rules import Move, Seat, play
from companion.games.what_if_origin import WhatIfOrigin
from companion.match.acknowledged_count import counter_path
from companion.match.game_import_export import export_lines, import_lines, version_with_wrong_draws
from companion.match.history import History, ReplayError, Step, fold
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.match.journal_file_access import PRIVATE_FOLDER, make_private
from companion.match.replay import Replay
from companion.match.shuffle_verification import companion_draws, wrong_draw, wrong_secret
from companion.match.stored_game import StoredGame
from companion.match.view_builder import log_entry
from companion.match.what_if_games import differs_from_original
from companion.text.refusal_errors import IllegalMove


def open_journal(data: Path | None) -> Journal:
    """Opens the journal in the folder `data` (None: the default folder), and creates the journal if there is none.
    Makes the default folder private. Raises CommandError if the journal can't be opened."""
    try:
        journal = Journal(_journal_path(data))
        if _journal_path(data).parent == data_folder():
            make_private(data_folder(), PRIVATE_FOLDER)
        return journal  # noqa: TRY300
    except JournalError as error:
        raise CommandError(str(error)) from error


def _journal_path(data: Path | None) -> Path:
    return (data or data_folder()) / "journal.sqlite3"


def _existing_journal(data: Path | None) -> Journal:
    """Opens the journal in the folder `data` (None: the default folder) for reading only, which neither creates nor
    changes a file. Raises CommandError if there is no journal."""
    if not _journal_exists(data):
        raise CommandError(f"There is no journal in {_journal_path(data).parent}; name the folder with --data.")
    try:
        return Journal.read_only(_journal_path(data))
    except JournalError as error:
        raise CommandError(str(error)) from error


def _journal_exists(data: Path | None) -> bool:
    """Whether there is a journal in the folder `data`. A journal whose file is missing counts too if its counter is
    still there."""
    return _journal_path(data).exists() or counter_path(_journal_path(data)).exists()


def _warn_of_damage(journal: Journal) -> None:
    """Prints what is wrong with the journal, if anything is."""
    if journal.damage:
        print(f"tablekeeper: {journal.damage!s}", file=sys.stderr)


def add(subparsers: Subparsers) -> None:
    """Adds the commands for the journal, and their arguments."""
    games = command_parser(subparsers, "games", "tablekeeper games")
    games.add_argument("--json", action="store_true", help="print JSON")
    games.set_defaults(run=run_games)

    export = command_parser(subparsers, "export", "tablekeeper export 3 -o evening.jsonl")
    export.add_argument("id", metavar="ID", help="the game’s number in the journal, as `tablekeeper games` lists it")
    export.add_argument("-o", "--output", type=Path, metavar="FILE", help="standard output by default")
    export.add_argument(
        "--seat", type=int, metavar="K", help="only what this seat may know; such a file can’t be imported"
    )
    export.set_defaults(run=run_export)

    import_game = command_parser(subparsers, "import", "tablekeeper import evening.jsonl")
    import_game.add_argument("file", metavar="FILE", type=Path, help="a file that `tablekeeper export` wrote")
    import_game.set_defaults(run=run_import)

    for name, run in (("replay", run_replay), ("verify", run_verify)):
        command = command_parser(subparsers, name, f"tablekeeper {name} 3")
        command.add_argument("game", metavar="ID|FILE", help="a game’s number in the journal, or an exported file")
        command.set_defaults(run=run)
        add_data(command)
    for command in (games, export, import_game):
        add_data(command)


def run_games(args: argparse.Namespace) -> int:
    """Prints the games that can be played, and then the games that are stored in the journal. Raises CommandError if
    the journal is damaged."""
    journal = _existing_journal(args.data) if _journal_exists(args.data) else Journal(None)
    _print_games(journal, json_output=args.json)
    if journal.damage:
        raise CommandError(str(journal.damage))
    return 0


def _print_games(journal: Journal, *, json_output: bool) -> None:
    stored = journal.games()
    if json_output:
        playable = [
            {"name": g.name, "title": g.title, "seats": [*g.rules.seats], "summary": g.rules.summary}
            for g in GAMES.values()
        ]
        print(json.dumps({"games": playable, "journal": [_game_to_json(game) for game in stored]}))
        return
    for game in GAMES.values():
        seats = (
            f"{game.rules.seats[0]}" if len(game.rules.seats) == 1 else f"{game.rules.seats[0]}-{game.rules.seats[-1]}"
        )
        print(f"{game.name:20} {seats:>4} players  {game.rules.summary}")
    for played in stored:
        players, title = ", ".join(played.header.players), played.header.game
        what_if = played.header.what_if
        number = journal.original_of(what_if, title, played.id) if what_if else None
        origin = f"  what if of game {number or '(not here)'}" if what_if else ""
        acts = f"{len(played.records):4} acts"
        print(f"{played.id:4}  {played.started}  {_stage(played):8} {title:20} {acts}  {players}{origin}")


def _stage(stored: StoredGame) -> str:
    """The stage of a stored game: "running", "finished" (over, but still on the table) or "ended" (closed, and no
    longer on the table)."""
    if stored.closed:
        return "ended"
    try:
        return "finished" if fold(stored).state.turn is None else "running"
    except ReplayError:
        return "running"


def _game_to_json(stored: StoredGame) -> dict[str, object]:
    return {
        "id": stored.id,
        "game": stored.header.game,
        "players": list(stored.header.players),
        "started": stored.started,
        "closed": stored.closed,
        "stage": _stage(stored),
        "acts": len(stored.records),
        "what_if": stored.header.what_if and stored.header.what_if.to_json(),
    }


def _stored_game(journal: Journal, id: str) -> StoredGame:
    _warn_of_damage(journal)
    if not id.isdecimal():
        raise UsageError(f"{id!r} is not the number of a game; `tablekeeper games` lists them.")
    try:
        return journal.game(int(id))
    except KeyError as error:
        raise CommandError(f"There is no game {id} in the journal; `tablekeeper games` lists them.") from error


def _read_export(file: Path) -> StoredGame:
    try:
        lines = file.read_text("utf-8").splitlines()
        return import_lines(lines, new_seed())
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} can’t be read ({getattr(error, 'strerror', None) or 'it is not text'}).") from error
    except JournalError as error:
        raise CommandError(f"{file}: {error}") from error


def run_export(args: argparse.Namespace) -> int:
    """Writes a game to a file or to standard output, as lines of JSON."""
    stored = _stored_game(_existing_journal(args.data), args.id)
    lines = export_lines(stored) if args.seat is None else _lines_for_seat(stored, args.seat)
    text = "".join(f"{line}\n" for line in lines)
    if args.output is None:
        print(text, end="")
        return 0
    try:
        args.output.write_text(text, "utf-8")
    except OSError as error:
        raise CommandError(f"{args.output}: can’t be written ({error.strerror}).") from error
    return 0


def _lines_for_seat(stored: StoredGame, seat: int) -> Iterator[str]:
    """Yields what one seat may know of a game as lines of JSON: first a header, then a line for each act, with its log
    lines. Raises UsageError if there is no such seat."""
    header, history = stored.header, _replay(stored, f"game {stored.id}")
    if not 0 <= seat < header.seats:
        raise UsageError(f"--seat must be 0 to {header.seats - 1}.")
    yield json.dumps({"game": header.game, "players": header.players, "seen_by": seat, "started": stored.started})
    for act in history.acts:
        yield json.dumps(log_entry(history.game, act, Seat(seat), header.players).to_json())


def run_import(args: argparse.Namespace) -> int:
    """Adds an exported game to the journal. Raises CommandError if the game can't be replayed."""
    stored = _read_export(args.file)
    _replay(stored, str(args.file))
    journal = open_journal(args.data)
    _warn_of_damage(journal)
    print(f"Imported as game {journal.add(stored)}.")
    return 0


def _stored_or_exported_game(args: argparse.Namespace) -> StoredGame:
    file = Path(args.game)
    return (
        _read_export(file)
        if not args.game.isdecimal() or file.exists()
        else _stored_game(_existing_journal(args.data), args.game)
    )


def _replay(stored: StoredGame, name: str) -> History:
    try:
        return fold(stored)
    except ReplayError as error:
        raise CommandError(f"{name}: {error}") from error


def run_replay(args: argparse.Namespace) -> int:
    """Prints the start of a game, then each move that was not undone, with the position after it. The lines have the
    format of `tablekeeper play`, which can also read them."""
    try:
        history = fold(_stored_or_exported_game(args))
    except ReplayError as error:
        raise CommandError(f"{args.game}: {error}") from error
    print(move_json.dumps({"ply": 0, "state": history.start.to_json()}))
    for ply, step in enumerate(history.steps(), 1):
        position = {
            "ply": ply,
            "move": move_json.to_json(_move_for_play(step)),
            "state": step.after.to_json(),
        }
        print(move_json.dumps(position))
    return 0


def _move_for_play(step: Step) -> Move:
    """The move of a step in the plain form that `tablekeeper play` understands; some forms of moves are for phones
    only. The move keeps its own form if the plain form is illegal or leads to another position. This happens when a
    player has reported something that the match had ruled out."""
    plain = step.move.plain()
    try:
        return plain if plain == step.move or play(step.before, plain) == step.after else step.move
    except IllegalMove:
        return step.move


def run_verify(args: argparse.Namespace) -> int:
    """Checks that a game replays to the stored positions, and that its draws follow from its shuffle. Raises
    CommandError if one of these checks fails. Returns the exit status: 1 if the journal is damaged, otherwise 0."""
    stored = _stored_or_exported_game(args)
    history = _replay(stored, args.game)
    if not stored.id:  # the game comes from a file, not from the journal
        lines = Path(args.game).read_text(encoding="utf-8").splitlines()
        if (version := version_with_wrong_draws(lines, stored, history)) is not None:
            raise CommandError(
                f"{args.game}: the file was changed: at version {version}, its draws do not match its moves."
            )
    print(f"{args.game}: sound, {len(stored.records)} acts of {stored.header.game}.")
    if stored.header.what_if:
        print(_origin_sentence(stored, history, stored.header.what_if, args))
    if shuffle := stored.header.shuffle:
        draws = companion_draws(history, stored.header)
        if wrong := wrong_secret(stored.header.seed, shuffle):
            raise CommandError(f"{args.game}: the shuffle is not what was promised: {wrong}.")
        if draw := wrong_draw(draws, stored.header.seed, shuffle):
            raise CommandError(
                f"{args.game}: the shuffle is not what was promised: at version {draw.version}, {draw.face} does not "
                "follow from the seed and the shares."
            )
        shares = sum(bool(share.secret) for each in shuffle.rounds for share in each.shares)
        print(f"The shuffle is as promised: {len(draws)} draws follow from the seed and {shares} shares.")
    return 1 if stored.id and _existing_journal(args.data).damage else 0


def _origin_sentence(stored: StoredGame, history: History, what_if: WhatIfOrigin, args: argparse.Namespace) -> str:
    """A sentence that says which game the first acts of a what-if come from. If that game is in the journal, compares
    these acts with those of the game, and raises CommandError if they differ."""
    journal = _existing_journal(args.data) if _journal_exists(args.data) else None
    id = journal.original_of(what_if, stored.header.game, stored.id) if journal else None
    number = what_if.game if id is None else id
    origin = f"Its first {what_if.acts} acts are those of game {number}, started {what_if.started}"
    if journal is None or id is None:
        return f"{origin}, which is not in this journal. Draws are checked after them."
    earlier = journal.game(id)
    if differs_from_original(Replay(stored, history), Replay(earlier, _replay(earlier, f"game {earlier.id}"))):
        raise CommandError(f"{args.game}: its first {what_if.acts} acts are not those of game {number}.")
    return f"{origin}. Draws are checked after them; verify game {number} checks those before."
