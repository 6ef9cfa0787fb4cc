"""Tracks codes over time: what appeared, moved, turned or left."""
