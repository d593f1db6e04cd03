"""The background service: tasks, state, commands and time, to which screens subscribe."""
