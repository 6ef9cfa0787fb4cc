"""The hardware of the box: which part is connected to which pin, and how to read or drive it. Only this file contains
pin numbers.

The numbers are GP numbers, as printed on the back of a Pico. Every button connects its pin to ground; the Pico's
internal pull-ups hold the pins high.
"""

from machine import PWM, WDT, Pin
from neopixel import NeoPixel

SEAT_BUTTONS = (2, 3, 4, 5, 6)
SEAT_LAMPS = (7, 8, 9, 10, 11)
DIAL_A = 12
DIAL_B = 13
DIAL_PUSH = 14
BARS = (15, 16)
BUZZER = 17
PIXELS_PER_BAR = 8
WATCHDOG_TIMEOUT_MS = 2000
BUZZER_DUTY = 0x4000
"""The duty cycle of the buzzer's PWM: a quarter, where 0x10000 is the whole period."""


class Hardware:
    """The box's hardware: reads the buttons and the dial, and drives the lamps, the light bars, the buzzer and the
    watchdog."""

    def __init__(self) -> None:
        self._buttons = [Pin(number, Pin.IN, Pin.PULL_UP) for number in SEAT_BUTTONS + (DIAL_PUSH,)]
        self._dial_a, self._dial_b = Pin(DIAL_A, Pin.IN, Pin.PULL_UP), Pin(DIAL_B, Pin.IN, Pin.PULL_UP)
        self._lamps = [Pin(number, Pin.OUT, value=0) for number in SEAT_LAMPS]
        self._bars = [NeoPixel(Pin(number, Pin.OUT), PIXELS_PER_BAR) for number in BARS]
        self._bar_pixels = [None] * len(BARS)
        self._buzzer = PWM(Pin(BUZZER))
        self._buzzer.freq(1000)
        self._buzzer.duty_u16(0)
        self._watchdog = None

    def start_watchdog(self) -> None:
        """Starts the watchdog, which resets the Pico unless `feed_watchdog` is called every `WATCHDOG_TIMEOUT_MS`. It
        can't be stopped again."""
        self._watchdog = WDT(timeout=WATCHDOG_TIMEOUT_MS)

    def feed_watchdog(self) -> None:
        """Keeps the watchdog from resetting the Pico for another `WATCHDOG_TIMEOUT_MS`."""
        self._watchdog.feed()

    def read_buttons(self) -> list:
        """Whether each button is down: first the buttons of the seats, then the push button of the dial."""
        return [not button.value() for button in self._buttons]

    def read_dial(self) -> int:
        """The levels of the dial's two contacts as two bits, contact A first; 1 means open."""
        return self._dial_a.value() << 1 | self._dial_b.value()

    def set_lamps(self, lamps: list) -> None:
        """Switches the lamp of each seat on or off. `lamps`: a bool for each seat."""
        for pin, on in zip(self._lamps, lamps):
            pin.value(1 if on else 0)

    def show_bar(self, number: int, pixels: list) -> None:
        """Shows `pixels` (colors) on the light bar with this number. Writes to the bar only if the pixels have changed,
        because each write disables interrupts for a quarter of a millisecond."""
        if pixels != self._bar_pixels[number]:
            self._bar_pixels[number] = pixels
            for n, color in enumerate(pixels):
                self._bars[number][n] = color
            self._bars[number].write()

    def set_tone(self, hertz: int) -> None:
        """Sounds a tone of this frequency until the next call; 0 silences the buzzer."""
        if hertz:
            self._buzzer.freq(hertz)
        self._buzzer.duty_u16(BUZZER_DUTY if hertz else 0)
