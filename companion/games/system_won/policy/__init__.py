"""How the companion plays System WON."""
