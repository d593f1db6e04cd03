"""What is known of events and markets: lists, search, terms, resolutions."""
