"""`pmtui account`: creates, shows and removes credentials, keys and wallets."""
