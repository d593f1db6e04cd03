"""Who may talk to the venue: requests that name this machine, of bounded size, and one operator.

A page in a browser of this machine can be made to send requests to a loopback address under the
name of its own host (DNS rebinding); naming a loopback host is therefore a condition everywhere.
Other users of the machine can reach every port as well; the operator's address asks for a token
that only the owner of the venue can read.
"""

import hmac
import ipaddress
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Message, Receive, Scope

from pmtui.sim.admin_token import operator_headers
from pmtui.sim.http_json import failure

MAX_BODY_BYTES = 1 << 20
"""Of a request. The largest that is allowed anywhere, 3,000 order ids, has a fifth of that."""
WRONG_HOST = "this address serves loopback host names only"
TOO_LARGE = f"a request body holds at most {MAX_BODY_BYTES} bytes"


def is_loopback_host(values: Sequence[str]) -> bool:
    """Whether the `Host` headers of a request are one, and it names this machine.

    Args:
        values: of all `Host` headers.
    """
    if len(values) != 1:
        return False
    stated = values[0].strip().lower()
    if stated.startswith("["):
        name, _, rest = stated[1:].partition("]")
        port = rest.removeprefix(":")
    else:
        name, _, port = stated.partition(":")
    if port and not (port.isascii() and port.isdecimal()):
        return False
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


class AccessRules:
    """What every HTTP request has to fulfil before a route sees it."""

    def __init__(self, admin_token: str) -> None:
        self._credential = operator_headers(admin_token)["Authorization"].encode()

    def why_refused(self, host: str, scope: Scope) -> Response | None:
        """Return the refusal of a request by its headers; None where it may go on.

        Args:
            host: which of the venue's hosts it came to.
            scope: of the request.
        """
        headers = Headers(scope=scope)
        if not is_loopback_host(headers.getlist("host")):
            return failure(421, WRONG_HOST)
        if host == "admin":
            if "origin" in headers:
                return failure(403, "not for web pages")
            shown = headers.get("authorization", "").encode()
            if not hmac.compare_digest(shown, self._credential):
                return failure(401, "the admin token is missing or wrong", _CHALLENGE)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > MAX_BODY_BYTES:
            return failure(413, TOO_LARGE)
        return None


_CHALLENGE = {"WWW-Authenticate": "Bearer"}


async def read_body(receive: Receive) -> bytes | None:
    """Read the body of a request; None as soon as it is longer than any may be."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            # The client is gone; what it sent is no whole request.
            return b"".join(parts)
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > MAX_BODY_BYTES:
            return None
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that hands out a body that was read already, then what follows it."""
    unread = [body]

    async def next_message() -> Message:
        if unread:
            return {"type": "http.request", "body": unread.pop(), "more_body": False}
        return await receive()

    return next_message
