"""The registry of reads: everything that the hosts can be asked, as data. Command, tools and documents follow it."""
