"""The order ticket, its forms and the card before an order."""
