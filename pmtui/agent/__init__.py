"""The read-only agent surface: tools over standard input and output, and the same over HTTP on loopback.

Nothing here can reach a command, a key or a host: what is read comes through one narrow port.
"""
