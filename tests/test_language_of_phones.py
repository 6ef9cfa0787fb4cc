"""Every phone gets pages, refusals, events and notices in its own language."""

from __future__ import annotations

import argparse
import json
import pickle
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from html import unescape
from io import BytesIO
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from companion.commands import service_settings
from companion.device_supervisor import DeviceSupervisor
from companion.devices.gpio import Gpio, mock_pins
from companion.devices.pins import Pins
from companion.games import GAMES, move_json
from companion.games.rules import Seat
from companion.games.view import View
from companion.tabletop.observations import ButtonPressed, DeviceHealth
from companion.text.messages import _
from companion.text.translation import Translator
from tests.game_variants import with_text
from tests.rendered_texts import english, german
from tests.systems_failing_tables import act, new_table, seen
from tests.test_language import GERMAN
from tests.web_table import Phone, WebTable, new_web_table
from web.app import create_app
from web.events.table_feed import TableFeed

NOTICE = re.compile(r'class="alert notice".*?<p>(.*?)</p>', re.S)


def test_answers_vary_by_language() -> None:
    """The header Vary names the language, so that no cache serves one phone's language to another."""
    assert "Accept-Language" in new_web_table().phone().get("/join").headers["Vary"]


def test_the_api_refuses_in_the_language_of_the_phone() -> None:
    """The code of a refusal is always the same; its message is in the phone's language."""
    phone = new_web_table().phone(0)
    stale = {"move": {"seat": 0, "move": "scavenge"}, "id": "x", "version": 99}
    english, german = (phone.post("/api/moves", stale, headers=asked).json["error"] for asked in ({}, GERMAN))
    assert english["code"] == german["code"] == "stale"
    assert (english["message"][:9], german["message"][:8]) == ("The game ", "Die Part")


def test_an_event_stream_speaks_the_language_of_its_phone() -> None:
    """Two streams of one table each use their own phone's language, whatever is sent on the other stream."""
    table = new_table()
    before = seen(table)
    act(table, Random(1))
    table.undo(Seat(0))
    last = f"{before.id}.{before.version}"
    feeds = [TableFeed(table, lambda: Seat(0), last, Translator(code)) for code in ("en", "de")]
    english, german = (json.loads("".join(feed.new_events()).split("data: ")[-1])["words"][0] for feed in feeds)
    assert (english.split(":")[0], german.split(":")[0]) == ("Ann undid", "Ann macht rückgängig")


def test_a_notice_of_the_table_is_read_in_each_phones_language() -> None:
    """A notice that a device caused in its own thread is shown in each phone's language: for a refusal, a press without
    a meaning, and the dial."""
    web_table = new_web_table()
    ann, bob = web_table.phone(0), web_table.phone(1)

    def read() -> tuple[str, str]:
        both = ann.get("/play").text, bob.get("/play", headers=GERMAN).text
        return tuple(re.search(r'class="alert notice".*?<p>(.*?)</p>', page, re.S)[1] for page in both)  # type: ignore

    web_table.table.observe(ButtonPressed(button="undo"))
    assert read() == ("There’s nothing to undo.", "Es gibt nichts rückgängig zu machen.")
    web_table.table.observe(ButtonPressed(button="next", seat=1))
    assert read() == ("It’s Ann’s turn now.", "Jetzt ist Ann dran.")
    web_table.table.rename(Seat(0), "Anna")
    assert read() == ("It’s Anna’s turn now.", "Jetzt ist Anna dran.")


def test_a_refusal_is_read_in_two_languages_at_the_same_time() -> None:
    """One refusal is rendered in English for one phone and in German for another."""
    web_table = new_web_table()
    web_table.table.observe(ButtonPressed(button="next", seat=1))
    made = seen_by_table(web_table).notice
    phones = [web_table.phone(0), web_table.phone(1)]
    for phone, code in zip(phones, ("en", "de"), strict=True):
        phone.client.set_cookie("tablekeeper-language", code)
    with ThreadPoolExecutor(2) as pool:
        for _each in range(5):
            pages = pool.map(lambda phone: phone.get("/play").text, phones)
            assert [NOTICE.findall(page) for page in pages] == [["It’s Ann’s turn now."], ["Jetzt ist Ann dran."]]
    assert seen_by_table(web_table).notice == made


def seen_by_table(web_table: WebTable) -> View:
    view = web_table.table.view()
    assert view
    return view


def test_a_request_is_read_in_each_phones_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pending request is rendered in the language of the phone that shows it, not of the phone that asked."""
    game = with_text(GAMES["systems-failing"], label=lambda state, move, viewer, names: (_("Yes"), str(move)))
    monkeypatch.setitem(GAMES, game.name, game)  # type: ignore[arg-type]
    table = new_table()
    wanted = next(move for move in seen(table).choices.legal if move.consenting_seat() is not None)
    table.request_consent(Seat(0), move_json.to_json(wanted))
    view = table.view(Seat(1))
    assert view
    assert (english(view).choices.request_label[0], german(view).choices.request_label[0]) == ("Yes", "Ja")


def test_past_games_are_in_the_language_of_the_phone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of past games is in the phone's language, even if another phone has just seen it in another language."""
    web_table = new_web_table()
    web_table.table.end()
    phone = web_table.host()
    assert "ended early" in phone.get("/games").text
    assert "vorzeitig beendet" in phone.get("/games", headers=GERMAN).text
    assert "ended early" in phone.get("/games").text


def test_a_devices_message_is_in_the_language_of_the_phone() -> None:
    """A device's message is stored as a text with its values, even if it came through a pipe. It is rendered in the
    phone's language, including the texts inside it. Devices have readable names."""
    message = _("{why} Tablekeeper keeps trying by itself.", why=_("No answer from {path}.", path="/dev/box"))
    kept = pickle.loads(
        pickle.dumps(
            DeviceHealth(device="gpio", ok=False, message=message, remedy=_("The camera program has stopped."))
        )
    )
    assert str(kept.message) == "No answer from /dev/box. Tablekeeper keeps trying by itself."
    web_table = new_web_table()
    web_table.table.observe(kept)
    host = web_table.host()
    english, german = host.get("/host").text, host.get("/host", headers=GERMAN).text
    assert f"{kept.message!s} The camera program has stopped." in english
    assert "Buttons and lamp" in english
    said, label = map(Translator("de").render, (kept.message_with_remedy, _("Buttons and lamp (GPIO)")))
    assert "/dev/box" in said
    assert "tried" not in said
    assert said in german
    assert label in german


def parsed(config: Path) -> argparse.Namespace:
    """The arguments of a service that reads this settings file."""
    parser = argparse.ArgumentParser()
    service_settings.add_settings(parser)
    return parser.parse_args(["--config", str(config)])


def test_an_error_in_a_file_is_in_the_language_of_the_phone(tmp_path: Path) -> None:
    """An error in a board that the host uploads, or in the settings that were read at start, is shown in the phone's
    language. Keys stay as they are."""
    web_table, file = new_web_table(), tmp_path / "own.toml"
    host = Phone(create_app(web_table.table, web_table.lobby, board_folder=tmp_path).test_client())
    host.get(f"/host?key={web_table.lobby.host_key}")
    for written, in_english, in_german in (
        ("[board]", "own.toml, line 1: the file must have one [roads], not 0.", "own.toml, Zeile 1: die Datei"),
        ("[x]", "own.toml, line 1: [x] is unknown. Known keys are", "own.toml, Zeile 1: [x] ist unbekannt."),
        ("[", "own.toml, line 1: ", "own.toml, Zeile 1: "),
    ):
        for headers, said in (({}, in_english), (GERMAN, in_german)):
            form = {"upload-board": "commute", "board": (BytesIO(written.encode()), "own.toml")}
            assert said in unescape(host.client.post("/host", data=form, headers=headers).text)

    file.write_text("[pins]\nled = 17\n")
    _settings, trouble = service_settings.resolve_settings(parsed(file))
    web_table.table.observe(DeviceHealth(device="configuration", ok=False, message=trouble))
    english, german = (unescape(host.get("/host", headers=asked).text) for asked in ({}, GERMAN))
    assert "own.toml, line 2: led shares BCM 17 with another pin. Give each its own." in english
    assert "own.toml, Zeile 2: led teilt sich BCM 17" in german


def test_a_full_disk_is_reported_in_the_language_of_the_phone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A full disk during a button press is reported in the phone's language, as is the readiness of devices, with their
    readable names."""
    web_table = new_web_table()
    act(web_table.table, Random(1))

    def full(*_values: object) -> None:
        raise sqlite3.OperationalError("no room")

    monkeypatch.setattr(web_table.table.journal._database, "_db", SimpleNamespace(execute=full))
    DeviceSupervisor(web_table.table, [])._observe(ButtonPressed(button="undo"))
    with closing(Gpio(mock_pins(), Pins())) as gpio:
        web_table.table.observe(DeviceHealth(device="gpio", ok=True, message=gpio.message))
    journal, pins = ("Couldn’t save this", "nicht speichern"), ("next 11, draw 13", "Weiter 11, Ziehen 13")
    for code, journal_says, pins_say in zip(("en", "de"), journal, pins, strict=True):
        said = {
            health.device: Translator(code).render(health.message_with_remedy) for health in web_table.table.health()
        }
        assert journal_says in said["journal"]
        assert pins_say in said["gpio"]
