"""Cursors of the trading host: base64 of a decimal offset, `LTE=` after the last page."""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response

from pmtui.sim.http_json import JsonResponse, failure

END = "LTE="

T = TypeVar("T")


def offset_of(cursor: str) -> int | None:
    """Read a cursor: 0 where there is none, None where it is no cursor."""
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
    """Write the cursor of an offset."""
    return b64encode(str(offset).encode()).decode()


def paged(
    request: Request,
    items: Sequence[T],
    *,
    limit: int,
    to_row: Callable[[T], object],
    is_counted: bool = False,
) -> Response:
    """Answer one page of a list; takes `next_cursor`, or `cursor` as an older dialect names it.

    Args:
        request: names the cursor.
        items: the whole list.
        limit: rows of a page.
        to_row: writes a row.
        is_counted: also says how many rows all pages have.
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
