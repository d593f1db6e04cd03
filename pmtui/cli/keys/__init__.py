"""How a session gets its key: keystore, passphrase, environment, and which keys it refuses."""
