"""Owns tasks, state, commands and time; screens subscribe to it."""
