"""The keys of the trading screen that belong to the watchlist: the star, and price alerts."""

from typing_extensions import override

from pmtui.domain.markets.watchlist import StarKey, key_of_market
from pmtui.ui.explore.alert_form import AlertForm, AlertSubject
from pmtui.ui.market.market_context import MarketParts
from pmtui.ui.market.market_facts import outcome_label, title_of


class MarketWatch(MarketParts):
    """The part of the trading screen that keeps its market in sight."""

    @override
    def to_star(self) -> tuple[StarKey, str] | None:
        queries = self.surface.queries
        return key_of_market(self.condition_id), title_of(queries, self.condition_id)

    def action_set_alert(self) -> None:
        """Ask which price of the outcome on show to wait for."""
        token_id = self.token_id
        if token_id is None:
            self.message_line.refuse_form("The market is loading, or has no order book.")
            return
        label = outcome_label(self._market_view, self.outcome_index)
        title = title_of(self.surface.queries, self.condition_id)
        subject = AlertSubject(self.condition_id, token_id, label, title)
        _ = self.app.push_screen(AlertForm(self.surface, subject), self._say_set)

    def _say_set(self, said: str | None) -> None:
        if said:
            self.message_line.say(said)
