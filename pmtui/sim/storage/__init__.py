"""What the local venue remembers, in memory and on disk, and what happens as time passes.

`records` is the bounded memory, `persistence` the file and what goes there, and `maintenance` runs the timers.
"""
