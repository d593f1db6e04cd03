"""What does not change with every trade: tokens, resolutions and approvals, in the newer dialect."""

import json

from pmtui.domain.account.wallet_transactions import MAX_UINT256
from pmtui.domain.ids import Address, TokenId
from pmtui.domain.money import Micros
from pmtui.signing.contracts import POLYGON
from pmtui.sim.catalogue.gamma import moment_of, text_of
from pmtui.sim.catalogue.model import CatalogueMarket
from pmtui.sim.chain.contracts import CONTRACTS, Chain
from pmtui.sim.data.rows import Row, units
from pmtui.sim.venue import Venue

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


def token_row(venue: Venue, market: CatalogueMarket, token_id: TokenId) -> Row:
    """Return what a token stands for, and what it pays once that is known."""
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
    """Return how far the resolution of a market is."""
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
    """Return what a wallet lets contracts do; nothing where the operator took that away."""
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
    """Return what each token of a market pays; empty before that is known."""
    view = venue.trading(market.condition_id)
    if view is not None and view.payout is not None:
        return (view.payout.pays(0), view.payout.pays(1))
    return market.payouts


def _question_index(question_id: str, group: str) -> int | None:
    # The questions of a negative-risk group differ in their last byte from its id.
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
