"""The proxy that the environment names for an address: one rule for requests, streams and the diagnosis.

The HTTP library and the WebSocket library each read `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`
in a way of its own, fail with exceptions where a proxy cannot be used, and quote its password. Here an
address has one proxy or none, and what cannot be used is named without its credentials.
"""

import urllib.request
from urllib.parse import SplitResult, unquote, urlsplit

from pmtui.config.endpoints import is_loopback

_KINDS = {"ws": "http", "wss": "https"}
"""Under which name the proxy of a stream is stated."""
_PORTS = {"http": 80, "https": 443}


class UnusableProxyError(OSError):
    """A proxy that is stated and cannot be used; says which variable states it, and nothing of what."""

    def __init__(self, variable: str, reason: str) -> None:
        super().__init__(f"the proxy of {variable} {reason}")


def find_proxy(url: str) -> str | None:
    """Return the proxy for an address, credentials included; None where it is reached directly.

    Loopback is never meant for a proxy.

    Raises:
        UnusableProxyError: it cannot be used.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if is_loopback(host) or urllib.request.proxy_bypass(host):
        return None
    stated = urllib.request.getproxies()
    for kind in (_KINDS.get(parts.scheme, parts.scheme), "all"):
        if address := stated.get(kind):
            return _checked(address, f"{kind.upper()}_PROXY")
    return None


def without_credentials(proxy: str) -> str:
    """Return the host and port of a proxy."""
    return urlsplit(proxy).netloc.rpartition("@")[2]


def _checked(address: str, variable: str) -> str:
    """Return the address in the one form that both libraries take."""
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        host, port = parts.hostname, parts.port
        _ = unquote(parts.netloc, errors="strict")
    except ValueError:
        raise UnusableProxyError(variable, "is no address") from None
    if parts.scheme.startswith("socks"):
        raise UnusableProxyError(variable, "is a SOCKS proxy; only HTTP proxies can be used")
    if parts.scheme not in _PORTS or not host or not address.isascii():
        raise UnusableProxyError(variable, "is no http:// or https:// address")
    place = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{_credentials(parts)}{place}:{port or _PORTS[parts.scheme]}"


def _credentials(parts: SplitResult) -> str:
    if parts.username is None:
        return ""
    return f"{parts.username}:{parts.password or ''}@"
