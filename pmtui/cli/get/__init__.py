"""`pmtui get`: any read of the registry from the shell, as a table, CSV, JSON or JSON lines."""
