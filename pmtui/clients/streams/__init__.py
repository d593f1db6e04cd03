"""The two channels of the service: protocols without sockets, and the sockets that carry them."""
