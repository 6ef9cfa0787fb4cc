"""Opens the devices of a service: pins, box, broker, camera, the companion player, and the simulated table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial

from companion.commands import CommandError
from companion.commands.camera_startup import start_camera
from companion.commands.settings_file import Settings
from companion.device_supervisor import DeviceSource, ViewListener
from companion.devices import box, gpio
from companion.devices.box import Box
from companion.devices.simulated_box import SimulatedBox
from companion.games.view import View
from companion.mqtt.client import MqttClient
from companion.mqtt.connection_health import NAME as BROKER
from companion.recordings.recorder import Recorder
from companion.recordings.recording_store import RecordingStore
from companion.replay_pictures.picture_store import PictureStore
from companion.replay_pictures.picture_taker import PictureTaker
from companion.simulator.simulated_table_setup import CurrentSimulatedTable
from companion.storage_remedies import full_disk_remedy
from companion.table import companion_player
from companion.table.companion_player import CompanionPlayer
from companion.table.public_table import PublicTable
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth
from vision.camera_process import CameraProcess
from vision.camera_worker_messages import PublicPictureRequest


@dataclass(frozen=True)
class Devices:
    """The devices of a service. `sources`, `listeners`: as for `DeviceSupervisor`. The box, the camera and the
    simulated table are None if there are none."""

    board: gpio.GpioBoard
    box: Box | SimulatedBox | None
    camera: CameraProcess | None
    simulation: CurrentSimulatedTable | None
    sources: Sequence[DeviceSource]
    listeners: Sequence[ViewListener]


def open_devices(
    table: Table,
    settings: Settings,
    free_seats: Callable[[], int],
    disk: Callable[[], DeviceHealth],
    resources: ExitStack,
) -> Devices:
    """Opens the simulated table and the camera, and prepares the other devices, which the service opens. `free_seats`,
    `disk`: as for `MqttClient`. Raises CommandError if the simulated table's pictures can't be written."""
    board = gpio.GpioBoard(settings.data, settings.pins, simulate=settings.simulate)
    sources = [DeviceSource(gpio.NAME, board.open)]
    listeners: list[ViewListener] = [board.show]
    box_device = box.select_box(settings.box, simulate=settings.simulate)
    if box_device:
        sources.append(DeviceSource(box.NAME, box_device.open))
        listeners.append(box_device.show)
    if settings.broker:
        broker = MqttClient(table, settings.broker, settings.table, free_seats, disk)
        sources.append(DeviceSource(BROKER, broker.open))
        listeners.append(broker.show)
    simulation = _open_simulation(settings, resources)
    camera = start_camera(settings, simulation)
    if camera:
        table.await_camera()
    player = CompanionPlayer(table)
    sources.append(DeviceSource(companion_player.NAME, player.open))
    if camera:
        sources.append(DeviceSource("camera", lambda: camera))
        listeners.append(lambda view: _count_tokens(camera, view))
        take_picture = partial(_public_picture, camera)
        listeners.append(PictureTaker(table, PictureStore(settings.data), take_picture).follow)
        listeners.append(Recorder(table, RecordingStore(settings.data), take_picture).follow)
    if simulation:
        listeners.append(simulation.follow)
    return Devices(board, box_device, camera, simulation, sources, listeners)


def _open_simulation(settings: Settings, resources: ExitStack) -> CurrentSimulatedTable | None:
    """Opens the simulated table; returns None if the settings don't ask for one. Raises CommandError if its pictures
    can't be written."""
    if not settings.simulate:
        return None
    try:
        return resources.enter_context(closing(CurrentSimulatedTable(settings.data, settings.journal)))
    except OSError as error:
        raise CommandError(
            f"The simulated table’s pictures can’t be written to {settings.data} ({error.strerror}). "
            f"{full_disk_remedy()!s}"
        ) from error


def _public_picture(camera: CameraProcess, now: PublicTable, px_per_mm: float) -> bytes:
    """A picture of what everyone may see of the table, as WebP; empty if none can be taken now."""
    return camera.public_picture(PublicPictureRequest(now.mat, px_per_mm, now.visible, now.public))


def _count_tokens(camera: CameraProcess, view: View | None) -> None:
    """Tells the camera which mat to count tokens on: the mat of the running game, or no mat if no game is running."""
    if view:
        camera.count_tokens(view.id, view.game.physical.components.mat)
    else:
        camera.count_tokens(0, None)
