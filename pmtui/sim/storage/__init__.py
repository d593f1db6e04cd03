"""What the local venue remembers, in memory and on disk, and what happens as time passes.

`records` is the bounded memory, `store` the file, `persistence` decides what goes there, and
`maintenance` runs the timers.
"""
