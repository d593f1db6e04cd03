"""`pmtui doctor`: finds what could keep a session from working, and what to do about it.

Each subject has its checks in a file of its own; all of them are bounded in time and run at once.
"""
