"""The checks of `tablekeeper doctor`, and their findings."""
