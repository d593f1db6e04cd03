"""What keeps orders from leaving or resting: kill switch, limits, arming, heartbeats, shutdown."""
