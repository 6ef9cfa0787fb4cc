"""The tips that phones show in a first game of Commute."""

from companion.games.commute.moves import Travel
from companion.games.first_game_tips import FirstGameTip
from companion.text.messages import gettext_noop

TIPS = (
    FirstGameTip(
        "fieldset.hand",
        gettext_noop("A card’s number is how many steps you take. Tap a card to see where."),
        tap="fieldset.hand label, fieldset.hand input",
    ),
    FirstGameTip(
        ".map .stop",
        gettext_noop("Each space shows its minutes. Try to arrive at 100 in total. Tap a space."),
        tap=".map .stop, .row",
    ),
    FirstGameTip(
        "[id^='end-']:popover-open",
        gettext_noop("This is what the trip costs. Go, or close this and try another space."),
        moves=(Travel,),
    ),
)
