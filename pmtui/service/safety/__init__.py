"""Safeguards for orders: kill switch, limits, arming, heartbeats, shutdown."""
