"""The deposit wallet: what it may do and holds, its steps with their cards, and its transactions."""
