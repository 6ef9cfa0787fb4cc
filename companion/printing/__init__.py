"""Prints a game's components and its mat true to scale, and renders them as pictures for the simulated table.

Read in this order: `printable_components` (what a game prints), `imposition` (where it lies on paper), `mat_tiles` (a
mat over several sheets), `pdf` (the file), `raster` (pictures). `companion.drawing.canvas` draws in millimeters.
"""
