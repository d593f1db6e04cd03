"""One HTTP or stream client per host of the service, and nothing else."""
