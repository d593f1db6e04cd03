"""Painters: pure functions from a view and a width to lines of cells."""
