"""Settings that only root may change on an installed table: the machine's name, and the country of its Wi-Fi. The
service writes both to a file; systemd then runs `appliance/set-hostname-and-country.sh`, which reads the file as
root."""

from __future__ import annotations

import re
from pathlib import Path

from companion.match.journal_file_access import PRIVATE_FILE
from companion.text.messages import TextError, _

SETTINGS_FILE = "machine-settings"
"""The name of the file in the data folder that holds these settings."""
UNIT = "tablekeeper-machine.path"
UNIT_FOLDERS = (Path("/etc/systemd/system"), Path("/usr/lib/systemd/system"))
NAME = re.compile("[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?")
COUNTRY = re.compile("[A-Z]{2}")


class MachineSettingsError(TextError):
    """The error for a name or a country that can't be used."""


class MachineSettings:
    """The settings of the machine, which are stored in this data folder."""

    def __init__(self, data: Path) -> None:
        self._file = data / SETTINGS_FILE

    def set(self, name: str, country: str) -> str:
        """Changes the name and the country; an empty string leaves the setting as it is. Returns the name as other
        machines see it: "Red Table" becomes "red-table". Raises MachineSettingsError if the name or the country can't
        be used."""
        name, country = "-".join(name.lower().split()), country.strip().upper()
        if name and not NAME.fullmatch(name):
            raise MachineSettingsError(_("Use up to 32 letters (a to z), digits and hyphens for the name."))
        if country and not COUNTRY.fullmatch(country):
            raise MachineSettingsError(_("A country has two letters, such as DE, ES or US."))
        lines = [f"{key}={value}\n" for key, value in (("name", name), ("country", country)) if value]
        if lines:
            self._file.touch(PRIVATE_FILE)
            self._file.write_text("".join(lines))
        return name


def can_change_machine() -> bool:
    """Whether this machine is set up so that systemd changes the name and the country for the service."""
    return any((folder / UNIT).exists() for folder in UNIT_FOLDERS)
