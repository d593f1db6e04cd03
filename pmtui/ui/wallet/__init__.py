"""Moving shares and cash on chain: the cards before a batch is signed, and its result."""
