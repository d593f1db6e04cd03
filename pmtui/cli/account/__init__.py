"""`pmtui account` and what it shows, keeps and removes: credentials, keys, wallets."""
