"""Cash, fills, positions and rewards of the account, from REST and the user stream."""
