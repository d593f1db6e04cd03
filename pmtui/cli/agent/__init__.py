"""`pmtui agent`: the read-only tool server over standard input and output, and over HTTP on loopback."""
