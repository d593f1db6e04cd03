"""Replies of the HTTP hosts: JSON bodies, errors with the venue's text, pages of a list.

Cursors of the trading host are base64 of a decimal offset, `LTE=` after the last page.
"""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from typing_extensions import override

from pmtui.sim.engine.terms import Refusal

_encoder = msgspec.json.Encoder()


class JsonResponse(Response):
    """A JSON reply, encoded by msgspec: plain values, dataclasses and structs alike."""

    media_type = "application/json"

    @override
    def render(self, content: object) -> bytes:
        return _encoder.encode(content)


async def alive(request: Request) -> Response:
    """Report that the host is running."""
    del request
    return JsonResponse("OK")


def failure(status: int, text: str, headers: Mapping[str, str] | None = None) -> JsonResponse:
    """Return an error in the public venue's form."""
    return JsonResponse({"error": text}, status_code=status, headers=headers)


def refused(refusal: Refusal) -> JsonResponse:
    """Return the engine's refusal as an HTTP reply."""
    body: dict[str, object] = {"error": refusal.text}
    headers = {}
    if refusal.code:
        body["code"] = refusal.code
    if refusal.retry_after_s is not None:
        body["retry_after_seconds"] = refusal.retry_after_s
        headers["Retry-After"] = str(refusal.retry_after_s)
    return JsonResponse(body, status_code=refusal.status, headers=headers)


UNAUTHORIZED = "Unauthorized/Invalid api key"
NO_BOOK = "No orderbook exists for the requested token id"


END = "LTE="

T = TypeVar("T")


def offset_of(cursor: str) -> int | None:
    """Return the offset of a cursor: 0 without a cursor, None if it is invalid."""
    if not cursor:
        return 0
    try:
        text = b64decode(cursor, validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return None
    if text == "-1":
        return -1
    return int(text) if text.isdigit() and len(text) < 10 else None


def cursor_at(offset: int) -> str:
    """Return the cursor of an offset."""
    return b64encode(str(offset).encode()).decode()


def paged(
    request: Request,
    items: Sequence[T],
    *,
    limit: int,
    to_row: Callable[[T], object],
    is_counted: bool = False,
) -> Response:
    """Return one page of a list; accepts `next_cursor`, or `cursor` as in an older dialect.

    Args:
        request: contains the cursor.
        items: the whole list.
        limit: rows per page.
        to_row: converts an item to a row.
        is_counted: whether to include the total number of rows.
    """
    query = request.query_params
    offset = offset_of(query.get("next_cursor") or query.get("cursor") or "")
    if offset is None:
        return failure(400, "Invalid next_cursor")
    page = [] if offset < 0 else [to_row(item) for item in items[offset : offset + limit]]
    is_last = offset < 0 or offset + limit >= len(items)
    return JsonResponse(
        {
            "limit": limit,
            "next_cursor": END if is_last else cursor_at(offset + limit),
            "count": len(page),
            "data": page,
            **({"total_count": len(items)} if is_counted else {}),
        }
    )
