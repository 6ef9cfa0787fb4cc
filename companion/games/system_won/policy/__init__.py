"""The policies of System WON: a careful one, which looks ahead, and a simple one."""
