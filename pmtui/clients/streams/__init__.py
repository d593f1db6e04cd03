"""The two channels of the venue: protocols without sockets, and the sockets that carry them."""
