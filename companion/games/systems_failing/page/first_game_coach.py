"""The guided first game of Systems Failing."""

from companion.games.first_game_coach import CoachStep
from companion.games.systems_failing.moves import Discard, EndTurn, Repair, Scavenge, Transfer
from companion.text.messages import gettext_noop

STEPS = (
    CoachStep(
        ".ship",
        gettext_noop("Disasters move left, toward the core. Tap a card to see which cubes repair it."),
        tap=".ship .card .face, .escape .line, .dock .opens",
    ),
    CoachStep(
        ".dock [value*='scavenge']",
        gettext_noop("Not enough cubes? Draw two here. This costs an action, and so does each repair."),
        moves=(Scavenge, Transfer, Repair, Discard),
    ),
    CoachStep(
        ".dock [value*='end_turn']",
        gettext_noop("All done? End your turn here."),
        moves=(EndTurn,),
    ),
)
