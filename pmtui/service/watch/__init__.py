"""The watchlist: starred items, their storage and their live view."""
