"""The venue's two WebSocket channels: public market data, and an account's own events."""
