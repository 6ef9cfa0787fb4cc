"""Fault drills: start a service in a process of its own, let phones play a game on it, cause a fault on purpose, and
check that the service recovers."""
