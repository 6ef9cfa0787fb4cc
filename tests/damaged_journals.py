"""Damages journals at random. All damage must be harmless or reported, and the service must start with all games that
are still sound.

`python -m tests.damaged_journals` damages two hundred journals at random, or as many as its argument says. Half of them
were closed properly. The others were copied while they were in use, with their last acts in the write-ahead log.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.match.journal_file_access import wal_of
from companion.match.stored_game import StoredGame
from tests.power_cuts import NAME, act, header, sample_act

COUNT = "journal.count"
JOURNALS = 200
PAGE_BYTES = 4096


@dataclass(frozen=True)
class JournalContents:
    """The contents of a journal."""

    games: tuple[StoredGame, ...]
    note: object


def contents(journal: Journal) -> JournalContents:
    return JournalContents(journal.games(), journal.note("seats"))


def write_samples(folder: Path, rng: Random) -> JournalContents:
    """Writes the same journal three times: as "old", without its last acts, as "closed" and as "in use". Returns what
    the last two contain."""
    (folder / "writing").mkdir()
    with closing(Journal(folder / "writing" / NAME)) as journal:
        for number in range(4):
            game = journal.open_game(header(number), [act(1, rng)])
            for version in range(2, 60):
                journal.append(game.id, act(version, rng))
            journal.save_note("seats", {"host": number})
    shutil.copytree(folder / "writing", folder / "old")
    with closing(Journal(folder / "writing" / NAME)) as journal:
        for version in range(60, 75):
            journal.append(game.id, act(version, rng))
        journal.save_note("seats", {"host": "Ann"})
        shutil.copytree(folder / "writing", folder / "in use")
        whole = contents(journal)
    shutil.copytree(folder / "writing", folder / "closed")
    return whole


def flip_bit(file: Path, rng: Random) -> None:
    data = bytearray(file.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    file.write_bytes(data)


def cut_off(file: Path, rng: Random) -> None:
    with file.open("r+b") as opened:
        opened.truncate(rng.randrange(file.stat().st_size))


def clear_page(file: Path, rng: Random) -> None:
    page = rng.randrange(max(1, file.stat().st_size // PAGE_BYTES))
    with file.open("r+b") as opened:
        opened.seek(page * PAGE_BYTES)
        opened.write(bytes(PAGE_BYTES))


def scramble(file: Path, rng: Random) -> None:
    with file.open("r+b") as opened:
        opened.seek(rng.randrange(file.stat().st_size))
        opened.write(rng.randbytes(300))


def empty(file: Path, rng: Random) -> None:
    file.write_bytes(b"")


def delete(file: Path, rng: Random) -> None:
    file.unlink()


def replace_by_old_copy(file: Path, rng: Random) -> None:
    shutil.copyfile(file.parent.parent / "samples" / "old" / file.name, file)


DAMAGES: Mapping[str, tuple[Callable[[Path, Random], None], ...]] = {
    NAME: (flip_bit, flip_bit, flip_bit, cut_off, clear_page, clear_page, scramble, empty, delete, replace_by_old_copy),
    f"{NAME}-wal": (flip_bit, flip_bit, cut_off, cut_off, clear_page, empty, delete),
    f"{NAME}-shm": (flip_bit, delete),
    COUNT: (flip_bit, cut_off, empty, delete, replace_by_old_copy),
}
"""The kinds of damage for each file. All kinds of one file are equally frequent."""


def damage(folder: Path, rng: Random) -> str:
    """Damages a random file of a journal; returns what was done."""
    names = [name for name in DAMAGES if (folder / name).exists() for _ in DAMAGES[name]]
    name = rng.choice(names)
    change = rng.choice(DAMAGES[name])
    change(folder / name, rng)
    return f"{change.__name__} {name}"


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def check(folder: Path, whole: JournalContents) -> str:
    """Opens a damaged journal as commands do and as the service does. Returns "harmless", "reported" or "refused".
    Raises AssertionError if something is lost without a report, or if the damaged files that were set aside are
    incomplete."""
    before = files(folder)
    try:
        with closing(Journal.read_only(folder / NAME)) as journal:
            said, read = journal.damage, contents(journal)
        assert files(folder) == before, "reading has changed a file"
        with closing(Journal(folder / NAME)) as journal:
            reported, kept = journal.damage, contents(journal)
    except JournalError as refusal:
        message = str(refusal)
        assert "newer" in message
        assert files(folder) == before
        return "refused"
    assert bool(said) == bool(reported), f"{said!s} / {reported!s}"
    assert read == kept
    if not reported:
        assert kept == whole, "a silent loss"
        return "harmless"
    check_sound(kept, whole)
    if kept.note != whole.note:
        assert "may be out of date" in str(reported)
    if kept.games != whole.games:
        assert re.search("missing|out of date", str(reported))
    if "was set aside" in str(reported):
        (aside,) = folder.glob("journal-damaged-*")
        assert files(aside) == before, "not all was set aside"
    if "No moves are missing." in str(reported):
        assert kept.games == whole.games
    with closing(Journal(folder / NAME)) as journal:
        assert contents(journal) == kept
        journal.save_note("seats", "later")
        if running := journal.running_game():
            journal.append(running.id, sample_act(len(running.records) + 1))
    with closing(Journal(folder / NAME)) as journal:
        assert not journal.damage, "reported again"
    return "reported"


def check_sound(kept: JournalContents, whole: JournalContents) -> None:
    """Checks that every recovered game is the original game, or a part of it."""
    originals = {game.id: game for game in whole.games}
    for game in kept.games:
        original = originals[game.id]
        assert game.records == original.records[: len(game.records)]
        assert (game.header.seed, game.header.setup) == (original.header.seed, original.header.setup)


def results(count: int, seed: int = 0) -> Iterator[tuple[str, str]]:
    """Damages `count` journals. Yields for each the kind of damage, and the result of `check`."""
    rng = Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        (samples := Path(folder) / "samples").mkdir()
        whole = write_samples(samples, rng)
        assert wal_of(samples / "in use" / NAME).stat().st_size
        for number in range(count):
            place = Path(folder) / f"{number}"
            shutil.copytree(samples / ("in use" if number % 2 else "closed"), place)
            what = damage(place, rng)
            yield what, _result(place, whole)
            shutil.rmtree(place)


def _result(place: Path, whole: JournalContents) -> str:
    try:
        return check(place, whole)
    except AssertionError as wrong:
        return f"WRONG: {wrong}"


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else JOURNALS
    found = list(results(count))
    for (what, result), times in sorted(Counter(found).items()):
        print(f"{times:4} {what:36} {result}")
    followed = Counter(result.split(":")[0] for _, result in found)
    print(f"{count} damaged journals: {dict(followed)}")
    return bool(followed["WRONG"])


if __name__ == "__main__":
    sys.exit(main())
