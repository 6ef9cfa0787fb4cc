"""Devices report observations; this module has their errors. Each device is opened in the thread that listens to it."""

from __future__ import annotations

from companion.text.messages import TextLike, joined


class DeviceError(Exception):
    """The error for a device that can't be used now. `message` is the reason, and `remedy` says how to fix it."""

    def __init__(self, message: TextLike, remedy: TextLike = "") -> None:
        super().__init__(joined(" ", filter(None, (message, remedy))))
        self.message, self.remedy = message, remedy


class DeviceMissing(DeviceError):
    """The error for a device that is missing. It will be missing until the service restarts, so the service does not
    try to open it again."""


class DeviceNotNeeded(DeviceMissing):
    """The error for a device that is missing, but that this machine doesn't need."""
