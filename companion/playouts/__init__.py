"""Playouts: whole games that policies play, on one core, on all cores, or on a cluster, and the statistics of how they
end.

The same seed gives the same games, wherever they are played.
"""
