"""Execution of the registry's reads: each name becomes requests to one host, page by page."""
