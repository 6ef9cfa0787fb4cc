"""Counting cubes, which carry no codes."""
