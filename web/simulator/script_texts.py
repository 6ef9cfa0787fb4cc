"""The texts that the scripts of the simulated table show."""

from __future__ import annotations

from companion.games.rules import Json
from companion.text.messages import _


def script_texts() -> Json:
    """The texts of the page's scripts, by the names that the scripts use."""
    return {
        "unreadable": _("Can’t read the table’s answer. Reload the page."),
        "refused": _("That didn’t work."),
        "silent": _("The table isn’t answering. Is the service running?"),
        "faceUpAt": _("{name}, {title}, at {x} by {y} mm"),
        "faceDownAt": _("{name}, {title}, face down, at {x} by {y} mm"),
        "pile": _("{title}, {n} cards face down. Press Enter to take the top one."),
        "lamp": {
            "off": _("off: no game"),
            "on": _("on: somebody’s turn"),
            "recorded": _("on, with short gaps: a move was recorded from the table"),
            "waiting": _("blinking: waiting for the table"),
            "discrepancy": _("flickering: fix the table"),
        },
        "nothingPlayed": _("No game here."),
        "tableMatches": _("The table matches."),
        "onPhones": _(
            "Nothing to put here: the companion deals, so the cards are on the phones. If you put cards here all the "
            "same, they’re tracked."
        ),
        "noMat": _("The camera hasn’t found the mat yet."),
        "offMat": _("next to the mat"),
        "many": _("{n} of them"),
        "put": _("Put down"),
        "putThis": _("Put {name} on the table"),
        "nothingChosen": _("Nothing chosen"),
        "nothingFound": _("Nothing in the box has that name."),
        "putToken": _("{name}: press Enter to put one on the table"),
        "dial": _("the dial: {n} of {count}"),
        "seatLamp": _("Seat {n}: lamp {lamp}"),
        "lamps": {"off": _("off"), "on": _("on"), "blinking": _("blinking")},
    }
