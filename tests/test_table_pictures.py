"""Pictures of the table: what they show, when they are taken, where they are stored, and who may see them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.games.rules import Seat
from companion.match.journal import Journal
from companion.replay_pictures.picture_store import PictureStore
from companion.replay_pictures.picture_taker import PictureTaker
from companion.table.public_table import PublicTable
from companion.table.table import Table
from companion.tabletop.component_outline import Outline
from companion.tabletop.mat import rectangle
from companion.tabletop.observations import CardSeen, MatSeen
from tests.manual_clock import ManualClock
from tests.test_past_games import finished, past_of, table_of
from tests.vision_scenes import CARDS, KNOWN, MAT, camera, still
from tests.web_table import WebTable
from vision.camera_worker import CameraWorker, WorkerSettings
from vision.camera_worker_messages import PublicPictureRequest
from vision.geometry import Frame
from vision.public_picture import PAPER_BGR
from vision.simulated_camera import PlacedPrint, Scene
from web.access.phone_cookie import COOKIE
from web.app import create_app
from web.setup import camera_setup
from web.setup.backups_and_support_page import BackupsAndSupportPage

OPEN_CARD, HIDDEN_CARD = CARDS[:2]
TABLE = Scene((PlacedPrint(OPEN_CARD, 100, 125, 10), PlacedPrint(HIDDEN_CARD, 280, 125, 0)))
CARD = Outline((63.0, 88.0), (0.0, 19.0))
WEBP = b"RIFF a picture"


@pytest.fixture(scope="module")
def worker() -> CameraWorker:
    """A camera worker that has watched TABLE until it was still."""
    worker = CameraWorker(_NoPipe(), WorkerSettings("", {"systems-failing": MAT}, KNOWN, {}))  # type: ignore[arg-type]
    show(worker, TABLE, 0.0)
    return worker


class _NoPipe:
    def send(self, message: object) -> None:
        """Drops what the worker reports."""


def show(worker: CameraWorker, scene: Scene, start: float, frames: int = 24) -> None:
    simulated = camera()
    for number, each in enumerate(still(scene, frames)):
        worker._process(start + number / 12, simulated.render(each))


def picture(worker: CameraWorker, public: dict[str, Outline] | None, visible: tuple[str, ...] = CARDS[:2]) -> bytes:
    return worker._public_picture(PublicPictureRequest(MAT, 1.0, frozenset(visible), public))


def decoded(webp: bytes) -> Frame:
    return np.asarray(cv2.imdecode(np.frombuffer(webp, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def test_a_game_without_secrets_is_shown_whole(worker: CameraWorker) -> None:
    """In a game without hidden cards, the picture shows the whole mat from above, at the requested scale."""
    shown = decoded(picture(worker, None))
    assert shown.shape == (250, 420, 3)
    assert shown[110:140, 265:295].std() > 20, "the other card"
    assert abs(int(shown[20, 200, 0]) - PAPER_BGR[0]) > 40, "the mat itself"


def test_there_is_no_picture_while_a_hidden_card_is_in_view(worker: CameraWorker) -> None:
    """There is no picture while a card is in view that is not public, or that the service does not know about yet."""
    assert picture(worker, {OPEN_CARD: CARD}) == b""
    assert picture(worker, None, (OPEN_CARD,)) == b""
    assert picture(worker, {OPEN_CARD: CARD, HIDDEN_CARD: CARD}) != b""


def test_only_the_outlines_of_public_components_are_cut_out(worker: CameraWorker) -> None:
    """In a game with hidden cards, the picture shows only the public cards as the camera sees them. Everything else is
    drawn, so that nothing else on the table is visible."""
    shown = decoded(picture(worker, {OPEN_CARD: CARD, HIDDEN_CARD: CARD})).astype(int)
    assert shown[110:140, 85:115].std() > 20, "a public card"
    assert np.abs(shown[215:245, 220:360] - PAPER_BGR).max() < 60, "paper and the lines of zones"
    assert np.abs(shown[3:40, 3:40] - PAPER_BGR).max() < 12, "not the mat's corner"
    empty = Outline((0.0, 0.0))
    shown = decoded(picture(worker, {OPEN_CARD: CARD, HIDDEN_CARD: empty})).astype(int)
    assert np.abs(shown[80:170, 245:315] - PAPER_BGR).mean() < 2, "what has no outline does not show"


def test_there_is_no_picture_while_a_hand_is_in_view(worker: CameraWorker) -> None:
    """No picture is taken while a hand moves over the mat; after it has gone, there is one again."""
    for number, x in enumerate((150, 170, 190)):
        show(worker, replace(TABLE, hand=(x, 180.0)), 3.0 + number / 12, 1)
        assert picture(worker, None) == b""
    show(worker, TABLE, 4.0)
    assert picture(worker, None) != b""


def test_there_is_no_picture_while_places_follow_from_marks(worker: CameraWorker) -> None:
    """With marks in place of corner codes, cards can't be cut out exactly, so what lies beside them might be visible.
    Once the corner codes are read, there is a picture again."""
    corners = np.array([camera().project(corner) for corner in rectangle(0, 0, *MAT.size)])
    worker._watcher.mark_corners("systems-failing", corners)
    assert picture(worker, None) == b""
    show(worker, TABLE, 7.0, frames=150)  # the sweep reads them one after another
    assert picture(worker, None) != b""


def test_the_store_keeps_nothing_without_consent_and_forgets_all_of_it(tmp_path: Path) -> None:
    """Without consent, no picture is stored. With consent, pictures are stored by game and act. Withdrawing the consent
    deletes all of them."""
    store = PictureStore(tmp_path)
    assert not store.is_on
    store.turn_on()
    store.save(3, "2030-01-31T19:30:00+00:00", 7, WEBP)
    assert store.is_on
    assert store.acts(3, "2030-01-31T19:30:00+00:00") == {7}
    assert store.picture(3, "2030-01-31T19:30:00+00:00", 7) == WEBP
    assert store.acts(3, "2031-01-31T19:30:00+00:00") == set(), "another game with the same id"
    store.turn_off()
    assert (store.is_on, store.size, [*tmp_path.iterdir()]) == (False, 0, [])
    store.turn_off()


def test_the_oldest_games_make_room(tmp_path: Path) -> None:
    """If the pictures take too much space, those of the oldest games are deleted. The current game keeps its
    pictures."""
    store = PictureStore(tmp_path, max_bytes=3 * len(WEBP))
    store.turn_on()
    for game in (1, 2, 3):
        store.save(game, "2030", 1, WEBP)
        os.utime(store.folder / "games" / f"{game}-2030", (game, game))
    for act in range(1, 6):
        store.save(3, "2030", act, WEBP)
    assert [len(store.acts(game, "2030")) for game in (1, 2, 3)] == [0, 0, 5]


class Camera:
    """Takes pictures of a table, and remembers what was asked for."""

    def __init__(self) -> None:
        self.taken: list[PublicTable] = []
        self.answer = WEBP

    def __call__(self, now: PublicTable, px_per_mm: float) -> bytes:
        self.taken.append(now)
        return self.answer


@pytest.fixture
def won(tmp_path: Path) -> tuple[Table, ManualClock, Camera, PictureTaker, PictureStore]:
    """A table with a game of System WON, in which people deal under a camera that sees the mat, and the table's
    pictures."""
    clock, taken, store = ManualClock(), Camera(), PictureStore(tmp_path)
    table = Table(Journal(None), clock)
    table.start("system-won", 2, {}, {"cards": "table", "roles": "companion"}, ("Ann", "Ben"), "s")
    table.observe(MatSeen(t=0.0, mat="MAT-SW"))
    return table, clock, taken, PictureTaker(table, store, taken), store


def seen(table: Table, code: str, zone: str, share: float = 0.5) -> None:
    """Lets the camera see a component in a zone. `share`: the component's place on the diagonal from the zone's top
    left corner (0) to the opposite corner (1)."""
    match = table._game.match
    assert match is not None
    mat = match.game.physical.components.mat
    assert mat is not None
    xs, ys = zip(*mat.zone(zone).polygon, strict=True)
    at = (min(xs) + share * (max(xs) - min(xs)), min(ys) + share * (max(ys) - min(ys)))
    table.observe(CardSeen(t=1.0, code=code, zone=zone, mm=at, angle=0.0, change="appeared"))


def test_a_card_that_is_shown_for_a_deal_is_no_public_card(won: Any) -> None:
    """A dealt card that lies where it is shown to the camera is visible, but not public. So the camera takes no
    picture."""
    table, _clock, taken, pictures, store = won
    store.turn_on()
    seen(table, "SW-R1A", "show")
    now = table.public_table()
    assert now is not None
    assert now.visible == {"SW-R1A"}
    assert now.public == {}
    assert not now.is_right
    pictures.follow(table.view())
    assert taken.taken == []


def test_a_card_in_a_wrong_place_is_public_once_everyone_is_told(won: Any) -> None:
    """A face-up card in a wrong place on the mat becomes public only when a message to everyone names it."""
    table, clock, *_ = won
    seen(table, "SW-R1A", "system-green")
    assert table.public_table().public == {}
    clock.now += 10
    table.refresh()
    assert [*table.public_table().public] == ["SW-R1A"]


@pytest.fixture
def failing(tmp_path: Path) -> tuple[Table, Camera, PictureTaker, PictureStore]:
    """A table with a game of Systems Failing on which everything is in its place, and the table's pictures."""
    taken, store = Camera(), PictureStore(tmp_path)
    table = table_of("systems-failing")
    match = table._game.match
    assert match is not None
    table.observe(MatSeen(t=0.0, mat="MAT-SF"))
    layout = match.game.physical.layout(match.state, "referee")
    mat = match.game.physical.components.mat
    assert mat is not None
    for place, codes in layout.cards.items():
        for number, code in enumerate(codes if any(zone.name == place for zone in mat.zones) else ()):
            seen(table, code, place, (number + 1) / (len(codes) + 1))
    return table, taken, PictureTaker(table, store, taken), store


def test_a_picture_is_kept_for_each_act_if_the_host_agreed(failing: Any) -> None:
    """If the host has not agreed, no picture is taken. If the host has, there is a picture of each state of the game in
    which everything on the table is in its place."""
    table, taken, pictures, store = failing
    pictures.follow(table.view())
    assert taken.taken == []
    store.turn_on()
    pictures.follow(table.view())
    now = table.public_table()
    assert now is not None
    assert now.is_right, table.view().tabletop.discrepancies
    assert now.public is None, "this game hides nothing"
    assert taken.taken == [now]
    assert store.acts(now.game, table.journal.game(now.game).started) == {now.act}
    pictures.follow(table.view())
    assert len(taken.taken) == 1, "there is one already"


def test_a_picture_of_a_table_that_has_changed_is_dropped(failing: Any) -> None:
    """If something changes between the request and the picture, the picture is dropped, because it may not show the
    table as it was after the act."""
    table, taken, pictures, store = failing
    store.turn_on()

    def take(now: PublicTable, px_per_mm: float) -> bytes:
        taken(now, px_per_mm)
        seen(table, "SF-D12", "deck")
        return WEBP

    pictures._take = take
    pictures.follow(table.view())
    assert len(taken.taken) == 1
    assert store.size == 0


def test_a_full_disk_stops_no_game(failing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a picture can't be stored, the game goes on."""
    table, _taken, pictures, store = failing
    store.turn_on()

    def save(*args: object) -> None:
        raise OSError("full")

    monkeypatch.setattr(store, "save", save)
    pictures.follow(table.view())
    assert store.size == 0


def test_the_replay_shows_the_picture_of_its_step(tmp_path: Path) -> None:
    """The page of a past game shows the picture of the table at the current step. Phones that have not joined get no
    picture."""
    store = PictureStore(tmp_path)
    table = finished("system-won", 3)
    table.end()
    web_table, started = WebTable(table), table.journal.game(1).started
    version = past_of(table).history.done[4].version
    store.save(1, started, version, WEBP)
    web_table.app = create_app(table, web_table.lobby, pictures=store)
    phone = web_table.host()
    assert f"/games/1/table/{version}.webp" in phone.get("/games/1?at=5").text
    assert "/games/1/table/" not in phone.get("/games/1?at=6").text
    answer = phone.get(f"/games/1/table/{version}.webp")
    assert (answer.status_code, answer.data, answer.mimetype) == (200, WEBP, "image/webp")
    assert phone.get("/games/1/table/999.webp").status_code == 404
    assert web_table.app.test_client().get(f"/games/1/table/{version}.webp").status_code != 200


def test_no_picture_of_a_running_game_in_which_phones_remember_nothing(tmp_path: Path) -> None:
    """In a running game that phones may not replay, because they remember nothing, they get no pictures of it
    either."""
    store, table = PictureStore(tmp_path), table_of("system-won", seats=2)
    store.save(1, table.journal.game(1).started, 0, WEBP)
    web_table = WebTable(table)
    web_table.app = create_app(table, web_table.lobby, pictures=store)
    phone = web_table.phone(Seat(0))
    assert phone.get("/games/1/table/0.webp").status_code == phone.get("/games/1").status_code


def test_only_the_host_agrees_to_pictures(tmp_path: Path) -> None:
    """The host, and nobody else, can turn pictures on and delete them on the set-up page."""
    table = Table(Journal(None))
    web_table, store = WebTable(table), PictureStore(tmp_path)
    upkeep = BackupsAndSupportPage(list, lambda picture: b"", list, list, str, lambda: False, store)
    context = camera_setup.SetupContext(table, web_table.lobby, lambda codes: None, "", {}, False, upkeep)
    app = create_app(table, web_table.lobby, setup=camera_setup.blueprint(context))
    assert app.test_client().post("/setup/pictures", data={"do": "keep"}).status_code == 403
    assert not store.is_on
    host = app.test_client()
    host.set_cookie(COOKIE, web_table.lobby.claim_host(None, web_table.lobby.host_key))
    assert "Keep pictures" in host.get("/setup").text
    assert host.post("/setup/pictures", data={"do": "keep"}).status_code == 303
    assert store.is_on
    store.save(1, "2030", 1, WEBP)
    assert "Stop, and delete all pictures" in host.get("/setup").text
    for neither in ({}, {"do": ""}, {"do": "x"}):
        assert host.post("/setup/pictures", data=neither).status_code == 400
    assert (store.is_on, store.size) == (True, len(WEBP))
    assert host.post("/setup/pictures", data={"do": "delete"}).status_code == 303
    assert (store.is_on, store.size) == (False, 0)
