"""The way between a terminal and a service that outlives it: a socket of the user's own.

`server` stands on the service's side, `mirror` on the terminal's; `messages` is all that passes.
"""
