"""Reads a list whose rows are judged one by one: what cannot be read is left out and told."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from pmtui.clients.http.client import HttpHost, Query
from pmtui.clients.http.failures import unreadable
from pmtui.domain.answers import Failure
from pmtui.wire.bounds import WireError
from pmtui.wire.rows import Rows

T = TypeVar("T")

LONG_ANSWER = 100_000
"""Bytes. Reading a page of events takes longer than a key may wait: it is read in a thread."""

SkipObserver = Callable[[str, tuple[str, ...]], None]
"""Told the route and the reasons when rows of an answer could not be read."""


def ignore_skips(_route: str, _reasons: tuple[str, ...]) -> None:
    """Take no notice of skipped rows; they are still counted on the page."""


async def read_rows(
    host: HttpHost,
    route: str,
    query: Query,
    *,
    decode: Callable[[bytes], Rows[T]],
    observe_skips: SkipObserver,
) -> Rows[T] | Failure:
    """Read one answer and decode its rows."""
    body = await host.read(route, query=query)
    if isinstance(body, Failure):
        return body
    try:
        is_long = len(body) >= LONG_ANSWER
        rows = await asyncio.to_thread(decode, body) if is_long else decode(body)
    except WireError as error:
        return unreadable(f"GET {route}", error)
    if rows.skipped:
        observe_skips(f"GET {route}", rows.reasons)
    return rows
