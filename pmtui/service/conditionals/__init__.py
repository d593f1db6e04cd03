"""Monitors stops, targets and price alerts, and sends their sales."""
