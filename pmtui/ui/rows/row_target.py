"""What a row of a list stands for, as the trading keys take it."""

from collections.abc import Iterable
from dataclasses import dataclass

from pmtui.domain.account.position import Position
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import Event, Market
from pmtui.service.views import AccountView


@dataclass(frozen=True, slots=True)
class RowTarget:
    """The market of a row, with the outcome it is about where it is about one."""

    condition_id: ConditionId
    outcome_index: int | None = None
    """None where either may be meant: what is held is sold, and else the first is traded."""
    markets: tuple[ConditionId, ...] = ()
    """Of an event: the markets that are sold out together; none for a row of one market."""
    token_id: TokenId | None = None
    """Of the outcome, where the row names it itself."""
    market: Market | None = None
    """As the list knows it, which may be before anything else does."""

    def held(self, account: AccountView) -> tuple[Position, ...]:
        """Return the positions that the row stands for."""
        if self.markets:
            return positions_in(account.positions, self.markets)
        found = positions_in(account.positions, (self.condition_id,))
        if self.outcome_index is None:
            return found
        return tuple(p for p in found if p.outcome_index == self.outcome_index)

    def outcome_to_sell(self, account: AccountView) -> int:
        """Return the outcome of its market that is sold: what is held most of, else the first."""
        if self.outcome_index is not None:
            return self.outcome_index
        held = positions_in(account.positions, (self.condition_id,))
        return max(held, key=lambda p: p.size).outcome_index if held else 0


def positions_in(
    positions: Iterable[Position], markets: Iterable[ConditionId]
) -> tuple[Position, ...]:
    """Return the positions in some markets that are not settled, in their order."""
    wanted = frozenset(markets)
    return tuple(p for p in positions if p.condition_id in wanted and not p.is_redeemable)


def target_of_market(market: Market | None) -> RowTarget | None:
    """Return the target of a row that is a market; None where it cannot be named yet."""
    if market is None or market.condition_id is None:
        return None
    return RowTarget(market.condition_id, market=market)


def target_of_event(event: Event | None, leading: Market | None) -> RowTarget | None:
    """Return the target of a row that is an event: its leading market is traded, all are sold out."""
    target = target_of_market(leading)
    if event is None or target is None:
        return target
    markets = tuple(m.condition_id for m in event.markets if m.condition_id is not None)
    return RowTarget(target.condition_id, markets=markets, market=leading)


def target_of_token(
    condition_id: ConditionId | None, token_id: TokenId | None, market: Market | None
) -> RowTarget | None:
    """Return the target of an order or a fill, which name a token."""
    if condition_id is None:
        return None
    tokens = market.token_ids if market is not None else ()
    index = tokens.index(token_id) if token_id is not None and token_id in tokens else None
    return RowTarget(condition_id, index, token_id=token_id, market=market)
