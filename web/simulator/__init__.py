"""The page of the simulated table."""
