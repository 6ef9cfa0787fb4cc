"""The careful policy of System WON, one of the policies of `tablekeeper simulate`."""
