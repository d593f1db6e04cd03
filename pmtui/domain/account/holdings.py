"""Shares held of each token: our own fills reconciled with the venue's reports.

A report does not say which fills it contains. The venue read it at a moment between the request,
minus the venue's lag, and the reply. A fill clearly before that is contained; one clearly after is
not; one around it may be; and a fill that has not been reported yet may be contained as well. Trades
settle out of order, so any subset of the possible fills may be contained. But the fills of an order
are in no report that was answered before the order was sent.

So a report is `base + the certain fills + some of the possible ones`, where the base is everything
not due to a known fill: earlier holdings, deposits, splits, merges, redemptions, transfers. The model
keeps the bases that explain every report. The holding is a base plus all fills, whichever report came
last, so that no fill is ever counted twice.

A report that no base explains contains a fill that has not been reported yet: the report is shown,
and the fill is not added on top when it arrives. Only if the trades were read completely, later than
that report plus the lag, and no base explains it even then, has the base itself changed.
"""

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import accumulate
from math import inf
from typing import Self

from pmtui.domain.account.position import Position
from pmtui.domain.ids import OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import SCALE, ZERO, Micros
from pmtui.domain.orders.order import Fill, TradeStatus

LAG = timedelta(seconds=60)
"""The maximum age of the wallet state in a reply. The venue's balance "can lag a fill by seconds"
(docs/wire.md#balances), the analytics host by more, and a trade that is retried on chain by the
most."""
RESOLUTION = timedelta(seconds=1)
"""The venue truncates match times to the second (docs/wire.md#conventions)."""
CLOCK_ERROR = timedelta(seconds=1)
"""Error of the measured venue clock, which reports whole seconds."""
UNKNOWN_CLOCK = timedelta(days=1)
"""Clock error assumed until the venue's clock has been measured."""
FAILS_WITHIN = timedelta(minutes=10)
"""Time after its match by which a trade has failed or is confirmed, whenever that is reported."""
MOST_SUMS = 256
"""Sums of possible fills that are tracked; beyond that, only the order of matches is used."""
MOST_REPORTS = 16
"""Reports of a token that wait until every fill in them has been reported."""
DENIALS = 2
"""Consecutive position lists contradicted by a later balance after which the lists count as lagging."""

Key = tuple[TradeId, OrderId]


class ReportSource(StrEnum):
    """The source of a report."""

    BALANCE = "balance"
    """The trading host's balance of one token."""
    POSITIONS = "positions"
    """The analytics host's positions of all tokens."""


@dataclass(frozen=True, slots=True)
class ReportTime:
    """When a report was requested and answered, by the venue's clock."""

    asked: datetime
    answered: datetime
    error: timedelta = CLOCK_ERROR
    """The largest difference between these times and the venue's clock."""
    answered_s: float = inf
    """When it was answered, in seconds of our monotonic clock."""


@dataclass(frozen=True, slots=True)
class Report:
    """The holding of one token according to one reply."""

    source: ReportSource
    size: int
    time: ReportTime


@dataclass(slots=True)
class _KnownFill:
    """A fill in the form that the model uses."""

    fill: Fill
    size: int
    """Negative for a sale."""
    failed_by: datetime | None = None
    """The latest time by which its failure on chain had happened."""
    sent_s: float = -inf
    """When its order was sent, in seconds of our monotonic clock."""


@dataclass(frozen=True, slots=True)
class _Contents:
    """What a report contains besides the base."""

    certain: int
    """Sum of the fills that it must contain."""
    possible: tuple[tuple[int, ...], ...]
    """Fills that it may contain, in match order; those of the same second are grouped."""

    def find_bases(self, size: int, among: frozenset[int] | None) -> frozenset[int]:
        """Return the bases that explain a report of this size.

        Fills are assumed to be contained in match order. Another order of settlement is considered
        only if there is a single candidate: among several, some sum of fills would often fit a
        wrong one by chance.

        Args:
            size: the reported size.
            among: the candidates; None for all bases.
        """
        rest = size - self.certain
        in_order = self._sums_in_order()
        if among is None:
            return frozenset(rest - each for each in in_order)
        found = frozenset(base for base in among if rest - base in in_order)
        if found or len(among) > 1:
            return found
        return frozenset(base for base in among if self._may_add_up_to(rest - base))

    def range_of_bases(self, size: int) -> tuple[int, int]:
        """Return the smallest and largest base that explain a report of this size, in match order."""
        total, sums = 0, [0]
        for second in self.possible:
            sums.append(total + sum(each for each in second if each < 0))
            sums.append(total + sum(each for each in second if each > 0))
            total += sum(second)
            sums.append(total)
        rest = size - self.certain
        return rest - max(sums), rest - min(sums)

    def _sums_in_order(self) -> frozenset[int]:
        total, sums = 0, {0}
        for second in self.possible:
            within = _sums(second)
            sums |= {total + each for each in within or accumulate(second)}
            total += sum(second)
        return frozenset(sums)

    def _may_add_up_to(self, rest: int) -> bool:
        each_alone = tuple(size for second in self.possible for size in second)
        sums = _sums(each_alone)
        if sums is not None:
            return rest in sums
        least = sum(size for size in each_alone if size < 0)
        most = sum(size for size in each_alone if size > 0)
        return least <= rest <= most


@dataclass(frozen=True, slots=True)
class _Range:
    """The range of bases that are possible."""

    least: int
    most: int

    @classmethod
    def of(cls, bases: frozenset[int] | None) -> Self | None:
        return None if bases is None else cls(min(bases), max(bases))

    def within(self, other: Self | None) -> Self | None:
        """Return the intersection of both ranges; None if they do not overlap."""
        if other is None:
            return self
        least, most = max(self.least, other.least), min(self.most, other.most)
        return type(self)(least, most) if least <= most else None


class TokenHoldings:
    """The holding of one token."""

    def __init__(self, lag: timedelta = LAG) -> None:
        self._lag = lag
        self._fills: dict[Key, _KnownFill] = {}
        """Fills that not every report is known to contain."""
        self._contained: dict[Key, int] = {}
        """Fills that are part of every base, with their size; zero if they failed."""
        self._reports: list[Report] = []
        """Reports in the order of their requests."""
        self._bases: frozenset[int] | None = None
        """The bases that explain the reports that were dropped; None before."""
        self._bases_time: ReportTime | None = None
        """Time of the report that they were found with."""
        self._denied: Report | None = None
        """The last list of positions that is contradicted by a later balance."""
        self._denials = 0
        """How many such lists of the same size came in a row."""
        self._is_ignoring = False
        """Whether lists of positions are ignored because the trading host keeps contradicting them."""
        self._horizon: datetime | None = None
        """Time of the newest match that is part of every base."""
        self._is_doubtful = False
        self._size: int | None = None
        self._least = 0
        self._is_fresh = True

    @property
    def size(self) -> Micros | None:
        """The current holding; None before any report."""
        if not self._is_fresh:
            self._evaluate()
        return None if self._size is None else Micros(max(self._size, 0))

    @property
    def least(self) -> Micros:
        """The minimum holding, whichever of the possible fills the reports contain."""
        if not self._is_fresh:
            self._evaluate()
        return Micros(max(self._least, 0))

    @property
    def is_doubtful(self) -> bool:
        """Whether the last report contains shares that no reported fill explains."""
        if not self._is_fresh:
            self._evaluate()
        return self._is_doubtful or self._is_ignoring

    @property
    def is_blank(self) -> bool:
        """Whether nothing is held and nothing was ever traded, as if the token had never been queried."""
        return not self._fills and not self._contained and not self.size and not self.is_doubtful

    def apply_fill(self, fill: Fill, *, heard: datetime, sent_s: float = -inf) -> None:
        """Apply a fill or its new status; a failed fill is reversed, once.

        Args:
            fill: in its latest known state.
            heard: the current time, by the venue's clock.
            sent_s: when its order was sent, in seconds of our monotonic clock; -inf if unknown.
        """
        key = (fill.trade_id, fill.order_id)
        size = fill.size if fill.side is Side.BUY else -fill.size
        failed_by = None
        if fill.status is TradeStatus.FAILED:
            failed_by = min(heard, fill.matched_at + FAILS_WITHIN)
        known = self._fills.get(key)
        if known is not None:
            known.fill = fill
            if failed_by is not None and known.failed_by is None:
                known.failed_by = heard
        elif key in self._contained:
            counted = self._contained[key]
            if failed_by is None or counted == 0:
                return
            # Every base contains it: from now on treat it as a fill that may still be in a report.
            del self._contained[key]
            self._shift_bases(-counted)
            self._fills[key] = _KnownFill(fill, counted, failed_by=heard)
        else:
            new = self._fills[key] = _KnownFill(fill, size, failed_by, sent_s)
            if failed_by is None:
                self._make_room(new)
        self._is_fresh = False

    def apply_report(self, report: Report) -> None:
        """Apply the venue's report of a holding."""
        if self._horizon is not None and not self._is_before(self._horizon, report.time):
            # Requested long before others that were answered: its contents cannot be determined.
            return
        if not self._weigh_report(report):
            return
        self._reports.append(report)
        self._reports.sort(key=lambda each: (each.time.asked, each.time.answered))
        same = [each for each in self._reports if each.source is report.source][-3:]
        if same[-1] is report and len(same) > 2 and {each.size for each in same} == {report.size}:
            # Of several equal reports, the first and the last are enough. A late reply is not the
            # last.
            self._reports.remove(same[1])
        if len(self._reports) > MOST_REPORTS:
            oldest = self._reports.pop(0)
            if oldest.time.error < UNKNOWN_CLOCK:
                _ = self._fix_base(oldest)
        self._drop_contained()
        self._is_fresh = False

    def apply_complete_trades(self, read: datetime) -> None:
        """Record that all trades before a time, minus the lag, have been reported."""
        before = [
            report
            for report in self._reports
            if report.time.answered + report.time.error + self._lag <= read
        ]
        if not before:
            return
        newest = {report.source: report for report in self._reports}
        for report in before:
            if not self._fix_base(report):
                self._change_base(report)
            if report is not newest[report.source]:
                self._reports.remove(report)
        # Reports requested while the venue's clock was unknown are no longer needed.
        error = min(report.time.error for report in before)
        known = [each for each in self._reports if each.time.error <= error]
        self._reports = known or self._reports
        self._drop_contained()
        self._is_fresh = False

    def fills_around(self, time: ReportTime | None) -> tuple[Fill, ...]:
        """Return the fills that a report need not contain, in match order.

        Args:
            time: of the report; None for all fills that are not part of every report.
        """
        around = (each.fill for each in self._sorted() if each.failed_by is None)
        return tuple(
            fill for fill in around if time is None or not self._is_before(fill.matched_at, time)
        )

    def _evaluate(self) -> None:
        """Compute the holding: the latest report, plus everything known to have happened since."""
        self._is_fresh = True
        self._is_doubtful = False
        if not self._reports:
            self._size, self._least = None, 0
            return
        held = sum(each.size for each in self._fills.values() if each.failed_by is None)
        least, most = self._narrow_range()
        self._least = least + held
        # Within the possible range, as close as possible to the venue's report.
        self._size = min(max(self._reports[-1].size, self._least), most + held)

    def _narrow_range(self) -> tuple[int, int]:
        """Return the smallest and largest base that the reports allow.

        If no base is certain, sums of fills are used only to detect contradictions between reports.
        Only the range is narrowed: a minute with a dozen fills has so many sums that a wrong one
        often fits by chance.
        """
        bases, found, unexplained = self._bases, _Range.of(self._bases), list[Report]()
        for report in self._reports:
            explained = self._explain(report, bases)
            if not explained:
                unexplained.append(report)
                continue
            known = self._bases is not None
            found = _Range.of(explained) if known else self._narrow(found, report, explained)
            bases = explained
            unexplained.clear()
        if unexplained:
            self._is_doubtful = True
            bases, found = None, None
            for report in reversed(unexplained):
                bases = self._explain(report, bases)
                if not bases:
                    break
                found = self._narrow(found, report, bases)
        assert found is not None, "every report is explained or not"
        return found.least, found.most

    def _narrow(
        self, found: _Range | None, report: Report, explained: frozenset[int]
    ) -> _Range | None:
        """Return the part of a range of bases that a report allows.

        If that is empty, trades settled in another order than they were matched: then return the bases
        that explain the report in any order.
        """
        in_order = _Range(*self._contents(report.time).range_of_bases(report.size))
        return in_order.within(found) or _Range.of(explained)

    def _explain(self, report: Report, bases: frozenset[int] | None) -> frozenset[int]:
        """Return those of some bases that explain a report; None stands for all bases."""
        return self._contents(report.time).find_bases(report.size, bases)

    def _contents(self, time: ReportTime) -> _Contents:
        certain, possible = 0, dict[datetime, list[int]]()
        begin = time.asked - self._lag - time.error
        for each in self._sorted():
            if _is_after(each, time) or (each.failed_by is not None and each.failed_by <= begin):
                continue
            if each.failed_by is None and self._is_before(each.fill.matched_at, time):
                certain += each.size
            else:
                second = each.fill.matched_at.replace(microsecond=0)
                possible.setdefault(second, []).append(each.size)
        return _Contents(certain, tuple(map(tuple, possible.values())))

    def _is_before(self, matched_at: datetime, time: ReportTime) -> bool:
        return matched_at + RESOLUTION <= time.asked - self._lag - time.error

    def _sorted(self) -> list[_KnownFill]:
        return sorted(self._fills.values(), key=lambda each: each.fill.matched_at)

    def _fix_base(self, report: Report) -> bool:
        """Fix the base that a report implies; return whether any base explains it."""
        found = self._explain(report, self._bases)
        if not found:
            return False
        if self._bases_time is None or report.time.error < self._bases_time.error:
            self._bases_time = report.time
        self._bases = found
        return True

    def _change_base(self, report: Report) -> None:
        """Accept a report that no base explains, provided every fill before it is known."""
        later = [each for each in self._reports if each.time.asked > report.time.answered]
        bases = self._explain(report, None)
        for each in later:
            bases = self._explain(each, bases)
        if later and bases:
            self._bases, self._bases_time = bases, report.time

    def _make_room(self, late: _KnownFill) -> None:
        """Include a late fill in the known bases, if they can contain it."""
        time = self._bases_time
        if self._bases is None or time is None or _is_after(late, time):
            return
        self._bases = frozenset(base - late.size for base in self._bases) | (
            frozenset() if self._is_before(late.fill.matched_at, time) else self._bases
        )

    def _shift_bases(self, by: int) -> None:
        if self._bases is not None:
            self._bases = frozenset(base + by for base in self._bases)

    def _drop_contained(self) -> None:
        """Merge the fills that every report contains into the base, and drop those that failed."""
        oldest = min(self._reports, key=lambda each: each.time.asked - each.time.error)
        begin = oldest.time.asked - self._lag - oldest.time.error
        for key, each in tuple(self._fills.items()):
            if each.failed_by is not None:
                if each.failed_by <= begin:
                    del self._fills[key]
                    self._contained[key] = 0
            elif self._is_before(each.fill.matched_at, oldest.time):
                del self._fills[key]
                self._contained[key] = each.size
                self._shift_bases(each.size)
                if self._horizon is None or self._horizon < each.fill.matched_at:
                    self._horizon = each.fill.matched_at

    def _weigh_report(self, report: Report) -> bool:
        """Update how often lists were contradicted; return whether to use a report.

        A list of positions that the trading host keeps contradicting is not used.
        """
        if report.source is ReportSource.BALANCE:
            self._note_denial(report)
            return True
        if self._denied is not None and self._denied.size != report.size:
            self._denied, self._denials = None, 0
        self._is_ignoring = self._denials >= DENIALS
        if self._is_ignoring:
            self._reports = [r for r in self._reports if r.source is ReportSource.BALANCE]
        return not self._is_ignoring

    def _note_denial(self, balance: Report) -> None:
        """Note that a balance contradicts the list of positions that was answered before it."""
        lists = [r for r in self._reports if r.source is ReportSource.POSITIONS]
        if not lists or balance.time.asked < lists[-1].time.answered:
            return
        if self._explain(balance, self._explain(lists[-1], None)):
            self._denied, self._denials = None, 0
        elif self._denied is not lists[-1]:
            self._denied = lists[-1]
            self._denials += 1


def _is_after(each: _KnownFill, time: ReportTime) -> bool:
    """Whether a fill is too late to be in a report."""
    return each.fill.matched_at > time.answered + time.error or each.sent_s > time.answered_s


def _sums(sizes: Iterable[int]) -> frozenset[int] | None:
    """Return the possible sums of any subset of some sizes; None if there are too many."""
    sums = {0}
    for size in sizes:
        sums |= {each + size for each in sums}
        if len(sums) > MOST_SUMS:
            return None
    return frozenset(sums)


@dataclass(frozen=True, slots=True)
class _Row:
    """The last reported position of a token."""

    position: Position | None
    """None if it was not in the list."""
    time: ReportTime


@dataclass(slots=True)
class _Token:
    holdings: TokenHoldings
    row: _Row | None = None


class Holdings:
    """The holdings of every token: the one figure used for display, for sales and for limits."""

    def __init__(self, lag: timedelta = LAG) -> None:
        self._lag = lag
        self._tokens: dict[TokenId, _Token] = {}
        self._lists: list[ReportTime] = []
        """Times of the first and the last complete list of positions: tokens not in it were not
        held."""
        self._positions: tuple[Position, ...] | None = ()
        """Cached; None after a change until it is read: screens read it several times per frame."""
        self._sold_out: tuple[Position, ...] = ()
        """Found with them."""
        self._sizes: tuple[tuple[TokenId, Micros], ...] | None = ()
        """Cached in the same way."""

    def apply_balance(self, token_id: TokenId, size: Micros, time: ReportTime) -> None:
        """Apply the trading host's balance of a token."""
        report = Report(ReportSource.BALANCE, size, time)
        self._token(token_id).holdings.apply_report(report)
        self._changed()

    def apply_positions(
        self, positions: Iterable[Position], time: ReportTime, *, is_complete: bool = True
    ) -> None:
        """Apply the analytics host's list of positions.

        Args:
            positions: the rows that could be read.
            time: of the request and its reply.
            is_complete: whether tokens without a row are not held.
        """
        rows = {position.token_id: position for position in positions}
        for token_id in rows:
            _ = self._token(token_id)
        for token_id, token in self._tokens.items():
            row = rows.get(token_id)
            if row is None and not is_complete:
                continue
            if token.row is None or token.row.time.asked <= time.asked:
                token.row = _Row(row, time)
            size = row.size if row is not None else 0
            token.holdings.apply_report(Report(ReportSource.POSITIONS, size, time))
        if is_complete:
            first = [each for each in self._lists[:1] if each.error <= time.error]
            self._lists = [*first, time]
        self._changed()

    def apply_fill(self, fill: Fill, *, heard: datetime, sent_s: float = -inf) -> None:
        """Apply one of our fills, however often it is reported; see `TokenHoldings.apply_fill`."""
        token = self._token(fill.token_id)
        token.holdings.apply_fill(fill, heard=heard, sent_s=sent_s)
        self._changed()

    def apply_complete_trades(self, read: datetime) -> None:
        """Record the time, by the venue's clock, at which the trades were read completely."""
        for token in self._tokens.values():
            token.holdings.apply_complete_trades(read)
        self._changed()

    def drop_blank(self, keep: Container[TokenId], *, most: int) -> None:
        """Drop tokens that were only looked at, oldest first, until at most `most` remain."""
        if len(self._tokens) <= most:
            return
        blank = [
            token_id
            for token_id, token in self._tokens.items()
            if token_id not in keep
            and token.holdings.is_blank
            and (token.row is None or token.row.position is None)
        ]
        for token_id in blank[: max(len(blank) - most, 0)]:
            del self._tokens[token_id]
        self._changed()

    def size(self, token_id: TokenId) -> Micros | None:
        """Return the holding of a token; None before the venue has reported it."""
        token = self._tokens.get(token_id)
        if token is None:
            return ZERO if self._lists else None
        return token.holdings.size

    def least(self, token_id: TokenId) -> Micros:
        """Return the minimum holding of a token; zero before the venue has reported it."""
        token = self._tokens.get(token_id)
        return ZERO if token is None else token.holdings.least

    def sizes(self) -> tuple[tuple[TokenId, Micros], ...]:
        """Return the holding of every reported token, including zero."""
        if self._sizes is None:
            sizes = ((token_id, token.holdings.size) for token_id, token in self._tokens.items())
            self._sizes = tuple((token_id, size) for token_id, size in sizes if size is not None)
        return self._sizes

    def doubtful(self) -> frozenset[TokenId]:
        """Return the tokens whose report cannot be explained yet and should be requested again."""
        return frozenset(t for t, token in self._tokens.items() if token.holdings.is_doubtful)

    def positions(self) -> tuple[Position, ...]:
        """Return current holdings with their average prices, in the analytics host's order first."""
        if self._positions is None:
            known = [self._position(*item) for item in self._tokens.items()]
            positions = [p for p in known if p is not None]
            self._positions = tuple(p for p in positions if p.size > 0 or p.is_redeemable)
            self._sold_out = tuple(p for p in positions if p.size == 0 and not p.is_redeemable)
        return self._positions

    def sold_out(self) -> tuple[Position, ...]:
        """Return what our own fills closed since the analytics host's list, with what that realised."""
        _ = self.positions()
        return self._sold_out

    def listed(self) -> frozenset[TokenId]:
        """Return the tokens that the analytics host's last list has a position of."""
        rows = ((token_id, token.row) for token_id, token in self._tokens.items())
        return frozenset(t for t, row in rows if row is not None and row.position is not None)

    def _changed(self) -> None:
        self._positions = self._sizes = None

    def _token(self, token_id: TokenId) -> _Token:
        token = self._tokens.get(token_id)
        if token is None:
            token = self._tokens[token_id] = _Token(TokenHoldings(self._lag))
            for time in self._lists:
                token.row = _Row(None, time)
                token.holdings.apply_report(Report(ReportSource.POSITIONS, 0, time))
        return token

    def _position(self, token_id: TokenId, token: _Token) -> Position | None:
        """Return a token's position with the size that is held, and the fills that this adds to it."""
        size, row = token.holdings.size, token.row
        if size is None:
            return None
        fills = token.holdings.fills_around(row.time if row is not None else None)
        position = row.position if row is not None else None
        if position is None:
            if not fills:
                return None
            position = _unlisted(token_id, fills[0])
            if size == 0:
                return _bought_and_sold(position, fills)
        return _resize(position, size, fills)


def _unlisted(token_id: TokenId, fill: Fill) -> Position:
    return Position(
        token_id=token_id, condition_id=fill.condition_id, title="", outcome=fill.outcome,
        size=ZERO, average_price=ZERO, current_price=fill.price, realized=ZERO,
    )  # fmt: skip


def _bought_and_sold(position: Position, fills: tuple[Fill, ...]) -> Position | None:
    """Return what is left of a position that these fills opened and closed; None if they did not."""
    if sum(fill.size if fill.side is Side.BUY else -fill.size for fill in fills):
        return None
    for fill in fills:
        position = apply_fill_to_position(position, fill)
    return None if position.size else position


def _resize(position: Position, size: Micros, fills: tuple[Fill, ...]) -> Position:
    """Return a position with the size that is held, using the newest fills that explain it.

    Without such fills the average stays; for a position that was not listed, it is the price paid.
    """
    if position.size == size:
        return position
    missing, at = size - position.size, len(fills)
    while missing != 0 and at > 0:
        at -= 1
        missing -= fills[at].size if fills[at].side is Side.BUY else -fills[at].size
    if missing != 0:
        at = 0 if position.size == 0 else len(fills)
    for fill in fills[at:]:
        position = apply_fill_to_position(position, fill)
    return position if position.size == size else replace(position, size=size)


def apply_fill_to_position(position: Position, fill: Fill) -> Position:
    """Return the position after one fill: purchases move the average, sales realise against it, before fees."""
    if fill.side is Side.BUY:
        size = Micros(position.size + fill.size)
        cost = position.size * position.average_price + fill.size * fill.price
        return replace(position, size=size, average_price=Micros((cost + size // 2) // size))
    sold = min(fill.size, position.size)
    gain = sold * (fill.price - position.average_price) // SCALE
    return replace(
        position,
        size=Micros(position.size - sold),
        realized=Micros(position.realized + gain),
    )
