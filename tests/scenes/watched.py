"""What is starred in the pictures: an event, three markets, and price alerts in every state."""

from dataclasses import replace
from datetime import timedelta

from pmtui.domain.conditionals.alerts import (
    AlertId,
    AlertPlan,
    AlertSide,
    AlertState,
    PriceAlert,
)
from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Market
from pmtui.domain.markets.watchlist import (
    key_of_event,
    key_of_market,
    snapshot_event,
    snapshot_market,
)
from pmtui.domain.money import Micros
from pmtui.service.topics import MarketListTopic
from pmtui.service.views import AlertRow, Load, QuoteRow, WatchlistView, WatchRow
from tests.scenes.prices import CENT, ago
from tests.scenes.world import World
from tests.ui.fake_surface import NOW


def watchlist_of(world: World) -> WatchlistView:
    """Return a watchlist of what the world's list holds."""
    events = [row.event for row in world.service.lists[MarketListTopic()].rows]
    election, strike = events[0], events[1].markets[0]
    tunnel, stage = events[8].markets[0], events[11].markets[0]
    alerts = (
        _alert("1", strike, 70, AlertSide.ABOVE),
        replace(
            _alert("2", strike, 63, AlertSide.BELOW), state=AlertState.RANG,
            rang_at=NOW - timedelta(minutes=4), rang_price=Micros(63 * CENT),
        ),
    )  # fmt: skip
    book = world.service.books[strike.token_ids[0]]
    rows = (
        WatchRow(
            key_of_event(election), election.title, True, snapshot_event(election, ago(9)),
            _quote(election.markets[0]),
        ),
        WatchRow(
            key_of_market(_id_of(strike)), strike.question, True, snapshot_market(strike, ago(9)),
            replace(_quote(strike), position_size=_held(world, strike)),
            alerts=tuple(
                AlertRow(alert, book.state, book.best_bid, book.best_ask) for alert in alerts
            ),
        ),
        WatchRow(
            key_of_market(_id_of(stage)), stage.question, True, snapshot_market(stage, ago(9)),
            _quote(stage),
        ),
        WatchRow(
            key_of_market(_id_of(tunnel)), tunnel.question, True, snapshot_market(tunnel, ago(150)),
            replace(_quote(tunnel), is_live=False, as_of=ago(150)),
        ),
    )  # fmt: skip
    return WatchlistView(rows, Load.READY, ago(9))


def _alert(name: str, market: Market, cents: int, side: AlertSide) -> PriceAlert:
    plan = AlertPlan(_id_of(market), market.token_ids[0], side, Micros(cents * CENT))
    return PriceAlert(
        AlertId(name), plan, "Yes", market.question, created_at=NOW - timedelta(hours=2)
    )


def _held(world: World, market: Market) -> Micros:
    positions = world.service.account_view.positions
    return next(p.size for p in positions if p.token_id == market.token_ids[0])


def _quote(market: Market) -> QuoteRow:
    return QuoteRow(
        _id_of(market), market.best_bid, market.best_ask, market.last_trade_price, ago(1),
        is_live=True,
    )  # fmt: skip


def _id_of(market: Market) -> ConditionId:
    assert market.condition_id is not None
    return market.condition_id
