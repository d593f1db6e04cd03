"""The portfolio: positions, orders, fills, stops and the log."""
