"""Settings, profiles and the places where files live."""
