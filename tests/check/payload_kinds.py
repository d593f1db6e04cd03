"""Which decoder a payload belongs to, told by its own shape and, where it lies in one, by its folder.

Names of files are not looked at: a recording made tomorrow has another one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import httpx
import msgspec

from pmtui.clients.http.failures import failure_of_answer
from pmtui.domain.answers import Page
from pmtui.domain.ids import ApiKey
from pmtui.wire import (
    analytics,
    clob,
    clob_account,
    clob_rewards,
    gamma,
    stream,
)
from pmtui.wire.bounds import WireError
from pmtui.wire.gamma import decode_geo_answer
from pmtui.wire.orders import Owner
from pmtui.wire.rows import Rows

NOBODY = Owner(ApiKey(""), frozenset())
"""Recorded account payloads belong to strangers."""

Shape = object
"""What `msgspec.json.decode` returns for JSON of any kind."""


@dataclass
class Finding:
    """What came of one payload."""

    kind: str
    ok: int = 0
    problems: list[str] = field(default_factory=list)
    is_read: bool = True
    """False for kinds that nothing in the program reads."""


@dataclass(frozen=True)
class Kind:
    """A kind of payload, how to tell it, and what reads it."""

    name: str
    matches: Callable[[Mapping[str, Shape]], bool]
    decode: Callable[[bytes], object] | None
    """One object of this kind; None where nothing in the program reads it."""
    decode_list: Callable[[bytes], object] | None = None
    """An array of such objects, where the venue sends them so."""


def _has(*keys: str) -> Callable[[Mapping[str, Shape]], bool]:
    return lambda row: all(key in row for key in keys)


def _rows_have(list_key: str, *keys: str) -> Callable[[Mapping[str, Shape]], bool]:
    def matches(row: Mapping[str, Shape]) -> bool:
        rows = row.get(list_key)
        if not isinstance(rows, list) or not rows:
            return False
        first = rows[0]
        return isinstance(first, dict) and all(key in first for key in keys)

    return matches


def _page_of(matches: Callable[[Mapping[str, Shape]], bool]) -> Callable[..., bool]:
    def page_matches(row: Mapping[str, Shape]) -> bool:
        rows = row.get("data")
        return isinstance(rows, list) and any(isinstance(r, dict) and matches(r) for r in rows[:1])

    return page_matches


def _by_token(kind: type) -> Callable[[Mapping[str, Shape]], bool]:
    def matches(row: Mapping[str, Shape]) -> bool:
        return bool(row) and all(
            len(key) > 20 and key.isdigit() and isinstance(value, kind)
            for key, value in row.items()
        )

    return matches


def _is_search(row: Mapping[str, Shape]) -> bool:
    pagination = row.get("pagination")
    return isinstance(pagination, dict) and "hasMore" in pagination


def _is_user_message(row: Mapping[str, Shape]) -> bool:
    if "event_type" in row:
        return row["event_type"] in ("order", "trade")
    kinds = ("PLACEMENT", "UPDATE", "CANCELLATION")
    return row.get("type") in kinds or (row.get("type") == "TRADE" and "taker_order_id" in row)


def _is_market_message(row: Mapping[str, Shape]) -> bool:
    return "event_type" in row


def _is_of_orders(row: Mapping[str, Shape]) -> bool:
    """Streams and the trading host share names of fields with the analytics host."""
    return bool({"event_type", "taker_order_id", "takerOrderHash", "asset_id"} & row.keys())


def _is_only(key: str, *others: str) -> Callable[[Mapping[str, Shape]], bool]:
    return lambda row: key in row and set(row) <= {key, *others}


def _is_activity(row: Mapping[str, Shape]) -> bool:
    return "type" in row and ("usdcSize" in row or "usdc_size" in row)


def _is_trade(row: Mapping[str, Shape]) -> bool:
    has_hash = "transactionHash" in row or "transaction_hash" in row
    return has_hash and "side" in row and not _is_of_orders(row)


def _is_position(row: Mapping[str, Shape]) -> bool:
    return ("size" in row and "avgPrice" in row) or "current_size" in row


def _is_standing(row: Mapping[str, Shape]) -> bool:
    return "rank" in row and ("pnl" in row or "vol" in row or "volume" in row)


def _is_value_envelope(row: Mapping[str, Shape]) -> bool:
    data = row.get("data")
    return isinstance(data, dict) and _is_value(data)


def _is_histories(row: Mapping[str, Shape]) -> bool:
    return isinstance(row.get("history"), dict)


def _is_closed_position(row: Mapping[str, Shape]) -> bool:
    return "avgPrice" in row and "realizedPnl" in row


def _is_value(row: Mapping[str, Shape]) -> bool:
    return "value" in row and ("user" in row or "proxy_wallet" in row)


def _fills(body: bytes) -> object:
    return clob_account.decode_fill_page(body, NOBODY)


def _user_frame(body: bytes) -> object:
    return stream.decode_user_frame(body, NOBODY)


def _one(decode_list: Callable[[bytes], object]) -> Callable[[bytes], object]:
    """Read a lone row as the list of one that the venue would send."""
    return lambda body: decode_list(b"[" + body + b"]")


def _analytics_kinds() -> tuple[Kind, ...]:
    return (
        Kind("activity page", _page_of(_is_activity), analytics.decode_activity),
        Kind("position page", _page_of(_is_position), analytics.decode_positions),
        Kind("trade page", _page_of(_is_trade), analytics.decode_activity),
        Kind("holder page", _page_of(_has("holders")), analytics.decode_holders),
        Kind("value", _is_value_envelope, analytics.decode_value),
        Kind("activity", _is_activity, _one(analytics.decode_activity), analytics.decode_activity),
        Kind(
            "positions", _is_position, _one(analytics.decode_positions), analytics.decode_positions
        ),
        Kind(
            "closed positions",
            _is_closed_position,
            _one(analytics.decode_closed_positions),
            analytics.decode_closed_positions,
        ),
        Kind("trades", _is_trade, _one(analytics.decode_activity), analytics.decode_activity),
        Kind("holders", _has("holders"), _one(analytics.decode_holders), analytics.decode_holders),
        Kind("value", _is_value, analytics.decode_value, analytics.decode_value),
        Kind("open interest", _is_only("value", "market", "condition_id"), None, None),
        Kind("live volume", _has("conditions", "taker_volume_total"), None),
        Kind("leaderboard", _is_standing, None, None),
        Kind("prices of the new generation", _has("resolution_seconds"), None, None),
    )


KINDS: dict[str, tuple[Kind, ...]] = {
    "gamma": (
        Kind("search", _is_search, gamma.decode_search),
        Kind("market", _has("question", "conditionId"), gamma.decode_market, gamma.decode_markets),
        Kind("market", _has("question", "outcomes"), gamma.decode_market, gamma.decode_markets),
        Kind("event", _has("title", "markets"), gamma.decode_event, gamma.decode_events),
        Kind("event page", _rows_have("events", "title"), gamma.decode_events),
        Kind("market page", _rows_have("markets", "question"), gamma.decode_markets),
        Kind("comment page", _rows_have("comments", "body"), gamma.decode_comments),
        Kind(
            "comment",
            _has("id", "body", "createdAt"),
            _one(gamma.decode_comments),
            gamma.decode_comments,
        ),
        Kind("tag", _has("id", "label", "slug"), _one(gamma.decode_tags), gamma.decode_tags),
        Kind("event", _has("title", "slug", "id"), gamma.decode_event, gamma.decode_events),
    ),
    "data": (
        *_analytics_kinds(),
        Kind("page", _rows_have("data", "proxy_wallet"), None),
    ),
    "clob": (
        Kind("book", _has("bids", "asks"), clob.decode_book, clob.decode_books),
        Kind("market terms", _has("t", "mts"), clob.decode_market_terms),
        Kind(
            "rewarded market page",
            _rows_have("data", "rewards_max_spread"),
            clob_rewards.decode_rewarded_markets,
        ),
        Kind("market page", _rows_have("data", "condition_id", "tokens"), clob.decode_market_page),
        Kind("listed market", _has("condition_id", "tokens"), clob.decode_listed_market),
        Kind("market of token", _has("primary_token_id"), clob.decode_market_of_token),
        Kind("prices histories", _is_histories, clob.decode_prices_histories),
        Kind("prices history", _has("history"), clob.decode_prices_history),
        Kind("prices by token", _by_token(dict), clob.decode_prices),
        Kind("amounts by token", _by_token(str), clob.decode_amounts),
        Kind("version", _is_only("version"), clob.decode_version),
        Kind("geographic answer", _has("blocked", "country"), decode_geo_answer),
        Kind("midpoint", _has("mid"), clob.decode_midpoint),
        Kind("spread", _is_only("spread"), clob.decode_spread),
        Kind("price", _is_only("price"), clob.decode_price),
        Kind(
            "last trade",
            _is_only("price", "side", "token_id"),
            clob.decode_last_trade,
            clob.decode_last_trades,
        ),
        Kind("tick size", _has("minimum_tick_size"), clob.decode_tick_size),
        Kind("negative risk", _has("neg_risk"), clob.decode_neg_risk),
        Kind("fee rate", _has("base_fee"), clob.decode_fee_rate),
    ),
    "user": (
        Kind("user message", _is_user_message, _user_frame, _user_frame),
        Kind(
            "post result",
            _has("orderID"),
            clob_account.decode_post_result,
            clob_account.decode_post_results,
        ),
        Kind("cancel result", _has("canceled"), clob_account.decode_cancel_result),
        Kind("order page", _rows_have("data", "original_size"), clob_account.decode_order_page),
        Kind("fill page", _rows_have("data", "taker_order_id"), _fills),
        Kind("order", _has("original_size", "size_matched"), clob_account.decode_one_order),
        Kind("credentials", _has("apiKey", "secret"), clob_account.decode_credentials),
        Kind("api keys", _has("apiKeys"), clob_account.decode_api_keys),
        Kind("balance", _has("balance"), clob_account.decode_balance),
        Kind("closed only", _has("closed_only"), clob_account.decode_closed_only),
        Kind("earnings page", _rows_have("data", "asset_rate"), clob_rewards.decode_earnings),
        Kind("earnings", _has("asset_rate"), None, clob_rewards.decode_total_earnings),
        Kind("rebates", _has("rebated_fees_usdc"), None, clob_rewards.decode_rebates),
        Kind("scoring", _has("scoring"), clob_rewards.decode_scoring),
        Kind("notices", _has("owner", "type", "payload"), None, clob_account.decode_notices),
        Kind("heartbeat", _has("heartbeat_id"), clob_account.decode_heartbeat),
        Kind("builder fees", _has("builder_taker_fee_rate_bps"), clob_account.decode_builder_fees),
    ),
    "ws": (
        Kind("user message", _is_user_message, _user_frame, _user_frame),
        Kind(
            "market message",
            _is_market_message,
            stream.decode_market_frame,
            stream.decode_market_frame,
        ),
        Kind(
            "price change",
            _has("price_changes"),
            stream.decode_market_frame,
            stream.decode_market_frame,
        ),
        Kind(
            "first books",
            _has("bids", "asks"),
            stream.decode_market_frame,
            stream.decode_market_frame,
        ),
        Kind("live data", _has("topic", "payload"), None),
    ),
}
"""In each folder the first match counts, so the more particular shapes come first."""

NEAREST = {
    "gamma": ("gamma",),
    "data": ("data",),
    "clob": ("clob", "user"),
    "user": ("user", "clob"),
    "ws": ("ws", "user"),
}
"""Which tables a folder's payloads are looked up in first; a folder may hold others, too."""

ANYWHERE = ("ws", "gamma", "data", "user", "clob")


def tables_for(folders: Sequence[str]) -> tuple[str, ...]:
    """Return where to look a payload up, given the folders above it, innermost last."""
    nearest = next((NEAREST[name] for name in reversed(folders) if name in NEAREST), ())
    return tuple(dict.fromkeys((*nearest, *ANYWHERE)))


def examine(body: bytes, folders: Sequence[str]) -> Finding:
    """Decode one payload with the program's own decoder and count what it gave."""
    try:
        shape: Shape = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Finding("unreadable", problems=[f"not JSON: {error}"])
    if isinstance(shape, int) and not isinstance(shape, bool):
        return _read("server time", clob.decode_time, body)
    sample = shape
    if isinstance(shape, list):
        sample = next((row for row in shape if isinstance(row, dict)), None)
        if not shape:
            return Finding("empty list", ok=0)
    if not isinstance(sample, dict):
        return Finding("not of ours", is_read=False)
    if set(sample) <= {"error", "code", "type", "retry_after_seconds", "retryable", "trace_id"}:
        return examine_refusal(400, body)
    for table in tables_for(folders):
        for kind in KINDS[table]:
            if kind.matches(sample):
                return _apply(kind, body, is_list=isinstance(shape, list))
    return Finding("not of ours", is_read=False)


def examine_refusal(status: int, body: bytes) -> Finding:
    """Classify the body of an answer that is no success, as the transport would."""
    response = httpx.Response(status, content=body)
    failure = failure_of_answer(response, body, "GET /")
    if not failure.text:
        return Finding("refusal", problems=["no words found in the refusal"])
    return Finding(f"refusal: {failure.kind}", ok=1)


def _apply(kind: Kind, body: bytes, *, is_list: bool) -> Finding:
    if not is_list:
        if kind.decode is None:
            return Finding(kind.name, is_read=False)
        return _read(kind.name, kind.decode, body)
    if kind.decode_list is not None:
        return _read(kind.name, kind.decode_list, body)
    if kind.decode is None:
        return Finding(kind.name, is_read=False)
    # The venue never sends these in an array: a recorder gathered them.
    finding = Finding(kind.name)
    for row in msgspec.json.decode(body, type=list[msgspec.Raw]):
        one = _read(kind.name, kind.decode, bytes(row))
        finding.ok += one.ok
        finding.problems += one.problems
    return finding


def _read(name: str, decode: Callable[[bytes], object], body: bytes) -> Finding:
    try:
        value = decode(body)
    except WireError as error:
        return Finding(name, problems=[str(error)])
    if isinstance(value, Rows):
        unnamed = value.skipped - len(value.reasons)
        rest = [f"and {unnamed} more"] * (unnamed > 0)
        return Finding(name, len(value.items), [*value.reasons, *rest])
    if isinstance(value, Page):
        return Finding(name, len(value.items), ["row not readable"] * value.skipped)
    if not isinstance(value, tuple):
        return Finding(name, 1)
    problems = [f"{v.kind}: {v.reason}" for v in value if isinstance(v, stream.BadMessage)]
    unknown = [v for v in value if isinstance(v, stream.UnknownMessage)]
    problems += [f"unknown message {v.kind}" for v in unknown]
    return Finding(name, len(value) - len(problems), problems)
