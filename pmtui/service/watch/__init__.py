"""The watchlist: what is starred, kept and shown of it."""
