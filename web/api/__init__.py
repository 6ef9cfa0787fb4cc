"""The HTTP API and its description."""
