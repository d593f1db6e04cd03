"""The account screen: credentials, wallet, approvals, and the cards before signing."""
