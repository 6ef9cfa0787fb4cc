"""The policy with which the companion plays System WON."""
