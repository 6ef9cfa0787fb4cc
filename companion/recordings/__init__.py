"""Pictures and recordings of the table, kept only if the host agrees, and the replay of recordings."""
