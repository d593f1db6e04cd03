"""Accounts of the local venue, and who may ask for what."""
