"""Price history and depth charts."""
