"""Devices: everything that reports observations. Each is opened in the thread that listens to it."""

from __future__ import annotations


class DeviceError(Exception):
    """A device can't be used now; `says` is the reason, `mend` the remedy."""

    def __init__(self, says: str, mend: str = "") -> None:
        super().__init__(f"{says} {mend}".strip())
        self.says, self.mend = says, mend


class DeviceMissing(DeviceError):
    """The device stays missing until the service restarts, so there is no retry."""


class DeviceNotNeeded(DeviceMissing):
    """The device is missing, and this machine doesn't need it."""
