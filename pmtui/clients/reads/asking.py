"""Any read of the registry by its name: pages of domain values, up to the number wanted.

The path template and the query come from the registry, and a decoder decodes the reply. A list is read
by offset, cursor or page number; a page without anything new ends it, so that no host can keep us busy
forever. Rows that appear on two adjacent pages, because an offset list moved between them, are counted
once.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import parse_qsl, quote

from pmtui.clients.account import AccountClient
from pmtui.clients.analytics import LARGEST_PAGE, GeoblockClient
from pmtui.clients.http.client import HttpHost, Query
from pmtui.clients.http.failures import unreadable
from pmtui.clients.http.paging import FetchedPage, walk_rows
from pmtui.clients.reads.hosts import ReadHosts
from pmtui.clients.reads.trading_reads import Asking, Steps, walk_trading
from pmtui.clients.relayer import RelayerClient
from pmtui.config.endpoints import Dialect
from pmtui.domain.account.onboarding import shorten_key_id
from pmtui.domain.account.wallet_transactions import TransactionId
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import Address
from pmtui.domain.markets.market import Tag
from pmtui.reads import answers
from pmtui.reads.metadata import TAG
from pmtui.reads.read import (
    Argument,
    ArgumentKind,
    Needs,
    Read,
    ReadHost,
    Values,
)
from pmtui.reads.registry import READS
from pmtui.reads.routes import Paging, Route
from pmtui.wire.bounds import WireError
from pmtui.wire.rows import Rows

Answered = Rows[object] | Failure
USUAL_PAGE = 100
"""Rows on a page, if not specified."""


async def walk_read(
    host: HttpHost, read: Read, dialect: Dialect, values: Values, *, page_size: int
) -> AsyncIterator[FetchedPage[object] | Failure]:
    """Yield the pages of a list, or the single page of any other read; a failure is the last item.

    Args:
        host: the host to ask.
        read: the read.
        dialect: the host's dialect.
        values: of the arguments.
        page_size: rows wanted on a page; the route's own limit also applies.
    """
    resolved = await _with_tag_id(host, values, dialect)
    if isinstance(resolved, Failure):
        yield resolved
        return
    route = read.route(dialect)
    path, query = _address(read, route, resolved, dialect)
    pages, seen, number = route.pages, 0, 0
    fetch = partial(_fetch, host, read, route, path)
    async for rows in walk_rows(lambda page: fetch((*query, *page)), pages, most_on_page=page_size):
        if isinstance(rows, Failure):
            yield rows
            return
        number += 1
        seen += len(rows.items)
        is_cut = pages is not None and rows.next_cursor is not None and seen >= pages.most
        yield FetchedPage(rows.items, seen, number, rows.skipped, None, is_cut=is_cut)
        if is_cut or (pages is not None and pages.paging is Paging.OFFSET and not rows.items):
            return


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
    """Return path and query; an argument used in the path is not in the query."""
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
    # The metadata host expects a repeated key for several values, the analytics host commas between
    # them.
    is_joined = argument.is_many and argument.kind in (ArgumentKind.CONDITION, ArgumentKind.TOKEN)
    if is_joined and not key.startswith(("condition_ids", "clob_token_ids")):
        return [(key, ",".join(texts))]
    return [(key, text) for text in texts]


async def _with_tag_id(host: HttpHost, values: Values, dialect: Dialect) -> Values | Failure:
    """Return the values with a tag's id in place of its slug."""
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


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of a list is wanted; by default one page."""

    limit: int | None = None
    """The most rows."""
    is_all: bool = False

    @property
    def page_size(self) -> int:
        """Rows to request at a time."""
        usual = LARGEST_PAGE if self.is_all else USUAL_PAGE
        return usual if self.limit is None else min(self.limit, LARGEST_PAGE)


async def ask(
    hosts: ReadHosts, read: Read, values: Values, *, extent: Extent
) -> AsyncIterator[FetchedPage[object] | Failure]:
    """Yield the pages of an answer, as far as wanted; a failure is the last item yielded."""
    left = extent.limit
    if left == 0:
        yield FetchedPage((), 0, 1, 0, None)
        return
    seen = 0
    async for step in _walk(hosts, read, values, extent=extent):
        if isinstance(step, Failure):
            yield step
            return
        items = step.items if left is None else step.items[: left - seen]
        seen += len(items)
        is_enough = left is not None and seen >= left
        yield replace(step, items=items, seen=seen)
        if is_enough or (left is None and not extent.is_all):
            return


async def _walk(hosts: ReadHosts, read: Read, values: Values, *, extent: Extent) -> Steps:
    account = None
    if read.needs is Needs.KEY:
        opened = await hosts.open_account()
        if isinstance(opened, Failure):
            yield opened
            return
        account = opened
    async for step in _steps(hosts, read, values, extent=extent, account=account):
        yield step


def _steps(
    hosts: ReadHosts, read: Read, values: Values, *, extent: Extent, account: AccountClient | None
) -> Steps:
    match read.host:
        case ReadHost.TRADING:
            return walk_trading(Asking(hosts, values, account), read.name)
        case ReadHost.METADATA:
            size = extent.page_size
            return walk_read(hosts.metadata, read, hosts.dialect, values, page_size=size)
        case ReadHost.ANALYTICS:
            size = extent.page_size
            return walk_read(hosts.analytics, read, hosts.dialect, values, page_size=size)
        case ReadHost.RELAYER if read.decode is not None:
            return walk_read(hosts.relayer, read, hosts.dialect, values, page_size=USUAL_PAGE)
        case ReadHost.RELAYER | ReadHost.GEOGRAPHIC:
            return _whole(hosts, read, values)


async def _whole(hosts: ReadHosts, read: Read, values: Values) -> Steps:
    if read.needs is Needs.RELAYER_KEY:
        rows = await _ask_relayer(hosts, read.name)
        yield rows if isinstance(rows, Failure) else FetchedPage(rows, len(rows), 1, 0, None)
        return
    answer = await _ask_single(hosts, read.name, values)
    yield answer if isinstance(answer, Failure) else FetchedPage((answer,), 1, 1, 0, None)


async def _ask_relayer(hosts: ReadHosts, name: str) -> tuple[object, ...] | Failure:
    relayer = RelayerClient(hosts.relayer, hosts.relayer_headers)
    if name == "relayer-transactions":
        return await relayer.transactions()
    keys = await relayer.keys()
    if isinstance(keys, Failure):
        return keys
    return tuple(
        answers.RelayerKeyName(
            answers.Word(shorten_key_id(key.api_key)),
            Address(key.address),
            answers.Word(key.created_at),
        )
        for key in keys
    )


async def _ask_single(hosts: ReadHosts, name: str, values: Values) -> object | Failure:
    relayer = RelayerClient(hosts.relayer)
    match name:
        case "geoblock":
            return await GeoblockClient(hosts.geographic).check()
        case "wallet-deployed":
            wallet = Address(values.text("wallet"))
            flag = await relayer.is_deployed(wallet)
            return flag if isinstance(flag, Failure) else answers.Deployed(wallet, flag)
        case "wallet-nonce":
            owner = Address(values.text("owner"))
            nonce = await relayer.nonce(owner)
            return (
                nonce
                if isinstance(nonce, Failure)
                else answers.WalletNonce(owner, answers.Word(str(nonce)))
            )
        case "relayer-transaction":
            found = await relayer.transaction(TransactionId(values.text("id")))
            missing = Failure(FailureKind.NOT_FOUND, "GET /transaction", "no such transaction")
            return missing if found is None else found
        case _:
            raise KeyError(name)
