"""What the trading keys do on a row of a list: a row names a market, and is a target of the same verbs."""
