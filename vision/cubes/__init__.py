"""Counts cubes, which carry no codes, by their colors."""
