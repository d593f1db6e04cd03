"""The venue's two channels: protocols without sockets, and the sockets that carry them."""
