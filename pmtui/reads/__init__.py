"""The registry of reads: every query to the hosts, as data for the command, the tools and the documents."""
