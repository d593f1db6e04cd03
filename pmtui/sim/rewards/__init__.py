"""Liquidity rewards, rebates and builder attribution of the local venue."""
