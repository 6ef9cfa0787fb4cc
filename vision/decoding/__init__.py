"""Reads the codes in a gray image."""
