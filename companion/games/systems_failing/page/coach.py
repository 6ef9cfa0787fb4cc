"""The guided first game of Systems Failing."""

from companion.games.coach import CoachStep
from companion.games.systems_failing.moves import Discard, EndTurn, Repair, Scavenge, Transfer
from companion.text.messages import gettext_noop

STEPS = (
    CoachStep(
        ".ship",
        gettext_noop("Disasters move left, to the core. Tap a card to see which cubes repair it."),
        tap=".ship .card .face, .escape .line, .dock .opens",
    ),
    CoachStep(
        ".dock [value*='scavenge']",
        gettext_noop("Too few cubes? Draw two here. This and each repair is one of your actions."),
        moves=(Scavenge, Transfer, Repair, Discard),
    ),
    CoachStep(
        ".dock [value*='end_turn']",
        gettext_noop("Nothing more to do? End your turn here."),
        moves=(EndTurn,),
    ),
)
