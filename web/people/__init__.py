"""The statistics of the people who play at this table, and how they leave it: as CSV and for BG Stats."""
