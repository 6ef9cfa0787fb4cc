"""Prints: cards, mats and tokens, true to scale, and the same things as pictures for the simulated table.

Read in this order: `canvas` (drawing in millimetres), `pieces` (what a game prints), `sheets` (where it lies on
paper), `tiles` (a mat over several sheets), `pdf` (the file), `raster` (pictures).
"""
