"""Cash, fills, positions and rewards of the account, by REST and the user stream."""
