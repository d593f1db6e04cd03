"""Asking for the reads of the registry: each name becomes requests of one host, page by page."""
