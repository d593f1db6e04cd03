"""The desk: ladders of an event's outcomes side by side, all traded with the market keys."""
