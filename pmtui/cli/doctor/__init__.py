"""`pmtui doctor`: finds what could keep a session from working, and suggests remedies.

Each subject has its checks in its own file; all of them have timeouts and run concurrently.
"""
