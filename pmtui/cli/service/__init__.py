"""The service of a profile as a process: run, found, started, asked and ended."""
