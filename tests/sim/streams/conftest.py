"""The small venue, with its two channels, for tests over real sockets."""

from tests.sim.hosts.conftest import ann, bob, http, running

__all__ = ["ann", "bob", "http", "running"]
