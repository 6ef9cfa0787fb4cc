"""Starts and checks the camera for `tablekeeper run` and `doctor`: the selected camera, or a simulated one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from companion.commands.service_settings import CAMERA_IS_OFF, NO_CAMERA, SELECT_A_CAMERA
from companion.commands.settings_file import WITHOUT_CAMERA, Settings
from companion.diagnostics import device_checks
from companion.diagnostics.findings import Finding
from companion.simulator.card_images import card_images
from companion.simulator.scene_contents import TableScene
from companion.simulator.simulated_table_setup import CurrentSimulatedTable, first_game
from companion.simulator.tidy_arrangement import visible_components
from vision.camera_process import CameraProcess, create_camera_process
from vision.camera_worker import MAX_FPS, SIMULATED_SOURCE
from vision.image_quality_advice import check_camera
from vision.known_codes import component_codes, known_codes, mats_by_game, other_sides
from vision.open_frame_source import open_source
from vision.simulated_camera import PlacedPrint, PlacedToken, Scene, SimulatedSource


def start_camera(settings: Settings, simulation: CurrentSimulatedTable | None) -> CameraProcess | None:
    """Starts a process for the selected camera or, if none is selected, for a simulated camera above the simulated
    table. Returns None if there is no simulated table either, or if the camera is switched off."""
    if settings.camera == WITHOUT_CAMERA:
        return None
    if settings.camera:
        path = settings.data / "camera.json"
        return create_camera_process(
            settings.camera,
            mats_by_game(),
            component_codes(),
            other_sides(),
            calibration_path=path,
            cube_mm=settings.cube_mm,
        )
    if simulation is None:
        return None
    camera = create_camera_process(SIMULATED_SOURCE, mats_by_game(), component_codes(), other_sides())
    simulation.listen(lambda simulation, scene: camera.set_scene(_camera_scene(simulation, scene)))
    return camera


def _camera_scene(simulation: CurrentSimulatedTable, scene: TableScene) -> Scene:
    """Converts the scene of the simulated table for the simulated camera."""
    table = simulation.table
    return Scene(
        tuple(
            PlacedPrint(placed.code, placed.x, placed.y, placed.angle, "front" if placed.face_up else "back")
            for placed in visible_components(table.mat, table.piles, scene)
        ),
        tuple(PlacedToken(token.kind, token.x, token.y, token.angle) for token in scene.tokens),
        scene.hand,
        simulation.pictures,
    )


def camera_findings(settings: Settings, folder: Path) -> Iterable[Finding]:
    """The findings about the selected camera or, in a simulation without one, about a simulated camera above an empty
    mat. `folder`: where pictures of the components are written for the simulated camera."""
    known, mats, selected = known_codes(), tuple(mats_by_game().values()), settings.camera
    if selected == WITHOUT_CAMERA:
        return (Finding("camera", True, CAMERA_IS_OFF),)
    if selected and selected != SIMULATED_SOURCE:
        return check_camera(lambda: open_source(selected), known, mats)
    if not selected and not settings.simulate:
        return device_checks.no_camera_finding(NO_CAMERA, SELECT_A_CAMERA)
    scene = Scene(texture_folder=card_images(first_game(), folder / "prints"))
    return check_camera(lambda: SimulatedSource(lambda: scene, MAX_FPS), known, mats)
