"""What the streams and hosts said, kept with the times of arrival: the file, its writing and reading.

It knows neither sockets nor screens. `pmtui record` writes such files, `pmtui replay` plays them.
"""
