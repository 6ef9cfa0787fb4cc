"""Photographs that phones take: read by the real decoder and judged by the rules, with no way to learn a secret."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import cv2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.games import GAMES
from companion.games.rules import play
from companion.games.system_won.catalog import catalog
from companion.games.system_won.components import role_component_id
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.observations import MatSeen
from companion.tabletop.photo_interface import PhotoError, Reader
from tests.phone_photo import TWELVE_MEGAPIXELS, jpeg, photograph, printed, turned, wood
from tests.repetitions import thorough_except
from tests.system_won_positions import random_game
from tests.systems_failing_tables import hasty_clock, new_table
from tests.web_table import Phone, WebTable, code_of, field_value, without_ids
from vision.known_codes import known_codes
from vision.photo_queue import PhotoReader
from vision.photo_validation import MAX_PIXELS, image_size
from vision.photo_worker import decode_image
from web.access.request_checks import MAX_PHOTO_BYTES

BY_HAND = {"cards": "table", "roles": "companion", "cubes": "companion"}


@pytest.fixture(scope="module")
def reader() -> Iterator[PhotoReader]:
    with closing(PhotoReader(known_codes())) as reader:
        yield reader


def spelled(data: bytes, phone: str = "") -> frozenset[str]:
    """Replaces the photo reader in tests for which decoding does not matter: the bytes of the photograph are the ids of
    the components in it."""
    return frozenset(data.decode().split())


@pytest.mark.slow
def test_a_card_is_read_in_a_phone_s_picture(reader: PhotoReader) -> None:
    """Cards are read in photos of twelve megapixels, rotated, at a slant, in poor light, and with any EXIF
    orientation."""
    data = photograph(printed("systems-failing", "SF-D07"), size=TWELVE_MEGAPIXELS)
    assert image_size(data) == TWELVE_MEGAPIXELS
    assert reader(data, "Ann") == {"SF-D07"}
    cards = printed("commute", "CM-7H"), printed("system-won", "SW-DES")
    small = photograph(*cards, size=(1500, 1000), angle=200, blur=1.0)
    for orientation in (3, 6, 7):
        assert reader(turned(small, orientation), "Ann") == {"CM-7H", "SW-DES"}, orientation


@pytest.mark.slow
def test_an_unreadable_photo_gives_no_card(reader: PhotoReader) -> None:
    """No card is found in a blurred photo, or in a photo of an empty table."""
    assert reader(photograph(printed("commute", "CM-7H"), blur=9), "Ann") == frozenset()
    assert reader(jpeg(wood((900, 600))), "Ann") == frozenset()


def png(width: int, height: int) -> bytes:
    """A small file of a large, empty image."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)

    rows = zlib.compress(bytes((width // 8 + 1) * min(height, 4000)), 9)
    head = width.to_bytes(4) + height.to_bytes(4) + bytes((1, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def large_jpeg() -> bytes:
    """A JPEG that claims to be 60000 x 60000 pixels."""
    data = jpeg(wood((64, 64)))
    at = data.index(b"\xff\xc0") + 5
    return data[:at] + (60000).to_bytes(2) * 2 + data[at + 4 :]


@pytest.mark.parametrize("create_photo", [partial(png, 30000, 30000), large_jpeg], ids=["png", "jpeg"])
def test_an_image_of_too_many_pixels_is_never_decoded(
    monkeypatch: pytest.MonkeyPatch, create_photo: Callable[[], bytes]
) -> None:
    """An image that claims too many pixels in its header is refused without decoding it."""
    data = create_photo()
    assert len(data) < 100_000
    width, height = image_size(data) or (0, 0)
    assert width * height > MAX_PIXELS
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("it was unpacked"))
    with pytest.raises(PhotoError, match="too_many_pixels"):
        decode_image(data)


@pytest.mark.parametrize(
    "data",
    [b"", b"hello", b"\xff\xd8", b"\xff\xd8\xff\xe1\xff", b"GIF89a" + bytes(99), png(8, 8)[:20], png(40, 40)[:45]],
    ids=["nothing", "text", "jpeg", "cut", "gif", "png", "png-cut"],
)
def test_what_is_no_picture_is_refused(reader: PhotoReader, data: bytes) -> None:
    """Data that are not an image are refused, whatever their first bytes are."""
    with pytest.raises(PhotoError, match="no_picture"):
        reader(data, "Ann")


@given(st.binary(max_size=80))
def test_any_bytes_have_a_size_or_none(data: bytes) -> None:
    """Reading the image size never fails on any bytes."""
    for start in (b"", b"\xff\xd8", b"\xff\xd8\xff\xc0", b"\x89PNG\r\n\x1a\n"):
        image_size(start + data)


def send(phone: Phone, data: bytes, *, page: str | None = None, field: str = "photo", **more: Any) -> Any:
    """Sends a photo with the form of the seat's page, as a browser without scripts does."""
    shown = phone.get("/play").text if page is None else page
    form = {"version": field_value(shown, "version"), "id": field_value(shown, "id"), **more}
    head = b'--edge\r\nContent-Disposition: form-data; name="%s"'
    parts = [head % name.encode() + b"\r\n\r\n" + value.encode() for name, value in form.items()]
    parts.append(head % field.encode() + b'; filename="photo.jpg"\r\nContent-Type: image/jpeg\r\n\r\n' + data)
    body = b"\r\n".join((*parts, b"--edge--\r\n"))
    return phone.client.post("/photo", data=body, content_type="multipart/form-data; boundary=edge")


def post(phone: Phone, codes: str) -> Any:
    """Sends a photo through the API, as a program does."""
    return phone.client.post("/api/photo", data=codes.encode(), content_type="image/jpeg")


class PhotoTable(WebTable):
    """A table at which each seat has one phone."""

    def __init__(self, table: Table, reader: Reader = spelled) -> None:
        super().__init__(table, reader)
        self._phones: dict[int, Phone] = {}

    def seat(self, number: int) -> Phone:
        """The phone of a seat."""
        if number not in self._phones:
            self._phones[number] = self.phone(number)
        return self._phones[number]


def failing(reader: Reader = spelled) -> PhotoTable:
    """A game of Systems Failing in which people deal the cards."""
    return PhotoTable(new_table(dealers=BY_HAND), reader)


def test_a_photo_of_what_was_dealt_is_recorded(reader: PhotoReader) -> None:
    """A photo of a print sheet, sent by either seat's form, records the escape sequence that is due."""
    web_table = failing(reader)
    phone = web_table.seat(1)
    data = photograph(printed("systems-failing", "SF-E3"), printed("systems-failing", "SF-D07"))
    answer = send(phone, data)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/play")
    assert phone.view()["state"]["escape"]["active"] == "E3"


def test_the_api_records_a_photo_once() -> None:
    """The API accepts an image as the body. A repeated action id acts only once, and an older version is refused."""
    web_table = failing()
    phone = web_table.seat(0)
    version, path = phone.view()["version"], "/api/photo?version={}&id={}"
    sent = {"data": b"SF-E3", "content_type": "image/jpeg"}
    one, two = (phone.client.post(path.format(version, "once"), **sent) for _ in range(2))
    assert (one.status_code, one.json["version"]) == (200, version + 1)
    assert one.json["state"]["escape"]["active"] == "E3"
    assert (two.status_code, two.json["version"]) == (200, version + 1)
    assert code_of(phone.client.post(path.format(version, "new"), **sent)) == (409, "stale")
    assert code_of(phone.client.post(path.format("x", "new"), **sent)) == (400, "bad_request")


def to_actions(web_table: PhotoTable) -> Phone:
    """The phone of the seat in turn, after all cards that people deal at the start have been photographed."""
    phone = web_table.seat(0)
    while phone.view()["state"]["phase"] == "setup":
        due = phone.view()["reports"][0]["card"]
        assert send(phone, f"SF-{due}".encode()).status_code == 303
    return phone


def test_of_several_meanings_one_is_chosen() -> None:
    """For a disaster that can be repaired in several ways, the page names the card and has a button for each ordinary
    move, even in the page without the script. After another act the buttons are gone."""
    home = failing()
    phone = to_actions(home)
    repairs = [move for move in phone.view()["legal"] if move["move"] == "repair"]
    card = next(m["card"] for m in repairs if sum(n["card"] == m["card"] for n in repairs) > 1)
    answer = send(phone, f"SF-{card}".encode())
    assert answer.status_code == 303
    page = phone.get(answer.headers["Location"]).text
    part = page.split("I see ")[1].split("</form>")[0]
    assert card in part.split("Which one do you mean?")[0]
    offered = post(phone, f"SF-{card}").json["meant"]
    assert offered == [move for move in repairs if move["card"] == card]
    assert part.count('name="move"') == len(offered)
    assert phone.move(offered[0]).status_code == 200
    assert "I see " not in phone.get(answer.headers["Location"]).text


def test_what_is_not_due_is_said_and_not_recorded() -> None:
    """In a game without hidden cards, a photo of a card that is not due is refused with a message that names the card.
    A card of another game, an empty table and an unknown code each have their own message."""
    web_table = failing()
    phone = web_table.seat(0)
    before = phone.view()
    for data, code, words in (
        (b"SF-D07", "not_now", "That’s D07"),
        (b"CM-7H", "nothing_of_this_game", "no Systems Failing card"),
        (b"MAT-SF-1", "nothing_of_this_game", "no Systems Failing card"),
        (b"", "nothing_read", "Hold the phone flat"),
    ):
        answer = send(phone, data)
        assert answer.status_code == 422
        assert words in answer.text
        assert 'class="alert refused" role="alert"' in answer.text
        assert code_of(post(phone, data.decode())) == (422, code)
    german = phone.client.post("/api/photo", data=b"", content_type="image/jpeg", headers={"Accept-Language": "de"})
    assert "Halt das Handy" in german.json["error"]["message"]
    assert phone.view() == before


def test_a_bad_photo_is_refused_with_its_own_status(reader: PhotoReader) -> None:
    """Each problem has its own status: too large, too many pixels, no image, none chosen, no seat, no game, no
    reader."""
    web_table = failing(reader)
    phone = web_table.seat(0)
    sent: list[tuple[Phone, dict[str, Any], tuple[int, str]]] = [
        (phone, {"data": bytes(MAX_PHOTO_BYTES + 1), "content_type": "image/jpeg"}, (413, "too_large")),
        (phone, {"data": bytes(MAX_PHOTO_BYTES * 2), "content_type": "image/jpeg"}, (413, "too_large")),
        (phone, {"data": png(30000, 30000), "content_type": "image/png"}, (413, "too_large")),
        (phone, {"data": b"nonsense", "content_type": "image/jpeg"}, (422, "no_picture")),
        (phone, {"data": b"", "content_type": "image/jpeg"}, (422, "no_picture")),
        (phone, {"data": b"{}", "content_type": "application/json"}, (415, "no_picture")),
        (web_table.phone(), {"data": b"x", "content_type": "image/jpeg"}, (403, "no_seat")),
        (
            WebTable(Table(Journal(None)), reader).phone(),
            {"data": b"x", "content_type": "image/jpeg"},
            (404, "no_game"),
        ),
        (WebTable(new_table()).phone(0), {"data": b"x", "content_type": "image/jpeg"}, (404, "no_reader")),
    ]
    for who, body, refused in sent:
        assert code_of(who.client.post("/api/photo", **body)) == refused
    page = phone.get("/play").text
    assert send(phone, bytes(MAX_PHOTO_BYTES + 1), page=page).status_code == 413
    assert send(phone, bytes(MAX_PHOTO_BYTES + 99_999), page=page).status_code == 413
    assert send(phone, b"nonsense", page=page).status_code == 422
    assert phone.client.post("/photo", data={"photo": (BytesIO(b"x"), "a.txt", "text/plain")}).status_code == 415
    none = phone.client.post("/photo", data={"version": ""})
    assert none.status_code == 422
    assert "No photo chosen" in none.text
    assert send(web_table.phone(), b"x", page=page).status_code == 403


def test_other_bodies_stay_short() -> None:
    """The body of a request may be longer than 64 KiB only if it is a photo."""
    phone = failing().phone(0)
    assert phone.client.post("/play", data={"move": "x" * 70_000}).status_code == 413
    assert code_of(phone.client.post("/api/moves", data=b" " * 70_000)) == (413, "too_large")


def test_a_photo_leaves_nothing_behind(tmp_path: Path, reader: PhotoReader, caplog: pytest.LogCaptureFixture) -> None:
    """A photo is stored neither in the data folder nor in the journal nor in a log; only the move is."""
    web_table = PhotoTable(new_table(tmp_path / "journal.db", dealers=BY_HAND), reader)
    phone, before = web_table.seat(0), sorted(tmp_path.iterdir())
    data = photograph(printed("systems-failing", "SF-E3"))
    assert send(phone, data).status_code == 303
    assert sorted(tmp_path.iterdir()) == before
    piece = data[len(data) // 2 :][:64]
    assert not any(piece in file.read_bytes() for file in before)
    assert caplog.records == []


def test_photos_are_offered_where_they_help() -> None:
    """Pages offer to take a photo if people deal, a card must be entered now, and no camera sees the mat, but not if
    there is no decoder."""
    web_table = failing()
    phone = web_table.seat(0)
    label = 'capture="environment"'
    assert label in phone.get("/play").text
    web_table.table.observe(MatSeen(t=0, mat="MAT-SF"))
    assert label not in phone.get("/play").text
    assert label not in WebTable(new_table(), spelled).phone(0).get("/play").text
    assert label not in WebTable(new_table(dealers=BY_HAND)).phone(0).get("/play").text
    cubes = WebTable(new_table(dealers={"cubes": "table"}), spelled)
    assert label not in cubes.phone(0).get("/play").text, "cubes bear no code"


def test_the_sheet_of_an_unseen_card_offers_a_photo_only_without_a_camera() -> None:
    """When a camera sees the mat, the sheets of the player's own cards no longer offer to photograph the card, although
    the cards are the same as before."""
    table = Table(Journal(None), hasty_clock())
    table.start("system-won", 2, {"roles": "none"}, {"cards": "unseen"}, ("Ann", "Ben"), "s")
    phone, offer = WebTable(table, spelled).phone(0), "Or photograph it as you turn it over"
    assert offer in phone.get("/play").text
    table.observe(MatSeen(t=0, mat="MAT-SW"))
    assert offer not in phone.get("/play").text


@pytest.mark.parametrize("name", GAMES)
def test_photos_of_a_move_mean_components_of_the_game(name: str) -> None:
    """Each kind of component for which a photo can mean a move belongs to the game."""
    game, rng = GAMES[name], Random(4)
    state, printed_kinds = (
        game.rules.begin(game.rules.seats[0], {}).state,
        {*game.physical.components.kinds.values(), ""},
    )
    for _ in range(60):
        if state.turn is None:
            break
        moves = [*state.legal_moves(), *(chance for chance, weight in state.chances() if weight)]
        assert {game.physical.component_of(move) for move in moves} <= printed_kinds
        state = play(state, rng.choice(moves))


def table_of(game: str, seats: int, **dealers: str) -> Table:
    table = Table(Journal(None))
    table.start(game, seats, {}, dealers, ("Ann", "Bob", "Cid")[:seats], "s")
    return table


def answers(web_table: PhotoTable, seat: int, codes: list[str]) -> list[tuple[int, str, bytes]]:
    """All answers that a seat gets to photos of each of these components: to the form, and on the page after it."""
    phone, found = web_table.seat(seat), []
    page = phone.get("/play").text
    for code in codes:
        answer = send(phone, code.encode(), page=page)
        there = answer.headers.get("Location", "")
        found.append((answer.status_code, there, without_ids(answer.data + (phone.get(there).data if there else b""))))
    return found


WON = GAMES["system-won"]
SYSTEM_CARDS = [f"SW-{face}A" for face in ("R1", "Y2", "G3", "B4", "B5")]
PLAYING_CARDS = [f"CM-{rank}{suit}" for suit in "HDCS" for rank in ("A", *range(2, 11))]


@pytest.mark.parametrize("cards", ["companion", "unseen", "table"])
def test_no_photo_tells_a_player_of_system_won_a_card(cards: str) -> None:
    """In System WON, the answers to photos of different cards are the same to the byte and name no card, during the
    deal and in anybody's turn."""
    assert set(SYSTEM_CARDS) < WON.physical.components.kinds.keys()
    home = PhotoTable(table_of("system-won", 3, cards=cards, roles="companion"))
    for seat in range(3):
        found = answers(home, seat, [*SYSTEM_CARDS, "SW-R1A SW-B5A", "SW-R1A SW-R1B"])
        assert len(set(found)) == 1
        assert found[0][0] == 422
        assert "can’t show".encode() in found[0][2]


def test_no_move_of_system_won_names_a_card_to_a_photo() -> None:
    """In System WON, a photo of a system card never means a move, because it may be a card of the player's own hand."""
    named = {
        WON.physical.component_of(move)
        for seed in range(6)
        for state in random_game(seed)
        for move in (*state.legal_moves(), *(chance for chance, _ in state.chances()))
    }
    assert named == {"", *(role_component_id(role) for role in catalog().roles)}


def test_a_card_that_is_turned_up_may_be_photographed() -> None:
    """The player first chooses the action and the card. Then the photo adds its face, which everyone may see."""
    web_table = PhotoTable(table_of("system-won", 2, cards="unseen", roles="companion"))
    phone = web_table.seat(0)
    page = phone.get("/play").text
    assert 'name="photo:card"' in page
    play = json.dumps({"seat": 0, "move": "discard", "slot": 1})
    two = send(phone, b"SW-G3A SW-R1A", page=page, field="photo:card", move=play)
    assert two.status_code == 422
    assert "more than one card" in two.text
    assert send(phone, b"SW-G3A", page=page, field="photo:card", move=play).status_code == 303
    assert web_table.seat(1).view()["state"]["discard"] == ["G3"]


def test_the_refusal_of_a_photographed_card_reveals_nothing() -> None:
    """After Bob has specified Ann's second card as red, her photos of a green and of a blue card get the same
    answer."""
    web_table = PhotoTable(table_of("system-won", 2, cards="unseen", roles="companion"))
    ann, bob = web_table.seat(0), web_table.seat(1)
    assert ann.move({"seat": 0, "move": "specify", "target": 1, "rank": 1, "slots": [0]}).status_code == 200
    assert bob.move({"seat": 1, "move": "specify", "target": 0, "color": "red", "slots": [1]}).status_code == 200
    page, play = ann.get("/play").text, json.dumps({"seat": 0, "move": "play", "slot": 1})
    refusals = [send(ann, card, page=page, field="photo:card", move=play) for card in (b"SW-G3A", b"SW-B4A")]
    assert [answer.status_code for answer in refusals] == [422, 422]
    assert without_ids(refusals[0].data) == without_ids(refusals[1].data)
    assert "can’t be the card" in refusals[0].text
    assert send(ann, b"SW-R1A", page=page, field="photo:card", move=play).status_code == 303


def test_a_role_is_dealt_by_photo() -> None:
    """Roles are face up, so anybody may report them by photo."""
    web_table = PhotoTable(table_of("system-won", 2, cards="companion", roles="table"))
    assert send(web_table.seat(1), role_component_id("engineer").encode()).status_code == 303
    assert web_table.seat(0).view()["state"]["roles"][0] == "engineer"


def dealt(*cards: str) -> PhotoTable:
    """A table with a game of Commute dealt by hand, in which Ann has photographed her first cards."""
    web_table = PhotoTable(table_of("commute", 2, cards="table", uh_oh="table"))
    for card in cards:
        assert post(web_table.seat(0), f"CM-{card}").status_code == 200
    return web_table


@pytest.mark.slow
def test_a_dealt_card_is_reported_by_its_holder() -> None:
    """Ann's phone records her card, and no other phone shows it. Bob's phone can't report her card."""
    web_table = dealt("7H", "AD")
    ann, bob = web_table.seat(0), web_table.seat(1)
    assert ann.view()["state"]["hands"][0] == ["7H", "AD"]
    assert bob.view()["state"]["hands"][0] == ["?", "?"]
    assert len(set(answers(web_table, 1, PLAYING_CARDS))) == 1
    assert answers(web_table, 1, ["CM-7H"])[0][0] == 422


def world(anns: tuple[str, ...], bobs: tuple[str, ...], *, after_ann: bool = False) -> PhotoTable:
    """A table with a game of Commute dealt by hand. Both hands have been photographed. With `after_ann`, Ann has also
    traveled and drawn a four."""
    web_table = dealt(*anns)
    for card in bobs:
        assert post(web_table.seat(1), f"CM-{card}").status_code == 200
    if after_ann:
        ann = web_table.seat(0)
        assert ann.move(next(move for move in ann.view()["legal"] if move["card"] == "9S")).status_code == 200
        assert post(ann, "CM-4S").status_code == 200
    return web_table


BOBS = ("2C", "3C", "4C")
MOMENTS: dict[str, tuple[int, tuple[str, ...], bool]] = {
    "Ann's card is due": (2, (), False),
    "Bob's card is due": (3, ("2C",), False),
    "Ann's turn": (3, BOBS, False),
    "Bob's turn": (3, BOBS, True),
}


@pytest.mark.slow
@pytest.mark.parametrize("moment", thorough_except([*MOMENTS], "Ann's turn", "Bob's card is due"))
def test_two_worlds_that_a_seat_can_t_tell_apart_answer_its_photos_alike(moment: str) -> None:
    """In two worlds that differ in Ann's hand, Bob's photos of her cards, his own and others get the same answers to
    the byte."""
    count, bobs, after_ann = MOMENTS[moment]
    said = set()
    for card in ("7H", "8H", "2C", "6D", "U03"):
        pair = []
        for anns in (("7H", "AD", "9S"), ("8H", "10D", "9S")):
            home = world(anns[:count], bobs, after_ann=after_ann)
            [answer] = answers(home, 1, [f"CM-{card}"])
            pair.append(answer)
        assert pair[0] == pair[1], card
        said.add(pair[0][0])
    assert (303 in said) == (moment in ("Bob's card is due", "Bob's turn")), "else nothing was compared"


def test_a_card_of_the_own_hand_leads_to_its_journeys() -> None:
    """On a player's own turn, a photo of a card in their hand offers only journeys with that card. A photo of another
    card offers none."""
    web_table = dealt("7H", "AD", "9S")
    for card in ("2C", "3C", "4C"):
        post(web_table.seat(1), f"CM-{card}")
    ann = web_table.seat(0)
    answer = send(ann, b"CM-7H")
    assert answer.status_code == 303
    part = ann.get(answer.headers["Location"]).text.split("I see ")[1].split("</form>")[0]
    lines = [json.loads(line.replace("&#34;", '"')) for line in re.findall(r'name="move"\s+value="([^"]*)"', part)]
    assert lines == [move for move in ann.view()["legal"] if move["card"] == "7H"]
    assert send(ann, b"CM-2C").status_code == 422
