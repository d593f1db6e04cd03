"""The metadata host of the local venue: events, markets, tags, search."""
