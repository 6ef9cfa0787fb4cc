"""The tips that phones show in a first game of Systems Failing."""

from companion.games.first_game_tips import FirstGameTip
from companion.games.systems_failing.moves import Discard, EndTurn, Repair, Scavenge, Transfer
from companion.text.messages import gettext_noop

# A turn ends by itself after the last action. So the tip to end it appears only if nothing else can be done.
NOTHING_ELSE_TO_DO = ".dock:not(:has([value*='scavenge'], [value*='transfer'], [value*='repair']))"

TIPS = (
    FirstGameTip(
        ".ship .card",
        gettext_noop("Disasters move left, toward the core. Tap a card to see which cubes repair it."),
        tap=".ship .card .face, .escape .line, .dock .opens",
    ),
    FirstGameTip(
        ".dock [value*='scavenge']",
        gettext_noop("Need cubes? Draw two here. It costs an action, like each repair."),
        moves=(Scavenge, Transfer, Repair, Discard),
    ),
    FirstGameTip(
        f"{NOTHING_ELSE_TO_DO} [value*='end_turn']",
        gettext_noop("All done? End your turn here."),
        moves=(EndTurn,),
    ),
)
