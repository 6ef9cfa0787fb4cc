"""The physical table: observations, the mat, components, layouts, and what is tracked on it."""
