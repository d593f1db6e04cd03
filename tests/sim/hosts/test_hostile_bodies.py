"""Bodies that no client sends: every route that reads one refuses it, none breaks."""

import pytest

from tests.sim.kit import Person

DEEP = b'{"a":' * 20_000 + b"1" + b"}" * 20_000
"""Deeper than any interpreter follows; Python 3.13 goes far deeper than 3.11 does."""
BODIES = (b"", b"null", b"[", b"5", b'"\xff"', b"\xff\xfe", DEEP, b"[" * 50_000)
ROUTES = (
    ("POST", "/order"),
    ("POST", "/orders"),
    ("DELETE", "/order"),
    ("DELETE", "/orders"),
    ("DELETE", "/cancel-market-orders"),
    ("POST", "/v1/heartbeats"),
    ("POST", "/orders-scoring"),
    ("DELETE", "/auth/readonly-api-key"),
    ("POST", "/books"),
    ("POST", "/prices"),
    ("POST", "/midpoints"),
    ("POST", "/spreads"),
    ("POST", "/last-trades-prices"),
    ("POST", "/batch-prices-history"),
    ("POST", "/markets/live-activity"),
)


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_the_trading_host_refuses_any_body(ann: Person, method: str, path: str) -> None:
    for body in BODIES:
        assert (await ann.call(method, path, body)).status_code == 400, body[:20]


@pytest.mark.parametrize(
    "path", ["/fund", "/clock/step", "/resolve", "/mode", "/faults", "/tricks"]
)
async def test_the_operators_address_refuses_any_body(ann: Person, path: str) -> None:
    for body in set(BODIES) - {b""}:
        assert (await ann.operate("POST", path, content=body)).status_code == 400, body[:20]


@pytest.mark.parametrize(("host", "path"), [("rpc", ""), ("relayer", "/submit")])
async def test_chain_and_relayer_break_at_nothing(ann: Person, host: str, path: str) -> None:
    for body in BODIES:
        answer = await ann.http.post(ann.running.urls[host] + path, content=body)
        assert answer.status_code < 500, body[:20]
