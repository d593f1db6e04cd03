"""What a session's key can do with its wallet: the relayer's keys on the disk, and who is asked with them."""
