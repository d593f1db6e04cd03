"""A stop's sale that the chain loses after all: the real service, the local venue, a real failure."""

from pathlib import Path

from typing_extensions import override

from pmtui.domain.conditionals.conditional import ConditionalOrder, ConditionalPlan
from pmtui.domain.markets.market import Side
from pmtui.domain.money import parse_micros
from pmtui.service.conditionals.triggers import CHECK_PERIOD_S
from pmtui.service.data_service import DataService
from pmtui.service.topics import AccountTopic, BookTopic, LogTopic, StatusTopic
from tests.cli.at_venue import HERE, YES, PatientTime, ServiceAtVenue, service_at_venue, until
from tests.sim.kit import RAIN_NO, RAIN_YES

m = parse_micros
PLAN = ConditionalPlan(HERE, YES, m("20"), stop=m("0.40"), take_profit=None)
TOPICS = (AccountTopic(), StatusTopic(), LogTopic(), BookTopic(YES))


class CheckingOften(PatientTime):
    """Checks stops more often: after each jump of the venue's clock they wait for some checks."""

    @override
    async def sleep(self, seconds: float) -> None:
        await super().sleep(0.25 if seconds == CHECK_PERIOD_S else seconds)


def conditionals(service: DataService) -> tuple[ConditionalOrder, ...]:
    return service.queries.account().conditionals


async def holding(here: ServiceAtVenue) -> None:
    """Buy twenty shares, and leave somebody who bids above the stop."""
    await here.bob.rest(Side.BUY, "0.50", "20", token=RAIN_NO)
    await here.place("0.50", "20")
    here.ann.pass_time(30)
    await until(here.service, lambda: here.service.queries.account().shares(YES) == m("20"), TOPICS)
    await here.bob.rest(Side.BUY, "0.45", "5", token=RAIN_YES)
    await until(here.service, lambda: here.service.queries.book(YES).best_bid == m("0.45"), TOPICS)


async def test_shares_that_a_failed_sale_brought_back_are_protected_again(tmp_path: Path) -> None:
    async with service_at_venue(tmp_path, CheckingOften) as here:
        service = here.service
        await holding(here)
        assert await service.commands.protect(PLAN) == ""
        # All bids above the stop go away, and somebody bids below it.
        await here.ann.admin("POST", "/settlement", {"course": "failed", "count": 10})
        await here.bob.call("DELETE", "/cancel-all")
        await here.bob.rest(Side.BUY, "0.38", "100", token=RAIN_YES)
        await until(service, lambda: not conditionals(service), TOPICS)
        await until(service, lambda: service.queries.account().shares(YES) == 0, TOPICS)

        # The chain loses it, twice.
        for _ in range(6):
            here.ann.pass_time(30)
        await until(service, lambda: bool(conditionals(service)), TOPICS)
        (back,) = conditionals(service)
        assert (back.state.is_active, back.size) == (True, m("20"))
        await until(service, lambda: service.queries.account().shares(YES) == m("20"), TOPICS)
        texts = [entry.text for entry in service.queries.log().entries]
        assert any("20 Yes came back and are protected again" in text for text in texts)
        # The price is still below the stop: they are sold, in a second sale.
        await until(
            service,
            lambda: len({f.order_id for f in service.queries.fills().fills if f.side is Side.SELL}) == 2,
            TOPICS,
        )  # fmt: skip
