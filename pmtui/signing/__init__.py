"""Keys, EIP-712 signatures, request authentication and address derivation."""
