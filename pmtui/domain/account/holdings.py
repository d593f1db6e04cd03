"""What is held of each token: own fills and the venue's reports of it, reconciled.

A report does not say which fills it contains. It was read somewhere behind the venue's doors, at a
moment between the question, minus the venue's lag, and the answer. A fill clearly before that is
contained; one clearly after is not; one around it may be; and a fill that nobody has told of yet
may be contained as well. Trades settle out of order, so any set of the possible ones may be. But what
an order filled is in no report that was answered before the order was sent.

So a report is `base + the certain fills + some of the possible ones`, where the base is what came
by no known fill: what was held before, deposits, splits, merges, redemptions, transfers. The model
keeps the bases that explain every report. What is held is a base plus all fills, whichever report
came last, so that no fill is ever counted twice.

A report that no base explains contains a fill that is still to be told of: the report is shown, and
the fill is not counted on top when it is told of. Only where the trades were read completely,
later than that report and the lag, and it still stands, has the base itself changed.
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
"""So old a state of the wallet may be in an answer. The venue's balance "can lag a fill by seconds"
(docs/wire.md#balances), the analytics host by more, and a trade that is retried on chain by longest."""
RESOLUTION = timedelta(seconds=1)
"""The venue cuts the time of a match to the second (docs/wire.md#conventions)."""
CLOCK_ERROR = timedelta(seconds=1)
"""How far the venue's clock is from what was measured of it: it tells whole seconds."""
UNKNOWN_CLOCK = timedelta(days=1)
"""While the venue's clock has not been measured."""
FAILS_WITHIN = timedelta(minutes=10)
"""A trade has failed or is confirmed so long after its match, whenever that is told of."""
MOST_SUMS = 256
"""Sums of possible fills that are told apart; beyond, only the order of the matches counts."""
MOST_REPORTS = 16
"""Reports of a token that wait until every fill in them has been told of."""
DENIALS = 2
"""So many lists of positions in a row, each denied by a later balance, make theirs the one that lags."""

Key = tuple[TradeId, OrderId]


class ReportSource(StrEnum):
    """Who says what is held."""

    BALANCE = "balance"
    """The trading host, of one token."""
    POSITIONS = "positions"
    """The analytics host, of all tokens together."""


@dataclass(frozen=True, slots=True)
class ReportTime:
    """When a report was asked for and answered, by the venue's clock."""

    asked: datetime
    answered: datetime
    error: timedelta = CLOCK_ERROR
    """How far these times may be from the venue's."""
    answered_s: float = inf
    """When it was answered, in seconds of our monotonic clock."""


@dataclass(frozen=True, slots=True)
class Report:
    """What one answer says is held of a token."""

    source: ReportSource
    size: int
    time: ReportTime


@dataclass(slots=True)
class _KnownFill:
    """A fill as the model counts it."""

    fill: Fill
    size: int
    """Negative for a sale."""
    failed_by: datetime | None = None
    """When its failure on chain had happened at the latest."""
    sent_s: float = -inf
    """When its order was sent, in seconds of our monotonic clock."""


@dataclass(frozen=True, slots=True)
class _Contents:
    """What a report is made of besides the base."""

    certain: int
    """The fills that it must contain, added up."""
    possible: tuple[tuple[int, ...], ...]
    """Those it may contain, in the order of their matches; those of one second stand together."""

    def find_bases(self, size: int, among: frozenset[int] | None) -> frozenset[int]:
        """Return the bases that explain a report of this size.

        Fills are contained in the order of their matches. That trades settle in another order is
        believed only where there is one base in question: among several, some sum of fills would
        often fit a wrong one by chance.

        Args:
            size: what is reported.
            among: the bases in question; None for all there are.
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
        """Return the least and the greatest base that explain a report of this size, in order."""
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
    """Bases from the least to the greatest one that is possible."""

    least: int
    most: int

    @classmethod
    def of(cls, bases: frozenset[int] | None) -> Self | None:
        return None if bases is None else cls(min(bases), max(bases))

    def within(self, other: Self | None) -> Self | None:
        """Return what both leave possible; None where they contradict each other."""
        if other is None:
            return self
        least, most = max(self.least, other.least), min(self.most, other.most)
        return type(self)(least, most) if least <= most else None


class TokenHoldings:
    """What is held of one token."""

    def __init__(self, lag: timedelta = LAG) -> None:
        self._lag = lag
        self._fills: dict[Key, _KnownFill] = {}
        """Those that not every report is known to contain."""
        self._contained: dict[Key, int] = {}
        """Those that are part of every base, with their size; zero where they failed."""
        self._reports: list[Report] = []
        """In the order of their questions."""
        self._bases: frozenset[int] | None = None
        """The bases that explain the reports that are not kept any more; None before."""
        self._bases_time: ReportTime | None = None
        """Of the report that they were found with."""
        self._denied: Report | None = None
        """The last list of positions that a later balance contradicts."""
        self._denials = 0
        """How many such lists of one size there were in a row."""
        self._is_ignoring = False
        """Whether the list of positions repeats what the trading host denies."""
        self._horizon: datetime | None = None
        """The newest match that is part of every base."""
        self._is_doubtful = False
        self._size: int | None = None
        self._least = 0
        self._is_fresh = True

    @property
    def size(self) -> Micros | None:
        """What is held now; None before any report."""
        if not self._is_fresh:
            self._evaluate()
        return None if self._size is None else Micros(max(self._size, 0))

    @property
    def least(self) -> Micros:
        """What is held at least, whichever of the possible fills the reports contain."""
        if not self._is_fresh:
            self._evaluate()
        return Micros(max(self._least, 0))

    @property
    def is_doubtful(self) -> bool:
        """Whether the last report contains what no fill told of explains."""
        if not self._is_fresh:
            self._evaluate()
        return self._is_doubtful or self._is_ignoring

    @property
    def is_blank(self) -> bool:
        """Whether nothing is held and nothing was ever traded: as if never asked about."""
        return not self._fills and not self._contained and not self.size and not self.is_doubtful

    def apply_fill(self, fill: Fill, *, heard: datetime, sent_s: float = -inf) -> None:
        """Apply a fill or its new status; a failed fill is reversed, once.

        Args:
            fill: as known now.
            heard: the time now, by the venue's clock.
            sent_s: when its order was sent, in seconds of our monotonic clock; -inf where that is not known.
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
            # Every base contains it: from now on as a fill that may still be in a report.
            del self._contained[key]
            self._shift_bases(-counted)
            self._fills[key] = _KnownFill(fill, counted, failed_by=heard)
        else:
            new = self._fills[key] = _KnownFill(fill, size, failed_by, sent_s)
            if failed_by is None:
                self._make_room(new)
        self._is_fresh = False

    def apply_report(self, report: Report) -> None:
        """Apply the venue's report of what is held."""
        if self._horizon is not None and not self._is_before(self._horizon, report.time):
            # Asked long before others that were answered: nobody can tell what it contains.
            return
        if not self._weigh_report(report):
            return
        self._reports.append(report)
        self._reports.sort(key=lambda each: (each.time.asked, each.time.answered))
        same = [each for each in self._reports if each.source is report.source][-3:]
        if same[-1] is report and len(same) > 2 and {each.size for each in same} == {report.size}:
            # The first and the last of equal ones say what those between them do. An answer that
            # comes late is not the last.
            self._reports.remove(same[1])
        if len(self._reports) > MOST_REPORTS:
            oldest = self._reports.pop(0)
            if oldest.time.error < UNKNOWN_CLOCK:
                _ = self._fix_base(oldest)
        self._drop_contained()
        self._is_fresh = False

    def apply_complete_trades(self, read: datetime) -> None:
        """Record that all trades before a moment, minus the lag, have been reported."""
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
        # What was asked with the venue's clock unknown is not needed any more.
        error = min(report.time.error for report in before)
        known = [each for each in self._reports if each.time.error <= error]
        self._reports = known or self._reports
        self._drop_contained()
        self._is_fresh = False

    def fills_around(self, time: ReportTime | None) -> tuple[Fill, ...]:
        """Return the fills that a report need not contain, in the order of their matches.

        Args:
            time: of the report; None for all fills that are not part of every report.
        """
        around = (each.fill for each in self._sorted() if each.failed_by is None)
        return tuple(
            fill for fill in around if time is None or not self._is_before(fill.matched_at, time)
        )

    def _evaluate(self) -> None:
        """Find what is held: the latest report, with what is known to have happened since."""
        self._is_fresh = True
        self._is_doubtful = False
        if not self._reports:
            self._size, self._least = None, 0
            return
        held = sum(each.size for each in self._fills.values() if each.failed_by is None)
        least, most = self._narrow_range()
        self._least = least + held
        # Between what may be held, as close to what the venue says as that allows.
        self._size = min(max(self._reports[-1].size, self._least), most + held)

    def _narrow_range(self) -> tuple[int, int]:
        """Return the least and the greatest base that the reports leave possible.

        Where no base is known for good, sums of fills tell only whether reports contradict each
        other. The range alone is narrowed: a minute with a dozen fills has so many sums that a
        wrong one often fits by chance.
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
        """Return what a report leaves of a range of bases.

        Where that is nothing, trades settled in another order than they were matched: then it is the bases
        that explain the report nevertheless.
        """
        in_order = _Range(*self._contents(report.time).range_of_bases(report.size))
        return in_order.within(found) or _Range.of(explained)

    def _explain(self, report: Report, bases: frozenset[int] | None) -> frozenset[int]:
        """Return those of some bases that explain a report; of all bases for None."""
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
        """Keep what a report says of the base for good; whether any base explains it."""
        found = self._explain(report, self._bases)
        if not found:
            return False
        if self._bases_time is None or report.time.error < self._bases_time.error:
            self._bases_time = report.time
        self._bases = found
        return True

    def _change_base(self, report: Report) -> None:
        """Accept a report that no base explains, if every fill before it is known."""
        later = [each for each in self._reports if each.time.asked > report.time.answered]
        bases = self._explain(report, None)
        for each in later:
            bases = self._explain(each, bases)
        if later and bases:
            self._bases, self._bases_time = bases, report.time

    def _make_room(self, late: _KnownFill) -> None:
        """Include a late fill in the bases that were found, if they can hold it."""
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
        """Make the fills that every report contains part of the base, and forget those undone."""
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
        """Notice that a balance contradicts the list of positions that was answered before it."""
        lists = [r for r in self._reports if r.source is ReportSource.POSITIONS]
        if not lists or balance.time.asked < lists[-1].time.answered:
            return
        if self._explain(balance, self._explain(lists[-1], None)):
            self._denied, self._denials = None, 0
        elif self._denied is not lists[-1]:
            self._denied = lists[-1]
            self._denials += 1


def _is_after(each: _KnownFill, time: ReportTime) -> bool:
    """Whether a report cannot contain a fill."""
    return each.fill.matched_at > time.answered + time.error or each.sent_s > time.answered_s


def _sums(sizes: Iterable[int]) -> frozenset[int] | None:
    """Return what any set of some sizes may add up to; None where that is too much."""
    sums = {0}
    for size in sizes:
        sums |= {each + size for each in sums}
        if len(sums) > MOST_SUMS:
            return None
    return frozenset(sums)


@dataclass(frozen=True, slots=True)
class _Row:
    """What the list of positions last said of a token."""

    position: Position | None
    """None where it was not in the list."""
    time: ReportTime


@dataclass(slots=True)
class _Token:
    holdings: TokenHoldings
    row: _Row | None = None


class Holdings:
    """What is held of every token, one figure for everything that shows, sells or limits it."""

    def __init__(self, lag: timedelta = LAG) -> None:
        self._lag = lag
        self._tokens: dict[TokenId, _Token] = {}
        self._lists: list[ReportTime] = []
        """The first and the last whole list of positions: of tokens not in it nothing was held."""
        self._positions: tuple[Position, ...] | None = ()
        """None after a change, until somebody asks: screens ask several times a frame."""
        self._sizes: tuple[tuple[TokenId, Micros], ...] | None = ()
        """In the same way."""

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
            time: of the question and its answer.
            is_complete: whether of tokens without a row nothing is held.
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
        """Record that the trades were read completely at a moment by the venue's clock."""
        for token in self._tokens.values():
            token.holdings.apply_complete_trades(read)
        self._changed()

    def drop_blank(self, keep: Container[TokenId], *, most: int) -> None:
        """Drop tokens that were only looked at, the ones met first, down to a number of them."""
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
        """Return what is held of a token; None before the venue has said anything of it."""
        token = self._tokens.get(token_id)
        if token is None:
            return ZERO if self._lists else None
        return token.holdings.size

    def least(self, token_id: TokenId) -> Micros:
        """Return what is held of a token at least; nothing before the venue has said anything."""
        token = self._tokens.get(token_id)
        return ZERO if token is None else token.holdings.least

    def sizes(self) -> tuple[tuple[TokenId, Micros], ...]:
        """Return what is held of every token that was reported, also where that is nothing."""
        if self._sizes is None:
            sizes = ((token_id, token.holdings.size) for token_id, token in self._tokens.items())
            self._sizes = tuple((token_id, size) for token_id, size in sizes if size is not None)
        return self._sizes

    def doubtful(self) -> frozenset[TokenId]:
        """Return the tokens of which a report cannot be explained yet: worth asking again."""
        return frozenset(t for t, token in self._tokens.items() if token.holdings.is_doubtful)

    def positions(self) -> tuple[Position, ...]:
        """Return what is held now, with its average price, the analytics host's order first."""
        if self._positions is None:
            positions = (self._position(*item) for item in self._tokens.items())
            self._positions = tuple(
                p for p in positions if p is not None and (p.size > 0 or p.is_redeemable)
            )
        return self._positions

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
        """Return a token's row with the size that is held, and the fills that this adds to it."""
        size, row = token.holdings.size, token.row
        if size is None:
            return None
        fills = token.holdings.fills_around(row.time if row is not None else None)
        position = row.position if row is not None else None
        if position is None:
            if not fills or size == 0:
                return None
            position = _unlisted(token_id, fills[0])
        return _resize(position, size, fills)


def _unlisted(token_id: TokenId, fill: Fill) -> Position:
    return Position(
        token_id=token_id, condition_id=fill.condition_id, title="", outcome=fill.outcome,
        size=ZERO, average_price=ZERO, current_price=fill.price, realized=ZERO,
    )  # fmt: skip


def _resize(position: Position, size: Micros, fills: tuple[Fill, ...]) -> Position:
    """Return a position with the size that is held, by the newest fills that explain it.

    Without such fills the average stays; of a position that was not listed, it is what was paid.
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
    """Return the position after one fill: purchases move the average, sales realise against it."""
    if fill.side is Side.BUY:
        size = Micros(position.size + fill.size)
        cost = position.size * position.average_price + fill.size * fill.price
        return replace(position, size=size, average_price=Micros((cost + size // 2) // size))
    sold = min(fill.size, position.size)
    gain = sold * (fill.price - position.average_price) // SCALE
    return replace(
        position,
        size=Micros(position.size - sold),
        realized=Micros(position.realized + gain - (fill.fee or 0)),
    )
