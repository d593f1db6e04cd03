"""What a replay adds to the terminal: a line with its position, and its keys."""
