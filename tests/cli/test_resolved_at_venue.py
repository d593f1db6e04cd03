"""A market with shares of ours that gets its answer is told of once, wherever one looks."""

from pathlib import Path

from typing_extensions import override

from pmtui.service.data_service import DataService
from pmtui.service.markets.resolutions import CHECK_PERIOD_S
from pmtui.service.topics import AccountTopic, LogTopic, StatusTopic
from pmtui.service.views import Level
from tests.cli.at_venue import PatientTime, until
from tests.cli.test_fees_at_venue import TOPICS, session, take
from tests.sim.kit import RAIN, SNOW, SNOW_NO, SNOW_YES, Person, http_client, small_venue


class _LookingOften(PatientTime):
    """Answers are looked for all the time."""

    @override
    async def sleep(self, seconds: float) -> None:
        await super().sleep(0.01 if seconds == CHECK_PERIOD_S else seconds)


def told(service: DataService) -> list[tuple[Level, str]]:
    entries = service.queries.log().entries
    return [(entry.level, entry.text) for entry in entries if "esolved" in entry.text]


async def test_a_held_market_that_nobody_watches_is_told_of_once(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        bob = await Person(running, http, key=1).arrive()
        async with session(running, tmp_path, _LookingOften) as first:
            await take(ann, bob, "0.35", "50")
            await take(ann, bob, "0.40", "10", yes=SNOW_YES, no=SNOW_NO)
            await until(first, lambda: len(first.queries.account().positions) == 2, TOPICS)
            assert told(first) == []
            await ann.admin("POST", "/resolve", {"condition_id": RAIN, "winner": 0})
            first.commands.refresh(AccountTopic())
            await until(first, lambda: bool(told(first)), TOPICS)
            won = "Resolved: Yes wins, your 50 Yes shares are worth $50.00 · Will it rain"
            assert told(first) == [(Level.GOOD, won)]
        await ann.admin("POST", "/resolve", {"condition_id": SNOW, "winner": 1})
        lost = "Resolved: No wins, your 10 Yes shares are worth $0.00 · Will it snow"
        async with session(running, tmp_path, _LookingOften) as second:
            await until(second, lambda: bool(told(second)), (LogTopic(),))
            assert [text for _, text in told(second)] == [lost]
        async with session(running, tmp_path, _LookingOften) as third:
            await until(
                third, lambda: third.queries.status().day_result is not None, (StatusTopic(),)
            )
            assert told(third) == []
