"""The local venue's records in memory and on disk, and its scheduled work.

`records` is the bounded memory, `persistence` the file and its contents, and `maintenance` runs the timers.
"""
