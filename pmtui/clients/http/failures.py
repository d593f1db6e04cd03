"""Descriptions of failed requests in one line, and why a connection could not be made.

Texts come from us or from the host's own body, never from the HTTP library: its messages may quote
header values. A TLS failure has a library's error number, which the operating system would describe
wrongly ("Operation not permitted"). The names in a certificate are the host's own text and are not
quoted.
"""

import math
import os
import re
import ssl
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from urllib.parse import urlsplit

import httpx
import msgspec

from pmtui.domain.answers import Failure, FailureKind
from pmtui.wire.bounds import UNREADABLE

MAX_TEXT = 300
"""Characters of the host's text that are kept."""

_LARGEST_EXPLANATION = 64 * 1024
"""Bytes of an error reply that are parsed as JSON, which takes many times their size."""
_SECRET_HEADER = re.compile(r"key|passphrase|secret|signature|authorization|cookie", re.IGNORECASE)
_GIVEN_UP = frozenset({408, 499})
"""Statuses of an intermediary: the request may have been passed on before."""
_USUAL = {425: "the matching engine restarts", 429: "too many requests"}
"""Statuses sent before a request is processed, also by an intermediary with its own page."""
_NOT_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
)
_CERTIFICATE = MappingProxyType(
    {
        9: "is not valid yet; check the date of this machine",
        10: "has expired",
        18: "is self-signed",
        19: "is signed by an authority that this machine does not know",
        20: "is signed by an authority that this machine does not know",
        21: "is signed by an authority that this machine does not know",
        23: "has been revoked",
        62: "is for another host name",
        64: "is for another address",
    }
)
"""By OpenSSL's X509_V_ERR numbers (x509_vfy.h, unchanged since 1.0.2)."""
_INTERCEPTED = frozenset({18, 19, 20, 21, 62, 64})
"""Errors that an intercepting intermediary would cause, such as a company's proxy."""
_VERSIONS = ("PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL", "VERSION_TOO_LOW")
_NOT_TLS = (
    "WRONG_VERSION_NUMBER",
    "HTTP_REQUEST",
    "PACKET_LENGTH_TOO_LONG",
    "RECORD_LAYER_FAILURE",
)


def failure_of_error(
    error: httpx.TransportError | TimeoutError,
    route: str,
    *,
    status: int | None,
) -> Failure:
    """Classify a failed exchange by whether the request may have been sent.

    Args:
        error: the library's exception.
        route: method and path template.
        status: of the reply whose body was cut off; None if no reply had begun.
    """
    if isinstance(error, _NOT_SENT):
        return Failure(FailureKind.UNREACHABLE, route, _reason(error))
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return Failure(FailureKind.LOST, route, "no complete answer in time", status)
    if status is not None:
        return Failure(FailureKind.SERVER, route, "answer broke off", status)
    return Failure(FailureKind.LOST, route, "connection lost before an answer")


def failure_of_answer(response: httpx.Response, body: bytes, route: str) -> Failure:
    """Classify a reply whose status is not 2xx."""
    status = response.status_code
    if response.is_redirect or 300 <= status < 400:
        target = _host_of(response.headers.get("location", ""))
        return Failure(FailureKind.SERVER, route, f"redirected to {target}, not followed", status)
    is_page = is_html_page(response.headers.get("content-type", ""), body)
    if is_page and status not in _USUAL:
        words = "blocked by the edge" if status == 403 else "a web page instead of data"
        return Failure(FailureKind.SERVER, route, words, status, _retry_after(response, None))
    explanation = None if is_page else _decode_explanation(body)
    text, wait = "" if is_page else _message(explanation, body), _retry_after(response, explanation)
    if status in _USUAL:
        return Failure(FailureKind.BUSY, route, text or _USUAL[status], status, wait)
    if status in _GIVEN_UP:
        return Failure(FailureKind.LOST, route, text or "given up on the way", status, wait)
    if status == 404:
        return Failure(FailureKind.NOT_FOUND, route, text or "not found", status)
    if status >= 500 or status < 200:
        return Failure(FailureKind.SERVER, route, text or "failed", status, wait)
    return Failure(FailureKind.REFUSED, route, text or "refused without a reason", status, wait)


def unreadable(route: str, error: Exception) -> Failure:
    """Return the failure for a complete body that cannot be decoded."""
    return Failure(FailureKind.SERVER, route, f"unreadable answer: {error}"[:MAX_TEXT], 200)


def without_secrets(failure: Failure, headers: Mapping[str, str]) -> Failure:
    """Redact the values of credential headers, in case the host has quoted one."""
    text = failure.text
    for name, value in headers.items():
        if _SECRET_HEADER.search(name) and len(value) >= 6:
            text = text.replace(value, "…")
    return replace(failure, text=text)


def is_html_page(content_type: str, body: bytes) -> bool:
    """Whether the body is HTML: a page of the edge, which is never a reply of the host."""
    return content_type.lower().startswith("text/html") or body[:64].lstrip()[:1] == b"<"


def _host_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or "elsewhere"
    except ValueError:
        return "elsewhere"


def _decode_explanation(body: bytes) -> object:
    if len(body) > _LARGEST_EXPLANATION:
        return None
    try:
        return msgspec.json.decode(body)
    except UNREADABLE:
        return None


def _message(explanation: object, body: bytes) -> str:
    if isinstance(explanation, dict):
        for key in ("error", "errorMsg", "error_msg", "message", "detail"):
            value = explanation.get(key)
            if isinstance(value, str) and value.strip():
                return value.strip()[:MAX_TEXT]
        return ""
    if isinstance(explanation, str):
        return explanation.strip()[:MAX_TEXT]
    return body[: MAX_TEXT * 4].decode("utf-8", "replace").strip()[:MAX_TEXT]


def _retry_after(response: httpx.Response, explanation: object) -> float | None:
    stated: object = response.headers.get("retry-after")
    if stated is None and isinstance(explanation, dict):
        stated = explanation.get("retry_after_seconds")
    if isinstance(stated, bool) or not isinstance(stated, str | int | float):
        return None
    try:
        seconds = float(stated)
    except (ValueError, OverflowError):
        moment = _http_date(str(stated))
        served = _http_date(response.headers.get("date", ""))
        if moment is None or served is None:
            return None
        seconds = (moment - served).total_seconds()
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    # "-0000" gives a naive time, which cannot be compared with aware ones.
    return moment if moment.tzinfo is not None else None


def _reason(error: BaseException) -> str:
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return "no connection in time"
    if isinstance(error, httpx.LocalProtocolError):
        return "the request could not be written"
    if isinstance(error, httpx.UnsupportedProtocol):
        return "the address is neither http nor https"
    return why_unreachable(error)[:MAX_TEXT] or "cannot connect"


def why_unreachable(error: BaseException) -> str:
    """Return the cause of a library's wrapped error; empty if none is known."""
    chain = _causes(error)
    tls = next((cause for cause in chain if isinstance(cause, ssl.SSLError)), None)
    if tls is not None:
        return _tls_failure(tls)
    for cause in chain:
        if isinstance(cause, OSError) and cause.errno:
            # Resolver errors have negative numbers and texts of their own.
            return os.strerror(cause.errno) if cause.errno > 0 else cause.strerror or ""
    return ""


def _causes(error: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in chain:
        chain.append(cause)
        cause = cause.__cause__ or cause.__context__
    return chain


def _tls_failure(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        code = error.verify_code
        what = _CERTIFICATE.get(code, "cannot be verified")
        suspicion = "; the connection may be intercepted" if code in _INTERCEPTED else ""
        return f"TLS: the host's certificate {what}{suspicion}"
    reason = error.reason or ""
    if any(word in reason for word in _VERSIONS):
        return "TLS: the host's version is too old (below 1.2)"
    if any(word in reason for word in _NOT_TLS):
        return "TLS: the host does not speak TLS on this port"
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return "TLS: the host broke off the handshake; its version may be too old (below 1.2)"
    if "ALERT" in reason or "HANDSHAKE" in reason:
        return "TLS: the host refused the handshake"
    return "TLS: no secure connection could be agreed"
