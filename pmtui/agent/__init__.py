"""The read-only agent surface: tools over standard input and output, and the same over HTTP on loopback.

Nothing here can reach a command, a key or a host: all data comes through one narrow port.
"""
