"""Hosts and joined phones: who becomes a host, how phones are removed, and how long their cookies last."""

from __future__ import annotations

import re

import pytest

from companion.device_supervisor import DeviceSource, DeviceSupervisor
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.table.table import Table
from companion.tabletop.observations import ButtonPressed, DeviceHealth
from tests.manual_clock import ManualClock
from tests.running_service import until
from tests.web_table import Phone, WebTable, empty_web_table, new_web_table
from web.access.host_claim import CLAIM_TIMEOUT_S
from web.access.lobby import Lobby
from web.access.phone_cookie import COOKIE, LIFETIME_S, SECURE_COOKIE
from web.access.phones import DAY_S, LIFETIME_DAYS, MAX_GUESTS
from web.app import create_app

ELSEWHERE = {"environ_base": {"REMOTE_ADDR": "192.168.1.77"}}


def test_the_first_browser_is_host_on_the_own_screen_only() -> None:
    """A phone, a link preview or a reverse proxy that is the first to open the table does not become a host. On a table
    with real hardware, no browser does."""
    web_table = empty_web_table()
    assert web_table.phone().get("/", **ELSEWHERE).headers["Location"] == "/join"
    assert web_table.phone().get("/", headers={"X-Forwarded-For": "192.168.1.77"}).headers["Location"] == "/join"
    real = Phone(create_app(web_table.table, web_table.lobby).test_client())
    assert real.get("/").headers["Location"] == "/join"
    assert web_table.lobby.code not in real.get("/join").text
    assert "This table has no host yet" in real.get("/join").text
    assert web_table.phone().get("/").headers["Location"] == "/host"
    assert "This table has no host yet" not in real.get("/join").text


def test_the_host_page_sends_the_first_browser_to_the_first_page() -> None:
    """On a table without a host, the host page does what the first page does: the browser on the table's own screen
    becomes the host, and any other browser learns how to become it. Once there is a host, others are refused."""
    web_table = empty_web_table()
    first, elsewhere = web_table.phone(), web_table.phone()
    real = Phone(create_app(web_table.table, web_table.lobby).test_client())
    for phone, at in ((real, {}), (elsewhere, ELSEWHERE)):
        assert phone.get("/host", **at).headers["Location"] == "/"
        assert phone.get("/", **at).headers["Location"] == "/join"
        assert web_table.lobby.phones.host_count == 0
    answer = first.client.get("/host", follow_redirects=True)
    assert (answer.status_code, answer.request.path) == (200, "/host")
    assert web_table.lobby.phones.host_count == 1
    assert [phone.get("/host").status_code for phone in (real, elsewhere)] == [403, 403]


def claim(phone: Phone) -> int:
    return phone.client.post("/join", data={"claim": "1"}, **ELSEWHERE).status_code


def test_a_button_at_the_table_makes_a_browser_host() -> None:
    """A browser that has asked to be the host becomes the host when somebody presses any button at the table. The
    service passes the press on to the lobby."""
    web_table = empty_web_table()
    phone = web_table.phone()
    assert claim(phone) == 303
    assert "Press any button" in phone.get("/join", **ELSEWHERE).text
    assert phone.get("/host", **ELSEWHERE).headers["Location"] == "/"

    class Button:
        def __iter__(self):
            yield ButtonPressed(button="next")

        def close(self) -> None: ...

    service = DeviceSupervisor(web_table.table, [DeviceSource("gpio", Button)], on_button=web_table.lobby.confirm_host)
    service.start()
    until(lambda: web_table.lobby.phones.host_count == 1, "the host")
    service.close()
    assert phone.get("/host").status_code == 200


def test_a_button_makes_no_host_too_late_or_beside_another() -> None:
    """If several browsers have asked, only the last one can become the host. Its request expires after a minute. If
    there is a host, no browser can ask."""
    clock = ManualClock(20_000.0 * DAY_S)
    web_table = empty_web_table()
    web_table.use(Lobby(web_table.table, clock))
    first, last = web_table.phone(), web_table.phone()
    claim(first)
    claim(last)
    web_table.lobby.confirm_host()
    assert [phone.get("/host").status_code for phone in (first, last)] == [403, 200]
    assert claim(first) == 403
    web_table.lobby.remove(1)
    claim(first)
    assert "Press any button" in first.get("/join", **ELSEWHERE).text
    clock.now += CLAIM_TIMEOUT_S
    assert "Press any button" not in first.get("/join", **ELSEWHERE).text
    web_table.lobby.confirm_host()
    assert web_table.lobby.phones.host_count == 0


def press(host: Phone, name: str, which: str) -> None:
    """Presses a button of the host page. Checks that the page has it."""
    page = host.get("/host").text
    button = re.search(rf'name="{name}" value="(\w+)">\s*Yes, {which}', page)
    assert button, (name, which)
    assert host.client.post("/host", data={name: button[1]}).status_code == 303


def test_the_host_sees_every_phone_and_can_remove_it() -> None:
    """A removed phone is a stranger again, its seat is free, and the log says so."""
    web_table = new_web_table()
    host, ann, bob = web_table.host(), web_table.phone(0), web_table.phone(1)
    page = host.get("/host").text
    assert "3 phones have joined" in page
    assert "this browser" in page
    press(host, "remove", "Ann must join again")
    assert web_table.lobby.phones.holder(0) is None
    assert ann.post("/api/moves", {"move": {}, "version": 1, "id": "x"}).status_code == 403
    assert "The host removed Ann’s phone." in bob.get("/log.txt").text
    assert "2 phones have joined" in host.get("/host").text
    for phone in (ann, bob, web_table.phone()):
        assert phone.client.post("/host", data={"remove": "1"}).status_code == 403
    for number in ("99", "", "x"):
        assert host.client.post("/host", data={"remove": number}).status_code < 500


def test_the_host_gives_and_takes_the_right_to_host() -> None:
    web_table = new_web_table()
    host, ann = web_table.host(), web_table.phone(0)
    press(host, "make-host", "Ann may start")
    assert ann.get("/host").status_code == 200
    press(host, "no-host", "remove Ann as host")
    assert ann.get("/host").status_code == 403
    assert ann.view()["seat"] == 0


def test_all_who_watch_can_be_removed() -> None:
    web_table = new_web_table()
    host, ann, watcher = web_table.host(), web_table.phone(0), web_table.phone()
    watcher.post("/api/join", {"code": web_table.lobby.code})
    assert host.client.post("/host", data={"remove-spectators": "1"}).status_code == 303
    assert watcher.get("/games").headers["Location"] == "/join"
    assert ann.view()["seat"] == 0
    assert host.get("/host").status_code == 200


def test_removing_spectators_is_offered_only_if_there_are_any() -> None:
    """The host page offers to remove spectators only if there are any. The host's own browser does not count as one."""
    web_table = new_web_table()
    host = web_table.host()
    web_table.phone(0)
    assert "Remove everyone watching" not in host.get("/host").text
    watcher = web_table.phone()
    assert watcher.post("/api/join", {"code": web_table.lobby.code, "seat": None}).status_code == 200
    assert "Remove everyone watching" in host.get("/host").text


def test_a_restart_keeps_the_code() -> None:
    """People who scanned the code just before a power cut can join after it, even if nobody had joined yet."""
    web_table = empty_web_table()
    before = (web_table.lobby.code, web_table.lobby.secret)
    for _ in range(2):
        web_table.use(Lobby(web_table.table))
        assert (web_table.lobby.code, web_table.lobby.secret) == before
    assert web_table.phone().client.post("/join", data={"code": before[1], "seat": "watch"}).status_code == 303


def test_a_new_code_is_made_on_request_and_with_each_game() -> None:
    """If the host asks for a new join code, the old code becomes invalid at once. When a new game starts, the old code
    still works for a few minutes."""
    web_table = new_web_table()
    host, code = web_table.host(), web_table.lobby.code
    assert host.client.post("/host", data={"renew-code": "1"}).status_code == 303
    assert web_table.phone().post("/api/join", {"code": code}).status_code == 403
    code = web_table.lobby.code
    assert host.post("/api/start", {"game": "commute"}).status_code == 200
    assert web_table.lobby.code != code
    assert web_table.phone().post("/api/join", {"code": code}).status_code == 200
    assert f"/join?code={web_table.lobby.secret}" in host.get("/host").text


def test_the_qr_code_needs_no_typing() -> None:
    """The join page takes the secret from its address. If the secret is no longer valid, the page asks for the
    letters."""
    web_table = new_web_table()
    page = web_table.phone().get(f"/join?code={web_table.lobby.secret}").text
    assert f'<input type="hidden" name="code" value="{web_table.lobby.secret}">' in page
    assert "code-input" not in page
    wrong = web_table.phone().client.post("/join", data={"code": "x" * 20, "seat": "0"})
    assert wrong.status_code == 403
    assert "code-input" in wrong.text


def aging_web_table(clock: ManualClock) -> WebTable:
    web_table = new_web_table()
    web_table.use(Lobby(web_table.table, now=clock))
    return web_table


def test_cookies_are_renewed_on_use_and_expire_without() -> None:
    """A phone that is used at least every sixty days stays joined. A phone that is not must join again, and the table
    forgets it."""
    clock = ManualClock(20_000.0 * DAY_S)
    web_table = aging_web_table(clock)
    ann, bob = web_table.phone(0), web_table.phone(1)
    for _ in range(3):
        clock.now += (LIFETIME_DAYS - 1) * DAY_S
        renewed = ann.get("/play")
        assert f"{COOKIE}=" in renewed.headers["Set-Cookie"]
        assert f"Max-Age={LIFETIME_S}" in renewed.headers["Set-Cookie"]
        assert "Set-Cookie" not in ann.get("/play").headers, "once a day is enough"
    assert bob.view()["seat"] is None
    assert web_table.lobby.phones.holder(1) is None, "another phone can take the seat"
    assert ann.view()["seat"] == 0
    assert len(web_table.lobby.phones.all) == 1


def test_a_phone_that_is_open_does_not_expire() -> None:
    """A phone with an open page stays joined even if the clock of the Pi jumps while people play."""
    clock = ManualClock(20_000.0 * DAY_S)
    web_table = aging_web_table(clock)
    ann = web_table.phone(0)
    guest = web_table.lobby.phones.holder(0)
    assert guest
    web_table.lobby.phones.arrive(guest)
    clock.now += 1000 * DAY_S
    assert ann.view()["seat"] == 0


def test_over_https_the_cookie_is_secure() -> None:
    """A phone that joins over HTTPS gets a cookie marked as secure. A phone that joined over HTTP keeps its seat over
    HTTPS."""
    web_table = new_web_table()
    phone = web_table.phone()
    https = {"base_url": "https://localhost"}
    answer = phone.post("/api/join", {"code": web_table.lobby.code, "seat": 0}, **https)
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith(f"{SECURE_COOKIE}=")
    assert {"Secure", "HttpOnly", "Path=/", "SameSite=Lax"} <= {part.strip() for part in cookie.split(";")}
    assert phone.get("/api/view", **https).json["seat"] == 0
    ann = web_table.phone(1)
    assert "Secure" not in web_table.phone().post("/api/join", {"code": web_table.lobby.code}).headers["Set-Cookie"]
    assert ann.get("/api/view", **https).json["seat"] == 1


def test_a_full_disk_does_not_break_pages() -> None:
    """If a cookie can't be renewed because the disk is full, pages still work, and the cookie is renewed later."""
    clock = ManualClock(20_000.0 * DAY_S)
    web_table = aging_web_table(clock)
    ann = web_table.phone(0)
    clock.now += DAY_S
    save = web_table.table.journal.save_note

    def full(key: str, value: object) -> None:
        raise JournalError("The disk is full.")

    web_table.table.journal.save_note = full
    assert ann.get("/play").status_code == 200
    web_table.table.journal.save_note = save
    assert "Set-Cookie" in ann.get("/play").headers


@pytest.mark.slow
def test_many_joiners_push_nobody_out() -> None:
    """The first spectator is still joined after 120 others have joined. At the limit, new phones are refused."""
    web_table = new_web_table()
    first = web_table.phone()
    first.post("/api/join", {"code": web_table.lobby.code})
    for _ in range(120):
        web_table.lobby.join(None, web_table.lobby.code, None, "")
    assert first.get("/games").status_code == 200
    phones = web_table.lobby.phones
    phones.by_key = {**phones.by_key, **{f"key {number}": phones.all[0] for number in range(MAX_GUESTS - 121)}}
    refused = web_table.phone().post("/api/join", {"code": web_table.lobby.code})
    assert (refused.status_code, refused.json["error"]["code"]) == (503, "too_many_phones")
    assert first.get("/games").status_code == 200


def test_old_lobbies_are_still_read() -> None:
    """A lobby that an earlier version stored is read: phones keep their seats, and the join code stays the same."""
    journal = Journal(None)
    guests = [
        {"key": "a", "seat": 0, "name": "Ann", "host": True},
        {"key": "b", "seat": None, "name": "", "host": False},
    ]
    journal.save_note("desk", {"code": "KTRM", "hands": "secret", "guests": guests})
    lobby = Lobby(Table(journal))
    assert lobby.code == "KTRM"
    assert [(guest.key, guest.seat, guest.number) for guest in lobby.phones.all] == [("a", 0, 1), ("b", None, 2)]
    assert len(lobby.secret) == 20


@pytest.mark.parametrize(
    ("device", "status"),
    [
        (DeviceHealth(device="camera", ok=True, message="It works."), "ok"),
        (DeviceHealth(device="camera", ok=False, message="There is none.", missing=True), "ok"),
        (DeviceHealth(device="camera", ok=False, message="It does not answer."), "degraded"),
    ],
    ids=["works", "missing", "failed"],
)
def test_healthz_reports_a_failed_device(device: DeviceHealth, status: str) -> None:
    web_table = new_web_table()
    web_table.table.observe(device)
    health = web_table.phone().get("/healthz").json
    assert health["status"] == status
    assert health["devices"][0]["ok"] is device.ok


def test_healthz_reports_a_full_disk() -> None:
    web_table = new_web_table()
    found = [
        DeviceHealth(device="disk", ok=True, message="There is room."),
        DeviceHealth(device="disk", ok=False, message="It is full.", remedy="Make room."),
    ]
    client = create_app(web_table.table, web_table.lobby, disk=lambda: found.pop(0)).test_client()
    answers = [client.get("/healthz").json for _ in range(2)]
    assert [each["status"] for each in answers] == ["ok", "degraded"]
    assert answers[1]["devices"] == [{"device": "disk", "ok": False, "says": "It is full. Make room."}]


def test_only_what_takes_something_away_is_a_dangerous_button() -> None:
    """On the host page, making somebody a host looks calm. Removing a phone, or a host's rights, looks dangerous."""
    web_table = empty_web_table()
    host = web_table.host()
    for name in ("Ann", "Bob"):
        web_table.phone().post("/api/join", {"code": web_table.lobby.code, "name": name})
    number = re.findall(r'name="make-host" value="(\d+)"', host.get("/host").text)[1]
    host.client.post("/host", data={"make-host": number})
    page = host.get("/host").text
    looks = re.findall(r'<summary class="(danger(?: calm)?)" aria-label="(Make|Remove) ', page)
    assert {*looks} == {("danger calm", "Make"), ("danger", "Remove")}
    assert not re.search(r'class="action no" name="make-host"', page)
    assert re.search(r'class="action no" name="no-host"', page)
