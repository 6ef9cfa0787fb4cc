"""The guided first game of Commute."""

from companion.games.coach import CoachStep
from companion.games.commute.moves import Travel
from companion.text.messages import gettext_noop

STEPS = (
    CoachStep(
        "fieldset.hand",
        gettext_noop("A card’s number is how many steps you must go. Tap one to see where it takes you."),
        tap="fieldset.hand label, fieldset.hand input",
    ),
    CoachStep(
        ".map .stop",
        gettext_noop("Each place shows its minutes: try to arrive with 100 in all. Tap a place."),
        tap=".map .stop, .row",
    ),
    CoachStep(
        "[id^='end-']:popover-open",
        gettext_noop("The way there and what it costs. Go, or close this and try another place."),
        moves=(Travel,),
    ),
)
