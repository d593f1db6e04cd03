"""Stops, targets, trailing stops and price alerts: when they fire, and for how much."""
