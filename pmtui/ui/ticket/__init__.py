"""The order ticket and the card before an order: state, face and sending, each by itself.

Beside it the forms that spread an order over prices or protect a position.
"""
