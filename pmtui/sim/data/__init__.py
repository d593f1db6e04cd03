"""The analytics host of the local venue: positions, activity, leaderboards."""
