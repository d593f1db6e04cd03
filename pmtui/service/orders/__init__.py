"""The path of an order: preparation, journal, sending, verdict, search, move, cancel."""
