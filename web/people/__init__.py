"""The people who play at this table: their profiles, their statistics, and files with their games, as CSV and for BG
Stats."""
