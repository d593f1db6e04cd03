"""One HTTP or stream client per host of the venue, and nothing else."""
