"""Positions, orders, fills, stops and the log."""
