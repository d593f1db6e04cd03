"""The one order of an event's outcomes that every screen of a session uses."""

from dataclasses import replace

from pmtui.domain.markets.market import Event, Market
from pmtui.domain.money import ONE, Micros
from pmtui.ui.event.outcome_order import OutcomeOrders, by_price
from tests.ui import believable

ELECTION = believable.event_list()[1]


def _at(market: Market, price: int) -> Market:
    return replace(market, outcomes=(replace(market.outcomes[0], price=Micros(price)),))


def _reversed(event: Event) -> Event:
    ranked = sorted(event.markets, key=by_price)
    step = ONE // (len(ranked) + 1)
    return replace(event, markets=tuple(_at(m, n * step) for n, m in enumerate(ranked, 1)))


def test_no_price_changes_the_order_of_a_session() -> None:
    orders = OutcomeOrders()
    first = [market.title for market in orders.markets(ELECTION)]
    assert first == [market.title for market in sorted(ELECTION.markets, key=by_price)]
    later = _reversed(ELECTION)
    assert [market.title for market in orders.markets(later)] == first
    assert [market.title for market in OutcomeOrders().markets(later)] == first[::-1]


def test_a_market_that_closes_goes_to_the_end_and_the_others_keep_their_order() -> None:
    orders = OutcomeOrders()
    first = orders.markets(ELECTION)
    closed = replace(first[0], closed=True)
    event = replace(
        ELECTION, markets=tuple(closed if m is first[0] else m for m in ELECTION.markets)
    )
    assert orders.markets(event) == (*first[1:], closed)


def test_a_market_without_an_id_comes_last() -> None:
    nameless = replace(ELECTION.markets[0], condition_id=None)
    event = replace(ELECTION, markets=(nameless, *ELECTION.markets[1:]))
    assert OutcomeOrders().markets(event)[-1] == nameless
