"""The service of a profile as a process: running, finding, starting, querying and stopping it."""
