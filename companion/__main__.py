"""The command line, and the wiring of the service."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing, suppress
from importlib.metadata import version
from io import TextIOWrapper, UnsupportedOperation
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING

from companion.commands import CommandError, UsageError
from companion.match.journal import JournalError
from companion.text.data_files import DataError

if TYPE_CHECKING:
    from flask import Flask

    from companion.commands.lock import Lock
    from companion.commands.run import Https, Settings
    from companion.devices.box import Box
    from companion.devices.box_simulated import SimulatedBox
    from companion.diagnostics.findings import Checks, Finding
    from companion.simulator.scene import World
    from companion.simulator.simulation import Simulation
    from companion.table.table import Table
    from vision.camera_process import CameraProcess
    from vision.simulated_camera import Scene
    from web.seats import Desk
    from web.setup import Rig

HOST = "0.0.0.0"
"""Phones come from the home network; `web.origin_check` keeps strange web sites out."""
TRACEBACK = "TABLEKEEPER_TRACEBACK"
"""Whoever mends Tablekeeper sets this, to see where an unforeseen error came from."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command; the exit status is 0 fine, 1 failed, 2 wrong usage. No traceback reaches the user."""
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # no name is worth dying for
    try:
        try:
            args = _parser().parse_args(argv)
            return int(args.run(args))
        finally:
            sys.stdout.flush()
    except UsageError as error:
        return _complain(error, 2)
    except (CommandError, DataError, JournalError) as error:
        return _complain(error, 1)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _mute()
        return 0
    except OSError as error:
        _mute()
        return _complain(f"{error.filename or 'The output'}: {error.strerror or error}; mend that, then try again.", 1)
    except Exception as error:
        if TRACEBACK in os.environ:
            raise
        return _complain(_mistake(error), 1)


def _open_streams() -> None:
    """Streams that were closed (`>&-`) go nowhere. Left closed, a file of ours would get their number, and what is
    printed would land in it; each takes the lowest that is free, which is its own."""
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: SIM115  # as long as the program runs
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115


def _complain(says: Exception | str, status: int) -> int:
    print(f"tablekeeper: {' '.join(str(says).split())}", file=sys.stderr)
    return status


def _mute() -> None:
    """What was not written goes nowhere; without this the interpreter complains once more at exit."""
    with suppress(UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _mistake(error: Exception) -> str:
    """What to report of an error that nobody foresaw: what it is, and where it came up."""
    *_, place = extract_tb(error.__traceback__)
    where = f"{Path(place.filename).name}:{place.lineno}"
    what = f"{type(error).__name__} at {where}"
    return f"This is a mistake of Tablekeeper; please report it: {what}. With {TRACEBACK}=1 it tells more."


def _parser() -> argparse.ArgumentParser:
    # Imported here, so that a mistake in a data file becomes a line and not a traceback.
    from companion.commands import bench, board, cards, doctor, journal, play, printing, read, run, simulate, watch

    parser = argparse.ArgumentParser(prog="tablekeeper", description="A companion for the tabletop.")
    parser.add_argument("--version", action="version", version=f"tablekeeper {version('tablekeeper')}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    run.add(subparsers, _run)
    for module in (play, simulate, read, watch, printing, cards, board, journal):
        module.add(subparsers)
    doctor.add(subparsers, _doctor)
    bench.add(subparsers)
    return parser


# The service: its parts are imported late, so that the other commands start at once --------------------


def _run(args: argparse.Namespace) -> int:
    """`tablekeeper run`: opens everything, waits to be told to stop, closes everything the other way round."""
    from companion.commands import journal, lock, run
    from companion.devices import box, gpio
    from companion.devices.box_simulated import SimulatedBox
    from companion.service import Service, Source
    from companion.table.table import Table
    from vision.photo_reader import PhotoReader
    from vision.shelf import known_codes
    from web import setup
    from web.app import create_app
    from web.seats import Desk
    from web.server import serve
    from web.simulator import Stage, blueprint
    from web.urls import lan_address

    settings, trouble = run.settle(args)
    with run.stopping() as stop, lock.alone(settings.data) as mine, ExitStack() as opened:
        table = Table(opened.enter_context(closing(journal.open_journal(settings.data))))
        run.complain(table, settings, trouble)
        desk, board = Desk(table), gpio.GpioBoard(settings.data, settings.pins, simulate=settings.simulate)
        sources, outlets, page = [Source(gpio.NAME, board.open)], [board.show], None
        on_line = box.select_box(settings.box, simulate=settings.simulate)
        if on_line:
            sources.append(Source(box.NAME, on_line.open))
            outlets.append(on_line.show)
        simulation = _simulation(settings, opened)
        camera = _camera_process(settings, simulation)
        if camera:
            sources.append(Source("camera", lambda: camera))
            outlets.append(
                lambda view: (
                    camera.count_tokens(view.id, view.game.physical.components.mat)
                    if view
                    else camera.count_tokens(0, None)
                )
            )
        if simulation:
            outlets.append(simulation.follow)
            see = camera.snapshot if camera else lambda: None
            watched = not settings.camera
            mock_box = on_line if isinstance(on_line, SimulatedBox) else None
            page = blueprint(Stage(table, desk, simulation, board, see, watched, mock_box))
        check = setup.blueprint(_rig(table, desk, camera, _checks_beside(on_line, settings, mine), settings))
        secure = _Secure(settings, table, desk) if settings.tls is not None else None
        app = create_app(
            table,
            desk,
            simulator=page,
            setup=check,
            reader=PhotoReader(known_codes()),
            trust=secure.page if secure else None,
        )
        try:
            server = opened.enter_context(closing(serve(app, HOST, settings.port)))
        except OSError as error:
            raise CommandError(" ".join(run.port_trouble(settings.port, error))) from error
        https = secure.serve(app, opened) if secure else None
        mine.serves_at(server.port)
        service = Service(table, sources, outlets)
        opened.callback(service.close)
        service.start()
        print(run.greeting(settings, server.port, lan_address(), desk.host_key, https), flush=True)
        stop.wait()
    return 0


class _Secure:
    """Https, where it is wanted: the page that tells of it, and then the server. Raises CommandError."""

    def __init__(self, settings: Settings, table: Table, desk: Desk) -> None:
        from web import ca_page
        from web.certificates import Authority, CertificateError, Tls, own_names

        self._port = settings.tls or 0
        try:
            self._tls = Tls(Authority(settings.data), own_names)
        except CertificateError as error:
            raise CommandError(str(error)) from error
        own = self._tls.authority.own
        self._fingerprint = own.fingerprint
        self.page = ca_page.blueprint(table, desk, ca_page.Trusted(*own.public(), own.fingerprint, lambda: self._port))

    def serve(self, app: Flask, opened: ExitStack) -> Https:
        """Serves https besides, until that is closed."""
        from companion.commands import run
        from web.server import serve

        try:
            server = opened.enter_context(closing(serve(app, HOST, self._port, self._tls)))
        except OSError as error:
            raise CommandError(" ".join(run.tls_trouble(self._port, error))) from error
        self._port = server.port
        return run.Https(server.port, self._fingerprint)


def _rig(table: Table, desk: Desk, camera: CameraProcess | None, checks: Checks, settings: Settings) -> Rig:
    """What the page works on that sets the table up."""
    from companion.commands.run import NAME_A_CAMERA, NO_CAMERA
    from companion.text.translation import later
    from web.setup import Rig

    look = camera.live_picture if camera else lambda codes: None
    without = "" if camera else later("{why} {mend}", why=NO_CAMERA, mend=NAME_A_CAMERA)
    return Rig(table, desk, look, without, checks, settings.simulate)


def _checks_beside(on_line: Box | SimulatedBox | None, settings: Settings, mine: Lock) -> Checks:
    """What is looked at while the service runs, beside the health of its devices."""
    from companion.diagnostics.checks import box_line

    return {
        "box's line": lambda: box_line(on_line),
        **_machine_checks(settings, lambda: mine.port or settings.port),
    }


def _simulation(settings: Settings, opened: ExitStack) -> Simulation | None:
    """The simulated table, if there is to be one."""
    from companion.simulator.simulation import Simulation

    if not settings.simulate:
        return None
    try:
        return opened.enter_context(closing(Simulation(settings.data, settings.journal)))
    except OSError as error:
        raise CommandError(
            f"The simulated table's pictures can't be written to {settings.data} ({error.strerror}): "
            "make room on the disk, or name another folder with --data."
        ) from error


def _camera_process(settings: Settings, simulation: Simulation | None) -> CameraProcess | None:
    """The camera that was named, else one that looks at the simulated table, else none."""
    from vision.camera_process import create_camera_process
    from vision.shelf import component_codes, mats_by_game, other_sides
    from vision.worker import SIMULATED_SOURCE

    if settings.camera:
        path = settings.data / "camera.json"
        return create_camera_process(
            settings.camera, mats_by_game(), component_codes(), other_sides(), calibration_path=path
        )
    if simulation is None:
        return None
    camera = create_camera_process(SIMULATED_SOURCE, mats_by_game(), component_codes(), other_sides())
    simulation.listen(lambda simulation, world: camera.set_scene(_scene(simulation, world)))
    return camera


def _scene(simulation: Simulation, world: World) -> Scene:
    """The simulated table as the simulated camera wants it."""
    from companion.simulator.tidy import in_view
    from vision.simulated_camera import PlacedToken, Placement, Scene

    table = simulation.tabletop
    return Scene(
        tuple(
            Placement(piece.thing, piece.x, piece.y, piece.angle, "front" if piece.face_up else "back")
            for piece in in_view(table.mat, table.piles, world)
        ),
        tuple(PlacedToken(token.kind, token.x, token.y, token.angle) for token in world.tokens),
        world.hand,
        simulation.prints,
    )


def _doctor(args: argparse.Namespace) -> int:
    """`tablekeeper doctor`: opens each thing, looks at it, closes it."""
    from companion.commands import doctor, run
    from companion.diagnostics.findings import examine

    settings, trouble = run.settle(args)
    doctor.check_alone(settings, as_json=args.json)
    with doctor.working_folder(settings.data) as folder:
        return doctor.report(examine(_checks(settings, trouble, folder)), as_json=args.json)


def _checks(settings: Settings, trouble: str, folder: Path) -> Checks:
    """What the doctor looks at; `folder` is one to write in."""
    from companion.commands import run
    from companion.devices import box, gpio
    from companion.diagnostics import checks

    board = gpio.GpioBoard(folder, settings.pins, simulate=settings.simulate)
    return {
        "configuration": lambda: checks.configuration(trouble, run.MEND_THE_FILE),
        "camera": lambda: _look_through_camera(settings, folder),
        "gpio": lambda: checks.gpio(board),
        "box": lambda: checks.box(box.select_box(settings.box, simulate=settings.simulate)),
        **_machine_checks(settings, lambda: settings.port),
        "port": lambda: checks.port(settings.port, HOST, run.port_trouble),
        "https": lambda: () if settings.tls is None else checks.port(settings.tls, HOST, run.tls_trouble),
    }


def _machine_checks(settings: Settings, port: Callable[[], int]) -> Checks:
    """The checks that hold no device, so that they can be made while the service runs."""
    from companion.diagnostics import checks
    from vision.decoding.decoder import zbar
    from web.urls import lan_address

    return {
        "zbar": lambda: checks.zbar(zbar()),
        "disk": lambda: checks.disk(settings.data),
        "clock": checks.clock,
        "network": lambda: checks.network(lan_address(), port(), needed=not settings.simulate),
        "rights": checks.rights,
    }


def _look_through_camera(settings: Settings, folder: Path) -> Iterable[Finding]:
    """The camera that was named, else one that looks at a bare simulated mat, else none."""
    from companion.commands.run import NAME_A_CAMERA, NO_CAMERA
    from companion.diagnostics import checks
    from companion.simulator.card_images import prints
    from companion.simulator.simulation import first_game
    from vision.camera import open_source
    from vision.quality_advice import check_camera
    from vision.shelf import known_codes, mats_by_game
    from vision.simulated_camera import Scene, SimulatedSource
    from vision.worker import MAX_FPS, SIMULATED_SOURCE

    known, mats, named = known_codes(), tuple(mats_by_game().values()), settings.camera
    if named and named != SIMULATED_SOURCE:
        return check_camera(lambda: open_source(named), known, mats)
    if not named and not settings.simulate:
        return checks.no_camera(NO_CAMERA, NAME_A_CAMERA)
    scene = Scene(texture_folder=prints(first_game(), folder / "prints"))
    return check_camera(lambda: SimulatedSource(lambda: scene, MAX_FPS), known, mats)


if __name__ == "__main__":
    sys.exit(main())
