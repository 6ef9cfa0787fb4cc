"""Fixtures and options for all tests."""

from __future__ import annotations

import gc
import multiprocessing
import os
import shutil
from collections import defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from filelock import FileLock
from flask import Flask
from hypothesis import HealthCheck, settings
from jinja2 import FileSystemBytecodeCache
from jinja2.bccache import Bucket
from werkzeug.routing import Rule

import vision  # first: sets how many threads NumPy uses, before anything imports it
from companion.games import GAMES
from companion.games.game import Game
from companion.printing import raster
from companion.printing.options import PrintOptions
from tests.browser import chromium
from tests.forked_python import use_forks, worker_context
from tests.repetitions import be_thorough
from tests.secrets_game import SECRETS
from tests.shared_prints import share_prints

vision.use_one_thread()  # each core has a test process of its own
gc.set_threshold(50_000, 20, 50)  # the garbage collector would take a tenth of the time


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick",
        action="store_true",
        help="leave out slow tests; run a third of the cases of each test",
    )
    parser.addoption(
        "--thorough",
        action="store_true",
        help="also run tests marked thorough; repeat random tests ten times as often",
    )


# A busy machine may take long to make or try an example without anything being wrong.
settings.register_profile("any speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any speed")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("thorough"):
        be_thorough()


@pytest.fixture(scope="session")
def session_browser() -> Iterator[Any]:
    """One headless browser for all tests of this process, because starting one takes two seconds."""
    with chromium() as running:
        yield running


@pytest.fixture
def browser(session_browser: Any) -> Iterator[Any]:
    """A headless browser whose pages are closed after the test. Without a browser the test is skipped."""
    yield session_browser
    for context in session_browser.contexts:
        context.close()


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A temporary folder that all test processes of this run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


class SharedTemplates(FileSystemBytecodeCache):
    """Compiled page templates in files that all test processes share. Each process reads a file only once, however many
    applications it creates."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder))
        self._read = dict[tuple[str, str], Any]()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Puts the compiled template into the bucket, if there is one of the same source."""
        bucket.code = self._read.get((bucket.key, bucket.checksum))
        if bucket.code is None:
            super().load_bytecode(bucket)
            self._read[bucket.key, bucket.checksum] = bucket.code


@pytest.fixture(scope="session", autouse=True)
def compiled_templates(shared_folder: Path) -> Iterator[None]:
    """Compiles each page template once for all applications of this run, services included. Compiling takes most of
    the time of a short test."""
    (folder := shared_folder / "templates").mkdir(exist_ok=True)
    cache = SharedTemplates(folder)
    use_forks(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(Flask.jinja_options, "bytecode_cache", cache)
        patch.setattr(multiprocessing, "get_context", worker_context)
        yield


@pytest.fixture(scope="session", autouse=True)
def compiled_routes() -> Iterator[None]:
    """Compiles the functions that build the URLs of routes once for all applications of this process. Otherwise that
    takes half of the time for creating an application, and every test of a page creates one. The compiled functions
    depend only on the route, unless the route has default values."""
    compile_builder, compiled = Rule._compile_builder, dict[Any, Any]()

    def compiled_builder(rule: Rule, append_unknown: bool = True) -> Any:
        key = rule.rule, *rule._trace, append_unknown
        if rule.defaults or key not in compiled:
            compiled[key] = compile_builder(rule, append_unknown)
        return compiled[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "_compile_builder", compiled_builder)
        yield


@pytest.fixture(scope="session", autouse=True)
def shared_textures(shared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Draws the textures of each shipped game once for all tests of this run. Drawing takes a second each time."""
    draw = raster.write_textures

    def write_textures(game: Game[Any], into: Path, px_per_mm: float, options: PrintOptions | None = None) -> None:
        if options is not None or game is not GAMES.get(game.name):
            return draw(game, into, px_per_mm, options)
        drawn = shared_folder / f"textures-{game.name}-{px_per_mm}"
        with FileLock(f"{drawn}.lock"):
            if not drawn.is_dir():
                draw(game, folder := tmp_path_factory.mktemp("textures"), px_per_mm)
                folder.rename(drawn)
        shutil.copytree(drawn, into, dirs_exist_ok=True)
        return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raster, "write_textures", write_textures)
        yield


@pytest.fixture(scope="session", autouse=True)
def shared_prints(shared_folder: Path, shared_textures: None) -> None:
    """Lets the services of this run share the pictures of the games' prints."""
    (folder := shared_folder / "prints").mkdir(exist_ok=True)
    share_prints(folder)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Marks all tests that use a browser, so that `make check` never starts one."""
    if "session_browser" in getattr(item, "fixturenames", ()):
        item.add_marker("browser")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Lets each of the test processes begin with other modules. A module is compiled by the first process that imports
    it, and the other processes read what that one has stored. In a new clone, compiling takes most of the time."""
    report = yield
    if isinstance(collector, pytest.Package):
        worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
        start = int(worker) * len(report.result) // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
        report.result = [*report.result[start:], *report.result[:start]]
    return report


def pytest_collection_finish() -> None:
    """Keeps the garbage collector from scanning all modules and tests repeatedly."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects the tests that the options exclude. Runs whole games first: a whole game that started last would keep
    only one process busy for a minute at the end."""
    items.sort(key=lambda item: ("test_whole_" not in item.nodeid, item.path))  # alike in all processes
    markers = [] if config.getoption("thorough") else ["thorough"]
    kept = _without(items, *markers, *(["slow"] if config.getoption("quick") else []))
    if config.getoption("quick"):
        kept = _third_of_cases(kept)
    config.hook.pytest_deselected(items=[*set(items).difference(kept)])
    items[:] = kept


def _without(items: list[pytest.Item], *markers: str) -> list[pytest.Item]:
    return [item for item in items if not any(item.get_closest_marker(marker) for marker in markers)]


def _third_of_cases(items: list[pytest.Item]) -> list[pytest.Item]:
    """Every third case of each test, and at least one. The name of the test decides which case is the first: tests that
    have the same four games as cases together use all of them."""
    cases = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        cases[item.nodeid.split("[")[0]].append(item)
    first = {name: crc32(name.encode()) % min(3, len(of_test)) for name, of_test in cases.items()}
    return [item for name, of_test in cases.items() for item in of_test[first[name] :: 3]]


@pytest.fixture
def a_fifth_game_with_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Adds a fifth game, which has secrets and no template, to `GAMES`."""
    monkeypatch.setitem(GAMES, "secrets", SECRETS)  # type: ignore[arg-type]
