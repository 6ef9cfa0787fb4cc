"""Texts for people: messages, translation, player names, refusals, data files, guidebooks."""
