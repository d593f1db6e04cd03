"""Live order books and tapes, from streams and snapshots."""
