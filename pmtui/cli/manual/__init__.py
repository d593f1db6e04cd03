"""The commands as data, and what is made of them: `pmtui help`, the man page and completion."""
