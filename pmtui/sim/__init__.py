"""The local venue: real servers on loopback over one ledger and one matching engine."""
