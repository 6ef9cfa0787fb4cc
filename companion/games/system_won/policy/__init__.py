"""The careful policy of System WON, which `tablekeeper simulate` can play with."""
