"""A list that lacks something is no proof: neither of what is gone, nor of how much is at stake."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from typing_extensions import override

from pmtui.domain.answers import MAX_PAGES, Failure, Listing
from pmtui.domain.ids import OrderId, TradeId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill
from pmtui.service.views import OwnList
from tests.service.fakes import FakeAccountHost, World, fill, running_world
from tests.service.order_kit import BUY, HELD, history, limited, said, until

LIMITS = limited(total=Micros(100_000_000))
START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def problem(world: World) -> str:
    return world.service.queries.account().entry.problem(BUY)


async def test_nothing_is_bought_under_limits_while_an_open_order_cannot_be_read(
    tmp_path: Path,
) -> None:
    account = FakeAccountHost(unread_orders=(None,))
    async with running_world(tmp_path, account=account, tuning=LIMITS) as world:
        text = "Not checked against your limits: 1 row in the venue's list of open orders cannot be"
        await until(world, lambda: problem(world).startswith(text), "the list has been read")
        assert world.service.queries.account().entry.problem(replace(BUY, side=Side.SELL)) == ""
        assert world.service.queries.status().day_result is None
        world.account.unread_orders = ()
        await until(world, lambda: not problem(world), "a whole list")
        world.account.unread_orders = (None, None)
        await until(world, lambda: "2 rows" in problem(world), "a later list lacks something too")


async def test_a_trade_of_today_that_cannot_be_read_leaves_the_day_unknown(tmp_path: Path) -> None:
    account = FakeAccountHost(unread_fills=(None,))
    async with running_world(tmp_path, account=account, tuning=LIMITS) as world:
        await until(world, lambda: "today's own trades" in problem(world), "the list has been read")
        world.account.unread_fills = ()
        await until(world, lambda: not problem(world), "a whole list")


class OldRow(FakeAccountHost):
    """One row of long ago cannot be read."""

    @override
    async def fills(
        self,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
        max_pages: int = MAX_PAGES,
    ) -> Listing[Fill] | Failure:
        self.unread_fills = () if after else (None,)
        return await super().fills(after=after, before=before, max_pages=max_pages)


async def test_a_trade_of_long_ago_that_cannot_be_read_holds_nothing_up(tmp_path: Path) -> None:
    async with running_world(tmp_path, account=OldRow(), tuning=LIMITS) as world:
        await until(world, lambda: not problem(world), "today is known")
        assert said(world, "1 row in the venue's list of own trades cannot be read")


class UnreadPast(FakeAccountHost):
    """Some rows of a long history cannot be read."""

    @override
    async def fills(
        self,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
        max_pages: int = MAX_PAGES,
    ) -> Listing[Fill] | Failure:
        self.unread_fills = (None, None) if before else ()
        return await super().fills(after=after, before=before, max_pages=max_pages)


async def test_rows_of_a_long_history_that_cannot_be_read_are_told_of(tmp_path: Path) -> None:
    account = UnreadPast(own_fills=history(60, a_day=2), fills_a_page=1)
    async with running_world(tmp_path, account=account, tuning=LIMITS) as world:
        text = "2 rows in the venue's list of own trades of before cannot be read"
        await until(world, lambda: said(world, text), "the past is read")
        assert not problem(world)


def trades(number: int) -> tuple[Fill, ...]:
    return tuple(
        replace(
            fill(OrderId(f"0x{n}"), size=Micros(10_000)),
            trade_id=TradeId(f"t{n}"),
            matched_at=START + timedelta(seconds=1),
        )
        for n in range(number)
    )


async def test_more_pages_of_trades_than_are_read_are_told_of_once(tmp_path: Path) -> None:
    async with running_world(tmp_path, tuning=LIMITS) as world:
        await until(world, lambda: not problem(world), "all is known")
        world.account.fills_a_page = 1
        world.account.own_fills = trades(MAX_PAGES + 1)
        text = "The venue's list of own trades goes on where reading ends"
        await until(world, lambda: text in problem(world), "the next look")
        await world.pass_time(30)
        entries = world.service.queries.log().entries
        assert sum(text in entry.text for entry in entries) == 1
        assert len(world.service.queries.fills().fills) == MAX_PAGES


async def test_a_position_that_cannot_be_read_is_neither_gone_nor_of_no_account(
    tmp_path: Path,
) -> None:
    async with running_world(tmp_path, tuning=LIMITS) as world:
        queries, analytics = world.service.queries, world.analytics
        analytics.held = (HELD,)
        await until(world, lambda: queries.account().positions, "it is held")
        await until(world, lambda: not problem(world), "all is known")
        assert queries.status().portfolio_value is not None
        world.account.shares[HELD.token_id] = HELD.size
        analytics.held, analytics.unread_positions = (), 1
        lack = "1 row in the venue's list of positions cannot be read"
        await until(world, lambda: lack in problem(world), "the list lacks something")
        assert said(world, f"{lack}: no order is treated as closed until it is complete")
        account = queries.account()
        assert account.missing_in(OwnList.POSITIONS) == lack
        assert [position.token_id for position in account.positions] == [HELD.token_id]
        assert queries.status().portfolio_value is None
        analytics.unread_positions = 0
        world.account.shares.clear()
        await until(world, lambda: not queries.account().positions, "a whole list")
        assert queries.account().incomplete_lists == ()
        assert queries.status().portfolio_value is not None


async def test_closed_positions_that_cannot_be_read_hold_nothing_up(tmp_path: Path) -> None:
    async with running_world(tmp_path, tuning=LIMITS) as world:
        queries = world.service.queries
        world.analytics.unread_closed = 2
        await until(world, lambda: queries.account().missing_in(OwnList.CLOSED), "they were read")
        await until(world, lambda: not problem(world), "the rest is known")
        assert queries.account().missing_in(OwnList.CLOSED).startswith("2 rows")
