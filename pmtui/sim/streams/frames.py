"""Events of the market channel as the service words them, and the order in which they go out.

Sources: WIRE_CLOB §16.3; order of keys and of neighbouring frames as in recordings of 2026.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from pmtui.domain.ids import TokenId
from pmtui.domain.money import ONE, ZERO, Micros, complement, format_micros
from pmtui.sim.catalogue.model import CatalogueEvent, CatalogueMarket
from pmtui.sim.clob.markets import iso_time
from pmtui.sim.engine.events import LevelChanged, MarketResolved, TickSizeChanged, Trade
from pmtui.sim.streams.ladder import MarketLadder, price_text

SWAP_CHANCE = 0.05
"""Of two neighbouring frames of one market (recordings of 2026: 4 to 6 %)."""
REVERSAL_CHANCE = 0.01
REVERSAL_FRAMES = 8


@dataclass(frozen=True, slots=True)
class Frame:
    """One event, ready to send."""

    data: bytes
    token_id: TokenId | None = None
    """Whose subscribers get it; None for those of either token."""
    is_custom: bool = False
    """Whether only connections with `custom_feature_enabled` get it."""
    level: tuple[TokenId, Micros] | None = None
    """The level it sets, where it may change places with a neighbour; None where it may not."""
    heralds: tuple["Frame", ...] = field(default=())
    """Go out immediately before it."""
    at_ms: int = 0
    """Its time, where it sets a level."""
    hashes: tuple[str, str] = ("", "")
    """Of the books of the market's tokens, in their order, where it sets a level."""

    def hashed_as(self, hashes: tuple[str, str]) -> "Frame":
        """Return it with the hashes of a book that has taken more changes."""
        data = self.data
        for mine, other in zip(self.hashes, hashes, strict=True):
            data = data.replace(f'"hash":"{mine}"'.encode(), f'"hash":"{other}"'.encode())
        return replace(self, data=data, hashes=hashes)


def price_change_frame(change: LevelChanged, ladder: MarketLadder) -> Frame:
    """Write a changed level for both tokens; `ladder` holds the book after it.

    A change of the top carries its pair of best_bid_ask events before it.
    """
    mine = ladder.index_of(change.token_id)
    at_ms = change.at_ms
    bid, ask = _shown(change.best_bid, ZERO), _shown(change.best_ask, ONE)
    size, side = format_micros(change.size), change.side
    hashes = ladder.hashes(at_ms)
    first = (
        f'{{"asset_id":"{change.token_id}","price":"{price_text(change.price)}","size":"{size}",'
        f'"side":"{side.value}","hash":"{hashes[mine]}",'
        f'"best_bid":"{price_text(bid)}","best_ask":"{price_text(ask)}"}}'
    )
    second = (
        f'{{"asset_id":"{change.other_token_id}","price":"{price_text(complement(change.price))}",'
        f'"size":"{size}","side":"{side.opposite.value}","hash":"{hashes[1 - mine]}",'
        f'"best_bid":"{price_text(complement(ask))}","best_ask":"{price_text(complement(bid))}"}}'
    )
    text = (
        f'{{"market":"{change.condition_id}","price_changes":[{first},{second}],'
        f'"timestamp":"{at_ms}","event_type":"price_change"}}'
    )
    if change.is_top_moved:
        return Frame(text.encode(), heralds=_best_frames(change, bid, ask))
    first_price = change.price if mine == 0 else complement(change.price)
    level = (ladder.tokens[0], first_price)
    return Frame(text.encode(), level=level, at_ms=at_ms, hashes=hashes)


def _shown(best: Micros | None, empty: Micros) -> Micros:
    return empty if best is None else best


def _best_frames(change: LevelChanged, bid: Micros, ask: Micros) -> tuple[Frame, Frame]:
    def best(token_id: TokenId, bid: Micros, ask: Micros) -> Frame:
        text = (
            f'{{"market":"{change.condition_id}","asset_id":"{token_id}",'
            f'"best_bid":"{price_text(bid)}","best_ask":"{price_text(ask)}",'
            f'"spread":"{price_text(Micros(ask - bid))}","timestamp":"{change.at_ms}",'
            f'"event_type":"best_bid_ask"}}'
        )
        return Frame(text.encode(), token_id=token_id, is_custom=True)

    return (
        best(change.token_id, bid, ask),
        best(change.other_token_id, complement(ask), complement(bid)),
    )


def trade_frame(trade: Trade) -> Frame:
    """Write a public trade, seen from its taker."""
    text = (
        f'{{"market":"{trade.condition_id}","asset_id":"{trade.token_id}",'
        f'"price":"{price_text(trade.price)}","size":"{format_micros(trade.size)}",'
        f'"fee_rate_bps":"0","side":"{trade.side.value}","timestamp":"{trade.matched_ms}",'
        f'"event_type":"last_trade_price","transaction_hash":"{trade.transaction_hash}"}}'
    )
    # Both tokens share the price, and hash it: whoever watches either needs to know.
    return Frame(text.encode())


def book_frames(ladder: MarketLadder) -> list[Frame]:
    """Write both tokens' books as they are sent again in mid-stream: without last trade price."""
    return [
        Frame(ladder.book_frame(index, with_last_price=False).encode(), token_id=token_id)
        for index, token_id in enumerate(ladder.tokens)
    ]


def tick_frames(event: TickSizeChanged, ladder: MarketLadder) -> list[Frame]:
    """Write a new price grid for both tokens."""
    return [
        _json_frame(
            {
                "event_type": "tick_size_change",
                "asset_id": token_id,
                "market": event.condition_id,
                "old_tick_size": format_micros(event.old),
                "new_tick_size": format_micros(event.new),
                "timestamp": str(event.at_ms),
            },
            token_id=token_id,
        )
        for token_id in ladder.tokens
    ]


def new_market_frame(market: CatalogueMarket, event: CatalogueEvent, *, at_ms: int) -> Frame:
    """Announce a market to every connection that asked for such events."""
    raw = market.raw
    return _json_frame(
        {
            "id": market.market_id,
            "question": market.question,
            "market": market.condition_id,
            "slug": market.slug,
            "description": raw.get("description", ""),
            "assets_ids": market.token_ids,
            "outcomes": market.outcomes,
            "event_message": _event_message(event),
            "timestamp": str(at_ms),
            "event_type": "new_market",
            "tags": _labels(event),
            "condition_id": market.condition_id,
            "active": True,
            "clob_token_ids": market.token_ids,
            "sports_market_type": raw.get("sportsMarketType", ""),
            "line": str(raw.get("line", "")),
            "game_start_time": iso_time(raw, "gameStartTime") or "",
            "order_price_min_tick_size": format_micros(market.tick_size),
            "group_item_title": raw.get("groupItemTitle", ""),
            "taker_base_fee": str(raw.get("takerBaseFee", 0)),
            "fees_enabled": market.fee.rate > 0,
            "fee_schedule": {
                "exponent": str(market.fee.exponent),
                "rate": format_micros(market.fee.rate),
                "taker_only": market.fee.taker_only,
                "rebate_rate": format_micros(market.fee.rebate_rate),
            },
        },
        is_custom=True,
    )


def resolved_frame(
    resolved: MarketResolved, market: CatalogueMarket, event: CatalogueEvent
) -> Frame:
    """Announce how a market ended."""
    winner = resolved.winning_token_id
    labels = dict(zip(market.token_ids, market.outcomes, strict=False))
    return _json_frame(
        {
            "id": market.market_id,
            "market": resolved.condition_id,
            "assets_ids": market.token_ids,
            "winning_asset_id": winner or "",
            "winning_outcome": labels.get(winner, "") if winner else "",
            "event_message": _event_message(event),
            "timestamp": str(resolved.at_ms),
            "event_type": "market_resolved",
            "tags": _labels(event),
        },
        is_custom=True,
    )


def _event_message(event: CatalogueEvent) -> dict[str, object]:
    return {
        "id": event.event_id,
        "ticker": event.raw.get("ticker", event.slug),
        "slug": event.slug,
        "title": event.title,
        "description": event.raw.get("description", ""),
    }


def _labels(event: CatalogueEvent) -> list[object]:
    tags = event.raw.get("tags")
    rows = tags if isinstance(tags, Sequence) else ()
    return [tag.get("label", "") for tag in rows if isinstance(tag, Mapping)]


def _json_frame(
    body: Mapping[str, object], *, token_id: TokenId | None = None, is_custom: bool = False
) -> Frame:
    return Frame(msgspec.json.encode(body), token_id=token_id, is_custom=is_custom)


def in_arrival_order(frames: Sequence[Frame], rng: random.Random) -> list[Frame]:
    """Return the frames of one market as they reach a client: some have changed places.

    Only changes of different levels away from the top do, and of one millisecond, as in every
    recording: neither the ladder that results nor the top that a frame announces is ever wrong
    because of it. All that changed places have the hash of the book after the last of them: the
    service hashes what its engine holds by then.
    """
    result = list(frames)
    index = 0
    while index + 1 < len(result):
        run = _free_run(result, index)
        draw = rng.random()
        if run >= 3 and draw < REVERSAL_CHANCE:
            _reverse(result, index, run)
            index += run
        elif run >= 2 and draw < SWAP_CHANCE:
            _reverse(result, index, 2)
            index += 2
        else:
            index += 1
    return result


def _reverse(frames: list[Frame], start: int, count: int) -> None:
    run = frames[start : start + count]
    frames[start : start + count] = [frame.hashed_as(run[-1].hashes) for frame in reversed(run)]


def _free_run(frames: Sequence[Frame], start: int) -> int:
    # How many frames from here on set as many different levels at once.
    seen: set[tuple[TokenId, Micros]] = set()
    for frame in frames[start : start + REVERSAL_FRAMES]:
        if frame.level is None or frame.level in seen or frame.at_ms != frames[start].at_ms:
            break
        seen.add(frame.level)
    return len(seen)
