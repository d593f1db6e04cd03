"""How a session gets its key: keystore, passphrase and environment; some keys are refused."""
