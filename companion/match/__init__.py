"""The game in progress and games already played: moves, history, journal, views, replays."""
