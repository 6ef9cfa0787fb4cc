"""Playouts: whole games that policies play on one core, on all cores or on a cluster, and statistics of how these games
end.

The same seed gives the same games, no matter where they are played.
"""
