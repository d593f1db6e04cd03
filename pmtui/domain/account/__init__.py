"""What a trader has: shares, positions, results, keys and the wallet's calls."""
