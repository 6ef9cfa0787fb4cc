"""Devices: whatever reports observations. Each opens in the thread that listens to it."""

from __future__ import annotations


class DeviceError(Exception):
    """A device can't be used now; the message says why and how to mend it."""


class DeviceMissing(DeviceError):
    """It won't be there before the service is started again, so nobody tries once more."""
