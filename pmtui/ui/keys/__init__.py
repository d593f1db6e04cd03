"""The registry of actions, and what comes of it: keys, palette, help, tour."""
