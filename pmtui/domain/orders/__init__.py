"""An order's amounts, life and end, and the rules it must pass."""
