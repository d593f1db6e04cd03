"""What moves shares and cash on chain: the cards before a batch is signed, and what became of it."""
