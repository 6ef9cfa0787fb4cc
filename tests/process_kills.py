"""Kills a process while it plays, and checks that the journal has every move that it acknowledged.

`python -m tests.process_kills` kills it three hundred times, or as often as its argument says.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

from companion.match.journal import Journal
from companion.table.table import Table
from tests.systems_failing_tables import seen

KILLS = 300
MAX_WAIT_S = 0.03
"""The longest time from reading the last acknowledgment until the kill, in seconds."""

MOVER = """
import sys
from pathlib import Path
from random import Random
from companion.match.journal import Journal
from companion.table.table import Table
from tests.systems_failing_tables import act, seen
table, rng = Table(Journal(Path(sys.argv[1]))), Random(sys.argv[2])
if table.view() is None:
    table.start("systems-failing", None, {}, {}, (), "s")
while True:
    if seen(table).turn is None:
        table.start("systems-failing", None, {}, {}, (), "s")
    act(table, rng)
    print(seen(table).version, flush=True)
"""


def kills(count: int, folder: Path) -> Iterator[str]:
    """Kills a process `count` times. After each time, yields what is wrong with the journal; "" if nothing is wrong."""
    rng, journal = Random(0), folder / "journal.sqlite3"
    for number in range(count):
        acknowledged = _last_acknowledged_version(journal, number, rng)
        with closing(Journal(journal)) as opened:
            version = seen(Table(opened)).version
            if opened.damage:
                yield f"kill {number}: {opened.damage!s}"
            elif version < acknowledged:
                yield f"kill {number}: version {acknowledged} was acknowledged, and the journal has {version}"
            else:
                yield ""


def _last_acknowledged_version(journal: Path, number: int, rng: Random) -> int:
    """Starts a process that plays, kills it, and returns the last version that it acknowledged."""
    command = [sys.executable, "-c", MOVER, str(journal), str(number)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1])
    assert process.stdout
    acknowledged = [int(process.stdout.readline()) for _ in range(rng.randint(1, 6))]
    time.sleep(rng.uniform(0, MAX_WAIT_S))  # a random time, so that the kill can come after any statement
    os.kill(process.pid, signal.SIGKILL)
    rest = process.stdout.read().split("\n")[:-1]
    process.wait()
    process.stdout.close()
    return int([*acknowledged, *rest][-1])


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else KILLS
    with tempfile.TemporaryDirectory() as folder:
        wrong = [line for line in kills(count, Path(folder)) if line]
    print("\n".join(wrong[:20]))
    print(f"{count} kills: {len(wrong)} with a loss or a false report.")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
