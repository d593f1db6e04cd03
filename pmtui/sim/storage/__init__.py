"""What the local venue keeps on disk, and its restart from it."""
