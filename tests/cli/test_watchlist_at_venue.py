"""The watchlist with real clients, real sockets and the local venue."""

from pathlib import Path

from pmtui.domain.conditionals.alerts import AlertPlan, AlertSide, AlertState
from pmtui.domain.markets.watchlist import key_of_market
from pmtui.domain.money import parse_micros
from pmtui.domain.orders.order import Accepted
from pmtui.service.topics import WatchlistTopic
from pmtui.service.views import Load, WatchRow
from tests.cli.at_venue import HERE, YES, ServiceAtVenue, TimeWithoutPolls, service_at_venue, until

m = parse_micros
KEY = key_of_market(HERE)


def only(here: ServiceAtVenue) -> WatchRow:
    (row,) = here.service.queries.watchlist().rows
    return row


async def test_a_starred_market_is_fetched_and_heard_and_its_alert_rings(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path, TimeWithoutPolls) as here:
        service = here.service
        assert await service.commands.star(KEY, "as listed") == ""
        service.hub.subscribe([WatchlistTopic()], lambda _: None)
        await until(service, lambda: service.queries.watchlist().load is Load.READY)
        await until(service, lambda: (quote := only(here).quote) is not None and quote.is_live)
        plan = AlertPlan(HERE, YES, AlertSide.ABOVE, m("0.45"))
        assert await service.commands.add_alert(plan) == ""
        assert isinstance(await here.place("0.44", "10"), Accepted)
        await until(
            service, lambda: (q := only(here).quote) is not None and q.best_bid == m("0.44")
        )
        assert service.queries.alerts().fired == 0
        assert isinstance(await here.place("0.45", "10"), Accepted)
        await until(service, lambda: service.queries.alerts().fired == 1)
        (row,) = only(here).alerts
        assert (row.alert.state, row.alert.rang_price) == (AlertState.RANG, m("0.45"))
