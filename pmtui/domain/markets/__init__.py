"""Events, markets, their fees, states and price history."""
