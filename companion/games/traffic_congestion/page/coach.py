"""The guided first game of Traffic Congestion."""

from companion.games.coach import CoachStep
from companion.games.traffic_congestion.moves import Enter, Go, Pass, Signal
from companion.text.messages import gettext_noop

STEPS = (
    CoachStep(
        ".streets .town",
        gettext_noop("Drive your cars home: to the streets in your color. Tap a lane with a + to bring one in."),
        tap=".streets .tap, .lanes .row",
    ),
    CoachStep(
        ".sheet:popover-open [value*='enter']",
        gettext_noop("Here a car of yours drives in."),
        moves=(Enter,),
    ),
    CoachStep(
        ".streets .legend",
        gettext_noop("Cars go only where a signal points. Tap a lane to place one, or to let its cars go."),
        moves=(Enter, Signal, Go, Pass),
    ),
)
