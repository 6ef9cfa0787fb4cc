"""Which pins of a Raspberry Pi the buttons, the LED and the buzzer are connected to."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Pins:
    """The BCM number of the pin for each button, for the LED and for the buzzer. BCM numbers are those of the
    processor, as in GPIO17; `BOARD` maps them to the pins of the header. `buzzer` is None if there is no buzzer."""

    next: int = 17
    draw: int = 27
    undo: int = 22
    confirm: int = 23
    led: int = 24
    buzzer: int | None = None

    def used(self) -> dict[str, int]:
        """Maps the name of each connected part to the BCM number of its pin."""
        return {name: bcm for name, bcm in asdict(self).items() if bcm is not None}


BOARD = {
    2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33, 14: 8, 15: 10,
    16: 36, 17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37, 27: 13,
}  # fmt: skip
"""Maps each BCM number to the number of its pin on the 40-pin header."""
