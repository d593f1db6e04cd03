"""What travels: payload structs and their one decoding to domain values."""
