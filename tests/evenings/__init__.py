import vision  # noqa: F401  # limits NumPy to one thread, which works only before NumPy is imported
