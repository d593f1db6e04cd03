"""The order ticket and the card before an order: state, face and sending, each in its own module.

Also the forms that spread an order over prices or protect a position.
"""
