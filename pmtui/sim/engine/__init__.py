"""The matching engine of the local venue: books, ledger and order lifecycle, without clock or I/O.

Times are passed in milliseconds as arguments, ids come from an injected source; the same calls in
the same order always give the same events.
"""
