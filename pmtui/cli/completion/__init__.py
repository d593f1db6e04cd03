"""`pmtui completion` and the man page: both from the table of commands and the registry of reads."""
