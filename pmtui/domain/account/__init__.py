"""What a trader has: shares, positions, profit and loss, keys, and the wallet's calls."""
