"""The order ticket: parses texts into fields, and checks fields for an intent or for problems."""
