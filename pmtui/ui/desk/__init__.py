"""The desk: ladders of an event's outcomes side by side, each traded with the keys of the market screen."""
