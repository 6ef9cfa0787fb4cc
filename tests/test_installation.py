"""What an installed table says about the folder of the games, which is not named on a command line there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.commands import CommandError
from companion.commands.data_folder_lock import exclusive_lock
from companion.commands.http_servers import tls_port_error
from companion.diagnostics import storage_checks
from companion.diagnostics.findings import Finding, examine
from companion.installation import DATA, ENVIRONMENTS
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.storage_remedies import unusable_folder_remedy

SETUP = Path(__file__).parents[1] / "appliance" / "setup.sh"


def unopened_journal(place: Path) -> str:
    (place / "journal.sqlite3").mkdir()
    with pytest.raises(JournalError) as refused:
        Journal(place / "journal.sqlite3")
    return str(refused.value)


def locked_folder(place: Path) -> str:
    with exclusive_lock(place), pytest.raises(CommandError) as refused, exclusive_lock(place):
        pass
    return str(refused.value)


def folder_that_is_a_file(place: Path) -> str:
    (place / "file").touch()
    with pytest.raises(CommandError) as refused, exclusive_lock(place / "file"):
        pass
    return str(refused.value)


def finding_about_a_file(place: Path) -> str:
    (place / "file").touch()
    (found,) = storage_checks.disk(place / "file")
    return str(found.message_with_remedy)


def finding_about_an_error(place: Path) -> str:
    def check() -> list[Finding]:
        raise OSError(28, "No space left on device", "/var/lib")

    (found,) = examine({"disk": check})
    return str(found.message_with_remedy)


ADVICE = [unopened_journal, locked_folder, folder_that_is_a_file, finding_about_a_file, finding_about_an_error]


@pytest.mark.parametrize("advice", ADVICE)
def test_only_a_table_that_is_not_installed_names_an_option(
    advice: Callable[[Path], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where somebody has typed the command, the advice is to name another folder. On an installed table systemd has
    started the service, which may write to one folder only: the advice is a command for that folder, or another disk
    there."""
    for name in ("started", "installed"):
        (tmp_path / name).mkdir()
    assert "another folder with --data" in advice(tmp_path / "started")
    monkeypatch.setattr(sys, "prefix", str(ENVIRONMENTS / "20300131-193000"))
    told = advice(tmp_path / "installed")
    assert "--data" not in told
    assert str(DATA) in told or "sudo systemctl stop tablekeeper" in told


def test_no_folder_but_one_is_for_games_on_an_installed_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """If the settings of an installed table name another folder, no change of owner helps, because the service may not
    write there. The advice is to put the setting back."""
    monkeypatch.setattr(sys, "prefix", str(ENVIRONMENTS / "20300131-193000"))
    (tmp_path / "file").touch()
    for told in (folder_that_is_a_file(tmp_path), finding_about_a_file(tmp_path)):
        assert f'data = "{DATA}"' in told
        assert "chown" not in told
    assert f"chown -R tablekeeper: {DATA}" in str(unusable_folder_remedy(DATA / "games"))


def test_an_installed_table_names_the_setting_for_a_port(monkeypatch: pytest.MonkeyPatch) -> None:
    """On an installed table, the remedy for a port that can't be used is a line of the settings file; elsewhere it is
    an option."""
    denied = PermissionError(13, "Permission denied")
    assert tls_port_error(443, denied)[1] == "Use port 1024 or above: --tls 8443."
    monkeypatch.setattr(sys, "prefix", str(ENVIRONMENTS / "20300131-193000"))
    assert tls_port_error(443, denied)[1] == "Use port 1024 or above: tls = 8443 in the settings file."
    assert "--" not in tls_port_error(8443, OSError(98, "Address already in use"))[1]


def test_the_paths_are_those_of_the_installer() -> None:
    """The program knows the folders that the installer makes."""
    text = SETUP.read_text()
    assert f"\nENVIRONMENTS={ENVIRONMENTS}\n" in text
    assert f"\nDATA={DATA}\n" in text
