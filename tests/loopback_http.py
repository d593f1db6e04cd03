"""HTTP clients for hosts of this machine, for tests.

No proxy stands between, and none of them reads the certificates of the world's authorities first, which
takes longer than most requests.
"""

import ssl
from typing import Any

import httpx

_NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def client(**options: Any) -> httpx.Client:
    """Return a client that waits; `options` are those of httpx."""
    return httpx.Client(trust_env=False, verify=_NO_AUTHORITIES, **options)


def async_client(**options: Any) -> httpx.AsyncClient:
    """Return a client for an event loop; `options` are those of httpx."""
    return httpx.AsyncClient(trust_env=False, verify=_NO_AUTHORITIES, **options)
