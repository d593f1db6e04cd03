"""Finding markets: lists, search, tags, events, the watchlist."""
