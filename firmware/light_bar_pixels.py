"""Renders the light bars, pixel by pixel.

Law: pure functions. A color is (red, green, blue), each 0 to 255; a bar is a list of colors, first pixel first.
"""

DARK = (0, 0, 0)
LEVELS = {"g": (0, 32, 4), "y": (32, 20, 0), "r": (40, 0, 0)}
"""The color of each level: green, yellow, red. They are so dim that two bars of eight pixels draw only 0.1 A and don't
dazzle."""
WHITE = (40, 40, 40)
BLUE = (0, 0, 40)
CYAN = (0, 28, 28)
VIOLET = (28, 0, 28)
RED = (40, 0, 0)
BLINK_MS = 400
"""How long blinking lights are on, and how long they are off."""
STEP_MS = 150


def is_blink_on(now: int) -> bool:
    """Whether blinking lights are on at this time (ms)."""
    return now // BLINK_MS % 2 == 0


def bar(text: str, count: int) -> list:
    """The pixels of a bar that shows a meter on `count` pixels. `text` is `value:lowest:highest:level`, or `-` for no
    meter, which leaves the bar dark. All pixels are dark only at the lowest value and all lit only at the highest.
    Raises ValueError if `text` is malformed or the value is out of range."""
    if text == "-":
        return [DARK] * count
    value, lowest, highest, level = text.split(":")
    if level not in LEVELS or not int(lowest) <= int(value) <= int(highest) or int(lowest) == int(highest):
        raise ValueError(text)
    above, span = int(value) - int(lowest), int(highest) - int(lowest)
    lit = count if above == span else min(count - 1, -(-above * count // span))
    return [LEVELS[level]] * lit + [DARK] * (count - lit)


def with_dial(pixels: list, dial: str) -> list:
    """Draws a white dot for the dial on the bar `pixels`. `dial` is `at:of`: the dial has `of` steps and is at step
    `at`, counted from 0. `-` draws no dot. If there are more steps than pixels, the dot starts again at the beginning
    of the bar. Raises ValueError if `dial` is malformed or has no step `at`."""
    if dial == "-":
        return pixels
    at, of = (int(part) for part in dial.split(":"))
    if not 0 <= at < of:
        raise ValueError(dial)
    at %= len(pixels)
    return pixels[:at] + [WHITE] + pixels[at + 1 :]


def fix_pattern(column: int, columns: int, count: int) -> list:
    """The `count` pixels of a bar that points at one column of the mat. The mat is divided into `columns` columns;
    `column` is counted from 0 at the left. If `column` is None, the bar is dark."""
    return [DARK if column is None or n * columns // count != column else CYAN for n in range(count)]


def waiting_pattern(count: int, now: int) -> list:
    """The `count` pixels of a bar at `now` (ms) if nothing has been heard from a host since power-on: a moving blue
    dot."""
    at = now // STEP_MS % count
    return [BLUE if n == at else DARK for n in range(count)]


def host_lost_pattern(count: int, now: int) -> list:
    """The `count` pixels of a bar at `now` (ms) if the host has fallen silent: both ends blink red."""
    return [RED if n in (0, count - 1) and is_blink_on(now) else DARK for n in range(count)]


def foreign_pattern(count: int, now: int) -> list:
    """The `count` pixels of a bar at `now` (ms) if the host has another protocol version: every second pixel blinks
    violet."""
    return [VIOLET if n % 2 == 0 and is_blink_on(now) else DARK for n in range(count)]
