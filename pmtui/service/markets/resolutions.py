"""Reports resolved markets with holdings beyond dust: once each, even after restarts, on any screen.

The stream reports watched markets; for the others the list of positions shows which can be
redeemed. Reported markets are kept in a small file. Without a file yet, already resolved markets
are old news.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from pmtui.config.paths import replace_file
from pmtui.domain.account.position import Position
from pmtui.domain.books.market_events import MarketResolved
from pmtui.domain.formats import exact_dollars
from pmtui.domain.ids import ConditionId
from pmtui.domain.money import ONE, ZERO, Micros, notional_floor
from pmtui.service.account.account import AccountFeed
from pmtui.service.kernel import Kernel
from pmtui.service.markets.market_store import KnownMarkets
from pmtui.service.topics import MarketTopic
from pmtui.service.views import Level
from pmtui.service.words import format_shares, shorten

FILE = "resolved.json"
CHECK_PERIOD_S = 2.0
PATIENCE_S = 10.0
"""How long to wait for a winner's name."""
MOST_KEPT = 2_000
"""Markets that are remembered as reported, the newest."""
MOST_AT_ONCE = 3
"""Notices at once; if there are more, as after an absence, one sums up and the log has each."""
_CENT = 10_000


class Resolutions:
    """Watches held markets for resolutions."""

    def __init__(
        self, kernel: Kernel, feed: AccountFeed, known: KnownMarkets, state_dir: Path | None
    ) -> None:
        self._kernel = kernel
        self._feed = feed
        self._known = known
        self._path = None if state_dir is None else state_dir / FILE
        self._reported: dict[ConditionId, None] | None = None
        """In the order of reporting; None until the first complete account."""
        self._seen_at: dict[ConditionId, float] = {}
        """When resolutions were first seen whose winner had no name yet."""

    async def run(self) -> None:
        """Check for resolutions regularly."""
        while True:
            self._check()
            await self._kernel.clock.sleep(CHECK_PERIOD_S)

    def on_resolved(self, event: MarketResolved) -> None:
        """Announce the resolution of a market on screen, with the value of the shares held."""
        held = [p for p in self._held() if p.condition_id == event.condition_id]
        if not held or self._reported is None:
            title = self._known.title(event.token_ids[0]) if event.token_ids else ""
            text = f"Resolved {event.winning_outcome}: {shorten(title) or event.condition_id}"
            if MarketTopic(event.condition_id) in self._kernel.hub.watched():
                self._kernel.log.notice(Level.WARNING, text)
            else:
                # The rows of a list are streamed too: their windows end every five minutes.
                self._kernel.log.add(Level.INFO, "stream", text)
        elif event.winning_token_id is not None:
            winner = event.winning_token_id
            worth = [replace(p, current_price=ONE if p.token_id == winner else ZERO) for p in held]
            self._report_new({event.condition_id: worth})
        # Without a winner only the list has the value of a share.

    def _check(self) -> None:
        if not self._feed.state.is_complete:
            return
        answered: dict[ConditionId, list[Position]] = {}
        for position in self._held():
            if position.is_redeemable and position.current_price is not None:
                answered.setdefault(position.condition_id, []).append(position)
        if self._reported is None:
            self._reported = self._read()
            if self._reported is None:
                self._reported = dict.fromkeys(answered)
                self._write()
                return
        now = self._kernel.clock.monotonic()
        for condition_id, held in answered.items():
            if not self._is_named(held):
                self._seen_at.setdefault(condition_id, now)
        self._report_new(
            {
                condition_id: held
                for condition_id, held in answered.items()
                if self._is_named(held) or now - self._seen_at[condition_id] >= PATIENCE_S
            }
        )

    def _is_named(self, held: Sequence[Position]) -> bool:
        """Whether the winner has a name; after a start, markets of lost shares are still being fetched."""
        market, _ = self._known.market(held[0].condition_id)
        return market is not None or any(p.current_price for p in held)

    def _report_new(self, answered: Mapping[ConditionId, Sequence[Position]]) -> None:
        reported = self._reported if self._reported is not None else {}
        new = {each: held for each, held in answered.items() if each not in reported}
        if not new:
            return
        reported = reported | dict.fromkeys(new)
        # Shares that are still held would be reported again.
        held_in = {p.condition_id for p in self._held()}
        old = [each for each in reported if each not in held_in]
        for each in old[: max(len(reported) - MOST_KEPT, 0)]:
            del reported[each]
        self._reported = reported
        self._seen_at = {each: at for each, at in self._seen_at.items() if each in held_in}
        # Before the report: a session that ends here may miss one, and never repeats one.
        self._write()
        self._report(list(new.values()))

    def _report(self, markets: Sequence[Sequence[Position]]) -> None:
        is_many = len(markets) > MOST_AT_ONCE
        for held in markets:
            level = Level.GOOD if _worth(held) else Level.WARNING
            self._kernel.log.add(Level.INFO if is_many else level, "notice", self._describe(held))
        if is_many:
            worth = _format_worth(p for held in markets for p in held)
            text = (
                f"Resolved: {len(markets)} markets, your shares are worth {worth} in all (see log)"
            )
            self._kernel.log.notice(Level.GOOD, text)

    def _describe(self, held: Sequence[Position]) -> str:
        first = held[0]
        title = shorten(self._known.title(first.token_id) or first.title)
        shares = " and ".join(format_shares(p.size, p.outcome) for p in held)
        worth = _format_worth(held)
        are = "share is" if len(held) == 1 and first.size == ONE else "shares are"
        return (
            f"Resolved: {self._describe_winner(held)}, your {shares} {are} worth {worth} · {title}"
        )

    def _describe_winner(self, held: Sequence[Position]) -> str:
        for position in held:
            if position.current_price == ONE:
                return f"{position.outcome} wins"
            if position.current_price:
                return "no single outcome wins"
        market, _ = self._known.market(held[0].condition_id)
        lost = {p.token_id for p in held}
        others = [o for o in market.outcomes if o.token_id not in lost] if market else []
        return f"{others[0].label} wins" if len(others) == 1 else f"{held[0].outcome} loses"

    def _held(self) -> list[Position]:
        # What sales left over is worth no notice, and no bell.
        return [p for p in self._feed.holdings.positions() if p.size > 0 and not p.is_dust]

    def _read(self) -> dict[ConditionId, None] | None:
        if self._path is None:
            return None
        try:
            reported = msgspec.json.decode(self._path.read_bytes(), type=list[str])
        except (OSError, msgspec.MsgspecError):
            return None
        return dict.fromkeys(ConditionId(each) for each in reported)

    def _write(self) -> None:
        if self._path is None or self._reported is None:
            return
        try:
            replace_file(self._path, msgspec.json.encode(list(self._reported)[-MOST_KEPT:]))
        except OSError as error:
            text = f"A restart may report resolved markets again: {error.strerror or error}"
            self._kernel.log.notice(Level.WARNING, text)


def _worth(held: Iterable[Position]) -> Micros:
    return Micros(sum(notional_floor(p.current_price or ZERO, p.size) for p in held))


def _format_worth(held: Iterable[Position]) -> str:
    return exact_dollars(Micros(_worth(held) // _CENT * _CENT))
