"""The settings of the broker. No message about them contains a password."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from companion.commands import UsageError
from companion.commands.run_service import report_problems
from companion.commands.service_settings import resolve_settings
from companion.commands.settings_file import Settings, read_settings
from companion.devices import DeviceMissing
from companion.mqtt.broker_address import Broker, BrokerError, parse_broker
from companion.mqtt.client import MqttClient, not_installed_message
from companion.mqtt.topics import check_name
from tests.systems_failing_tables import new_table
from tests.test_run_command import arguments, config


@pytest.mark.parametrize(
    ("url", "broker"),
    [
        ("mqtt://broker", Broker("broker", 1883)),
        ("mqtts://broker.lan/", Broker("broker.lan", 8883, tls=True)),
        ("mqtt://ann@10.0.0.2:2000", Broker("10.0.0.2", 2000, "ann")),
        ("mqtt://ann:a%40b%3A%2F@[::1]", Broker("::1", 1883, "ann", "a@b:/")),
    ],
)
def test_an_address_of_a_broker(url: str, broker: Broker) -> None:
    assert parse_broker(url) == broker
    assert "a@b" not in repr(broker)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "broker",
        "http://ann:secret@broker",
        "mqtt://ann:secret@",
        "mqtt://ann:secret@broker:0",
        "mqtt://ann:secret@broker:99999",
        "mqtt://ann:secret@broker:secret",
        "mqtt://ann:sec/ret@broker",
        "mqtt://ann:secret@broker/path",
        "mqtt://ann:secret@broker?x=1",
        "mqtt://ann:%FFsecret@broker",
        "mqtt://[ann:secret@broker",
    ],
)
def test_a_wrong_address_is_refused_without_its_password(tmp_path: Path, url: str) -> None:
    """If the broker's address is wrong, the message shows an example but no password, whether the address is an
    argument or in the settings file."""
    with pytest.raises(BrokerError) as refused:
        parse_broker(url)
    messages = [str(refused.value)]
    if url:
        with pytest.raises(UsageError) as wrong:
            resolve_settings(arguments("--mqtt", url))
        messages.append(str(wrong.value))
        found = read_settings(config(tmp_path, f"[mqtt]\nbroker = '{url}'\n"), Settings())
        messages += map(str, found.problems)
        assert found.settings.broker is None
        assert messages[-1].startswith("table.toml, line 2: ")
    for message in messages:
        assert "mqtt://user:password@host:1883" in message
        assert "sec" not in message


def test_a_file_and_arguments(tmp_path: Path) -> None:
    """The file has a section for the broker; arguments override it."""
    (ca := tmp_path / "ca.pem").touch()
    path = config(tmp_path, f'[mqtt]\nbroker = "mqtts://ann:secret@broker"\ntable = "club-3"\nca = "{ca}"\n')
    settings, trouble = resolve_settings(arguments("--config", str(path)))
    expected = Broker("broker", 8883, "ann", "secret", tls=True, ca=ca)
    assert (settings.broker, settings.table, trouble) == (expected, "club-3", "")
    assert "secret" not in repr(settings)
    settings, _ = resolve_settings(arguments("--config", str(path), "--mqtt", "mqtts://other", "--mqtt-table", "x"))
    assert (settings.broker, settings.table) == (replace(expected, host="other", user=None, password=None), "x")
    assert resolve_settings(arguments())[0].broker is None
    assert resolve_settings(arguments())[0].table == "table"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('broker = ["mqtt://ann:secret@broker"]', "line 2: The broker’s address must look like"),
        ('table = "club 3"', "line 2: A table’s name on the broker has 1 to 32 letters, digits, hyphens"),
        ('ca = "/x"\nbroker = "mqtt://broker"', "line 3: A certificate only works with TLS"),
        ('broker = "mqtts://broker"\nca = "/no/such"', "There’s no certificate /no/such."),
        ('brocker = "mqtt://ann:secret@broker"', "line 2: brocker is unknown"),
    ],
)
def test_a_wrong_file_names_the_line(tmp_path: Path, text: str, why: str) -> None:
    """If the file has an error, the message names its line, and the service runs with its defaults."""
    path = config(tmp_path, f"[mqtt]\n{text}\n")
    (bad,) = map(str, read_settings(path, Settings()).problems)
    assert why in bad
    assert "secret" not in bad
    assert resolve_settings(arguments("--config", str(path)))[0].broker is None


@pytest.mark.parametrize("name", ["", "a/b", "+", "#", "x" * 33, "a\n", "ä"])
def test_a_name_is_one_level_of_a_topic(name: str) -> None:
    with pytest.raises(BrokerError):
        check_name(name)


def test_what_to_install_is_one_line() -> None:
    assert str(not_installed_message()) == (
        "MQTT needs the package paho-mqtt. Install it with: pip install 'tablekeeper[mqtt]'"
    )


def test_without_paho_the_service_says_what_to_install_and_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Without the library paho, one line in the log and the health report say what to install. People can still
    play."""
    monkeypatch.setattr("companion.mqtt.client.find_spec", lambda name: None)
    table = new_table()
    settings = Settings(data=tmp_path, camera="0", broker=Broker("broker", 1883))
    report_problems(table, settings, "")
    assert caplog.messages == [str(not_installed_message())]
    with pytest.raises(DeviceMissing, match="pip install"):
        MqttClient(table, Broker("broker", 1883), "table").open()
