"""The journal of a profile: a file that outlives every session, and its rows."""
