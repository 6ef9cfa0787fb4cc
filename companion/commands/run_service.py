"""Runs the service: opens and connects its parts, waits for the signal to stop, and closes them."""

from __future__ import annotations

import argparse
import logging
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

from companion import backups, systemd_notify
from companion.commands import CommandError, stored_games
from companion.commands.camera_startup import start_camera
from companion.commands.data_folder_lock import Lock, exclusive_lock
from companion.commands.http_servers import HttpsEndpoint, HttpsServer, serve_http
from companion.commands.interrupts import stop_signal
from companion.commands.machine_checks import machine_checks
from companion.commands.service_log import start_log
from companion.commands.service_settings import (
    FIX_THE_FILE,
    NO_CAMERA,
    SELECT_A_CAMERA,
    DataFolderUnknown,
    resolve_settings,
)
from companion.commands.settings_file import Settings, settings_text
from companion.commands.startup_failure import run_safe_mode
from companion.devices import box, gpio
from companion.devices.box import Box
from companion.devices.simulated_box import SimulatedBox
from companion.diagnostics.checks import box_line, disk_health
from companion.diagnostics.findings import Checks, examine
from companion.diagnostics.support_bundle import support_bundle
from companion.games.view import View
from companion.mqtt.broker_device import BrokerDevice, is_installed, not_installed_message
from companion.mqtt.connection_health import NAME as BROKER
from companion.printing.print_shop import PrintShop
from companion.service import DeviceSource, Service
from companion.simulator.current_table import Simulation
from companion.table import companion_player
from companion.table.companion_player import CompanionPlayer
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth
from companion.text.messages import TextLike, _, joined
from vision.camera_process import CameraProcess
from vision.known_codes import known_codes
from vision.photo_reader import PhotoReader
from web.access.lobby import Lobby
from web.addresses import http_url, lan_addresses
from web.app import create_app
from web.events.share_rounds import ShareRounds
from web.graphics.qr_code import print_qr_code
from web.setup import camera_setup
from web.setup.maintenance_page import MaintenancePage
from web.simulator.page import SimulatorContext, blueprint

ANSWER_TIMEOUT_S = 10.0


def run_service(args: argparse.Namespace) -> int:
    """Runs the service until Ctrl-C or SIGTERM. If the service can't start, raises CommandError. With a settings file,
    serves a page about the error instead, because nobody may be there to read the console."""
    settings = None
    try:
        settings, problem = resolve_settings(args)
        return _run(settings, problem, args.config)
    except CommandError as error:
        if args.config is None:
            raise
        settings = error.settings if isinstance(error, DataFolderUnknown) else settings
        return run_safe_mode(settings or Settings(), error)


def _run(settings: Settings, problem: TextLike, config: Path | None) -> int:
    """Opens all parts of the service, waits for the signal to stop, and closes them in reverse order."""
    with stop_signal() as wait_for_signal, exclusive_lock(settings.data) as own_lock, ExitStack() as resources:
        log = start_log()
        table = Table(resources.enter_context(closing(stored_games.open_journal(settings.data))))
        report_problems(table, settings, problem)
        lobby, board = Lobby(table), gpio.GpioBoard(settings.data, settings.pins, simulate=settings.simulate)
        player = CompanionPlayer(table)
        sources = [DeviceSource(gpio.NAME, board.open), DeviceSource(companion_player.NAME, player.open)]
        listeners, page = [board.show], None
        box_device = box.select_box(settings.box, simulate=settings.simulate)
        if box_device:
            sources.append(DeviceSource(box.NAME, box_device.open))
            listeners.append(box_device.show)
        disk = partial(disk_health, settings.data)
        if settings.broker:
            broker = BrokerDevice(table, settings.broker, settings.table, lambda: free_seat_count(table, lobby), disk)
            sources.append(DeviceSource(BROKER, broker.open))
            listeners.append(broker.show)
        simulation = _open_simulation(settings, resources)
        camera = start_camera(settings, simulation)
        if camera:
            sources.append(DeviceSource("camera", lambda: camera))
            listeners.append(lambda view: _count_tokens(camera, view))
        if simulation:
            listeners.append(simulation.follow)
            snapshot = camera.snapshot if camera else lambda: None
            simulated_box = box_device if isinstance(box_device, SimulatedBox) else None
            page = blueprint(
                SimulatorContext(table, lobby, simulation, board, snapshot, not settings.camera, simulated_box)
            )
        live_picture = camera.live_picture if camera else lambda codes: None
        no_camera_message = "" if camera else _("{reason} {remedy}", reason=NO_CAMERA, remedy=SELECT_A_CAMERA)
        checks = _checks_while_running(box_device, settings, own_lock)
        upkeep = MaintenancePage(
            log.lines,
            lambda: support_bundle(examine(checks), log.lines(), settings_text(config)),
            lambda: backups.backups(settings.data),
            lambda: backups.make_backup(settings.data, config),
        )
        https = HttpsServer(settings, table, lobby) if settings.tls is not None else None
        app = create_app(
            table,
            lobby,
            simulator=page,
            setup=camera_setup.blueprint(
                camera_setup.SetupContext(
                    table, lobby, live_picture, no_camera_message, checks, settings.simulate, upkeep
                )
            ),
            reader=resources.enter_context(closing(PhotoReader(known_codes()))),
            ca_page=https.page if https else None,
            trusts_own_screen=settings.simulate,
            disk=disk,
            board_folder=settings.data / "boards",
            hosts=settings.hosts,
            print_shop=resources.enter_context(closing(PrintShop(table.refresh))),
        )
        shares: ShareRounds = app.extensions["shares"]
        shares.start()
        resources.callback(shares.close)
        server = serve_http(app, settings, resources)
        served = https.serve(app, resources) if https else None
        own_lock.publish_port(server.port)
        service = Service(table, sources, listeners, on_button=lobby.confirm_host)
        resources.callback(service.close)
        service.start()
        addresses = lan_addresses()
        print(greeting(settings, server.port, addresses, lobby.host_key, served), flush=True)
        if sys.stdout.isatty() and addresses:
            print("  Scan this to host the table from a phone:", flush=True)
            print_qr_code(f"{http_url(addresses[0], server.port)}host?key={lobby.host_key}", sys.stdout)
        systemd_notify.notify(f"READY=1\nSTATUS=Phones open {http_url((addresses or ('localhost',))[0], server.port)}")
        with systemd_notify.fed_watchdog(partial(can_move, table, server.port)):
            wait_for_signal()
        systemd_notify.notify("STOPPING=1")
    return 0


def free_seat_count(table: Table, lobby: Lobby) -> int:
    """The number of seats in the current game that no phone has taken."""
    return len(table.names) - lobby.phones.taken_seat_count


def can_move(table: Table, port: int) -> bool:
    """Whether people can play without a restart of the service: phones get answers, the table takes moves, and the
    journal does not have to be opened again. A full disk does not count, because a restart would not help, and the
    pages report it."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=ANSWER_TIMEOUT_S):
            pass
    except urllib.error.HTTPError as error:
        error.close()
    except OSError:
        return False
    return not table.journal.needs_restart


def _count_tokens(camera: CameraProcess, view: View | None) -> None:
    """Tells the camera which mat to count tokens on: the mat of the running game, or no mat if no game is running."""
    if view:
        camera.count_tokens(view.id, view.game.physical.components.mat)
    else:
        camera.count_tokens(0, None)


def _open_simulation(settings: Settings, resources: ExitStack) -> Simulation | None:
    """Opens the simulated table; returns None if the settings don't ask for one. Raises CommandError."""
    if not settings.simulate:
        return None
    try:
        return resources.enter_context(closing(Simulation(settings.data, settings.journal)))
    except OSError as error:
        raise CommandError(
            f"The simulated table’s pictures can’t be written to {settings.data} ({error.strerror}): "
            "make room on the disk, or name another folder with --data."
        ) from error


def _checks_while_running(box_device: Box | SimulatedBox | None, settings: Settings, own_lock: Lock) -> Checks:
    """The checks that are possible while the service runs, by name."""
    return {
        "box's line": lambda: box_line(box_device),
        **machine_checks(settings, lambda: own_lock.port or settings.port),
    }


def report_problems(table: Table, settings: Settings, problem: TextLike) -> None:
    """Reports problems with the settings, the journal, MQTT and the camera, both on the console and as device health.
    `problem`: what is wrong with the settings file; "" if nothing is."""
    missing = "" if settings.camera or settings.simulate else NO_CAMERA
    mqtt = not_installed_message() if settings.broker and not is_installed() else ""
    for device, message, remedy in (
        ("configuration", problem, FIX_THE_FILE),
        ("journal", joined(" ", filter(None, (table.journal.damage, table.resume_error))), ""),
        (BROKER, mqtt, ""),
        ("camera", missing, SELECT_A_CAMERA),
    ):
        if message:
            health = DeviceHealth(device=device, ok=False, message=message, remedy=remedy, missing=device == "camera")
            table.observe(health)
            logging.getLogger(device).warning("%s", health.message_with_remedy)


def greeting(
    settings: Settings, port: int, addresses: Sequence[str], host_key: str, https: HttpsEndpoint | None = None
) -> str:
    """The text on the console when the service has started: the addresses of the pages, the data folder, and what is
    simulated. `addresses`: this machine's addresses on the network, the best one first."""
    address, *others = addresses or ("localhost",)
    here = http_url(address, port)
    lines = [
        "Tablekeeper is running. Ctrl-C stops it; the game is kept.",
        f"  phones     {here}",
        *(f"  or         {http_url(other, port)}" for other in others),
        f"  host       {here}host?key={host_key}",
        f"  data       {settings.data}",
    ]
    if settings.broker:
        lines.append(f"  broker     {settings.broker.address}, as {settings.table}")
    if https:
        lines += [
            f"  https      https://{address}:{https.port}/",
            f"  trust      {here}trust explains how to make a phone trust it",
            f"             SHA-256 {https.fingerprint[:47]}",
            f"                     {https.fingerprint[48:]}",
        ]
    if settings.simulate:
        lines.append(f"  SIMULATED  {settings.simulated}: {here}simulator")
    return "\n".join(lines)
