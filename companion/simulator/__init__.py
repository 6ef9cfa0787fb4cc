"""The simulated table: where printed things lie when there is no real table. A camera may look at it."""
