"""The texts that the scripts of the simulated table show."""

from __future__ import annotations

from companion.games.rules import Json
from companion.text.messages import _


def script_texts() -> Json:
    """The texts of the page's scripts, by the names that the scripts use."""
    return {
        "unreadable": _("The table's answer can't be read; load the page again."),
        "refused": _("That was refused."),
        "silent": _("The table does not answer; is the service running?"),
        "lies": _("{name}, {title}, at {x} by {y} mm"),
        "liesDown": _("{name}, {title}, face down, at {x} by {y} mm"),
        "pile": _("{title}, {n} cards face down; Enter takes the top one"),
        "lamp": {
            "off": _("off: no game"),
            "on": _("on: somebody’s turn"),
            "recorded": _("on, with short gaps: a move was recorded from the table"),
            "waiting": _("blinks: waits for the table"),
            "discrepancy": _("flickers: put the table right"),
        },
        "nothingPlayed": _("Nothing is played here."),
        "right": _("The table is right."),
        "onPhones": _(
            "Nothing need lie here: the phones stand in for it. What is laid here all the same is looked after."
        ),
        "noMat": _("The camera has not found the mat yet."),
        "beside": _("beside the mat"),
        "many": _("{n} of them"),
        "lay": _("Lay"),
        "layThis": _("Lay {name} on the table"),
        "nothingChosen": _("Nothing chosen"),
        "nothingFound": _("Nothing off the table is called that."),
        "puts": _("{name}: Enter puts one on the table"),
        "dial": _("the dial: {n} of {count}"),
        "seatLamp": _("Seat {n}: lamp {lamp}"),
        "lamps": {"off": _("off"), "on": _("on"), "blinking": _("blinking")},
    }
