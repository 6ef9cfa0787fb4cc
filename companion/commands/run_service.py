"""Runs the service: opens and connects its parts, waits for the signal to stop, and closes them."""

from __future__ import annotations

import argparse
import gc
import logging
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread

from flask import Blueprint, Flask

from companion import backups, systemd_notify
from companion.commands import CommandError, journal_commands
from companion.commands.address_announcement import announce_addresses
from companion.commands.data_folder_lock import Lock, exclusive_lock
from companion.commands.http_servers import HttpsEndpoint, HttpsServer, serve_http
from companion.commands.interrupts import stop_signal
from companion.commands.machine_checks import machine_checks
from companion.commands.recovery_mode import run_recovery_mode
from companion.commands.redacted_settings import settings_text
from companion.commands.requested_restore import RequestedRestore
from companion.commands.service_devices import Devices, open_devices
from companion.commands.service_log import RecentLines, start_log
from companion.commands.service_settings import (
    CAMERA_IS_OFF,
    FIX_THE_FILE,
    NO_CAMERA,
    SELECT_A_CAMERA,
    DataFolderUnknown,
    resolve_settings,
)
from companion.commands.settings_file import WITHOUT_CAMERA, Settings
from companion.commands.startup_errors import startup_errors
from companion.device_supervisor import DeviceSupervisor
from companion.devices.box import Box
from companion.devices.simulated_box import SimulatedBox
from companion.diagnostics.device_checks import box_line
from companion.diagnostics.findings import Checks, examine
from companion.diagnostics.storage_checks import disk_health
from companion.diagnostics.support_bundle import support_bundle
from companion.hostname_and_country import MachineSettings, can_change_machine
from companion.mqtt.client import is_installed, not_installed_message
from companion.mqtt.connection_health import NAME as BROKER
from companion.printing.pdf_queue import PdfQueue
from companion.recordings.recording_store import RecordingStore
from companion.replay_pictures.picture_store import PictureStore
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth
from companion.text.messages import TextLike, joined
from companion.wifi import Wifi, has_nmcli
from vision.camera_process import CameraProcess
from vision.known_codes import known_codes
from vision.photo_queue import PhotoReader
from web.access.lobby import Lobby
from web.app import create_app
from web.events.shuffle_shares import ShareRounds
from web.setup import camera_setup
from web.setup.backups_and_support_page import BackupsAndSupportPage
from web.simulator.page import SimulatorContext, blueprint
from web.templating.environment import compile_templates

RESPONSE_TIMEOUT_S = 10.0
NEW_OBJECTS_PER_COLLECTION = 5_000
"""The number of new objects after which Python's garbage collector looks for cycles among them. With Python's own
default, 700, it would run many times while a page is rendered. With a much larger number, phones would wait longer for
each run."""


def run_service(args: argparse.Namespace) -> int:
    """Runs the service until Ctrl-C or SIGTERM. If the service can't start, raises CommandError. With a settings file,
    serves a page about the error instead, because perhaps nobody reads the console. When a host restores a backup on
    that page, tries again."""
    log = start_log()
    while True:
        settings = data = None
        try:
            settings, problem = resolve_settings(args)
            data = settings.data
            return _run(settings, problem, args.config, log)
        except CommandError as error:
            if args.config is None:
                raise
            settings = error.settings if isinstance(error, DataFolderUnknown) else settings
            if not run_recovery_mode(settings or Settings(), error, log, data):
                return 0


def _run(settings: Settings, problem: TextLike, config: Path | None, log: RecentLines) -> int:
    """Runs the service until the signal to stop. When the host restores a backup, the service starts again on the same
    port."""
    with stop_signal() as wait_for_signal, exclusive_lock(settings.data) as own_lock:
        restore = RequestedRestore(settings.data, config)
        while True:
            port = _serve(settings, problem, config, log, own_lock, wait_for_signal, restore)
            if not restore.is_requested:
                break
            with systemd_notify.fed_watchdog(lambda: True):
                restore.run()
            settings = replace(settings, port=port)
        systemd_notify.notify("STOPPING=1")
    return 0


def _serve(
    settings: Settings,
    problem: TextLike,
    config: Path | None,
    log: RecentLines,
    own_lock: Lock,
    wait_for_signal: Callable[[], object],
    restore: RequestedRestore,
) -> int:
    """Opens all parts of the service, waits for the signal to stop, and closes them in reverse order. Returns the port
    of the pages."""
    with ExitStack() as resources:
        with startup_errors():
            table, port = _start(settings, problem, config, log, own_lock, restore, resources)
            _tune_garbage_collection()
        with systemd_notify.fed_watchdog(partial(can_move, table, port)):
            wait_for_signal()
    return port


def _tune_garbage_collection() -> None:
    """Makes garbage collection cheaper. Objects that exist now stay as long as the service runs, so the collector need
    not visit them: otherwise phones would wait for it in the middle of an act."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS_PER_COLLECTION, *gc.get_threshold()[1:])


def _start(
    settings: Settings,
    problem: TextLike,
    config: Path | None,
    log: RecentLines,
    own_lock: Lock,
    restore: RequestedRestore,
    resources: ExitStack,
) -> tuple[Table, int]:
    """Opens all parts of the service. Returns the table, and the port of the pages."""
    table = Table(resources.enter_context(closing(journal_commands.open_journal(settings.data))))
    report_problems(table, settings, problem)
    lobby, disk = Lobby(table), partial(disk_health, settings.data)
    restore.report(table, lobby)
    devices = open_devices(table, settings, lambda: free_seat_count(table, lobby), disk, resources)
    pictures = PictureStore(settings.data)
    checks = _checks_while_running(devices.box, settings, own_lock)
    https = _https_server(settings, table, lobby, is_needed=config is None)
    app = create_app(
        table,
        lobby,
        simulator=_simulator_page(table, lobby, devices, settings) if devices.simulation else None,
        setup=_setup_page(
            table,
            lobby,
            devices.camera,
            checks,
            settings,
            _backups_and_support_page(settings, config, checks, log, restore, pictures if devices.camera else None),
        ),
        reader=resources.enter_context(closing(PhotoReader(known_codes()))),
        ca_page=https.page if https else None,
        trusts_own_screen=settings.simulate,
        disk=disk,
        board_folder=settings.data / "boards",
        hosts=settings.hosts,
        pdf_queue=resources.enter_context(closing(PdfQueue(table.refresh))),
        has_console=not systemd_notify.is_started_by_systemd(),
        pictures=pictures,
    )
    shares: ShareRounds = app.extensions["shares"]
    shares.start()
    resources.callback(shares.close)
    server = serve_http(app, settings, resources)
    Thread(target=compile_templates, args=(app.jinja_env,), name="templates", daemon=True).start()
    served = _serve_https(https, app, table, resources, is_needed=config is None) if https else None
    own_lock.publish_port(server.port)
    service = DeviceSupervisor(table, devices.sources, devices.listeners, on_button=lobby.confirm_host)
    resources.callback(service.close)
    service.start()
    resources.enter_context(announce_addresses(settings, server.port, lobby.host_key, served))
    return table, server.port


def _https_server(settings: Settings, table: Table, lobby: Lobby, *, is_needed: bool) -> HttpsServer | None:
    """The HTTPS server; None if the settings don't ask for one. If there is no usable certificate, raises CommandError
    if https `is_needed`; otherwise people play over http, and the problem is reported."""
    try:
        return HttpsServer(settings, table, lobby) if settings.tls is not None else None
    except CommandError as error:
        _report_https(table, error, is_needed=is_needed)
        return None


def _serve_https(
    server: HttpsServer, app: Flask, table: Table, resources: ExitStack, *, is_needed: bool
) -> HttpsEndpoint | None:
    """Starts the HTTPS server. If its port can't be used, raises CommandError if https `is_needed`; otherwise people
    play over http, and the problem is reported."""
    try:
        return server.serve(app, resources)
    except CommandError as error:
        _report_https(table, error, is_needed=is_needed)
        return None


def _report_https(table: Table, error: CommandError, *, is_needed: bool) -> None:
    """Reports that there is no https. Raises `error` if https `is_needed`: somebody has just asked for it on the
    console, and can correct the command."""
    if is_needed:
        raise error
    table.observe(DeviceHealth(device="https", ok=False, message=str(error)))
    logging.getLogger("https").warning("%s", error)


def _simulator_page(table: Table, lobby: Lobby, devices: Devices, settings: Settings) -> Blueprint:
    """The page of the simulated table."""
    assert devices.simulation
    snapshot = devices.camera.snapshot if devices.camera else lambda: None
    simulated_box = devices.box if isinstance(devices.box, SimulatedBox) else None
    context = SimulatorContext(
        table, lobby, devices.simulation, devices.board, snapshot, not settings.camera, simulated_box
    )
    return blueprint(context)


def _setup_page(
    table: Table,
    lobby: Lobby,
    camera: CameraProcess | None,
    checks: Checks,
    settings: Settings,
    maintenance: BackupsAndSupportPage,
) -> Blueprint:
    """The page for setting up the camera, with the checks of the service, and `maintenance` as a part of the page."""
    live_picture = camera.live_picture if camera else lambda codes: None
    why = (CAMERA_IS_OFF,) if settings.camera == WITHOUT_CAMERA else (NO_CAMERA, SELECT_A_CAMERA)
    no_camera = "" if camera else joined(" ", why)
    wifi = Wifi() if has_nmcli() and not settings.simulate else None
    machine = MachineSettings(settings.data) if can_change_machine() and not settings.simulate else None
    context = camera_setup.SetupContext(
        table,
        lobby,
        live_picture,
        no_camera,
        checks,
        settings.simulate,
        maintenance,
        wifi,
        machine,
        camera.mark_corners if camera else None,
    )
    return camera_setup.blueprint(context)


def _backups_and_support_page(
    settings: Settings,
    config: Path | None,
    checks: Checks,
    log: RecentLines,
    restore: RequestedRestore,
    pictures: PictureStore | None,
) -> BackupsAndSupportPage:
    """The part of the set-up page with the log, the support bundle, the backups, the pictures of past games and the
    recordings of the table. `config`: the settings file."""
    return BackupsAndSupportPage(
        log.lines,
        lambda picture: support_bundle(examine(checks), log.lines(), settings_text(config), picture),
        lambda: backups.backups(settings.data),
        lambda: backups.make_backup(settings.data, config),
        restore.request,
        lambda: restore.is_requested,
        pictures,
        RecordingStore(settings.data) if pictures else None,
    )


def free_seat_count(table: Table, lobby: Lobby) -> int:
    """The number of seats in the current game that no phone has taken."""
    return len(table.names) - lobby.phones.taken_seat_count


def can_move(table: Table, port: int) -> bool:
    """Whether people can play without a restart of the service: phones get answers, the table takes moves, and the
    journal does not have to be opened again. A full disk does not count, because a restart would not help, and the
    pages report it."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=RESPONSE_TIMEOUT_S):
            pass
    except urllib.error.HTTPError as error:
        error.close()
    except OSError:
        return False
    return not table.journal.needs_restart


def _checks_while_running(box_device: Box | SimulatedBox | None, settings: Settings, own_lock: Lock) -> Checks:
    """The checks that are possible while the service runs, by name."""
    return {
        "box's line": lambda: box_line(box_device),
        **machine_checks(settings, lambda: own_lock.port or settings.port),
    }


def report_problems(table: Table, settings: Settings, problem: TextLike) -> None:
    """Reports problems with the settings, the journal, MQTT and the camera, both on the console and as device health.
    `problem`: what is wrong with the settings file; "" if nothing is."""
    damage = table.journal.damage or table.journal.reminder_of_damage()
    missing = "" if settings.camera or settings.simulate else NO_CAMERA
    mqtt = not_installed_message() if settings.broker and not is_installed() else ""
    for device, message, remedy in (
        ("configuration", problem, FIX_THE_FILE),
        ("journal", joined(" ", filter(None, (damage, table.resume_error))), ""),
        (BROKER, mqtt, ""),
        ("camera", missing, SELECT_A_CAMERA),
    ):
        if message:
            health = DeviceHealth(device=device, ok=False, message=message, remedy=remedy, missing=device == "camera")
            table.observe(health)
            logging.getLogger(device).warning("%s", health.message_with_remedy)
    if settings.camera == WITHOUT_CAMERA:
        table.observe(DeviceHealth(device="camera", ok=True, message=CAMERA_IS_OFF, missing=True))
