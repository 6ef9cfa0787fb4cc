"""The tips that phones show in a first game of Traffic Congestion."""

from companion.games.first_game_tips import FirstGameTip
from companion.games.traffic_congestion.moves import Enter, Go, Pass, Signal
from companion.text.messages import gettext_noop

TIPS = (
    FirstGameTip(
        ".streets .town",
        gettext_noop("Drive your cars home, to your color. Tap a lane with a + to add a car."),
        tap=".streets .tap, .lanes .row",
    ),
    FirstGameTip(
        ".sheet:popover-open [value*='enter']",
        gettext_noop("Add one of your cars here."),
        moves=(Enter,),
    ),
    FirstGameTip(
        ".streets .town",
        gettext_noop("Cars go where a signal points. Tap a lane to place one or move its cars."),
        moves=(Signal, Go, Pass),
    ),
)
