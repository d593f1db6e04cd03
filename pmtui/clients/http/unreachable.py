"""Says in one line why a connection did not come about, so that an interceptor can be told apart.

A TLS failure carries a library's error number, which the operating system would name as something
else ("Operation not permitted"). What the certificate is and whose name it bears is the host's own
text and is not quoted.
"""

import os
import ssl
from types import MappingProxyType

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
"""What somebody between here and the host would cause, as a company's proxy does."""
_VERSIONS = ("PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL", "VERSION_TOO_LOW")
_NOT_TLS = (
    "WRONG_VERSION_NUMBER",
    "HTTP_REQUEST",
    "PACKET_LENGTH_TOO_LONG",
    "RECORD_LAYER_FAILURE",
)


def why_unreachable(error: BaseException) -> str:
    """Return the reason behind an error of a library, which wraps others; empty where none is known."""
    chain = _causes(error)
    tls = next((cause for cause in chain if isinstance(cause, ssl.SSLError)), None)
    if tls is not None:
        return _tls_failure(tls)
    for cause in chain:
        if isinstance(cause, OSError) and cause.errno:
            # Resolver errors have negative numbers and words of their own.
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
