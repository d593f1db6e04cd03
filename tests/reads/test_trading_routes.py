"""The table of the public service, against the routes that its own client names."""

import pytest
from py_clob_client_v2 import endpoints

from pmtui.domain.answers import FailureKind
from pmtui.reads.trading_routes import LIVE_ROUTES, ClobRoute, RouteName

OFFICIAL = {
    "OK": RouteName.CHECK,
    "TIME": RouteName.TIME,
    "VERSION": RouteName.VERSION,
    "CREATE_API_KEY": RouteName.CREATE_KEY,
    "GET_API_KEYS": RouteName.API_KEYS,
    "DERIVE_API_KEY": RouteName.DERIVE_KEY,
    "CLOSED_ONLY": RouteName.CLOSED_ONLY,
    "GET_READONLY_API_KEYS": RouteName.READONLY_KEYS,
    "CREATE_BUILDER_API_KEY": RouteName.CREATE_BUILDER_KEY,
    "GET_BUILDER_API_KEYS": RouteName.BUILDER_KEYS,
    "REVOKE_BUILDER_API_KEY": RouteName.REVOKE_BUILDER_KEY,
    "GET_SAMPLING_SIMPLIFIED_MARKETS": RouteName.SAMPLING_SIMPLIFIED_MARKETS,
    "GET_SAMPLING_MARKETS": RouteName.SAMPLING_MARKETS,
    "GET_SIMPLIFIED_MARKETS": RouteName.SIMPLIFIED_MARKETS,
    "GET_MARKETS": RouteName.MARKETS,
    "GET_MARKET": RouteName.MARKET,
    "GET_MARKET_BY_TOKEN": RouteName.MARKET_OF_TOKEN,
    "GET_CLOB_MARKET": RouteName.MARKET_TERMS,
    "GET_ORDER_BOOK": RouteName.BOOK,
    "GET_ORDER_BOOKS": RouteName.BOOKS,
    "GET_MIDPOINT": RouteName.MIDPOINT,
    "GET_MIDPOINTS": RouteName.MIDPOINTS,
    "GET_PRICE": RouteName.PRICE,
    "GET_PRICES": RouteName.PRICES,
    "GET_SPREAD": RouteName.SPREAD,
    "GET_SPREADS": RouteName.SPREADS,
    "GET_LAST_TRADE_PRICE": RouteName.LAST_TRADE,
    "GET_LAST_TRADES_PRICES": RouteName.LAST_TRADES,
    "GET_TICK_SIZE": RouteName.TICK_SIZE,
    "GET_NEG_RISK": RouteName.NEG_RISK,
    "GET_FEE_RATE": RouteName.FEE_RATE,
    "GET_PRICES_HISTORY": RouteName.PRICES_HISTORY,
    "POST_ORDER": RouteName.POST_ORDER,
    "POST_ORDERS": RouteName.POST_ORDERS,
    "CANCEL": RouteName.CANCEL,
    "CANCEL_ORDERS": RouteName.CANCEL_MANY,
    "GET_ORDER": RouteName.ORDER,
    "CANCEL_ALL": RouteName.CANCEL_ALL,
    "CANCEL_MARKET_ORDERS": RouteName.CANCEL_MARKET,
    "ORDERS": RouteName.OPEN_ORDERS,
    "TRADES": RouteName.TRADES,
    "IS_ORDER_SCORING": RouteName.SCORING,
    "ARE_ORDERS_SCORING": RouteName.SCORINGS,
    "GET_NOTIFICATIONS": RouteName.NOTICES,
    "DROP_NOTIFICATIONS": RouteName.DROP_NOTICES,
    "GET_BALANCE_ALLOWANCE": RouteName.BALANCE,
    "UPDATE_BALANCE_ALLOWANCE": RouteName.REFRESH_BALANCE,
    "GET_EARNINGS_FOR_USER_FOR_DAY": RouteName.EARNINGS,
    "GET_TOTAL_EARNINGS_FOR_USER_FOR_DAY": RouteName.TOTAL_EARNINGS,
    "GET_LIQUIDITY_REWARD_PERCENTAGES": RouteName.REWARD_PERCENTAGES,
    "GET_REWARDS_MARKETS_CURRENT": RouteName.REWARDS,
    "GET_REWARDS_MARKETS": RouteName.MARKET_REWARDS,
    "GET_REWARDS_EARNINGS_PERCENTAGES": RouteName.MARKET_EARNINGS,
    "POST_HEARTBEAT": RouteName.HEARTBEAT,
    "GET_BUILDER_FEE_RATE": RouteName.BUILDER_FEES,
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
    assert ClobRoute("GET", "/order/{id}").with_id("a/b?c{d}") == ("/order/a%2Fb%3Fc%7Bd%7D", ())
    in_query = ClobRoute("GET", "/raw", id_key="market")
    assert in_query.with_id("0xcc") == ("/raw", (("market", "0xcc"),))
    assert in_query.with_id("") == ("/raw", ())


def test_a_request_that_is_not_sent_says_so() -> None:
    told = ClobRoute("DELETE", "/x").withheld("name one")
    assert (told.kind, told.route, told.may_have_happened) == (
        FailureKind.CANCELLED,
        "DELETE /x",
        False,
    )
