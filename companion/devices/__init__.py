"""Devices, which report observations, and the errors of devices. Each device is opened in the thread that listens to
it."""

from __future__ import annotations

from companion.text.messages import TextLike, joined


class DeviceError(Exception):
    """A device can't be used now. `message` is the reason, and `remedy` says how to fix it."""

    def __init__(self, message: TextLike, remedy: TextLike = "") -> None:
        super().__init__(joined(" ", filter(None, (message, remedy))))
        self.message, self.remedy = message, remedy


class DeviceMissing(DeviceError):
    """A device is missing and will stay so until the service restarts; the service does not try to open it again."""


class DeviceNotNeeded(DeviceMissing):
    """A device is missing, but this machine doesn't need it."""
