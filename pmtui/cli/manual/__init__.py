"""The commands as data, and what is generated from them: `pmtui help`, the man page and completions."""
