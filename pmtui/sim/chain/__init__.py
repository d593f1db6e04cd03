"""The local venue's chain: what the public venue's contracts do to wallets, and the relayer to reach them.

`contracts` says what a batch of calls does and holds approvals, nonces and blocks; `relayer` takes
submissions and lets time carry them out; the routes speak HTTP and JSON-RPC.
"""
