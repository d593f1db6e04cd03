"""A full-screen terminal for trading prediction markets by hand."""

__version__ = "0.1.0"
