"""Hostile input on purpose: bent payloads for every decoder, hostile texts for all painting.

A short run with fixed seeds is part of the tests; `python -m tests.fuzz` runs for as long as asked.
"""
