"""The one order of an event's outcomes that every screen of a session uses."""

from dataclasses import replace

from pmtui.domain.ids import MarketId
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.money import ONE, Micros
from pmtui.ui.event.outcome_order import OutcomeOrders, by_price, leading
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


def _priced(*prices: int) -> list[Market]:
    base = ELECTION.markets[0]
    return [
        _at(replace(base, market_id=MarketId(str(n))), cents * 10_000)
        for n, cents in enumerate(prices)
    ]


def test_who_leads_keeps_its_place_until_it_is_truly_overtaken() -> None:
    places = leading(_priced(40, 30, 20, 5), (None,) * 3)
    assert places == ("0", "1", "2")
    # Those in the chart change places with each other, and none is seen to move.
    assert leading(_priced(20, 40, 30, 5), places) == places
    # Half a cent is noise, a cent is not: the newcomer has the place of the last one.
    near = _priced(40, 30, 20, 20)
    near[3] = _at(near[3], 205_000)
    assert leading(near, places) == places
    after = leading(_priced(40, 30, 20, 21), places)
    assert after == ("0", "1", "3")
    assert leading(_priced(40, 30, 21, 21), after) == after


def test_a_place_that_becomes_free_goes_to_the_likeliest_of_the_others() -> None:
    markets = _priced(40, 30, 20, 5, 9)
    places = leading(markets, (None,) * 3)
    assert leading([m for m in markets if m.market_id != "1"], places) == ("0", "4", "2")
    assert leading(markets[2:3], places) == (None, None, "2")
    assert leading([], ()) == ()


def test_a_session_remembers_who_leads() -> None:
    orders, markets = OutcomeOrders(), _priced(40, 30, 20, 5)
    first = orders.leading(ELECTION, markets, 2)
    assert first == ("0", "1")
    assert orders.leading(ELECTION, _priced(1, 30, 20, 5), 2) == ("2", "1")
