"""Thin widgets: cells in, strips out; keys in, messages out."""
