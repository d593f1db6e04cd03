"""Orders: their amounts, their lifecycle, and the rules they must pass."""
