"""A venue that plays a recording: its streams and books, and practice orders matched against them.

The hosts, the accounts and the engine are the local venue's; the recording replaces simulated
traders.
"""
