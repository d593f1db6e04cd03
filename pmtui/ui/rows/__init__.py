"""The trading keys on the rows of a list: each row stands for a market and takes the same verbs."""
