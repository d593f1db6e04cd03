"""The table of the public service, against the routes that its own client names."""

import pytest
from py_clob_client_v2 import endpoints

from pmtui.domain.answers import FailureKind
from pmtui.reads.trading_routes import LIVE_ROUTES, Call, Route

OFFICIAL = {
    "OK": Call.CHECK,
    "TIME": Call.TIME,
    "VERSION": Call.VERSION,
    "CREATE_API_KEY": Call.CREATE_KEY,
    "GET_API_KEYS": Call.API_KEYS,
    "DERIVE_API_KEY": Call.DERIVE_KEY,
    "CLOSED_ONLY": Call.CLOSED_ONLY,
    "GET_READONLY_API_KEYS": Call.READONLY_KEYS,
    "CREATE_BUILDER_API_KEY": Call.CREATE_BUILDER_KEY,
    "GET_BUILDER_API_KEYS": Call.BUILDER_KEYS,
    "REVOKE_BUILDER_API_KEY": Call.REVOKE_BUILDER_KEY,
    "GET_SAMPLING_SIMPLIFIED_MARKETS": Call.SAMPLING_SIMPLIFIED_MARKETS,
    "GET_SAMPLING_MARKETS": Call.SAMPLING_MARKETS,
    "GET_SIMPLIFIED_MARKETS": Call.SIMPLIFIED_MARKETS,
    "GET_MARKETS": Call.MARKETS,
    "GET_MARKET": Call.MARKET,
    "GET_MARKET_BY_TOKEN": Call.MARKET_OF_TOKEN,
    "GET_CLOB_MARKET": Call.MARKET_TERMS,
    "GET_ORDER_BOOK": Call.BOOK,
    "GET_ORDER_BOOKS": Call.BOOKS,
    "GET_MIDPOINT": Call.MIDPOINT,
    "GET_MIDPOINTS": Call.MIDPOINTS,
    "GET_PRICE": Call.PRICE,
    "GET_PRICES": Call.PRICES,
    "GET_SPREAD": Call.SPREAD,
    "GET_SPREADS": Call.SPREADS,
    "GET_LAST_TRADE_PRICE": Call.LAST_TRADE,
    "GET_LAST_TRADES_PRICES": Call.LAST_TRADES,
    "GET_TICK_SIZE": Call.TICK_SIZE,
    "GET_NEG_RISK": Call.NEG_RISK,
    "GET_FEE_RATE": Call.FEE_RATE,
    "GET_PRICES_HISTORY": Call.PRICES_HISTORY,
    "POST_ORDER": Call.POST_ORDER,
    "POST_ORDERS": Call.POST_ORDERS,
    "CANCEL": Call.CANCEL,
    "CANCEL_ORDERS": Call.CANCEL_MANY,
    "GET_ORDER": Call.ORDER,
    "CANCEL_ALL": Call.CANCEL_ALL,
    "CANCEL_MARKET_ORDERS": Call.CANCEL_MARKET,
    "ORDERS": Call.OPEN_ORDERS,
    "TRADES": Call.TRADES,
    "IS_ORDER_SCORING": Call.SCORING,
    "ARE_ORDERS_SCORING": Call.SCORINGS,
    "GET_NOTIFICATIONS": Call.NOTICES,
    "DROP_NOTIFICATIONS": Call.DROP_NOTICES,
    "GET_BALANCE_ALLOWANCE": Call.BALANCE,
    "UPDATE_BALANCE_ALLOWANCE": Call.REFRESH_BALANCE,
    "GET_EARNINGS_FOR_USER_FOR_DAY": Call.EARNINGS,
    "GET_TOTAL_EARNINGS_FOR_USER_FOR_DAY": Call.TOTAL_EARNINGS,
    "GET_LIQUIDITY_REWARD_PERCENTAGES": Call.REWARD_PERCENTAGES,
    "GET_REWARDS_MARKETS_CURRENT": Call.REWARDS,
    "GET_REWARDS_MARKETS": Call.MARKET_REWARDS,
    "GET_REWARDS_EARNINGS_PERCENTAGES": Call.MARKET_EARNINGS,
    "POST_HEARTBEAT": Call.HEARTBEAT,
    "GET_BUILDER_FEE_RATE": Call.BUILDER_FEES,
}
LEFT_OUT = {
    "GET_MARKET_TRADES_EVENTS": "links of a market, which the metadata host has too",
    "PRE_MIGRATION_ORDERS": "orders of the first exchange, none of which rests any more",
    "DELETE_API_KEY": "a trader has one key, which the next session derives again",
    "CREATE_READONLY_API_KEY": "a key to hand to other programs, which they make themselves",
    "DELETE_READONLY_API_KEY": "as above",
    "GET_BUILDER_TRADES": "a builder's books, not a trader's",
}
"""Requests for quotes (`/rfq`) are no part of the order book and left out as well."""


@pytest.mark.parametrize("name", OFFICIAL)
def test_the_public_services_routes_are_those_of_its_own_client(name: str) -> None:
    official: str = getattr(endpoints, name)
    assert LIVE_ROUTES.route(OFFICIAL[name]).path.removesuffix("{id}") == official


def test_what_its_own_client_can_ask_is_asked_or_left_out_for_a_reason() -> None:
    named = {name for name in vars(endpoints) if name.isupper() and "RFQ" not in name}
    assert named == OFFICIAL.keys() | LEFT_OUT.keys()


def test_what_is_asked_about_is_quoted() -> None:
    assert Route("GET", "/order/{id}").with_id("a/b?c{d}") == ("/order/a%2Fb%3Fc%7Bd%7D", ())
    in_query = Route("GET", "/raw", id_key="market")
    assert in_query.with_id("0xcc") == ("/raw", (("market", "0xcc"),))
    assert in_query.with_id("") == ("/raw", ())


def test_a_request_that_is_not_sent_says_so() -> None:
    told = Route("DELETE", "/x").withheld("name one")
    assert (told.kind, told.route, told.may_have_happened) == (
        FailureKind.CANCELLED,
        "DELETE /x",
        False,
    )
