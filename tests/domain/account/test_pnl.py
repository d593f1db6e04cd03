from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from pmtui.domain.account.pnl import (
    FINE_FOR,
    KEPT_FOR,
    SURE_AFTER,
    DayFigures,
    DayTrades,
    EquityPoint,
    Exchange,
    Holding,
    Opening,
    ShareMove,
    ShareMoves,
    add_up_trades,
    agree_to_the_cent,
    day_figures,
    day_of,
    day_result,
    expected_shares,
    midnight_before,
    open_day,
    price_partners,
    read_exchanges,
    realized_on_day,
    since,
    with_sample,
    worth_at_opening,
)
from pmtui.domain.account.position import Activity, Position
from pmtui.domain.ids import ConditionId, OrderId, TokenId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import CENT, ONE, ZERO, Micros, cents_down, cents_near, parse_micros
from pmtui.domain.orders.order import Fill, Liquidity, TradeStatus

m = parse_micros
DAY = date(2026, 6, 15)
MORNING = datetime(2026, 6, 15, 9, 0, tzinfo=UTC)
TOKENS = [TokenId("1"), TokenId("2"), TokenId("3")]

prices = st.integers(1, 999).map(lambda price: Micros(price * 1_000))
sizes = st.integers(1, 10_000_000_000).map(Micros)
amounts = st.integers(-(10**9), 10**9)
markets = st.fixed_dictionaries(dict.fromkeys(TOKENS, prices))


def fill(side: Side, size: str, price: str, **changes: object) -> Fill:
    made = Fill(
        trade_id=TradeId("t1"), order_id=OrderId("0x1"), condition_id=ConditionId("0xaa"),
        token_id=TOKENS[0], outcome="Yes", side=side, price=m(price), size=m(size), fee=ZERO,
        liquidity=Liquidity.TAKER, status=TradeStatus.MATCHED, matched_at=MORNING,
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


@st.composite
def fills(draw: st.DrawFn) -> Fill:
    return replace(
        fill(draw(st.sampled_from(Side)), "1", "0.5"),
        trade_id=TradeId(f"t{draw(st.integers(0, 10**6))}"),
        token_id=draw(st.sampled_from(TOKENS)),
        price=draw(prices),
        size=draw(sizes),
        fee=Micros(draw(st.integers(0, 1_000_000))),
        matched_at=MORNING + timedelta(seconds=draw(st.integers(0, 14 * 3600))),
    )


holdings = st.dictionaries(st.sampled_from(TOKENS), st.builds(Holding, sizes, prices))


def position(size: str, price: str | None) -> Position:
    return Position(
        token_id=TOKENS[0], condition_id=ConditionId("0xaa"), title="", outcome="Yes",
        size=m(size), average_price=m("0.3"), current_price=None if price is None else m(price),
        realized=ZERO,
    )  # fmt: skip


def test_what_was_bought_and_fell_is_a_loss_with_its_fee() -> None:
    bought = fill(Side.BUY, "100", "0.50", fee=m("0.75"))
    assert result(Opening(DAY), [bought], {TOKENS[0]: m("0.45")}) == m("-5.75")


def test_what_was_held_over_night_counts_from_the_price_of_the_morning() -> None:
    opening = open_day([position("100", "0.60")], add_up_trades([], DAY))
    assert result(opening, [], {TOKENS[0]: m("0.60")}) == ZERO
    assert result(opening, [], {TOKENS[0]: m("0.20")}) == m("-40")
    sold = fill(Side.SELL, "100", "0.55")
    assert result(opening, [sold], {TOKENS[0]: m("0.99")}) == m("-5")


def test_a_lost_market_stays_lost_after_its_shares_are_gone() -> None:
    bought = fill(Side.BUY, "100", "0.50")
    assert result(Opening(DAY), [bought], {TOKENS[0]: ZERO}) == m("-50")


def test_yesterday_and_what_failed_on_chain_do_not_count() -> None:
    yesterday = fill(Side.BUY, "100", "0.50", matched_at=MORNING - timedelta(hours=10))
    failed = fill(Side.BUY, "100", "0.50", status=TradeStatus.FAILED)
    assert result(Opening(DAY), [yesterday, failed], {TOKENS[0]: m("0.1")}) == ZERO


def test_the_day_is_that_of_utc_wherever_the_trader_sits() -> None:
    tokyo = timezone(timedelta(hours=9))
    assert day_of(datetime(2026, 6, 16, 8, 59, tzinfo=tokyo)) == DAY
    assert day_of(datetime(2026, 6, 16, 9, 0, tzinfo=tokyo)) == date(2026, 6, 16)


def test_a_session_that_starts_at_noon_takes_the_mornings_trades_off() -> None:
    bought = fill(Side.BUY, "40", "0.50")
    opening = open_day([position("100", "0.55")], add_up_trades([bought], DAY))
    assert opening.held == {TOKENS[0]: Holding(m("60"), m("0.55"))}
    # 60 fell by 5 cents since, 40 gained nothing since they were bought.
    assert result(opening, [bought], {TOKENS[0]: m("0.50")}) == m("-3")


def test_what_was_bought_on_the_day_itself_was_not_held_in_the_morning() -> None:
    bought = fill(Side.BUY, "100", "0.50")
    assert open_day([position("100", "0.55")], add_up_trades([bought], DAY)).held == {}


def test_an_opening_without_a_price_counts_from_what_was_paid() -> None:
    assert open_day([position("10", None)], add_up_trades([], DAY)).held[TOKENS[0]].price == m(
        "0.3"
    )


def result(opening: Opening, traded: Iterable[Fill], now: Mapping[TokenId, Micros]) -> Micros:
    return Micros(day_result(opening, add_up_trades(traded, opening.day), now) // ONE)


def figures_of(
    opening: Opening,
    traded: Iterable[Fill],
    now: Mapping[TokenId, Micros],
    exchanges: Sequence[Exchange] = (),
) -> DayFigures:
    trades = add_up_trades(traded, opening.day)
    realized = realized_on_day(opening, trades, exchanges)
    return day_figures(result(opening, traded, now), trades, realized, began=ZERO)


def both(_: TokenId) -> tuple[TokenId, ...]:
    return tuple(TOKENS[:2])


@given(sizes, prices, prices)
def test_a_sold_half_of_a_split_follows_the_half_that_is_held(
    size: Micros, sold_at: Micros, now: Micros
) -> None:
    # The split itself is no trade, so that our own account owes what was sold of it.
    sold = replace(fill(Side.SELL, "1", "0.5"), size=size, price=sold_at)
    known = price_partners({TOKENS[1]: now}, add_up_trades([sold], DAY), both)
    in_cash = size * sold_at + size * now - size * 1_000_000
    assert result(Opening(DAY), [sold], known) == in_cash // 1_000_000


def test_both_halves_of_a_split_bring_what_they_were_sold_for_also_after_a_restart() -> None:
    first = fill(Side.SELL, "100", "0.49")
    second = fill(
        Side.SELL, "100", "0.60", token_id=TOKENS[1], matched_at=MORNING + timedelta(hours=1)
    )
    known = price_partners({}, add_up_trades([first, second], DAY), both)
    assert result(Opening(DAY), [first, second], known) == m("9")


@given(holdings, markets, st.lists(fills(), max_size=8), st.randoms())
def test_the_order_in_which_fills_are_told_changes_nothing(
    held: dict[TokenId, Holding], now: dict[TokenId, Micros], traded: list[Fill], rng: object
) -> None:
    shuffled = list(traded)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    opening = Opening(DAY, held)
    assert result(opening, shuffled, now) == result(opening, traded, now)


@given(holdings, markets, st.lists(fills(), max_size=8))
def test_the_result_is_cash_moved_plus_worth_gained(
    held: dict[TokenId, Holding], now: dict[TokenId, Micros], traded: list[Fill]
) -> None:
    """The same number from a ledger: cash and shares at the end against those at the start."""
    scale = 1_000_000
    cash, shares = 0, {token: held[token].size if token in held else 0 for token in TOKENS}
    start = sum(h.size * h.price for h in held.values())
    for each in traded:
        sign = 1 if each.side is Side.BUY else -1
        cash -= sign * each.size * each.price + (each.fee or 0) * scale
        shares[each.token_id] = Micros(shares[each.token_id] + sign * each.size)
    end = cash + sum(shares[token] * now[token] for token in TOKENS)
    assert result(Opening(DAY, held), traded, now) == (end - start) // scale


@given(holdings, st.lists(markets, min_size=1, max_size=4), st.lists(fills(), max_size=8))
def test_trades_that_were_added_up_once_give_the_same_result_at_every_price(
    held: dict[TokenId, Holding], moments: list[dict[TokenId, Micros]], traded: list[Fill]
) -> None:
    opening, trades = Opening(DAY, held), add_up_trades(traded, DAY)
    for now in moments:
        one_by_one = sum(h.size * (now[t] - h.price) for t, h in held.items())
        for each in traded:
            signed = each.size if each.side is Side.BUY else -each.size
            one_by_one += signed * (now[each.token_id] - each.price) - (each.fee or 0) * ONE
        assert day_result(opening, trades, now) == one_by_one


@given(holdings, markets, st.lists(fills(), max_size=6), fills())
def test_a_trade_at_the_present_price_costs_its_fee_and_nothing_else(
    held: dict[TokenId, Holding], now: dict[TokenId, Micros], traded: list[Fill], another: Fill
) -> None:
    opening = Opening(DAY, held)
    fair = replace(another, price=now[another.token_id])
    change = result(opening, [*traded, fair], now) - result(opening, traded, now)
    assert change == -(another.fee or 0)


@st.composite
def days(draw: st.DrawFn) -> tuple[dict[TokenId, Holding], list[Fill | tuple[TokenId, int]]]:
    """Return what was held, then trades, and shares that come or go without one."""
    held = draw(holdings)
    steps: list[Fill | tuple[TokenId, int]] = draw(
        st.lists(
            fills() | st.tuples(st.sampled_from(TOKENS), st.integers(-(10**10), 10**10)), max_size=8
        )
    )
    return held, steps


@given(days(), st.data())
def test_shares_that_come_without_a_trade_count_from_their_price_then(
    day: tuple[dict[TokenId, Holding], list[Fill | tuple[TokenId, int]]], data: st.DataObject
) -> None:
    """The same number from a ledger: cash and worth now, less those of the morning and what came."""
    held, steps = day
    opening, moves, now = Opening(DAY, held), ShareMoves(), MORNING
    shares = {token: int(held[token].size) if token in held else 0 for token in TOKENS}
    ledger = -sum(h.size * h.price for h in held.values())
    traded: list[Fill] = []
    marks = {token: held[token].price if token in held else m("0.5") for token in TOKENS}
    for number, step in enumerate(steps):
        marks = data.draw(markets)
        if isinstance(step, Fill):
            traded.append(replace(step, trade_id=TradeId(f"t{number}")))
            signed = step.size if step.side is Side.BUY else -step.size
            shares[step.token_id] += signed
            ledger -= signed * step.price + (step.fee or 0) * ONE
        else:
            shares[step[0]] += step[1]
            ledger -= step[1] * marks[step[0]]
        expected = expected_shares(opening, add_up_trades(traded, DAY))
        changes = {token: size - expected.get(token, 0) for token, size in shares.items()}
        for _ in range(2):
            update(moves, changes, marks, now=now)
            now += SURE_AFTER
    marks = data.draw(markets)
    ledger += sum(size * marks[token] for token, size in shares.items())
    trades = add_up_trades(traded, DAY)
    assert day_result(opening, trades, marks, moves.every()) == ledger
    # A session that starts again knows what was kept, and needs nothing else.
    again = ShareMoves(moves.kept)
    assert day_result(opening, trades, marks, again.every()) == ledger


def alone(token_id: TokenId) -> tuple[TokenId, ...]:
    return (token_id,)


def never(_: TokenId) -> None:
    return None


def update(
    moves: ShareMoves,
    changes: Mapping[TokenId, int],
    marks: Mapping[TokenId, Micros],
    *,
    pair_of: Callable[[TokenId], tuple[TokenId, ...]] = alone,
    redeemed_at: Callable[[TokenId], Micros | None] = never,
    doubtful: Container[TokenId] = (),
    now: datetime = MORNING,
) -> bool:
    return moves.update(
        changes, marks, pair_of=pair_of, redeemed_at=redeemed_at, doubtful=doubtful, now=now
    )


@given(sizes, prices, prices)
def test_what_a_trade_explains_in_time_leaves_no_trace(
    size: Micros, seen_at: Micros, now: Micros
) -> None:
    moves, token = ShareMoves(), TOKENS[0]
    assert update(moves, {token: size}, {token: seen_at})
    assert not update(moves, {token: size}, {token: now}, now=MORNING + SURE_AFTER / 2)
    assert moves.every() == {token: ShareMove(size, size * seen_at)}
    # Nothing is known of it for a while, as at a start.
    assert not update(moves, {}, {})
    assert moves.every() == {token: ShareMove(size, size * seen_at)}
    late = MORNING + SURE_AFTER - timedelta(seconds=1)
    assert update(moves, {token: 0}, {token: now}, now=late)
    assert not moves.every()
    assert not moves.young


def test_a_move_is_sure_after_a_while_and_not_while_its_token_is_doubtful() -> None:
    moves, token = ShareMoves(), TOKENS[0]
    half, other = {token: m("0.5")}, {token: m("0.9")}
    assert not update(moves, {token: 10}, {})
    assert moves.every() == {}
    assert update(moves, {token: 10}, half)
    later = MORNING + SURE_AFTER
    assert not update(moves, {token: 10}, other, doubtful={token}, now=later)
    assert moves.kept == {}
    assert update(moves, {token: 10}, other, now=later)
    assert moves.kept == moves.every() == {token: ShareMove(10, 10 * m("0.5"))}
    assert not update(moves, {token: 10}, half, now=later + SURE_AFTER)


def test_a_pair_counts_as_a_dollar_at_once_whatever_its_prices() -> None:
    moves, (yes, no) = ShareMoves(), TOKENS[:2]
    marks = {yes: m("0.40"), no: m("0.61")}
    assert update(moves, {yes: 200, no: 200}, marks, pair_of=both)
    split = ShareMove(200, 200 * m("0.5"))
    assert moves.kept == moves.every() == {yes: split, no: split}
    # One outcome was redeemed: it goes at its own price, and the split stays what it was.
    assert update(moves, {yes: 0, no: 200}, {yes: ONE, no: ZERO}, pair_of=both)
    assert moves.every() == {yes: ShareMove(0, 200 * m("0.5") - 200 * ONE), no: split}
    assert update(moves, {yes: 0, no: 0}, {yes: ONE, no: ZERO}, pair_of=both)
    assert sum(move.worth for move in moves.every().values()) == 0


def test_what_was_redeemed_counts_with_what_it_paid_however_late_that_is_known() -> None:
    moves, token = ShareMoves(), TOKENS[0]
    assert update(moves, {token: -10}, {token: m("0.97")})
    assert update(moves, {token: -10}, {token: m("0.97")}, redeemed_at={token: ONE}.get)
    assert moves.every() == {token: ShareMove(-10, -10 * ONE)}
    unpriced = ShareMoves()
    assert update(unpriced, {token: -10}, {}, redeemed_at={token: ONE}.get)
    assert unpriced.every() == moves.every()


def test_of_a_move_that_is_not_sure_what_is_added_has_its_own_price() -> None:
    move = ShareMove(10, 10 * m("0.5"))
    assert move.resized(30, m("0.2")) == ShareMove(30, 10 * m("0.5") + 20 * m("0.2"))
    assert move.resized(4, m("0.2")) == ShareMove(4, 4 * m("0.5"))
    assert move.resized(20, None) == ShareMove(20, 20 * m("0.5"))
    assert move.resized(-10, m("0.2")) == ShareMove(-10, -10 * m("0.2"))


class Account:
    """One market's shares as they truly move, and as a session is told of it: late, and in any order."""

    def __init__(self, opening: Mapping[TokenId, Holding], price: Micros) -> None:
        self.opening = Opening(DAY, opening)
        self.cash = self.sent = 0
        """In millionths of a millionth; shares sent and received with their worth then."""
        self.base = {t: int(opening[t].size) if t in opening else 0 for t in PAIR}
        self.fills: list[Fill] = []
        self.price, self.is_resolved, self.is_redeemed = price, False, False
        self.base_told, self.reported, self.fills_told = dict(self.base), set[int](), set[int]()
        self.marks, self.is_redemption_told = self._prices(), False
        self.moves, self.now = ShareMoves(), MORNING

    def held(self, token_id: TokenId) -> int:
        return self.base[token_id] + self._traded(token_id, range(len(self.fills)))

    def trade(self, token_id: TokenId, side: Side, size: int, price: Micros) -> None:
        size = size if side is Side.BUY else min(size, self.held(token_id))
        if self.is_resolved or not size:
            return
        made = fill(side, "1", "0.5", token_id=token_id, trade_id=TradeId(f"t{len(self.fills)}"))
        made = replace(made, size=Micros(size), price=price, fee=Micros(size // 100))
        self.fills.append(made)
        self.cash -= (size if side is Side.BUY else -size) * price + (made.fee or 0) * ONE

    def split(self, pairs: int) -> None:
        """Split so many pairs, or merge them where that is negative."""
        pairs = 0 if self.is_resolved else max(pairs, -min(map(self.held, PAIR)))
        self._move(dict.fromkeys(PAIR, pairs), cash=-pairs * ONE)

    def quote(self, price: Micros) -> None:
        if not self.is_resolved:
            self.price = price

    def resolve(self, price: Micros) -> None:
        if not self.is_resolved:
            self.price, self.is_resolved = price, True

    def redeem(self) -> None:
        if self.is_resolved:
            paid = sum(self.held(token) * price for token, price in self._prices().items())
            self._move({token: -self.held(token) for token in PAIR}, cash=paid)
            self.is_redeemed = True

    def send(self, token_id: TokenId, change: int, later: Micros) -> None:
        """Send or receive shares: alone, for nobody tells a transfer from a trade that is told of late."""
        self.tell_everything()
        change = max(change, -self.held(token_id))
        self.sent += change * self.marks[token_id]
        self._move({token_id: change}, cash=0)
        self.tell_everything()
        self.quote(later)
        self.restart()
        self.tell_everything()
        self.wait(SURE_AFTER)

    def report(self, token_id: TokenId) -> None:
        """Tell what is held of one outcome, whether its trades have been told of or not."""
        self.base_told[token_id] = self.base[token_id]
        told = [i for i, each in enumerate(self.fills) if each.token_id == token_id]
        self.reported |= set(told)

    def tell_fill(self, place: int) -> None:
        """Tell of a trade that has not been told of, the newest before older ones or after them."""
        untold = [i for i in range(len(self.fills)) if i not in self.fills_told]
        if untold:
            self.fills_told.add(untold[place % len(untold)])

    def tell_prices(self) -> None:
        self.marks = self._prices()

    def tell_redemption(self) -> None:
        self.is_redemption_told = self.is_redeemed

    def tell_everything(self) -> None:
        for token_id in PAIR:
            self.report(token_id)
        self.fills_told = set(range(len(self.fills)))
        self.is_redemption_told = self.is_redeemed
        self.tell_prices()
        self.update()

    def restart(self) -> None:
        self.moves = ShareMoves(self.moves.kept, self.moves.young)

    def wait(self, age: timedelta) -> None:
        self.now += age
        self.update()

    def update(self) -> None:
        expected = expected_shares(self.opening, self._trades())
        known = self.fills_told | self.reported
        changes = {
            token: self.base_told[token] + self._traded(token, known) - expected.get(token, 0)
            for token in PAIR
        }
        paid = self._prices() if self.is_redemption_told else {}
        update(self.moves, changes, self.marks, pair_of=both, redeemed_at=paid.get, now=self.now)

    def result(self) -> Micros:
        found = day_result(self.opening, self._trades(), self.marks, self.moves.every())
        return Micros(found // ONE)

    def gained(self) -> Micros:
        """Return how much more the account is worth than at the opening, without what was sent."""
        worth = self.cash - self.sent
        worth += sum(self.held(token) * price for token, price in self._prices().items())
        return Micros((worth - sum(h.size * h.price for h in self.opening.held.values())) // ONE)

    def _move(self, changes: Mapping[TokenId, int], *, cash: int) -> None:
        for token_id, change in changes.items():
            self.base[token_id] += change
        self.cash += cash

    def _prices(self) -> dict[TokenId, Micros]:
        return {PAIR[0]: self.price, PAIR[1]: Micros(ONE - self.price)}

    def _trades(self) -> DayTrades:
        return add_up_trades((self.fills[i] for i in self.fills_told), DAY)

    def _traded(self, token_id: TokenId, which: Iterable[int]) -> int:
        own = (self.fills[i] for i in which if self.fills[i].token_id == token_id)
        return sum(each.size if each.side is Side.BUY else -each.size for each in own)


PAIR = TOKENS[:2]
amounts_moved = st.integers(1, 10**9)
outcomes = st.sampled_from(PAIR)
deeds: st.SearchStrategy[Callable[[Account], object]] = st.one_of(
    st.builds(
        lambda token, side, size, price: lambda a: a.trade(token, side, size, price),
        outcomes, st.sampled_from(Side), amounts_moved, prices,
    ),
    st.builds(lambda pairs: lambda a: a.split(pairs), amounts_moved),
    st.builds(lambda pairs: lambda a: a.split(-pairs), amounts_moved),
    st.builds(
        lambda token, change, later: lambda a: a.send(token, change, later),
        outcomes, amounts, prices,
    ),
    st.builds(lambda price: lambda a: a.quote(price), prices),
    st.builds(lambda price: lambda a: a.resolve(price), st.sampled_from([ZERO, ONE, m("0.5")])),
    st.just(Account.redeem),
)  # fmt: skip
tidings: st.SearchStrategy[Callable[[Account], object]] = st.one_of(
    st.builds(lambda token: lambda a: a.report(token), outcomes),
    st.builds(lambda place: lambda a: a.tell_fill(place), st.integers(0, 20)),
    st.just(Account.tell_prices),
    st.just(Account.tell_redemption),
    st.just(Account.tell_everything),
    st.just(Account.restart),
)


@given(holdings, prices, st.lists(deeds | tidings, min_size=8, max_size=30), prices)
def test_at_rest_the_opening_and_the_day_are_the_equity_also_after_a_restart(
    held: dict[TokenId, Holding],
    price: Micros,
    steps: list[Callable[[Account], object]],
    later: Micros,
) -> None:
    """However late, and in whatever order, trades, shares, prices and redemptions are told of."""
    account = Account({t: Holding(h.size, h.price) for t, h in held.items() if t in PAIR}, price)
    for step in steps:
        step(account)
        account.wait(timedelta(seconds=5))
    account.tell_everything()
    assert account.result() == account.gained()
    account.restart()
    account.update()
    assert account.result() == account.gained()
    # What may still be explained is certain by then, and prices move on.
    account.wait(SURE_AFTER)
    assert not account.moves.young
    account.quote(later)
    account.tell_everything()
    account.restart()
    account.tell_everything()
    assert account.result() == account.gained()


def test_sales_realise_against_the_average_and_the_rest_is_unrealised() -> None:
    traded = [
        fill(Side.BUY, "100", "0.40", fee=m("0.96")),
        fill(Side.BUY, "100", "0.50", fee=m("1.00"), matched_at=MORNING + timedelta(seconds=1)),
        fill(Side.SELL, "50", "0.60", fee=m("0.48"), matched_at=MORNING + timedelta(seconds=2)),
    ]
    figures = figures_of(Opening(DAY), traded, {TOKENS[0]: m("0.55")})
    assert figures == DayFigures(total=m("20.06"), realized=m("7.50"), fees=m("2.44"))
    assert figures.unrealized == m("15")


def test_what_was_held_this_morning_counts_from_its_price_then() -> None:
    opening = Opening(DAY, {TOKENS[0]: Holding(m("100"), m("0.50"))})
    sold = fill(Side.SELL, "150", "0.60")
    figures = figures_of(opening, [sold], {TOKENS[0]: m("0.70")})
    assert (figures.realized, figures.unrealized) == (m("10"), m("-5"))


@st.composite
def trading_days(draw: st.DrawFn) -> tuple[Micros, list[Position], DayTrades, Micros]:
    """Return cash, the positions that the day's purchases left, and the trades and the realised gain of that day."""
    traded, held, realized = list[Fill](), list[Position](), 0
    cash = BEGAN_WITH
    for number, token in enumerate(TOKENS):
        bought = replace(
            draw(fills()), side=Side.BUY, token_id=token, trade_id=TradeId(f"b{number}")
        )
        left = Micros(draw(st.integers(0, bought.size)))
        sold = replace(
            bought, trade_id=TradeId(f"s{number}"), side=Side.SELL, price=draw(prices),
            size=Micros(bought.size - left), fee=Micros(draw(st.integers(0, 1_000_000))),
            matched_at=MORNING + timedelta(hours=14, seconds=1),
        )  # fmt: skip
        for each in (bought, *((sold,) if sold.size else ())):
            traded.append(each)
            sign = 1 if each.side is Side.BUY else -1
            cash -= sign * each.size * each.price + (each.fee or 0) * ONE
        realized += sold.size * (sold.price - bought.price)
        if left:
            held.append(
                replace(
                    position("1", "0.5"), token_id=token, size=left, average_price=bought.price,
                    is_settled=draw(st.booleans()),
                )
            )  # fmt: skip
    return Micros(cash // ONE), held, add_up_trades(traded, DAY), Micros(realized // ONE)


BEGAN_WITH = 10**6 * ONE * ONE


@given(trading_days(), st.lists(markets, min_size=2, max_size=5))
def test_fees_and_what_is_realised_stay_as_prices_move_and_the_parts_add_up(
    day: tuple[Micros, list[Position], DayTrades, Micros], moments: list[dict[TokenId, Micros]]
) -> None:
    cash, held, trades, realized = day
    facts, began = set[tuple[Micros, Micros]](), set[Micros]()
    for moment in moments:
        settled = {p.token_id: moments[0][p.token_id] for p in held if p.is_settled}
        now = {**moment, **settled}
        positions = [replace(p, current_price=now[p.token_id]) for p in held]
        equity = Micros(cash + sum(p.value or 0 for p in positions))
        result = day_result(Opening(DAY), trades, now)
        began.add(worth_at_opening(Opening(DAY), cash, positions, result))
        (start,) = began
        assert start == BEGAN_WITH // ONE
        figures = day_figures(equity, trades, realized, began=start)
        figures, positions_then = agree_to_the_cent(figures, positions)
        facts.add((figures.realized, figures.fees))
        assert figures.total == figures.realized + figures.unrealized - figures.fees
        assert cents_down(equity) - figures.total == start
        rows = [p.unrealized or 0 for p in positions_then]
        assert sum(rows) == figures.unrealized
        # The cents are those of one row.
        odd = [p for p in positions_then if p.odd_cents]
        assert len(odd) <= 1
        assert all(abs(p.odd_cents) <= (len(held) + 2) * CENT for p in odd)
        if all(p.is_dust for p in positions):
            assert equity == cash
        assert figures.fees == cents_near(trades.fees)
        assert abs(figures.realized - realized) <= (len(held) + 3) * CENT
    assert len(facts) == 1


def test_where_nothing_is_held_the_realised_part_absorbs_the_cent() -> None:
    figures = DayFigures(total=m("-38.58"), realized=m("-13.60"), fees=m("24.97"))
    assert figures.unrealized == m("-0.01")
    agreed, positions = agree_to_the_cent(figures, ())
    assert (agreed.realized, agreed.unrealized, agreed.fees) == (m("-13.61"), 0, m("24.97"))
    assert positions == ()


def test_what_is_no_rounding_stays_apart() -> None:
    held = replace(position("100", "0.55"), average_price=m("0.5"))
    figures = DayFigures(total=m("0.50"), realized=ZERO, fees=m("0.10"))
    # Sixty cents since the morning, five dollars since it was bought.
    assert agree_to_the_cent(figures, (held,)) == (figures, (held,))
    near = replace(figures, total=m("4.91"))
    agreed, (absorbing,) = agree_to_the_cent(near, (held,))
    assert agreed == near
    assert (absorbing.odd_cents, absorbing.unrealized) == (m("0.01"), m("5.01"))
    # At another price the cent is another one.
    assert agree_to_the_cent(replace(near, total=m("4.90")), (absorbing,))[1] == (held,)


@given(holdings, markets, st.lists(fills(), max_size=8))
def test_the_parts_of_a_day_add_up_to_the_cent_and_each_is_right_to_two(
    held: dict[TokenId, Holding], now: dict[TokenId, Micros], traded: list[Fill]
) -> None:
    cent = 10_000
    opening = Opening(DAY, held)
    figures = figures_of(opening, traded, now)
    exact = result(opening, traded, now)
    assert figures.total == figures.realized + figures.unrealized - figures.fees
    assert {n % cent for n in (figures.total, figures.realized, figures.fees)} == {0}
    assert figures.total <= exact < figures.total + cent
    assert abs(figures.fees - sum(each.fee or 0 for each in traded)) <= cent // 2
    # Sold at once at the marks, without fees, all of it would be realised.
    shares = {token: held[token].size if token in held else ZERO for token in TOKENS}
    for each in traded:
        signed = each.size if each.side is Side.BUY else -each.size
        shares[each.token_id] = Micros(shares[each.token_id] + signed)
    late = MORNING + timedelta(hours=14, seconds=1)
    closing = [
        replace(
            fill(Side.SELL if size > 0 else Side.BUY, "1", "0.5", matched_at=late),
            trade_id=TradeId(f"z{token}"), token_id=token, size=Micros(abs(size)), price=now[token],
        )
        for token, size in shares.items() if size
    ]  # fmt: skip
    closed = figures_of(opening, [*traded, *closing], now)
    assert (closed.total, closed.fees) == (figures.total, figures.fees)
    assert abs(closed.unrealized) < 2 * cent


@given(st.integers(0, 10**12), amounts)
def test_the_equity_and_the_day_end_in_cents_that_go_together(began: int, gain: int) -> None:
    equity = Micros(began + gain)
    figures = day_figures(equity, add_up_trades([], DAY), ZERO, began=cents_near(began))
    assert cents_down(equity) - figures.total == cents_near(began)
    assert abs(figures.total - gain) <= 15_000


def test_a_millionth_between_the_venue_and_us_moves_no_cent() -> None:
    figures = day_figures(m("10003.019999"), add_up_trades([], DAY), ZERO, began=m("10000"))
    assert figures.total == m("3.01")


def happened(kind: str, size: str | None, *, at: datetime = MORNING, cash: str = "0") -> Activity:
    return Activity(
        kind=kind, title="", outcome="", side="", price=None,
        size=None if size is None else m(size), cash=m(cash), at=at, condition_id=CONDITION,
    )  # fmt: skip


CONDITION = ConditionId("0xaa")
LATER = MORNING + timedelta(hours=1)


def read(*rows: Activity, pays: str | None = None) -> tuple[Exchange, ...]:
    settled = {TOKENS[0]: m(pays), TOKENS[1]: Micros(ONE - m(pays))} if pays is not None else {}
    return read_exchanges(
        rows, DAY, tokens_of=lambda c: tuple(TOKENS[:2]) if c == CONDITION else (),
        settled_price=settled.get,
    )  # fmt: skip


def test_a_merged_pair_realises_a_dollar_less_what_both_cost() -> None:
    bought = [
        fill(Side.BUY, "10", "0.40"),
        fill(Side.BUY, "30", "0.55", token_id=TOKENS[1], trade_id=TradeId("t2")),
    ]
    now = {TOKENS[0]: m("0.42"), TOKENS[1]: m("0.58")}
    merged = read(happened("MERGE", "10", at=LATER))
    figures = figures_of(Opening(DAY), bought, now, merged)
    assert figures.realized == m("0.50")
    # The total is what it was without the merge.
    assert figures.total == figures_of(Opening(DAY), bought, now).total == m("1.10")


def test_a_leg_of_a_split_that_is_sold_opens_a_position_and_realises_nothing() -> None:
    sold = fill(Side.SELL, "10", "0.60", matched_at=LATER)
    split = read(happened("SPLIT", "10"))
    figures = figures_of(Opening(DAY), [sold], {TOKENS[0]: m("0.60")}, split)
    assert figures == DayFigures(total=ZERO, realized=ZERO, fees=ZERO)
    closed = replace(
        fill(Side.SELL, "10", "0.45", matched_at=LATER + timedelta(seconds=1)), token_id=TOKENS[1]
    )
    assert figures_of(Opening(DAY), [sold, closed], {}, split).realized == m("0.5")
    back = read(happened("SPLIT", "10"), happened("MERGE", None, cash="10"))
    assert figures_of(Opening(DAY), [], {}, back).realized == ZERO


def test_a_merge_leaves_the_net_position_at_the_cost_of_its_own_trades() -> None:
    bought = fill(Side.BUY, "100", "0.264", matched_at=MORNING + timedelta(seconds=5))
    split = happened("SPLIT", "200")
    for merged in ("100", "200"):
        exchanges = read(split, happened("MERGE", merged, at=LATER))
        figures = figures_of(Opening(DAY), [bought], {TOKENS[0]: m("0.268")}, exchanges)
        assert (figures.realized, figures.unrealized) == (ZERO, m("0.4"))
    # What was held in the morning counts from its price then, whatever it cost.
    opening = Opening(DAY, {TOKENS[0]: Holding(m("100"), m("0.50"))})
    merge = read(happened("SPLIT", "100"), happened("MERGE", "100", at=LATER))
    assert figures_of(opening, [bought], {TOKENS[0]: m("0.3")}, merge).realized != ZERO


@given(sizes, st.integers(0, 1_000_000).map(Micros))
def test_what_is_redeemed_realises_what_it_pays_less_its_cost(size: Micros, pays: Micros) -> None:
    bought = replace(fill(Side.BUY, "1", "0.40"), size=size)
    now = {TOKENS[0]: pays}
    text = f"{pays // ONE}.{pays % ONE:06}"
    figures = figures_of(
        Opening(DAY), [bought], now, read(happened("REDEEM", "1", at=LATER), pays=text)
    )
    assert abs(figures.realized - size * (pays - m("0.40")) / ONE) <= 5_001
    assert abs(figures.unrealized) <= 10_000


def test_what_is_of_another_day_or_market_or_not_measured_counts_nothing() -> None:
    yesterday = MORNING - timedelta(days=1)
    other = replace(happened("MERGE", "10"), condition_id=ConditionId("0xbb"))
    nowhere = replace(happened("MERGE", "10"), condition_id=None)
    rows = (
        happened("MERGE", "10", at=yesterday), other, nowhere, happened("SPLIT", None),
        happened("REDEEM", "10"), happened("CONVERSION", "10"), happened("TRADE", "10"),
    )  # fmt: skip
    assert read(*rows) == ()


START = datetime(2026, 6, 1, tzinfo=UTC)
gaps = st.lists(st.integers(1, 7_200), max_size=60)


def sampled(seconds: list[int]) -> tuple[EquityPoint, ...]:
    points: tuple[EquityPoint, ...] = ()
    at = START
    for number, gap in enumerate(seconds, 1):
        at += timedelta(seconds=gap)
        points = with_sample(points, Micros(number), at)
    return points


@given(gaps)
def test_samples_are_in_order_and_the_newest_is_always_the_last(seconds: list[int]) -> None:
    points = sampled(seconds)
    moments = [point.at for point in points]
    assert moments == sorted(set(moments))
    assert not seconds or points[-1].value == len(seconds)
    assert not seconds or points[0].value == 1


def test_a_curve_stays_small_however_often_it_is_sampled() -> None:
    points: tuple[EquityPoint, ...] = ()
    at = START
    for number in range(3_000):
        at += timedelta(seconds=30)
        points = with_sample(points, Micros(number), at)
    assert len(points) <= 1_500 + 5
    assert with_sample(points, Micros(1), at + KEPT_FOR * 2) == (
        EquityPoint(at + KEPT_FOR * 2, Micros(1)),
    )
    # What is older than a day is thinner.
    later = with_sample(points, Micros(1), at + FINE_FOR)
    assert len(later) <= 60


def test_a_clock_that_is_set_back_takes_later_samples_away() -> None:
    points = sampled([60, 60, 60])
    back = points[0].at
    assert [p.at for p in with_sample(points, Micros(9), back)][-1] == back
    assert all(p.at <= back for p in with_sample(points, Micros(9), back))


@given(gaps, st.integers(0, 100_000))
def test_a_part_of_the_curve_begins_with_what_it_was_worth_then(
    seconds: list[int], offset: int
) -> None:
    points, start = sampled(seconds), START + timedelta(seconds=offset)
    part = since(points, start)
    assert all(point.at >= start for point in part)
    before = [point for point in points if point.at < start]
    if before:
        assert part[0] == EquityPoint(start, before[-1].value)


def test_a_day_begins_at_midnight_utc() -> None:
    assert midnight_before(START + timedelta(hours=13)) == START


def test_a_first_deposit_begins_the_curve_and_is_no_gain() -> None:
    points: tuple[EquityPoint, ...] = ()
    for minute, value in enumerate((0, 0, 10_000, 9_990)):
        points = with_sample(points, Micros(value), START + timedelta(minutes=minute))
    assert [point.value for point in points] == [10_000, 9_990]


def test_an_account_that_lost_everything_keeps_its_curve() -> None:
    points = with_sample((), Micros(5), START)
    points = with_sample(points, Micros(0), START + timedelta(minutes=1))
    assert [point.value for point in points] == [5, 0]
