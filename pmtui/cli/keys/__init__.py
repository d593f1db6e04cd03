"""How a session gets its key: keystore, passphrase, one session's key."""
