"""A video of a whole game, rendered from the print sheets, is read by `watch` and by the camera process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import cv2
import pytest

from companion.device_supervisor import DeviceSource, DeviceSupervisor
from companion.games import GAMES, move_json
from companion.games.rules import HOUSE, REFEREE, State
from companion.match.history import fold
from companion.match.journal import Journal
from companion.simulator.card_images import card_images, component_sizes
from companion.simulator.scene_contents import PlacedComponent, TableScene
from companion.simulator.tidy_arrangement import tidy, without_hidden
from companion.table.table import Table
from companion.tabletop.expected_layout import Layout
from tests.running_service import until
from vision.camera_process import create_camera_process
from vision.known_codes import component_codes, mats_by_game
from vision.simulated_camera import PlacedPrint, Scene, SimulatedCamera, TextureFolder

GAME = GAMES["systems-failing"]
assert GAME.physical.components.mat
MAT = GAME.physical.components.mat
FPS = 15
EMPTY = 20
"""For this many frames the places of removed components are shown empty, because several removals at once take a while
to be accepted."""
STILL = 9
"""The number of frames for each position, after one frame with a hand in it."""
SEED = "filmed"
DEALERS = {"cards": "table", "roles": "table"}


@dataclass(frozen=True)
class Filmed:
    """A recorded game and the video of its table."""

    video: Path
    moves: tuple[dict[str, Any], ...]
    """The seats' moves, and None where the companion was told to proceed."""
    state: State


def begun(journal: Journal) -> Table:
    table = Table(journal)
    table.start(GAME.name, 2, {"difficulty": "hard"}, DEALERS, ("Ann", "Bob"), SEED)
    return table


def state_in(journal: Journal) -> State:
    kept = journal.running_game()
    assert kept
    return fold(kept).state


def played() -> Iterator[tuple[dict[str, Any], State]]:
    """Yields each act of a game, and the position after it. The players repair a little and soon end their turns."""
    journal, rng = Journal(None), Random(7)
    table = begun(journal)
    yield {}, (state := state_in(journal))
    while state.turn is not None:
        move = act(state, rng)
        view = table.view()
        assert view
        if view.choices.pause_label:
            table.proceed(None)
            move = {}
        else:
            table.submit(None, move)
        yield move, (state := state_in(journal))
    journal.close()


def act(state: State, rng: Random) -> dict[str, Any]:
    if state.turn == HOUSE:
        moves, weights = zip(*state.chances(), strict=True)
        return move_json.to_json(rng.choices(moves, weights)[0])
    legal = list(state.legal_moves())
    repairs = [move for move in legal if move.NAME == "repair"]
    wanted = repairs if repairs and rng.random() < 0.5 else [m for m in legal if m.NAME in ("end_turn", "return")]
    return move_json.to_json(rng.choice(wanted))


def in_view(layout: Layout) -> dict[str, tuple[str, ...]]:
    """The part of a layout that a camera can see: the zones of the mat, but only the top component of each pile."""
    seen = {}
    for zone in MAT.zones:
        cards = layout.cards.get(zone.name, ())
        seen[zone.name] = cards[:1] if zone.order == "pile" else cards
    return {name: cards for name, cards in seen.items() if cards}


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> Filmed:
    folder = tmp_path_factory.mktemp("film")
    pictures = card_images(GAME, folder)
    camera, dimensions = SimulatedCamera(TextureFolder(pictures)), component_sizes(pictures)
    video = folder / "game.avi"
    film = cv2.VideoWriter(str(video), cv2.VideoWriter.fourcc(*"MJPG"), FPS, camera.size)
    assert film.isOpened()
    world, moves, state, shown = TableScene(), [], None, Layout(cards={})
    show(film, camera, world, STILL)
    for move, state in played():
        moves.append(move)
        layout = GAME.physical.layout(state, REFEREE)
        card = f"SF-{move.get('card')}"
        if card in layout.cards["discard"]:  # what is discarded at once is first turned up for all to see
            show(film, camera, world.with_placed(PlacedComponent(card, 309, 280)), STILL)
        if in_view(layout) == in_view(shown):
            continue
        if (up := without_hidden(world, layout, MAT)) != world:
            show(film, camera, up, EMPTY)
        world, shown = tidy(world, layout, MAT, dimensions, frozenset()), layout
        show(film, camera, world, 1, hand=(world.on_mat[-1].x, world.on_mat[-1].y))
        show(film, camera, world, STILL)
    show(film, camera, world, FPS)
    film.release()
    assert state is not None
    return Filmed(video, tuple(moves[1:]), state)


def show(
    film: Any, camera: SimulatedCamera, world: TableScene, frames: int, hand: tuple[float, float] | None = None
) -> None:
    placements = tuple(PlacedPrint(p.code, p.x, p.y, p.angle, "front" if p.face_up else "back") for p in world.on_mat)
    for _ in range(frames):
        film.write(camera.render(Scene(placements, hand=hand)))


@pytest.mark.thorough
def test_watching_the_film_ends_as_the_game_did(filmed: Filmed) -> None:
    """The events of `tablekeeper watch`, applied in order, leave each component in the zone that the last position
    requires."""
    command = [sys.executable, "-m", "companion", "watch", "--json", "--game", GAME.name, str(filmed.video)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stderr == ""
    places: dict[str, tuple[str, float, float]] = {}
    for event in map(json.loads, done.stdout.splitlines()):
        if event["event"] == "left":
            del places[event["id"]]
        else:
            places.pop(event["id"], None)  # a component that moves counts as the last that came
            places[event["id"]] = (event["zone"], *event["mm"])
    assert zones(places) == in_view(GAME.physical.layout(filmed.state, REFEREE))


def zones(places: dict[str, tuple[str, float, float]]) -> dict[str, tuple[str, ...]]:
    """The components in each zone, in the zone's order. For a pile it is only the latest component, because it covers
    the others."""
    found = {}
    for zone in MAT.zones:
        here = [(place, card) for card, place in places.items() if place[0] == zone.name]
        if zone.order == "pile":
            here = here[-1:]
        else:
            here.sort(key=lambda item: item[0][1 if zone.order == "right" else 2])
        if here:
            found[zone.name] = tuple(card for _, card in here)
    return found


@pytest.mark.slow
def test_the_service_records_the_film(filmed: Filmed) -> None:
    """The service gets the cards and roles from the video alone. Together with the players' moves, the game ends as
    recorded, without discrepancies."""
    journal = Journal(None)
    table = begun(journal)
    process = create_camera_process(str(filmed.video), mats_by_game(), component_codes(), max_fps=1000)
    service = DeviceSupervisor(table, [DeviceSource("camera", lambda: process)])
    service.start()
    try:
        play_along(table, [move for move in filmed.moves if not move or move["seat"] != HOUSE])
        until(lambda: not discrepancies(table), "a right table")
    finally:
        service.close()
    assert state_in(journal).to_json() == filmed.state.to_json()


def play_along(table: Table, moves: list[dict[str, Any]]) -> None:
    """Makes the players' moves, each as soon as the table has dealt."""
    for move in moves:
        until(lambda: not dealing(table), "the table's dealing", 60)
        if move:
            table.submit(None, move)
        else:
            table.proceed(None)
    until(lambda: not dealing(table), "the last card", 60)


def dealing(table: Table) -> bool:
    """Whether the table waits for a card from the video."""
    view = table.view()
    return view is not None and view.turn == HOUSE and view.choices.pause_label is None


def discrepancies(table: Table) -> tuple[Any, ...]:
    view = table.view()
    return view.tabletop.discrepancies if view else ()
