"""The registry of actions, and what is generated from it: keys, palette, help, tour."""
