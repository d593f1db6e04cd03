"""Every read of the registry, asked of the packaged venue in both dialects."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

import pytest

from pmtui.cli.get.account import open_account
from pmtui.clients.account import AccountClient
from pmtui.clients.http.client import HttpHost, ShownRequest
from pmtui.clients.reads.asking import Extent, ask
from pmtui.clients.reads.hosts import ReadHosts, make_read_hosts
from pmtui.clients.reads.trading_reads import WALKED, WHOLE
from pmtui.clients.relayer import RelayerClient
from pmtui.config.endpoints import Dialect
from pmtui.config.settings import load_settings
from pmtui.domain.account.keys import NO_BUILDER
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import Address
from pmtui.domain.markets.market import Market, Side
from pmtui.domain.money import parse_micros
from pmtui.reads.read import LIMIT, ArgumentError, Needs, Read, ReadHost, check_values
from pmtui.reads.records import columns_of, row_columns, summary, to_record, to_rows
from pmtui.reads.registry import READS
from pmtui.reads.trading_routes import ROUTES, Auth
from pmtui.signing.auth import (
    relayer_headers,
)
from pmtui.signing.secret import Secret
from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.run import RunningVenue, VenueOptions, running_venue
from tests.cli.at_venue import urls_of
from tests.clients.relayer_key import mint_relayer_key
from tests.signing.kit import sign_in
from tests.sim.kit import KEYS, Person, http_client

RELAYER_KEY: dict[str, str] = {}
"""Filled once the venue has made one."""
UNKNOWN_THERE = {"builder-fees", "relayer-transaction"}
"""What the venue has none of: it says so."""
MAY_BE_EMPTY = {
    "api-keys",
    "builder-keys",
    "readonly-api-keys",
    "closed-positions",
    "comment-thread",
    "earnings",
    "fills",
    "market-earnings",
    "market-rewards",
    "notifications",
    "rebates",
    "relayer-transactions",
    "reward-percentages",
    "total-earnings",
    "wallet-comments",
}
Results = dict[tuple[Dialect, str], list[object] | Failure]


@pytest.fixture(scope="module")
def results() -> Iterator[Results]:
    with asyncio.Runner() as runner:
        yield runner.run(_ask_everything())


async def _ask_everything() -> Results:
    found: Results = {}
    async with running_venue(VenueOptions(speed=50)) as running, http_client() as http:
        traded = asyncio.Event()
        venue = running.venue
        venue.subscribe(lambda _: traded.set() if venue.records.all_recent() else None)
        await asyncio.wait_for(traded.wait(), 60)
        ann = await Person(running, http).arrive()
        market = _quiet_market(running)
        token = market.token_ids[0]
        order = await ann.rest(
            Side.BUY, "0.01", "50", token=token, neg_risk=market.neg_risk, tick="0.01"
        )
        texts = _texts(running, market, ann) | {"order_id": order}
        RELAYER_KEY.update(await _relayer_key(running, ann))
        for dialect in Dialect:
            hosts = _with_account(make_read_hosts(urls_of(running), dialect))
            for read in READS.values():
                found[dialect, read.name] = await _asked(hosts, read, texts)
            await hosts.close()
    return found


async def _relayer_key(running: RunningVenue, ann: Person) -> dict[str, str]:
    """Sign in as the wallet's owner and let the relayer make a key."""
    metadata, relay = HttpHost(running.urls["gamma"]), HttpHost(running.urls["relayer"])

    def sign(nonce: str) -> str:
        at = running.venue.clock.now().isoformat(timespec="milliseconds")
        stamp = at.replace("+00:00", "Z")
        signed = sign_in(ann.signer, nonce=nonce, issued_at=stamp, expiration_time=None)
        return signed.authorization

    key = await mint_relayer_key(metadata, RelayerClient(relay), sign)
    assert not isinstance(key, Failure), key
    await metadata.aclose()
    await relay.aclose()
    return relayer_headers(key.api_key, Address(key.address))


def _quiet_market(running: RunningVenue) -> CatalogueMarket:
    venue = running.venue
    return next(
        market
        for market in venue.catalogue.markets
        if (bid := venue.exchange.reads.top(market.token_ids[0])[0]) is not None
        and bid > parse_micros("0.3")
        and str(market.raw.get("orderPriceMinTickSize")) == "0.01"
        and market.rewards.daily_rate
    )


def _texts(running: RunningVenue, market: CatalogueMarket, ann: Person) -> dict[str, str]:
    venue = running.venue
    extras = venue.catalogue.extras
    trade = venue.records.all_recent()[0]
    traded = venue.market(trade.condition_id) or market
    event = venue.catalogue.event_of(traded)
    now = datetime.now(UTC)  # noqa: TID251 - the venue keeps real time here
    return {
        "token_id": traded.token_ids[0],
        "condition_id": traded.condition_id,
        "wallet": trade.taker_account,
        "owner": ann.signer.address,
        "code": NO_BUILDER,
        "event_id": event.event_id,
        "slug": event.slug,
        "query": event.title.split()[0],
        "parent_id": str(extras.comments[0]["parentEntityID"]),
        "event": event.event_id,
        "tag": str(extras.tags[0]["slug"]),
        "series": str(extras.series[0]["id"]),
        "market": traded.slug,
        "related-tags": str(extras.tags[0]["slug"]),
        "comment-thread": str(extras.comments[0]["id"]),
        "relayer-transaction": "0197-none",
        "after": (now - timedelta(days=1)).isoformat(),
    }


def _given(read: Read, texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Return texts for what a read needs; an id is the thing that the read is named for."""
    names = [argument.name for argument in read.arguments if argument.is_required]
    return {name: [texts[read.name if name == "id" else name]] for name in names}


async def _asked(hosts: ReadHosts, read: Read, texts: Mapping[str, str]) -> list[object] | Failure:
    today = datetime.now(UTC).date()  # noqa: TID251 - as above
    values = check_values(read.asked, _given(read, texts), today=today)
    items: list[object] = []
    async for step in ask(hosts, read, values, extent=Extent()):
        if isinstance(step, Failure):
            return step
        assert not step.skipped, read.name
        items.extend(step.items)
    return items


def _with_account(hosts: ReadHosts) -> ReadHosts:
    async def opened() -> AccountClient | Failure:
        return await open_account(hosts, Secret.from_hex(KEYS[0]), load_settings())

    return replace(hosts, open_account=opened, relayer_headers=lambda *_: RELAYER_KEY)


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("name", READS)
def test_the_venue_answers_every_read(name: str, dialect: Dialect, results: Results) -> None:
    read, answer = READS[name], results[dialect, name]
    if name in UNKNOWN_THERE:
        assert isinstance(answer, Failure)
        assert answer.kind is FailureKind.NOT_FOUND
        return
    assert not isinstance(answer, Failure), answer
    assert answer or name in MAY_BE_EMPTY
    assert read.is_list or len(answer) == 1
    for item in answer:
        assert type(item) is read.answer
        record = to_record(item)
        assert {column.partition(".")[0] for column in columns_of(read.answer)} == set(record)
        for row in to_rows(item, row_columns(read.answer)):
            assert set(summary(read.answer)) <= set(row)


def test_a_read_of_the_trading_host_names_the_routes_that_its_clients_ask() -> None:
    reads = {read.name: read for read in READS.values() if read.host is ReadHost.TRADING}
    assert set(reads) == set(WALKED) | set(WHOLE)
    for dialect in Dialect:
        known = {_template(r.label): r.auth for r in ROUTES[dialect].rows.values()}
        for read in reads.values():
            label = _template(read.route(dialect).label)
            assert label in known, read.name
            needs_key = known[label] is Auth.KEY
            assert read.needs is Needs.KEY or not needs_key, read.name


def _template(label: str) -> str:
    start, brace, _ = label.partition("{")
    return start + "{id}" if brace else label


async def test_a_limit_is_kept_over_pages_and_every_page_is_read_when_asked() -> None:
    async with running_venue(VenueOptions(speed=0)) as running:
        hosts = make_read_hosts(urls_of(running), Dialect.LIVE)
        every = running.venue.catalogue.extras.tags
        for extent, expected in (
            (Extent(limit=3), 3),
            (Extent(limit=0), 0),
            (Extent(), min(100, len(every))),
            (Extent(is_all=True), len(every)),
            (Extent(limit=7, is_all=True), 7),
        ):
            values = check_values((), {}, today=datetime(2026, 11, 20, tzinfo=UTC).date())
            found: list[object] = []
            async for step in ask(hosts, READS["tags"], values, extent=extent):
                assert not isinstance(step, Failure)
                found.extend(step.items)
            assert len(found) == len(set(found)) == expected
        await hosts.close()


async def test_a_tag_is_found_by_its_slug_before_markets_are_asked_for() -> None:
    async with running_venue(VenueOptions(speed=0)) as running:
        for dialect in Dialect:
            hosts = make_read_hosts(urls_of(running), dialect)
            tag = running.venue.catalogue.extras.tags[0]
            by_name = await _markets_of(hosts, str(tag["slug"]))
            assert by_name == await _markets_of(hosts, str(tag["id"]))
            missing = await _markets_of(hosts, "no-such-tag")
            assert isinstance(missing, Failure)
            assert missing.kind is FailureKind.NOT_FOUND
            await hosts.close()


async def _markets_of(hosts: ReadHosts, tag: str) -> list[object] | Failure:
    today = datetime(2026, 11, 20, tzinfo=UTC).date()
    values = check_values(READS["markets"].asked, {"tag": [tag]}, today=today)
    items: list[object] = []
    async for step in ask(hosts, READS["markets"], values, extent=Extent(limit=5)):
        if isinstance(step, Failure):
            return step
        items.extend(step.items)
    assert items
    return items


async def test_standings_are_ranked_by_volume_in_both_dialects() -> None:
    async with running_venue(VenueOptions(speed=0)) as running:
        today = datetime(2026, 11, 20, tzinfo=UTC).date()
        for dialect in Dialect:
            shown: list[ShownRequest] = []
            hosts = make_read_hosts(urls_of(running), dialect, show=shown.append)
            given = {"order": ["volume"], "period": ["week"]}
            values = check_values(READS["leaderboard"].asked, given, today=today)
            _ = [step async for step in ask(hosts, READS["leaderboard"], values, extent=Extent())]
            query = dict(parse_qsl(urlsplit(shown[0].url).query))
            asked = {
                query.get(name) for name in ("orderBy", "sort_by", "timePeriod", "time_period")
            }
            expected = {"VOL", "WEEK"} if dialect is Dialect.SEED else {"VOLUME", "week"}
            assert asked - {None} == expected


async def test_markets_by_volume_begin_with_the_largest() -> None:
    async with running_venue(VenueOptions(speed=0)) as running:
        hosts = make_read_hosts(urls_of(running), Dialect.SEED)
        given = {"order": ["volume24hr"]}
        today = datetime(2026, 11, 20, tzinfo=UTC).date()
        values = check_values(READS["markets"].asked, given, today=today)
        volumes = [
            item.volume_24h
            async for step in ask(hosts, READS["markets"], values, extent=Extent(limit=50))
            if not isinstance(step, Failure)
            for item in step.items
            if isinstance(item, Market)
        ]
        assert volumes[0]
        assert volumes == sorted(volumes, key=lambda volume: volume or 0, reverse=True)
        await hosts.close()


async def test_a_read_that_needs_a_key_is_not_asked_without_one() -> None:
    async with running_venue(VenueOptions(speed=0)) as running:
        hosts = make_read_hosts(urls_of(running), Dialect.SEED)
        values = check_values((), {}, today=datetime(2026, 11, 20, tzinfo=UTC).date())
        (step,) = [s async for s in ask(hosts, READS["fills"], values, extent=Extent())]
        assert isinstance(step, Failure)
        assert step.kind is FailureKind.CANCELLED
        await hosts.close()


def test_a_limit_is_checked_like_any_argument() -> None:
    with pytest.raises(ArgumentError):
        LIMIT.check("-1")
