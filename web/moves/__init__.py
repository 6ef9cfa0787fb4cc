"""Moves as phones make them: with buttons, in forms, with photographs."""
