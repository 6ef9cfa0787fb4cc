"""The texts that the dashboard's scripts show."""

from __future__ import annotations

from companion.text.messages import TextLike, _
from web.access.request_checks import photo_too_large


def script_texts() -> dict[str, TextLike]:
    """The texts of the scripts in `static/`, by the names that the scripts use."""
    return {
        "choose": _("Choose"),
        "chooseSome": _("Choose {n}"),
        "impossible": _("You can’t choose that. Why?"),
        "waiting": _("Waiting for the table…"),
        "asking": _("The table isn’t answering. As soon as it’s back, this page checks whether that was done."),
        "unreadable": _("Can’t read the table’s answer."),
        "lost": _("The table’s answer didn’t arrive. Before you try again, check whether your tap took effect."),
        "undone": _("That wasn’t done. {why}"),
        "late": _("The answer came late, but it was done, exactly once."),
        "reading": _("Reading the photo…"),
        "taken": _("Photo taken"),
        "tooLarge": photo_too_large().message,
        "shuffleRight": _("The shuffle was fair. Draws checked: {draws}. Random numbers from phones: {shares}."),
        "shuffleUnseen": _(
            "Draws checked: {draws}. Random numbers from phones: {shares}. This phone joined later, so it can’t tell "
            "whether the companion kept its own random number."
        ),
        "shuffleWrong": _("The shuffle was not fair. {why}"),
        "shuffleSeed": _("The companion changed its own random number."),
        "shuffleShare": _("The companion changed a phone’s random number, or left it out."),
        "shuffleDraw": _("A draw doesn’t follow from these random numbers."),
        "stepLost": _("The table didn’t answer. Try that step again."),
    }
