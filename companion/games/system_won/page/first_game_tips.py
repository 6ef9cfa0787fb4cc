"""The tips that phones show in a first game of System WON."""

from companion.games.first_game_tips import FirstGameTip
from companion.games.system_won.moves import Ability, Discard, Play, Specify
from companion.text.messages import gettext_noop

TIPS = (
    FirstGameTip(
        ".holder:not(.own)",
        gettext_noop("You see all cards but yours. Tap one to give its owner a hint."),
        tap=".holder:not(.own) button.face",
    ),
    FirstGameTip(
        ".holder.own",
        gettext_noop("Your hand. Tap a card to see its hints, play it or discard it."),
        tap=".own button.face",
    ),
    FirstGameTip(
        ".systems",
        gettext_noop("Build each color from 1 to 5. Give a hint, play or discard."),
        moves=(Specify, Play, Discard, Ability),
    ),
)
