"""The local venue's events and markets: written for it, or read from recorded pages."""
