"""The texts that the dashboard's scripts show."""

from __future__ import annotations

from companion.text.messages import TextLike, _
from web.access.origin_check import photo_too_large


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
        "shuffleRight": _("The shuffle is as promised. Draws checked: {draws}. Shares from phones: {shares}."),
        "shuffleUnseen": _(
            "Draws checked: {draws}. Shares from phones: {shares}. This phone wasn’t there from the start, so it can’t "
            "know what was promised."
        ),
        "shuffleWrong": _("The shuffle isn’t what was promised. {why}"),
        "shuffleSeed": _("The companion changed its seed."),
        "shuffleShare": _("The companion changed a phone’s share, or left it out."),
        "shuffleDraw": _("A draw doesn’t follow from the seed and the shares."),
        "stepLost": _("The table didn’t answer. Try that step again."),
    }
