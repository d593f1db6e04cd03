"""The trading host of the local venue: markets, books, orders, notifications."""
