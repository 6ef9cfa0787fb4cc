"""Devices: everything that reports observations. Each is opened in the thread that listens to it."""

from __future__ import annotations

from companion.text.messages import TextLike, joined


class DeviceError(Exception):
    """A device can't be used now; `message` is the reason."""

    def __init__(self, message: TextLike, remedy: TextLike = "") -> None:
        super().__init__(joined(" ", filter(None, (message, remedy))))
        self.message, self.remedy = message, remedy


class DeviceMissing(DeviceError):
    """The device stays missing until the service restarts, so there is no retry."""


class DeviceNotNeeded(DeviceMissing):
    """The device is missing, and this machine doesn't need it."""
