"""Follows the codes on the table from frame to frame and reports which appeared, moved, turned or left."""
