from pmtui.config.endpoints import Dialect
from pmtui.domain.money import Micros
from pmtui.reads.read import Needs, ReadHost
from pmtui.reads.records import columns_of, fields_of, row_columns, summary, units_of
from pmtui.reads.registry import READS, by_host
from tests.check.reads import DOCUMENT, renewed

SEED_TRADING = {
    "/", "/time", "/markets", "/clob-markets/{condition_id}", "/simplified-markets",
    "/sampling-markets", "/sampling-simplified-markets", "/book", "/books",
    "/markets-by-token/{token_id}", "/price", "/prices", "/midpoint", "/midpoints", "/spread",
    "/tick-size", "/neg-risk", "/fee-rate", "/last-trade-price", "/last-trades-prices",
    "/prices-history", "/orders/scoring", "/rewards/config", "/rewards/raw", "/rewards/earnings",
    "/rewards/total-earnings", "/rewards/percentages", "/rewards/markets", "/rebates",
}  # fmt: skip
SEED_KEY = {
    "/balance-allowance",
    "/order/{order_id}",
    "/data/orders",
    "/data/trades",
    "/auth/builder-api-keys",
}
SEED_ANALYTICS = {
    "/", "/positions", "/closed-positions", "/trades", "/activity", "/holders", "/value",
    "/traded", "/oi", "/live-volume",
}  # fmt: skip
SEED_METADATA = {
    "/", "/markets", "/markets/{id}", "/markets/token/{token_id}", "/markets-keyset", "/events",
    "/events/{id}", "/events?slug={slug}&limit=1", "/events-keyset", "/series", "/series/{id}",
    "/public-search", "/tags", "/tags/{id}", "/tags/{id}/related", "/teams", "/sports-metadata",
    "/sports-market-types", "/comments", "/comments/{id}", "/profiles/{wallet}",
}  # fmt: skip


def paths(host: ReadHost) -> set[str]:
    return {read.seed.path for read in READS.values() if read.host is host}


def test_every_public_route_of_the_three_hosts_has_a_read() -> None:
    assert paths(ReadHost.TRADING) >= SEED_TRADING | SEED_KEY
    assert paths(ReadHost.METADATA) >= SEED_METADATA
    assert paths(ReadHost.ANALYTICS) >= SEED_ANALYTICS


def test_reads_only_ask_by_get_or_where_the_host_reads_by_post() -> None:
    posted = {
        read.route(dialect).path
        for read in READS.values()
        for dialect in Dialect
        if read.route(dialect).method != "GET"
    }
    assert posted == {
        "/books", "/prices", "/midpoints", "/spreads", "/last-trades-prices",
        "/batch-prices-history", "/orders/scoring", "/orders-scoring",
    }  # fmt: skip


def test_every_read_has_a_name_words_and_columns() -> None:
    for name, read in READS.items():
        assert name == read.name == name.lower()
        assert read.words
        assert not read.words.endswith(".")
        assert columns_of(read.answer)
        assert set(summary(read.answer)) <= set(row_columns(read.answer)), name
        assert len({argument.name for argument in read.asked}) == len(read.asked)


def test_every_amount_of_an_answer_has_a_unit() -> None:
    for read in READS.values():
        units = units_of(read.answer)
        for name, hint in fields_of(read.answer).items():
            if hint in (Micros, Micros | None):
                assert name in units, f"{read.name}: {name}"


def test_hosts_are_listed_with_all_their_reads() -> None:
    listed = [read.name for _, reads in by_host() for read in reads]
    assert sorted(listed) == sorted(READS)
    by_host_of = {
        read.host: read.needs for read in READS.values() if read.needs.name.endswith("KEY")
    }
    assert by_host_of == {
        ReadHost.TRADING: Needs.KEY,
        ReadHost.RELAYER: Needs.RELAYER_KEY,
    }


def test_the_manual_has_the_table_that_the_registry_gives() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text == renewed(text), "python -m tests.check reads --write renews it"
