"""Settings, profiles and file locations."""
