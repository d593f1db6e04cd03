"""What a replay adds to the terminal: a line that says where it is, and the keys that drive it."""
