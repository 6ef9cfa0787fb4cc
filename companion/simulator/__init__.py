"""The simulated table: where components lie when there is no real table. A simulated camera can look at it."""
