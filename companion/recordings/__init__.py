"""Recordings of the table, kept only if the host agrees, and what today's code makes of them."""
