"""Repairs a damaged journal: sets its files aside unchanged, copies what is sound into a new journal, and says what is
missing.

If a repair is interrupted, the next start repeats it from the files that were set aside. A complete repair is also
repeated at each start until something is written to the new journal, in case nobody has read the message about it.
After that, `reminder` returns the message until `confirm` is called.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path

from companion.match.acknowledged_count import AcknowledgedCount, counter_path, read_count, write_counter
from companion.match.journal_damage_assessment import Salvage, has_tables, open_with_new_schema, salvage
from companion.match.journal_file_access import (
    PRIVATE_FILE,
    PRIVATE_FOLDER,
    connect_in_memory,
    copy_in_memory,
    copy_readable,
    database_files,
    has_content,
    make_private,
    make_private_file,
    open_untouched,
    sync,
    wal_of,
)
from companion.match.journal_hash_chain import chain_after, chain_start, hash_of
from companion.match.journal_integrity import count_in, is_sound
from companion.match.journal_migrations import migrate
from companion.match.journal_schema import ACT_COLUMNS, GAME_COLUMNS, NOTE_COLUMNS, NewerSchema
from companion.platform_calls import sync_folder
from companion.text.messages import Text, TextLike, _, joined

DAMAGED = "-damaged-"
"""The part between the journal's name and the date in the name of the folder for damaged files."""
UNFINISHED = "repair"
"""The suffix of a file that exists until a repair is finished. The file contains the name of the folder in which the
damaged files were set aside."""

CONFIRMED = "confirmed"
"""The name of an empty file in the folder with the damaged files. It exists once the host has confirmed knowing about
the damage."""


def check_and_repair(journal: Path) -> TextLike:
    """Checks the journal, and repairs it if it is damaged. Nobody else may have the journal open. Returns what was
    wrong; "" if nothing was. Raises NewerSchema for a journal of a newer version, which is left untouched, and OSError
    or sqlite3.Error if the files can't be read or written."""
    if unfinished := _unfinished_repair(journal):
        return _take_over(journal, unfinished)
    count = read_count(counter_path(journal))
    if has_content(journal):
        with open_untouched(journal) as db:
            is_damaged = not is_sound(db, count)
    else:
        is_damaged = count not in (None, AcknowledgedCount()) or has_content(wal_of(journal))
    if is_damaged:
        return _repair(journal)
    _make_durable(journal)
    return ""


def is_unfinished(journal: Path) -> bool:
    """Whether a repair was started and `finish` has not been called since."""
    return _unfinished_path(journal).exists()


def finish(journal: Path) -> None:
    """Marks the repair as finished. Until then, each start repeats the repair and its message about what is missing.
    Must be called before anything is written to the new journal."""
    _unfinished_path(journal).unlink(missing_ok=True)
    sync_folder(journal.parent)


def copy_for_reading(journal: Path) -> tuple[sqlite3.Connection, TextLike]:
    """Copies everything in the journal that is sound into a database in memory. Returns the copy, and a message that
    says what is wrong with the journal ("" if nothing is). No file is changed or created. Raises NewerSchema for a
    journal of a newer version, and OSError or sqlite3.Error if the files can't be read."""
    count = read_count(counter_path(journal))
    db = copy_in_memory(journal)
    if db:
        with _closing_after_error(db):
            if is_sound(db, count):
                migrate(db)
                return db, ""
        db.close()
    found = salvaged(journal, count)
    db = connect_in_memory()
    _store(db, found)
    return db, joined(" ", (_("The journal is damaged."), *losses(journal, found, count)))


@contextmanager
def _closing_after_error(db: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        db.close()
        raise


def _make_durable(journal: Path) -> None:
    """Makes the journal's files durable and private. After a process was killed, its last act may not be on the disk
    yet."""
    for file in database_files(journal):
        make_private(file, PRIVATE_FILE)
    for file in (journal, wal_of(journal)):
        with suppress(FileNotFoundError):
            sync(file)


def _repair(journal: Path) -> TextLike:
    aside = _set_aside(journal)
    unfinished = _unfinished_path(journal)
    make_private_file(unfinished)
    unfinished.write_text(aside.name, "utf-8")
    sync(unfinished)
    sync_folder(journal.parent)
    return _take_over(journal, aside)


def _unfinished_path(journal: Path) -> Path:
    return journal.with_name(f"{journal.stem}.{UNFINISHED}")


def _unfinished_repair(journal: Path) -> Path | None:
    """The folder of a repair that was interrupted; None if there was none."""
    try:
        name = _unfinished_path(journal).read_text("utf-8")
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    folder = journal.parent / name
    return folder if name and folder.is_dir() else None


def _set_aside(journal: Path) -> Path:
    """Copies all files of the journal durably into a new folder beside it, or links them there; the originals stay in
    place. Returns the folder."""
    name = f"{journal.stem}{DAMAGED}{datetime.now():%Y%m%d-%H%M%S}"
    folder = next(path for path in _numbered(journal.with_name(name)) if not path.exists())
    folder.mkdir(PRIVATE_FOLDER)
    for file in (*database_files(journal), counter_path(journal)):
        if file.exists():
            make_private(file, PRIVATE_FILE)
            try:
                os.link(file, folder / file.name)
            except OSError:  # a file system without links
                make_private_file(folder / file.name)
                copy_readable(file, folder / file.name)
            sync(folder / file.name)
    sync_folder(folder)
    return folder


def _numbered(path: Path) -> Iterator[Path]:
    """Yields a path, then the same path followed by -2, -3 and so on."""
    yield path
    for number in range(2, 10_000):
        yield path.with_name(f"{path.name}-{number}")


def _take_over(journal: Path, aside: Path) -> TextLike:
    """Makes a new journal from what is sound in the damaged one in the folder `aside`; returns the message about the
    repair."""
    count = read_count(counter_path(aside / journal.name))
    found = salvaged(aside / journal.name, count)
    new = journal.with_name(f"{journal.name}.new")
    for file in database_files(new):
        file.unlink(missing_ok=True)
    make_private_file(new)
    with closing(sqlite3.connect(new, isolation_level=None)) as db:
        _store(db, found)
        new_count = count_in(db)
    for file in database_files(journal)[1:]:
        file.unlink(missing_ok=True)
    new.replace(journal)
    write_counter(counter_path(journal), new_count)
    sync_folder(journal.parent)
    return _repair_message(aside, losses(journal, found, count))


def _repair_message(aside: Path, missing: Iterable[Text]) -> TextLike:
    message = _("The journal was damaged. It was moved to {folder}, and what could be read was kept.", folder=aside)
    return joined(" ", (message, *missing))


def reminder(journal: Path) -> TextLike:
    """The message about the last repair of the journal, until the host has confirmed knowing about it; "" after that,
    and if there was no repair."""
    if not (folders := unconfirmed(journal)):
        return ""
    aside = folders[-1]
    try:
        count = read_count(counter_path(aside / journal.name))
        missing = losses(journal, salvaged(aside / journal.name, count), count)
    except (OSError, sqlite3.Error, NewerSchema):
        missing = ()
    return _repair_message(aside, missing)


def confirm(journal: Path) -> None:
    """Records that the host knows about all repairs so far, so that nobody is reminded of them any more. Raises OSError
    if this can't be stored."""
    for aside in unconfirmed(journal):
        (aside / CONFIRMED).touch(PRIVATE_FILE)


def unconfirmed(journal: Path) -> list[Path]:
    """The folders with damaged files from repairs that the host has not confirmed knowing about, the oldest first."""
    found = sorted(journal.parent.glob(f"{journal.stem}{DAMAGED}*"))
    return [folder for folder in found if not (folder / CONFIRMED).exists()]


def losses(journal: Path, found: Salvage, count: AcknowledgedCount | None) -> tuple[Text, ...]:
    """The sentences that say what is missing from a damaged journal."""
    if count:
        return found.losses or (_("No moves are missing."),)
    uncounted = _(
        "The file {file} is missing or damaged, so the last moves may be missing too. Compare with the table.",
        file=counter_path(journal).name,
    )
    return (*found.losses, uncounted)


def salvaged(journal: Path, count: AcknowledgedCount | None) -> Salvage:
    """The sound rows of a damaged journal, which is left untouched."""
    with _open_damaged(journal) as db:
        return salvage(db, count)


@contextmanager
def _open_damaged(journal: Path) -> Iterator[sqlite3.Connection]:
    """Opens a damaged database. If its file is missing or empty, opens an empty database in memory instead."""
    with ExitStack() as resources:
        if not has_content(journal):
            db = resources.enter_context(closing(connect_in_memory()))
            migrate(db)
        else:
            db = resources.enter_context(open_untouched(journal))
            if not has_tables(db):
                db = resources.enter_context(open_with_new_schema(journal))
        yield db


def _store(db: sqlite3.Connection, found: Salvage) -> None:
    """Stores the sound rows of a damaged journal in a new database."""
    db.execute("PRAGMA synchronous = FULL")
    migrate(db)
    db.execute("BEGIN")
    chains = {}
    for row in found.games:
        game = tuple(row[column] for column in GAME_COLUMNS)
        chains[row["id"]] = chain_start(game)
        _insert(db, "games", (*GAME_COLUMNS, "checksum"), (*game, hash_of(game)))
    for row in found.acts:
        act = (*(row[column] for column in ACT_COLUMNS[:-1]), row.get(ACT_COLUMNS[-1], ""))
        chains[row["game"]] = chain = chain_after(chains[row["game"]], act)
        _insert(db, "acts", (*ACT_COLUMNS, "chain"), (*act, chain))
    for row in found.notes:
        note = tuple(row[column] for column in NOTE_COLUMNS)
        _insert(db, "notes", (*NOTE_COLUMNS, "checksum"), (*note, hash_of(note)))
    db.execute("COMMIT")


def _insert(db: sqlite3.Connection, table: str, columns: tuple[str, ...], values: tuple[object, ...]) -> None:
    placeholders = ", ".join("?" * len(columns))
    db.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({placeholders})", values)
