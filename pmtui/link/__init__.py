"""The link between a terminal and a service that outlives it: a socket owned by the user.

`server` is the service's side, `mirror` the terminal's; `messages` defines everything that passes.
"""
