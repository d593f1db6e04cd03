"""Rows of the analytics host in both dialects, camel case (v1) and snake case (v2).

Tokens, resolutions and approvals are only in the newer dialect. Amounts are JSON numbers in whole units
(docs/wire.md#analytics-host). 999 stands for "no outcome".
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime

from pmtui.domain.account.wallet_transactions import MAX_UINT256
from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.domain.money import ONE, ZERO, Micros, notional_floor
from pmtui.signing.contracts import POLYGON
from pmtui.sim.catalogue.gamma import moment_of, text_of
from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.chain.contracts import CONTRACTS, Chain
from pmtui.sim.data.ledger import Entry, EntryKind, Holding, is_resolved, price_of
from pmtui.sim.venue import Venue

NO_OUTCOME = 999
Row = dict[str, object]

V2_NAMES = {
    "asset": "token_id",
    "proxyWallet": "proxy_wallet",
    "conditionId": "condition_id",
    "transactionHash": "transaction_hash",
    "eventSlug": "event_slug",
    "eventId": "event_id",
    "outcomeIndex": "outcome_index",
    "oppositeOutcome": "opposite_outcome",
    "oppositeAsset": "opposite_token_id",
    "profileImage": "profile_image",
    "profileImageOptimized": "profile_image_optimized",
    "displayUsernamePublic": "display_username_public",
    "usdcSize": "usdc_size",
    "isCombo": "is_combo",
    "endDate": "end_date",
    "negativeRisk": "negative_risk",
}
LARGEST_ID = (1 << 31) - 1
_STATUSES = frozenset(
    {
        "initialized",
        "posed",
        "proposed",
        "challenged",
        "reproposed",
        "disputed",
        "active",
        "arbitration",
        "resolved",
    }
)


def to_v2(row: Mapping[str, object]) -> Row:
    """Return a row with the newer dialect's names."""
    return {V2_NAMES.get(key, key): value for key, value in row.items()}


def units(amount: Micros) -> float:
    """Return an amount in whole units, as sent by the host."""
    return amount / ONE


def percent(gain: Micros, cost: Micros) -> float:
    """Return a gain in percent of its cost."""
    return round(gain * 100 / cost, 4) if cost else 0.0


class RowWriter:
    """Builds rows with the texts of markets and the public profiles of traders."""

    def __init__(self, venue: Venue, hash_of: Callable[[Address, int], str]) -> None:
        """Create the builder.

        Args:
            venue: the venue.
            hash_of: returns a wallet's transaction in the block of a millisecond; empty if there is
                none.
        """
        self._venue = venue
        self._hash_of = hash_of
        self._profiles = {
            str(row.get("proxyWallet", "")).lower(): row for row in venue.catalogue.extras.profiles
        }

    def profile(self, account: Address) -> Row:
        """Return a trader's public profile; empty texts if there is none."""
        known = self._profiles.get(account.lower(), {})
        keys = ("name", "pseudonym", "bio", "profileImage", "profileImageOptimized")
        return {key: known.get(key) or "" for key in keys}

    def texts(self, market: CatalogueMarket | None) -> Row:
        """Return the texts of a market."""
        if market is None:
            return {"title": "", "slug": "", "icon": "", "eventSlug": ""}
        event = self._venue.catalogue.event_of(market)
        return {
            "title": market.question,
            "slug": market.slug,
            "icon": market.raw.get("icon") or "",
            "eventSlug": event.slug,
        }

    def outcome(self, market: CatalogueMarket | None, token_id: TokenId) -> Row:
        """Return the label and index of a token's outcome."""
        if market is None or token_id not in market.token_ids:
            return {"outcome": "", "outcomeIndex": NO_OUTCOME}
        index = market.token_ids.index(token_id)
        return {"outcome": market.outcomes[index], "outcomeIndex": index}

    def trade(self, entry: Entry) -> Row:
        """Return one party's side of a trade."""
        market = self._venue.market(entry.condition_id)
        # The price paid per share, which is off the grid if amounts were rounded.
        price = entry.cash / entry.size if entry.size else units(entry.price)
        return {
            "proxyWallet": entry.account.lower(),
            "side": entry.side.value if entry.side else "",
            "asset": entry.token_id,
            "conditionId": entry.condition_id,
            "size": units(entry.size),
            "price": price,
            "timestamp": entry.at_ms // 1_000,
            **self.texts(market),
            **self.outcome(market, entry.token_id),
            **self.profile(entry.account),
            "transactionHash": entry.transaction_hash,
        }

    def activity(self, entry: Entry) -> Row:
        """Return one entry of an account's history."""
        row = self.trade(entry)
        row |= {"type": entry.kind.value, "usdcSize": units(entry.cash), "isCombo": False}
        if entry.kind is not EntryKind.TRADE:
            row |= {"asset": "", "price": 0, "outcome": "", "outcomeIndex": NO_OUTCOME}
            row |= {"transactionHash": self._hash_of(entry.account, entry.at_ms)}
        market = self._venue.market(entry.condition_id)
        if entry.kind is EntryKind.CONVERSION and market is not None:
            # It concerns several markets of an event.
            row |= {"title": self._venue.catalogue.event_of(market).title}
        return row

    def _token(self, holding: Holding) -> tuple[Row, Row]:
        market = self._venue.market(holding.condition_id)
        opposite: Row = {"oppositeOutcome": "", "oppositeAsset": ""}
        if market is not None and holding.token_id in market.token_ids:
            other = 1 - market.token_ids.index(holding.token_id)
            opposite = {
                "oppositeOutcome": market.outcomes[other],
                "oppositeAsset": market.token_ids[other],
            }
        texts = self.texts(market) | self.outcome(market, holding.token_id) | opposite
        ends_at: datetime | None = None if market is None else market.ends_at
        return texts | {"endDate": ends_at.date().isoformat() if ends_at else ""}, {
            "eventId": "" if market is None else market.event_id,
            "negativeRisk": market is not None and market.neg_risk,
        }

    def _worth(self, holding: Holding) -> tuple[Micros, Micros, Micros]:
        """Return the price of a holding, its value and its unrealized gain."""
        price = price_of(self._venue, holding.token_id)
        value = notional_floor(price, holding.size)
        return price, value, Micros(value - holding.cost)

    def position(self, holding: Holding, *, is_mergeable: bool) -> Row:
        """Return an open position in the older dialect."""
        texts, more = self._token(holding)
        price, value, gain = self._worth(holding)
        return {
            "proxyWallet": holding.account.lower(),
            "asset": holding.token_id,
            "conditionId": holding.condition_id,
            "size": units(holding.size),
            "avgPrice": units(holding.average_price),
            "initialValue": units(holding.cost),
            "currentValue": units(value),
            "cashPnl": units(gain),
            "percentPnl": percent(gain, holding.cost),
            "totalBought": units(holding.bought),
            "realizedPnl": units(holding.realized),
            "percentRealizedPnl": percent(holding.realized, holding.paid),
            "curPrice": units(price),
            "redeemable": is_resolved(self._venue, holding.condition_id),
            "mergeable": is_mergeable,
            **texts,
            **more,
        }

    def closed_position(self, holding: Holding) -> Row:
        """Return a closed position in the older dialect."""
        texts, _ = self._token(holding)
        return {
            "proxyWallet": holding.account.lower(),
            "asset": holding.token_id,
            "conditionId": holding.condition_id,
            "avgPrice": units(holding.average_price),
            "totalBought": units(holding.bought),
            "realizedPnl": units(holding.realized),
            "curPrice": units(price_of(self._venue, holding.token_id)),
            "timestamp": holding.last_ms // 1_000,
            **texts,
        }

    def market_position(self, holding: Holding) -> Row:
        """Return a position in the form of a market's list of holders."""
        market = self._venue.market(holding.condition_id)
        price, value, gain = self._worth(holding)
        profile = self.profile(holding.account)
        return {
            "proxyWallet": holding.account.lower(),
            "name": profile["name"],
            "profileImage": profile["profileImage"],
            "verified": False,
            "asset": holding.token_id,
            "conditionId": holding.condition_id,
            "avgPrice": units(holding.average_price),
            "size": units(holding.size),
            "currPrice": units(price),
            "currentValue": units(value),
            "cashPnl": units(gain),
            "totalBought": units(holding.bought),
            "realizedPnl": units(holding.realized),
            "totalPnl": units(Micros(gain + holding.realized)),
            **self.outcome(market, holding.token_id),
        }

    def position_v2(self, holding: Holding, *, is_mergeable: bool) -> Row:
        """Return a position, open or past, in the newer dialect."""
        texts, more = self._token(holding)
        price, value, gain = self._worth(holding)
        can_redeem = is_resolved(self._venue, holding.condition_id) and holding.size > ZERO
        status = "REDEEMABLE" if can_redeem else "OPEN"
        profile = self.profile(holding.account)
        return to_v2(texts | more) | {
            "proxy_wallet": holding.account.lower(),
            "token_id": holding.token_id,
            "condition_id": holding.condition_id,
            "current_size": units(holding.size),
            "avg_price": units(holding.average_price),
            "entry_cost_usdc": units(holding.cost),
            "entry_fees_usdc": units(holding.fees),
            "total_cost_usdc": units(Micros(holding.cost + holding.fees)),
            "current_price": units(price),
            "current_value": units(value),
            "total_size": units(holding.bought),
            "realized_pnl": units(holding.realized),
            "unrealized_pnl": units(gain),
            "total_pnl": units(Micros(gain + holding.realized)),
            "percent_pnl": percent(gain, holding.cost),
            "percent_realized_pnl": percent(holding.realized, holding.paid),
            "status": status if holding.size else "CLOSED",
            "redeemable": can_redeem,
            "mergeable": is_mergeable,
            "archived": False,
            "verified": False,
            "end_date": texts["endDate"] or "1970-01-01",
            "last_event_at": holding.last_ms // 1_000,
            "first_entry_at": holding.first_ms // 1_000,
            "name": profile["name"],
            "profile_image": profile["profileImage"],
        }

    def holder(self, account: Address, token_id: TokenId, amount: Micros) -> Row:
        """Return one of the largest holders of a token."""
        market = self._venue.market_of_token(token_id)
        return {
            "proxyWallet": account.lower(),
            **self.profile(account),
            "asset": token_id,
            "amount": units(amount),
            "displayUsernamePublic": True,
            "outcomeIndex": self.outcome(market, token_id)["outcomeIndex"],
            "verified": False,
        }

    def holder_gains(self, holding: Holding) -> Row:
        """Return the cost and value of a holder's position, which some lists add."""
        price, value, gain = self._worth(holding)
        return {
            "avg_price": units(holding.average_price),
            "entry_cost_usdc": units(holding.cost),
            "current_price": units(price),
            "current_value": units(value),
            "realized_pnl": units(holding.realized),
            "unrealized_pnl": units(gain),
            "total_pnl": units(Micros(gain + holding.realized)),
        }

    def open_interest(self, condition_id: ConditionId) -> float | None:
        """Return the dollars locked in a market; None if it is unknown."""
        view = self._venue.trading(condition_id)
        return None if view is None else units(view.open_interest)


def token_row(venue: Venue, market: CatalogueMarket, token_id: TokenId) -> Row:
    """Return the market and outcome of a token, and its payout once known."""
    index = market.token_ids.index(token_id)
    event = venue.catalogue.event_of(market)
    payouts = payouts_of(venue, market)
    group = text_of(market.raw, "negRiskMarketID") if market.neg_risk else ""
    return {
        "token_id": token_id,
        "condition_id": market.condition_id,
        "structural_condition_id": None,
        "module": "v1_ctf",
        "outcome_index": index,
        "clob_index": index,
        "outcome": market.outcomes[index],
        "opposite_token_id": market.token_ids[1 - index],
        "resolved": bool(payouts),
        "final_price": units(payouts[index]) if payouts else None,
        "title": market.question,
        "market_slug": market.slug,
        "closed": bool(payouts) or market.raw.get("closed") is True,
        "neg_risk": market.neg_risk,
        "neg_risk_market_id": group or None,
        "question_index": _question_index(market.question_id, group),
        "event_id": _number(event.event_id),
        "event_slug": event.slug,
    }


def resolution_row(venue: Venue, market: CatalogueMarket) -> Row:
    """Return the state of a market's resolution."""
    payouts = payouts_of(venue, market)
    view = venue.trading(market.condition_id)
    resolved_s = None if view is None or view.resolved_ms is None else view.resolved_ms // 1_000
    if payouts and resolved_s is None:
        resolved_s = _second(market, "closedTime") or _second(market, "umaEndDate")
    stated = text_of(market.raw, "umaResolutionStatus")
    status = stated if stated in _STATUSES - {"resolved"} else "initialized"
    opened_s = _second(market, "createdAt") or _second(market, "startDate") or 0
    return {
        "question_id": market.question_id or None,
        "condition_id": market.condition_id,
        "status": "resolved" if payouts else status,
        "was_disputed": "disputed" in _past_statuses(market),
        "extended_review": False,
        "expected_settlement_time": None,
        "settlement_time_basis": None,
        "proposed_price": None,
        "reproposed_price": None,
        "price": units(payouts[0]) if payouts else None,
        "payouts": [int(payout) for payout in payouts] if payouts else None,
        "market_type": "INCREMENTAL_NEGRISK" if market.neg_risk else "BINARY",
        "resolution_source": "reported" if payouts else None,
        "reporter": ("CHAINLINK" if market.is_window else "UMA_OO") if payouts else None,
        "was_arbitrated": False,
        "transaction_hash": None,
        "log_index": None,
        "resolved_block": None,
        "resolved_at": resolved_s,
        "last_update_timestamp": resolved_s or opened_s,
        "new_version_q": False,
    }


def approval_rows(venue: Venue, chain: Chain, account: Address) -> Row:
    """Return a wallet's approvals; empty if the operator removed them."""
    is_limited = not venue.exchange.reads.has_allowance(account)

    def row(spender: Address, standard: str) -> Row:
        amount = 0 if is_limited else chain.allowance(account, spender)
        if standard == "ERC20":
            text = "max" if amount == MAX_UINT256 else str(amount)
            return {"approved": amount > 0, "amount": text}
        return {"approved": not is_limited and chain.is_operator(account, spender)}

    return {
        "address": account.lower(),
        "chain_id": POLYGON.chain_id,
        "contracts": [
            {
                "token": token,
                "spender": spender,
                "standard": standard,
                **row(spender, standard),
            }
            for (token, standard), allowed in CONTRACTS.items()
            for spender in allowed
        ],
    }


def payouts_of(venue: Venue, market: CatalogueMarket) -> tuple[Micros, ...]:
    """Return the payout of each token of a market; empty before it is known."""
    view = venue.trading(market.condition_id)
    if view is not None and view.payout is not None:
        return (view.payout.pays(0), view.payout.pays(1))
    return market.payouts


def _question_index(question_id: str, group: str) -> int | None:
    # The questions of a negative-risk group differ from its id in their last byte.
    if not group or question_id[:-2].lower() != group[:-2].lower():
        return None
    return int(question_id[-2:], 16)


def _number(text: str) -> int | None:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None
    return number if number is not None and number <= LARGEST_ID else None


def _second(market: CatalogueMarket, key: str) -> int | None:
    moment = moment_of(market.raw, key)
    return None if moment is None else int(moment.timestamp())


def _past_statuses(market: CatalogueMarket) -> list[object]:
    try:
        stated = json.loads(text_of(market.raw, "umaResolutionStatuses") or "[]")
    except ValueError:
        return []
    return stated if isinstance(stated, list) else []
