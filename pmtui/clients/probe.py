"""Probes a host below HTTP: its addresses, the connection, and TLS.

For diagnosis only. It sends nothing but the handshake to the host.
"""

import asyncio
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from urllib.parse import urlsplit

from pmtui.clients.http.client import trusted_context
from pmtui.clients.http.failures import why_unreachable
from pmtui.clients.http.proxies import UnusableProxyError, find_proxy, without_credentials

_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}
_ENCRYPTED = frozenset({"https", "wss"})


@dataclass(frozen=True, slots=True)
class Reached:
    """A host that accepted a connection; times in milliseconds."""

    address: str
    """The IP address that answered."""
    addresses: int
    """The number of addresses of the name."""
    resolve_ms: int | None
    """None for an address without a name."""
    connect_ms: int
    """One round trip."""
    tls: str = ""
    """The TLS version; empty if the connection is not encrypted."""
    tls_ms: int = 0
    certificate_ends: datetime | None = None


@dataclass(frozen=True, slots=True)
class ThroughProxy:
    """A host reached through a proxy; its own address is not probed."""

    proxy: str
    """Host and port, without credentials."""


class ProbeStep(StrEnum):
    """A step of connecting to a host, under the name printed in the report."""

    PROXY = "proxy"
    DNS = "DNS"
    CONNECTION = "connection"
    TLS = "TLS"


@dataclass(frozen=True, slots=True)
class Unreached:
    """The first step that failed, and why."""

    step: ProbeStep
    reason: str


async def probe(url: str) -> Reached | ThroughProxy | Unreached:
    """Resolve a host's name, connect, do the handshake and close; the caller limits the time."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        proxy = find_proxy(url)
    except UnusableProxyError as problem:
        return Unreached(ProbeStep.PROXY, str(problem))
    if proxy is not None:
        return ThroughProxy(without_credentials(proxy))
    started = time.monotonic()
    try:
        addresses = await _resolve(host, parts.port or _PORTS[parts.scheme])
    except OSError as error:
        return Unreached(ProbeStep.DNS, why_unreachable(error) or "the name is not known")
    resolve_ms = None if _is_literal(host) else _since(started)
    reason = ""
    for address, port in addresses:
        started = time.monotonic()
        try:
            _, writer = await asyncio.open_connection(address, port)
        except OSError as error:
            reason = reason or why_unreachable(error)
            continue
        try:
            met = Reached(address, len(addresses), resolve_ms, _since(started))
            if parts.scheme not in _ENCRYPTED:
                return met
            return await _shake_hands(writer, host, met)
        finally:
            writer.transport.abort()
    return Unreached(ProbeStep.CONNECTION, reason or "no address answers")


async def _shake_hands(
    writer: asyncio.StreamWriter, host: str, met: Reached
) -> Reached | Unreached:
    started = time.monotonic()
    try:
        await writer.start_tls(trusted_context(), server_hostname=host)
    except OSError as error:
        return Unreached(
            ProbeStep.TLS, why_unreachable(error) or "no secure connection could be agreed"
        )
    session = writer.get_extra_info("ssl_object")
    certificate = session.getpeercert() or {}
    ends = certificate.get("notAfter")
    return Reached(
        met.address,
        met.addresses,
        met.resolve_ms,
        met.connect_ms,
        tls=session.version() or "",
        tls_ms=_since(started),
        certificate_ends=_moment(ends) if isinstance(ends, str) else None,
    )


def _moment(text: str) -> datetime:
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(text), UTC)


async def _resolve(host: str, port: int) -> list[tuple[str, int]]:
    """Return a name's addresses; a resolver that hangs blocks neither the caller nor the program."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[tuple[str, int]]] = loop.create_future()

    def settle(deliver: Callable[[], None]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lambda: None if answer.done() else deliver())

    def ask() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            failure = error
            settle(lambda: answer.set_exception(failure))
            return
        found = list(dict.fromkeys((str(row[4][0]), port) for row in rows))
        settle(lambda: answer.set_result(found))

    # A separate thread, as the loop would wait at its end for a thread of its pool.
    threading.Thread(target=ask, name="resolver", daemon=True).start()
    return await answer


def _is_literal(host: str) -> bool:
    try:
        _ = ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1_000)
