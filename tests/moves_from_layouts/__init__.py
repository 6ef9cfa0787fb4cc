"""Checks that what each game says about sightings and begun moves agrees with its layouts (see `__main__`)."""
