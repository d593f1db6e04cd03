"""The account's figures of a running service, read by programs."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from typing_extensions import override

from pmtui.agent.port import Answered, Refusal, Refused
from pmtui.agent.tools import Toolbox
from pmtui.cli.agent.live_books import SERVICE
from pmtui.cli.agent.own_figures import MOST_AGE, OWN_READS, OwnFigures
from pmtui.domain.account.position import Position
from pmtui.domain.ids import OrderId
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Fill, Order
from pmtui.reads.read import Values
from pmtui.reads.registry import READS
from tests.agent.ports import NOW, FakePort
from tests.link.kit import House, running_house
from tests.service.fakes import CONDITION, NO, YES, FakeSigner, fill, resting
from tests.service.order_kit import until

FIRST, SECOND = OrderId("0x" + "a1" * 32), OrderId("0x" + "b2" * 32)
WALLET = str(FakeSigner().maker)
HELD = Position(YES, CONDITION, "Rain", "Yes", Micros(5_000_000), Micros(400_000), None, Micros(0))


class Hosts(FakePort):
    """Hosts that are asked at a time of their own."""

    def __init__(
        self, answers: Mapping[str, tuple[object, ...] | Refused], *, later: timedelta = timedelta()
    ) -> None:
        super().__init__(answers)
        self._later = later

    @override
    def now(self) -> datetime:
        return NOW + self._later


async def with_account(house: House) -> None:
    """Let the service read two orders, a fill and a position."""
    world = house.world
    world.account.open = {FIRST: resting(FIRST), SECOND: resting(SECOND, token_id=NO)}
    world.account.own_fills = (fill(FIRST, matched_at=world.clock.now(), size=Micros(1_000_000)),)
    world.analytics.held = (HELD,)
    world.service.parts.account.feed.refresh()
    queries = world.service.queries
    await until(world, lambda: len(queries.account().open_orders) == 2, "the orders")
    await until(world, lambda: queries.fills().fills and queries.account().positions, "the rest")
    await until(world, lambda: not queries.account().incomplete_lists, "everything is known")


def items(answer: Answered | Refused) -> tuple[object, ...]:
    assert isinstance(answer, Answered), answer
    return answer.items


async def test_orders_fills_and_positions_are_the_services_with_their_time(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house:
        await with_account(house)
        port = Hosts({})
        own = OwnFigures(port, house.path)
        answer = await own.ask(READS["open-orders"], Values({}), limit=1)
        assert isinstance(answer, Answered)
        assert (answer.source, len(answer.items), answer.is_whole) == (SERVICE, 1, False)
        assert answer.as_of == house.world.service.queries.account().as_of
        one = await own.ask(READS["open-orders"], Values({"token_id": (NO,)}), limit=10)
        assert [o.order_id for o in items(one) if isinstance(o, Order)] == [SECOND]
        order = await own.ask(READS["order"], Values({"order_id": (FIRST.upper(),)}), limit=None)
        assert [o.order_id for o in items(order) if isinstance(o, Order)] == [FIRST]
        today = {"after": ("2026-11-20",)}
        fills = await own.ask(READS["fills"], Values(today), limit=10)
        assert [f.order_id for f in items(fills) if isinstance(f, Fill)] == [FIRST]
        for span in ({"after": ("1900000000",)}, {"before": ("5",)}, {"token_id": ("77",)}):
            assert items(await own.ask(READS["fills"], Values({**today, **span}), limit=10)) == ()
        positions = await own.ask(READS["positions"], Values({"wallet": (WALLET,)}), limit=10)
        assert [p.token_id for p in items(positions) if isinstance(p, Position)] == [YES]
        assert port.asked == []


async def test_a_tool_tells_the_age_of_what_the_service_knows(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house:
        await with_account(house)
        own = OwnFigures(Hosts({}), house.path)
        box = Toolbox(own, version="0", further=(READS["open-orders"],), has_account=True)
        told = await box.call("service.open_orders", {})
        assert not isinstance(told, Refused)
        as_of = house.world.service.queries.account().as_of
        assert as_of is not None
        assert (told["source"], told["age_s"]) == (SERVICE, int((NOW - as_of).total_seconds()))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("order", {"order_id": ("0x" + "c3" * 32,)}),
        ("fills", {}),
        ("fills", {"after": ("2026-11-18",)}),
        ("positions", {"wallet": ("0x" + "33" * 20,)}),
        ("positions", {"wallet": (WALLET,), "condition_id": (CONDITION,)}),
        ("balance", {}),
        ("leaderboard", {}),
    ],
)
async def test_what_the_service_does_not_know_is_asked_of_the_hosts(
    name: str, values: dict[str, tuple[str, ...]], tmp_path: Path
) -> None:
    async with running_house(tmp_path) as house:
        await with_account(house)
        port = Hosts({name: ("told",)})
        answer = await OwnFigures(port, house.path).ask(READS[name], Values(values), limit=None)
        assert (items(answer), port.asked) == (("told",), [name])


async def test_a_list_that_is_not_wholly_known_is_asked_of_the_hosts(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house:
        await with_account(house)
        house.world.account.unread_fills = (None,)
        house.world.service.parts.account.feed.refresh()
        queries = house.world.service.queries
        await until(
            house.world, lambda: queries.account().incomplete_lists, "a row that cannot be read"
        )
        port = Hosts({"fills": ("told",)})
        values = Values({"after": ("2026-11-20",)})
        answer = await OwnFigures(port, house.path).ask(READS["fills"], values, limit=9)
        assert (items(answer), port.asked) == (("told",), ["fills"])


async def test_old_figures_are_told_only_where_no_host_answers(tmp_path: Path) -> None:
    async with running_house(tmp_path) as house:
        await with_account(house)
        later = MOST_AGE + timedelta(seconds=30)
        port = Hosts({"open-orders": ()}, later=later)
        answer = await OwnFigures(port, house.path).ask(READS["open-orders"], Values({}), limit=9)
        assert (items(answer), port.asked) == ((), ["open-orders"])
        silent = Refused(Refusal.UNAVAILABLE, "no answer")
        port = Hosts({"open-orders": silent}, later=later)
        answer = await OwnFigures(port, house.path).ask(READS["open-orders"], Values({}), limit=9)
        assert isinstance(answer, Answered)
        assert (answer.source, len(answer.items)) == (SERVICE, 2)


async def test_without_a_service_every_read_is_the_hosts(tmp_path: Path) -> None:
    for name in OWN_READS:
        port = Hosts({name: ("told",)})
        own = OwnFigures(port, tmp_path / "nobody.sock")
        values = Values({"wallet": (WALLET,), "order_id": (FIRST,)})
        assert items(await own.ask(READS[name], values, limit=None)) == ("told",)
