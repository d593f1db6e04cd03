"""Recordings of stream messages and host replies with their arrival times: format, writer and reader.

It uses neither sockets nor screens. `pmtui record` writes such files, `pmtui replay` plays them.
"""
