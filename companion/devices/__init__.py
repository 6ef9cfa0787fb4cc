"""Devices, which report observations, and their errors. Each device is opened in the thread that listens to it."""

from __future__ import annotations

from companion.text.messages import TextLike, joined


class DeviceError(Exception):
    """A device can't be used now. `message` is the reason, and `remedy` says how to fix it."""

    def __init__(self, message: TextLike, remedy: TextLike = "") -> None:
        super().__init__(joined(" ", filter(None, (message, remedy))))
        self.message, self.remedy = message, remedy


class DeviceMissing(DeviceError):
    """A device is missing. It will still be missing until the service restarts, so the service does not try again to
    open it."""


class DeviceNotNeeded(DeviceMissing):
    """A device is missing, but this machine doesn't need it."""
