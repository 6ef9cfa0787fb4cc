"""The tips that phones show in a first game of System WON."""

from companion.games.first_game_tips import FirstGameTip
from companion.games.system_won.moves import Ability, Discard, Play, Specify
from companion.text.messages import gettext_noop

TIPS = (
    FirstGameTip(
        ".holder:not(.own)",
        gettext_noop("You see every card except your own. Tap one to give its owner a hint: a color or a number."),
        tap=".holder:not(.own) button.face",
    ),
    FirstGameTip(
        ".holder.own",
        gettext_noop("Your own hand. Tap a card to see what you know about it, and to play or discard it."),
        tap=".own button.face",
    ),
    FirstGameTip(
        ".systems",
        gettext_noop("Build each color from 1 to 5. Now do one thing: give a hint, play a card or discard one."),
        moves=(Specify, Play, Discard, Ability),
    ),
)
