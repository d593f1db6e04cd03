"""The analytics host's rows as they travel.

Two generations live side by side: camel case in bare arrays, snake case in envelopes
(WIRE_METADATA §4). A struct names both spellings, the older one with the prefix `v1_` where they
differ, so that a row of either reads into one value.
"""

from typing import Any

import msgspec

from pmtui.wire.bounds import Identifier
from pmtui.wire.numbers import Number


def _v1(name: str) -> Any:
    # Typed like msgspec.field itself: the annotation of the attribute says what it holds.
    return msgspec.field(name=name, default=None)


class PositionRow(msgspec.Struct, gc=False):
    """An open or a closed position."""

    token_id: Identifier | None = None
    v1_token_id: Identifier | None = _v1("asset")
    condition_id: Identifier | None = None
    v1_condition_id: Identifier | None = _v1("conditionId")
    current_size: Number = None
    v1_size: Number = _v1("size")
    avg_price: Number = None
    v1_avg_price: Number = _v1("avgPrice")
    current_price: Number = None
    v1_current_price: Number = _v1("curPrice")
    realized_pnl: Number = None
    v1_realized_pnl: Number = _v1("realizedPnl")
    total_size: Number = None
    v1_total_bought: Number = _v1("totalBought")
    last_event_at: Number = None
    v1_closed_at: Number = _v1("timestamp")
    title: str | None = None
    outcome: str | None = None
    outcome_index: Number = None
    v1_outcome_index: Number = _v1("outcomeIndex")
    opposite_token_id: Identifier | None = None
    v1_opposite_token_id: Identifier | None = _v1("oppositeAsset")
    event_slug: Identifier | None = None
    v1_event_slug: Identifier | None = _v1("eventSlug")
    end_date: Identifier | None = None
    v1_end_date: Identifier | None = _v1("endDate")
    negative_risk: bool | None = None
    v1_negative_risk: bool | None = _v1("negativeRisk")
    redeemable: bool | None = None
    mergeable: bool | None = None


class ActivityRow(msgspec.Struct, gc=False):
    """One line of a wallet's history, or a trade, which has no type."""

    type: Identifier | None = None
    side: Identifier | None = None
    token_id: Identifier | None = None
    v1_token_id: Identifier | None = _v1("asset")
    condition_id: Identifier | None = None
    v1_condition_id: Identifier | None = _v1("conditionId")
    size: Number = None
    price: Number = None
    usdc_size: Number = None
    v1_usdc_size: Number = _v1("usdcSize")
    timestamp: Number = None
    title: str | None = None
    outcome: str | None = None
    transaction_hash: Identifier | None = None
    v1_transaction_hash: Identifier | None = _v1("transactionHash")


class HolderRow(msgspec.Struct, gc=False):
    """One wallet among the biggest of a token."""

    proxy_wallet: Identifier | None = None
    v1_proxy_wallet: Identifier | None = _v1("proxyWallet")
    name: str | None = None
    pseudonym: str | None = None
    amount: Number = None
    outcome_index: Number = None
    v1_outcome_index: Number = _v1("outcomeIndex")


class HoldersRow(msgspec.Struct, gc=False):
    """The holders of one token."""

    token_id: Identifier | None = None
    v1_token_id: Identifier | None = _v1("token")
    holders: list[msgspec.Raw] | None = None


class ValueRow(msgspec.Struct, gc=False):
    """What a wallet's positions are worth."""

    value: Number = None
