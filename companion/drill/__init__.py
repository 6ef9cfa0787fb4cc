"""Fault drills: a service in a process of its own, phones that play against it, and faults that are caused on
purpose."""
