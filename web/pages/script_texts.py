"""The texts that the dashboard's scripts show."""

from __future__ import annotations

from companion.text.messages import TextLike, _
from web.access.origin_check import photo_too_large


def script_texts() -> dict[str, TextLike]:
    """The texts of the scripts in `static/`, by the names that the scripts use."""
    return {
        "choose": _("Choose"),
        "chooseSome": _("Choose {n}"),
        "impossible": _("That can’t be chosen. Why?"),
        "waiting": _("The table has not answered yet; this waits for it."),
        "asking": _("The table has not answered. As soon as it is there, this asks whether that was done."),
        "unreadable": _("The table’s answer can’t be read."),
        "lost": _("Its answer was lost. Look whether that was done before you do it again."),
        "undone": _("That was not done. {why}"),
        "late": _("The answer was late, but that is done, once."),
        "reading": _("Reading the photo…"),
        "taken": _("Photo taken"),
        "tooLarge": photo_too_large().message,
        "shuffleRight": _("The shuffle is as promised. Draws checked: {draws}; shares from phones: {shares}."),
        "shuffleUnseen": _(
            "Draws checked: {draws}; shares from phones: {shares}. This phone was not there from the start, so it "
            "can’t tell what was promised."
        ),
        "shuffleWrong": _("The shuffle is not what was promised. {why}"),
        "shuffleSeed": _("The companion has changed its seed."),
        "shuffleShare": _("The companion has changed a phone’s share, or left it out."),
        "shuffleDraw": _("A draw does not follow from the seed and the shares."),
        "stepLost": _("The table has not answered; try that step again."),
    }
