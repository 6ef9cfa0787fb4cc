"""Pictures of the table for the replay of past games, kept only if the host agrees."""
