"""The matching engine of the local venue: books, ledger and order life, without clock or I/O.

Time arrives as milliseconds in arguments, ids from an injected source; the same calls in the same
order always give the same events.
"""
