"""The physical table: observations, the mat, components, layouts, discrepancies, and the tracked table."""
