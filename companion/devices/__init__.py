"""Devices: whatever reports observations. Each opens in the thread that listens to it."""

from __future__ import annotations


class DeviceError(Exception):
    """A device can't be used now; `says` tells why, `mend` what to do."""

    def __init__(self, says: str, mend: str = "") -> None:
        super().__init__(f"{says} {mend}".strip())
        self.says, self.mend = says, mend


class DeviceMissing(DeviceError):
    """It won't be there before the service is started again, so nobody tries once more."""


class DeviceNotMissed(DeviceMissing):
    """Nor need it be there: nothing is amiss."""
