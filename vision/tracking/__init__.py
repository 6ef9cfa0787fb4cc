"""From frames to events: what appeared, moved, turned or left."""
