"""Known events and markets: lists, search, terms, resolutions."""
