"""The part of the write side that is about the watchlist and its price alerts."""

from pmtui.domain.conditionals.price_alert import AlertId, AlertPlan
from pmtui.domain.markets.watchlist import StarKey
from pmtui.service.watch.watchlist import Watchlist


class ServiceWatchCommands:
    """Passes each wish to the watchlist."""

    def __init__(self, watchlist: Watchlist) -> None:
        self._watchlist = watchlist

    def star(self, key: StarKey, title: str) -> str:
        """Keep something in sight; returns why not."""
        return self._watchlist.star(key, title)

    def unstar(self, key: StarKey) -> None:
        """Keep something in sight no more."""
        self._watchlist.unstar(key)

    def add_alert(self, plan: AlertPlan) -> str:
        """Wait for a price from now on; returns why not."""
        return self._watchlist.alerts.add(plan)

    def remove_alert(self, alert_id: AlertId) -> None:
        """Forget a price alert."""
        self._watchlist.alerts.remove(alert_id)
