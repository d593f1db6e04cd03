"""The trading keys on rows: buy, sell, flatten, stop or target, alert. None sends by itself.

A ticket opens on the market's own screen, beside its book. Everything else opens the market
screen's forms and cards over the list.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from textual.screen import Screen

from pmtui.domain.account.position import Position
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Event, Market, Side
from pmtui.domain.orders.amounts import size_floor
from pmtui.service.surface import Queries
from pmtui.service.views import AccountView, MarketView
from pmtui.ui.explore.alert_form import AlertForm, AlertSubject
from pmtui.ui.frame import MarketChosen, StopChosen
from pmtui.ui.keys.action_table import Need
from pmtui.ui.market.market_model import (
    outcome_label,
    title_of,
    token_id_of,
    why_not_tradable,
    why_nothing_of_ours,
)
from pmtui.ui.market.moves import MERGE_PATH
from pmtui.ui.message_line import MessageLine
from pmtui.ui.rows.flattening import Flattening
from pmtui.ui.surface import Surface
from pmtui.ui.ticket.protect import ProtectScreen


@dataclass(frozen=True, slots=True)
class RowTarget:
    """The market of a row, and its outcome if the row is about one."""

    condition_id: ConditionId
    outcome_index: int | None = None
    """None if the row is about both: sales take the one held, else the first is traded."""
    markets: tuple[ConditionId, ...] = ()
    """The markets of an event, which are sold together; empty for a row of one market."""
    token_id: TokenId | None = None
    """The outcome's token, if the row states it."""
    market: Market | None = None
    """The market as the list knows it, possibly before the service does."""

    def held(self, account: AccountView) -> tuple[Position, ...]:
        """Return the positions of the row."""
        if self.markets:
            return positions_in(account.positions, self.markets)
        found = positions_in(account.positions, (self.condition_id,))
        if self.outcome_index is None:
            return found
        return tuple(p for p in found if p.outcome_index == self.outcome_index)

    def outcome_to_sell(self, account: AccountView) -> int:
        """Return the outcome to sell: the one held most, else the first."""
        if self.outcome_index is not None:
            return self.outcome_index
        held = positions_in(account.positions, (self.condition_id,))
        return max(held, key=lambda p: p.size).outcome_index if held else 0


def positions_in(
    positions: Iterable[Position], markets: Iterable[ConditionId]
) -> tuple[Position, ...]:
    """Return the unresolved positions in some markets, in their order."""
    wanted = frozenset(markets)
    return tuple(p for p in positions if p.condition_id in wanted and not p.is_redeemable)


def target_of_market(market: Market | None) -> RowTarget | None:
    """Return the target of a market's row; None without a condition id."""
    if market is None or market.condition_id is None:
        return None
    return RowTarget(market.condition_id, market=market)


def target_of_event(event: Event | None, leading: Market | None) -> RowTarget | None:
    """Return the target of an event's row: buys go to the leading market, sales to all."""
    target = target_of_market(leading)
    if event is None or target is None:
        return target
    markets = tuple(m.condition_id for m in event.markets if m.condition_id is not None)
    return RowTarget(target.condition_id, markets=markets, market=leading)


def target_of_token(
    condition_id: ConditionId | None, token_id: TokenId | None, market: Market | None
) -> RowTarget | None:
    """Return the target of an order's or a fill's row, which has a token."""
    if condition_id is None:
        return None
    tokens = market.token_ids if market is not None else ()
    index = tokens.index(token_id) if token_id is not None and token_id in tokens else None
    return RowTarget(condition_id, index, token_id=token_id, market=market)


def market_to_trade(target: RowTarget | None, queries: Queries) -> tuple[Market, int] | None:
    """Return the market and outcome of a row; None while unknown."""
    if target is None:
        return None
    market = target.market or queries.market(target.condition_id).market
    return None if market is None else (market, target.outcome_index or 0)


NO_MARKET = "No market on this row."


class RowVerbs:
    """Handles the trading keys for the selected row of a screen."""

    def __init__(
        self, page: Screen[Any], surface: Surface, line: MessageLine,
        target: Callable[[], RowTarget | None], *, if_none: str = NO_MARKET,
        merge_path: Sequence[str] = MERGE_PATH,
    ) -> None:  # fmt: skip
        """Act on rows of a screen.

        Args:
            page: the screen below the forms, which opens markets.
            surface: the service and the user's choices.
            line: says why a key does nothing.
            target: returns what the row at the cursor stands for; None for nothing.
            if_none: what is said where there is no market.
            merge_path: the keys that merge pairs from there.
        """
        self._page = page
        self._surface = surface
        self._line = line
        self._target = target
        self._if_none = if_none
        self.flattening = Flattening(page, surface, line, merge_path=merge_path)

    @property
    def actions(self) -> Mapping[str, Callable[[], Awaitable[None] | None]]:
        """The handlers of the actions in the registry's row context."""
        return {
            "buy": partial(self._open_ticket, Side.BUY),
            "sell": partial(self._open_ticket, Side.SELL),
            "flatten": self.flatten,
            "protect": self.protect,
            "set_alert": self.set_alert,
        }

    def missing(self) -> frozenset[Need]:
        """Return what these keys need and the row at the cursor does not have."""
        target, account = self._target(), self._surface.queries.account()
        if target is None:
            return frozenset({Need.MARKET, Need.TRADING, Need.POSITION, Need.SALE})
        found = set[Need]()
        if self._why_not_tradable(target):
            found |= {Need.TRADING, Need.SALE}
        held = target.held(account)
        if not held:
            found.add(Need.POSITION)
        if not any(size_floor(account.unpaired(position.token_id)) > 0 for position in held):
            found.add(Need.SALE)
        return frozenset(found)

    async def flatten(self) -> None:
        """Sell the net position of the row, or of each of its markets, after a card."""
        target = self._found()
        if target is None:
            return
        held = target.held(self._surface.queries.account())
        if not held and (reason := self._why_over(target)):
            self._line.refuse_form(reason)
        else:
            await self.flattening.ask(held)

    def protect(self) -> None:
        """Open the form for stops and targets on the row's position."""
        target, queries = self._found(), self._surface.queries
        if target is None:
            return
        if reason := why_nothing_of_ours(queries.status()):
            self._line.refuse_form(reason)
            return
        account = queries.account()
        held = [each for each in target.held(account) if size_floor(each.size) > 0]
        # Of both outcomes, the one that is not all in pairs is the position.
        held = [p for p in held if size_floor(account.unpaired(p.token_id)) > 0] or held
        if not held:
            self._line.refuse_form("No position on this row to protect.")
        elif len(held) > 1:
            self._line.refuse_form("Several positions on this row: open it and choose one.")
        else:
            (row,) = held
            if (there := account.covering(row.token_id)) is not None:
                _ = self._page.post_message(StopChosen(there.conditional_id))
                return
            form = ProtectScreen(self._surface, row.condition_id, outcome_index=row.outcome_index)
            _ = self._page.app.push_screen(form)

    def set_alert(self) -> None:
        """Open the form for alerts on the row's market."""
        target, queries = self._found(), self._surface.queries
        if target is None:
            return
        view = self._view_of(target)
        index = target.outcome_index or 0
        token_id = target.token_id or token_id_of(view, index)
        if token_id is None:
            self._line.refuse_form("The market is loading, or has no order book.")
            return
        market = view.market
        title = market.distinct_name if market else title_of(queries, target.condition_id)
        subject = AlertSubject(target.condition_id, token_id, outcome_label(view, index), title)
        _ = self._page.app.push_screen(AlertForm(self._surface, subject), self._show_result)

    def _open_ticket(self, side: Side) -> None:
        target, queries = self._found(), self._surface.queries
        if target is None:
            return
        if reason := self._why_not_tradable(target):
            self._line.refuse_form(reason)
            return
        account = queries.account()
        index = target.outcome_index or 0
        if side is Side.SELL:
            index = target.outcome_to_sell(account)
        _ = self._page.post_message(MarketChosen(target.condition_id, index, side))

    def _why_not_tradable(self, target: RowTarget) -> str:
        """Return a sentence on why no order can be sent; empty if one can."""
        reason = why_not_tradable(self._view_of(target), self._surface.queries.status())
        return reason or self._why_over(target)

    def _why_over(self, target: RowTarget) -> str:
        """Return a sentence if the market of a row is resolved: a position shows it before its market loads."""
        positions = self._surface.queries.account().positions
        is_over = any(
            p.condition_id == target.condition_id and (p.is_redeemable or p.is_settled)
            for p in positions
        )
        return "Resolved: trading has ended." if is_over else ""

    def _view_of(self, target: RowTarget) -> MarketView:
        """Return the market as known to the service, else as known to the list."""
        view = self._surface.queries.market(target.condition_id)
        return replace(view, market=target.market) if view.market is None else view

    def _found(self) -> RowTarget | None:
        target = self._target()
        if target is None:
            self._line.refuse_form(self._if_none)
        return target

    def _show_result(self, text: str | None) -> None:
        if text:
            self._line.show(text)
