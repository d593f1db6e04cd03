"""The trading host of the local venue: markets, books, orders, rewards, keys and notifications.

Each module has the routes of its subject and the data behind them.
"""
