"""Reads whose routes the registry states wholly: those of the metadata and the analytics host.

A path template and a query come from the registry, the answer's meaning from its decoder. A list is
read on by offset, cursor or page number; a page that says nothing new ends it, so that no host can keep
us for ever. Rows that stand on both of two pages, because an offset list moved between them, are counted
once where they are equal and adjoin.
"""

from collections.abc import AsyncIterator
from urllib.parse import parse_qsl, quote

from pmtui.clients.http.client import HttpHost, Query
from pmtui.clients.http.failures import unreadable
from pmtui.clients.http.paging import Step
from pmtui.config.endpoints import Dialect
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.markets.market import Tag
from pmtui.reads.metadata import TAG
from pmtui.reads.read import Argument, ArgumentKind, Pages, Paging, Read, Route, Values
from pmtui.reads.registry import READS
from pmtui.wire.bounds import WireError
from pmtui.wire.rows import Rows

Answered = Rows[object] | Failure


async def walk_read(
    host: HttpHost, read: Read, dialect: Dialect, values: Values, *, page_size: int
) -> AsyncIterator[Step[object] | Failure]:
    """Yield the pages of a list, or the one page of any other read; a failure is the last thing.

    Args:
        host: who is asked.
        read: what for.
        dialect: how.
        values: of the arguments.
        page_size: rows wanted on a page; the route's own bound holds beside it.
    """
    resolved = await _with_tag_id(host, values, dialect)
    if isinstance(resolved, Failure):
        yield resolved
        return
    route = read.route(dialect)
    path, query = _address(read, route, resolved, dialect)
    pages, place, seen, number = route.pages, "", 0, 0
    known: tuple[object, ...] = ()
    while True:
        size = () if pages is None else ((pages.size_key, str(min(page_size, pages.size))),)
        at = () if pages is None or not place else ((pages.key, place),)
        rows = await _fetch(host, read, route, path, (*query, *size, *at))
        if isinstance(rows, Failure):
            yield rows
            return
        number += 1
        overlap = _overlap(known, rows.items) if number > 1 and _counts_rows(pages) else 0
        known = rows.items[overlap:]
        seen += len(known)
        following = _following(pages, place, rows, min(page_size, pages.size)) if pages else None
        is_cut = following is not None and pages is not None and seen >= pages.most
        yield Step(known, seen, number, rows.skipped, None, is_cut=is_cut)
        if following is None or is_cut:
            return
        place = following


def _counts_rows(pages: Pages | None) -> bool:
    return pages is not None and pages.paging is Paging.OFFSET


def _following(pages: Pages, place: str, rows: Rows[object], size: int) -> str | None:
    match pages.paging:
        case Paging.CURSOR:
            return rows.next_cursor if rows.next_cursor != place else None
        case Paging.NUMBER:
            return str(int(place or "1") + 1) if rows.next_cursor is not None else None
        case Paging.OFFSET:
            if rows.received < size or not rows.items:
                return None
            # One row is asked for twice, so that a list which grew meanwhile shows by how much it moved.
            return str(int(place or "0") + max(rows.received - 1, 1))


def _overlap(known: tuple[object, ...], page: tuple[object, ...]) -> int:
    for count in range(1, min(len(known), len(page)) + 1):
        if known[-count] == page[0] and known[-count:] == page[:count]:
            return count
    return 0


async def _fetch(host: HttpHost, read: Read, route: Route, path: str, query: Query) -> Answered:
    template = route.path.partition("?")[0].replace(":slug", "")
    body = await host.read(path, query=query, route=template, method=route.method)
    if isinstance(body, Failure):
        return body
    assert read.decode is not None
    try:
        answer = read.decode(body)
    except WireError as error:
        return unreadable(f"{route.method} {template}", error)
    if not isinstance(answer, Rows):
        return Rows((answer,), received=1)
    if not answer.items and not read.is_list:
        return Failure(
            FailureKind.NOT_FOUND, f"{route.method} {template}", "there is no such thing"
        )
    return answer


def _address(read: Read, route: Route, values: Values, dialect: Dialect) -> tuple[str, Query]:
    """Return path and query; an argument that the path names stands in no query."""
    path, _, fixed = route.path.partition("?")
    named = dict(parse_qsl(fixed, keep_blank_values=True))
    query: list[tuple[str, str]] = []
    for key, template in named.items():
        query.append((key, _filled(template, values)))
    for argument in read.arguments:
        if f"{{{argument.name}" not in route.path:
            query += _pairs(argument, values, dialect)
    stated = {key for key, _ in query}
    query += [(key, value) for key, value in route.fixed if key not in stated]
    return _filled(path, values, is_path=True), tuple(query)


def _filled(template: str, values: Values, *, is_path: bool = False) -> str:
    for name in values.by_name:
        text = values.text(name)
        quoted = quote(text, safe="") if is_path else text
        by_slug = quoted if text.isdecimal() else f"slug/{quoted}"
        template = template.replace(f"{{{name}:slug}}", by_slug).replace(f"{{{name}}}", quoted)
    return template


def _pairs(argument: Argument, values: Values, dialect: Dialect) -> list[tuple[str, str]]:
    texts = [argument.spelled(text, dialect) for text in values.texts(argument.name)]
    if not texts:
        return []
    key = argument.key(dialect)
    # The metadata host wants a key again for each value, the analytics host commas between values.
    is_joined = argument.is_many and argument.kind in (ArgumentKind.CONDITION, ArgumentKind.TOKEN)
    if is_joined and not key.startswith(("condition_ids", "clob_token_ids")):
        return [(key, ",".join(texts))]
    return [(key, text) for text in texts]


async def _with_tag_id(host: HttpHost, values: Values, dialect: Dialect) -> Values | Failure:
    """Return the values with the id of a tag in place of its slug."""
    tag = values.text(TAG.name)
    if not tag or tag.isdecimal():
        return values
    async for step in walk_read(host, READS["tag"], dialect, Values({"id": (tag,)}), page_size=1):
        if isinstance(step, Failure):
            return step
        for found in step.items:
            if isinstance(found, Tag):
                return Values({**values.by_name, TAG.name: (found.tag_id,)})
    return Failure(FailureKind.NOT_FOUND, "GET /tags/{id}", "there is no such tag")
