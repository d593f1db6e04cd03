"""Notifications to an account: cancelled orders, fills, ended markets, reversed fills.

Created from the exchange's events and stored a moment later, at the latest before they are read at
`/notifications`. The last few hundred of every account are kept until it drops them.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from enum import IntEnum

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.domain.ids import Address, ApiKey, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ZERO, Micros, format_micros
from pmtui.domain.orders.order import TradeStatus
from pmtui.sim.accounts import Credentials
from pmtui.sim.auth import signed
from pmtui.sim.clob.account import outcome_of, wallet_asked
from pmtui.sim.engine.events import (
    Event,
    MarketResolved,
    OrderCancelled,
    Trade,
    TradeAdvanced,
    TradeMatched,
)
from pmtui.sim.engine.terms import OrderView
from pmtui.sim.http_json import JsonResponse
from pmtui.sim.venue import Venue

KIND = "notification"
KEPT = 500
"""Notifications of one account."""


class NotificationKind(IntEnum):
    """The public venue's numbers for the events that can happen here."""

    CANCELLATION = 1
    FILL = 2
    MARKET_RESOLVED = 4
    FILL_FAILED = 8


@dataclass(frozen=True, slots=True)
class Notification:
    """One notification to an account."""

    number: int
    account: Address
    owner: ApiKey
    kind: NotificationKind
    at_ms: int
    payload: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Part:
    """One order's part in a trade."""

    order_id: OrderId
    account: Address
    owner: ApiKey
    token_id: TokenId
    side: Side
    price: Micros
    size: Micros


_decode = msgspec.json.Decoder(Notification).decode


class Notifications:
    """The notifications of every account that is not simulated."""

    def __init__(self, venue: Venue) -> None:
        self._venue = venue
        self._of: defaultdict[Address, dict[int, Notification]] = defaultdict(dict)
        self._unwritten: dict[str, bytes | None] = {}
        self._last = 0
        for _, row in venue.notes(KIND):
            kept = _decode(row)
            self._of[kept.account][kept.number] = kept
            self._last = max(self._last, kept.number)

    def note(self, event: Event) -> None:
        """Notify the accounts that an event concerns."""
        match event:
            case OrderCancelled(order=order, at_ms=at_ms):
                kind, payload = NotificationKind.CANCELLATION, self._order_payload(order)
                self._add(order.account, order.owner, kind, at_ms=at_ms, payload=payload)
            case TradeMatched(trade=trade) if self._venue.records.concerns_users(trade):
                self._note_trade(trade, NotificationKind.FILL)
            case TradeAdvanced(trade=trade) if trade.status is TradeStatus.FAILED:
                self._note_trade(trade, NotificationKind.FILL_FAILED)
            case MarketResolved():
                self._note_end(event)
            case _:
                pass

    def of(self, account: Address) -> list[Notification]:
        """Return an account's notifications, newest first."""
        self.flush()
        return list(reversed(self._of[account].values()))

    def drop(self, account: Address, numbers: list[int]) -> None:
        """Drop some of an account's notifications; numbers of other accounts are ignored."""
        for number in numbers:
            if self._of[account].pop(number, None) is not None:
                self._unwritten[_name(number)] = None
        self.flush()

    def flush(self) -> None:
        """Store new notifications."""
        unwritten, self._unwritten = self._unwritten, {}
        self._venue.write_notes(KIND, unwritten)

    def _add(
        self,
        account: Address,
        owner: ApiKey,
        kind: NotificationKind,
        *,
        at_ms: int,
        payload: dict[str, object],
    ) -> None:
        self._last += 1
        added = Notification(self._last, account, owner, kind, at_ms, payload)
        kept = self._of[account]
        kept[added.number] = added
        self._unwritten[_name(added.number)] = msgspec.json.encode(added)
        if len(kept) > KEPT:
            oldest = next(iter(kept))
            del kept[oldest]
            self._unwritten[_name(oldest)] = None

    def _note_trade(self, trade: Trade, kind: NotificationKind) -> None:
        taker = _Part(
            trade.taker_order_id,
            trade.taker_account,
            trade.taker_owner,
            trade.token_id,
            trade.side,
            trade.price,
            trade.size,
        )
        makers = [
            _Part(f.order_id, f.account, f.owner, f.token_id, f.side, f.price, f.size)
            for f in trade.makers
        ]
        for part in (taker, *makers):
            if self._venue.records.is_user(part.account):
                payload = self._fill_payload(part, trade)
                at_ms = trade.updated_ms
                self._add(part.account, part.owner, kind, at_ms=at_ms, payload=payload)

    def _note_end(self, event: MarketResolved) -> None:
        market = self._venue.market(event.condition_id)
        tokens = () if market is None else market.token_ids
        for account in self._venue.records.users():
            held = self._venue.exchange.reads.account(account)
            if held is None or not any(held.shares.get(token) for token in tokens):
                continue
            owner = self._venue.accounts.owner_of(account)
            keys = [] if owner is None else self._venue.accounts.keys_of(owner)
            payload = self._market_payload(event.condition_id) | {
                "winning_asset_id": event.winning_token_id or "",
                "outcome": outcome_of(self._venue, event.winning_token_id)
                if event.winning_token_id
                else "",
            }
            kind = NotificationKind.MARKET_RESOLVED
            key = keys[0] if keys else ApiKey("")
            self._add(account, key, kind, at_ms=event.at_ms, payload=payload)

    def _order_payload(self, order: OrderView) -> dict[str, object]:
        return {
            **self._market_payload(order.condition_id),
            **self._asset_payload(order.token_id),
            "order_id": order.order_id,
            "side": order.side.value,
            "type": order.time_in_force.value,
            "price": format_micros(order.price),
            **_sizes(order.original_size, order.matched_size),
        }

    def _fill_payload(self, part: _Part, trade: Trade) -> dict[str, object]:
        order = self._venue.records.order(part.order_id)
        # For an order that never rested only this trade is known.
        sizes = (
            _sizes(part.size, part.size)
            if order is None
            else _sizes(order.original_size, order.matched_size)
        )
        return {
            **self._market_payload(trade.condition_id),
            **self._asset_payload(part.token_id),
            "order_id": part.order_id,
            "side": part.side.value,
            "type": "" if order is None else order.time_in_force.value,
            "price": format_micros(part.price),
            **sizes,
            "transaction_hash": trade.transaction_hash,
            "trade_id": trade.trade_id,
        }

    def _asset_payload(self, token_id: TokenId) -> dict[str, object]:
        market = self._venue.market_of_token(token_id)
        return {
            "asset_id": token_id,
            "outcome": outcome_of(self._venue, token_id),
            "outcome_index": 0 if market is None else market.token_ids.index(token_id),
        }

    def _market_payload(self, condition_id: str) -> dict[str, object]:
        market = self._venue.market(condition_id)
        if market is None:
            return {"market": condition_id}
        event = self._venue.catalogue.event_of(market)
        return {
            "market": condition_id,
            "question": market.question,
            "market_slug": market.slug,
            "icon": market.raw.get("icon", ""),
            "image": market.raw.get("image", ""),
            "eventSlug": event.slug,
            "seriesSlug": event.raw.get("seriesSlug", ""),
        }


def _sizes(original: Micros, matched: Micros) -> dict[str, object]:
    remaining = Micros(max(original - matched, ZERO))
    return {
        "original_size": format_micros(original),
        "matched_size": format_micros(matched),
        "remaining_size": format_micros(remaining),
    }


def _name(number: int) -> str:
    return f"{number:012d}"


class NotificationRoutes:
    """Both routes, with level-2 authentication; the signature type selects one wallet, or all."""

    def __init__(self, venue: Venue, notifications: Notifications) -> None:
        self._venue = venue
        self._notifications = notifications

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/notifications", signed(self._venue, self.listed)),
            Route("/notifications", signed(self._venue, self.drop), methods=["DELETE"]),
        ]

    async def listed(self, request: Request, caller: Credentials) -> Response:
        """List a wallet's notifications, newest first."""
        wallet = wallet_asked(self._venue, request, caller)
        if isinstance(wallet, Response):
            return wallet
        return JsonResponse([_row(one) for one in self._notifications.of(wallet)])

    async def drop(self, request: Request, caller: Credentials) -> Response:
        """Drop the named notifications of any of the caller's wallets."""
        ids = [text for text in request.query_params.get("ids", "").split(",") if text]
        if any(not (text.isascii() and text.isdigit() and len(text) < 16) for text in ids):
            return JsonResponse({"error": "Invalid ids"}, status_code=400)
        for wallet in self._venue.accounts.wallets_of(caller.eoa):
            self._notifications.drop(wallet, [int(text) for text in ids])
        return JsonResponse("OK")


def _row(notification: Notification) -> dict[str, object]:
    return {
        "id": notification.number,
        "owner": notification.owner,
        "type": int(notification.kind),
        "timestamp": str(notification.at_ms // 1_000),
        "payload": notification.payload,
    }
