"""The wire format: payload structs, and their decoding to domain values in one place."""
