"""The local venue's chain: the effects of the public venue's contracts on wallets, and its relayer.

`contracts` executes batches of calls and holds approvals, nonces and blocks; `relayer` accepts submissions
and executes them after some time; the routes serve HTTP and JSON-RPC.
"""
