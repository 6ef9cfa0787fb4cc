"""The match in progress and the games already played: moves, history, journal, views, replays."""
