"""The proxy that the environment sets for an address: one rule for requests, streams and diagnosis.

The HTTP library and the WebSocket library each read `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`
in their own way, raise exceptions if a proxy cannot be used, and quote its password. Here an address has
one proxy or none, and an unusable one is named without its credentials.
"""

import urllib.request
from urllib.parse import SplitResult, unquote, urlsplit

from pmtui.config.endpoints import is_loopback

_KINDS = {"ws": "http", "wss": "https"}
"""The scheme under which a stream's proxy is configured."""
_PORTS = {"http": 80, "https": 443}


class UnusableProxyError(OSError):
    """A configured proxy that cannot be used; the message names the variable, but not its value."""

    def __init__(self, variable: str, reason: str) -> None:
        super().__init__(f"the proxy of {variable} {reason}")


def find_proxy(url: str) -> str | None:
    """Return the proxy for an address, including credentials; None for a direct connection.

    Loopback addresses never use a proxy.

    Raises:
        UnusableProxyError: the proxy cannot be used.
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
    """Return the address in the form that both libraries accept."""
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
