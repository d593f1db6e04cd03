"""The deposit wallet: what it is told to do on chain, through the relayer.

A transaction is journaled before it leaves, submitted once, and followed to its end.
"""
