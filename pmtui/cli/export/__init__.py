"""`pmtui export`: the account's and the venue's records as CSV or JSON."""
