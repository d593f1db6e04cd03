"""What was paid in a market that is over is still known after a restart, and counted in the day."""

import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from pmtui.config.endpoints import Dialect
from pmtui.domain.markets.market import Side
from pmtui.domain.money import ONE, Micros, cents_down, format_micros, parse_micros
from pmtui.domain.orders.order import TimeInForce
from pmtui.service.data_service import DataService
from pmtui.service.journal.journal import Journal
from pmtui.service.profile import Profile
from pmtui.service.topics import AccountTopic, LogTopic, StatusTopic
from pmtui.service.views import Load, Mode
from pmtui.sim.run import RunningVenue
from tests.cli.at_venue import PatientTime, VenueTime, on_first_key, until, urls_of
from tests.sim.kit import (
    RAIN,
    RAIN_NO,
    RAIN_YES,
    SNOW_NO,
    SNOW_YES,
    Person,
    http_client,
    small_venue,
)

m = parse_micros
START = m("1000")
TOPICS = (AccountTopic(), StatusTopic(), LogTopic())


@asynccontextmanager
async def session(
    running: RunningVenue,
    folder: Path,
    make_clock: Callable[[RunningVenue], VenueTime] = PatientTime,
) -> AsyncIterator[DataService]:
    """Run a session on the profile in a folder, and look at nothing but the account."""
    clock = make_clock(running)
    service = DataService(
        profile=Profile("test", Mode.LIVE), clock=clock, state_dir=folder / "state",
        connect=on_first_key(urls_of(running), clock, dialect=Dialect.LIVE),
        journal=Journal(folder / "journal.sqlite"), rng=random.Random(7),
    )  # fmt: skip
    async with service.running():
        _ = service.hub.subscribe(list(TOPICS), lambda _: None)
        await until(service, lambda: service.queries.account().load is Load.READY, TOPICS)
        yield service


async def take(
    ann: Person, bob: Person, price: str, size: str, *, yes: str = RAIN_YES, no: str = RAIN_NO
) -> None:
    """Let the first person buy from the second."""
    theirs = format_micros(Micros(ONE - m(price)))
    _ = await bob.rest(Side.BUY, theirs, size, token=no)
    answer = await ann.place(Side.BUY, price, size, TimeInForce.FAK, token=yes)
    assert answer.json()["status"] == "matched", answer.text
    ann.pass_time(30)


def gained(service: DataService) -> Micros | None:
    """Return what the account is worth more than at the start, as a screen shows it."""
    view = service.queries.account()
    if view.balance is None:
        return None
    return cents_down(view.balance + sum(p.value or 0 for p in view.positions) - START)


def agrees(service: DataService) -> bool:
    result = service.queries.status().day_result
    return result is not None and result == gained(service)


async def test_fees_of_a_market_that_is_over_are_known_after_a_restart(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        bob = await Person(running, http, key=1).arrive()
        async with session(running, tmp_path) as first:
            await take(ann, bob, "0.35", "50")
            await until(first, lambda: len(first.queries.fills().fills) == 1, TOPICS)
            await until(first, lambda: agrees(first), TOPICS)
            paid = first.queries.fills().fills[0].fee
            assert paid == m((await ann.ledger())["fees_paid"])
        await ann.admin("POST", "/resolve", {"condition_id": RAIN, "winner": 0})
        for _ in range(2):
            async with session(running, tmp_path) as later:
                await until(later, lambda: agrees(later), TOPICS)
                assert later.queries.fills().fills[-1].fee == paid
        async with session(running, tmp_path) as last:
            await take(ann, bob, "0.40", "10", yes=SNOW_YES, no=SNOW_NO)
            await until(last, lambda: len(last.queries.fills().fills) == 2, TOPICS)
            await until(last, lambda: agrees(last), TOPICS)
            fees = [fill.fee for fill in last.queries.fills().fills]
            assert all(fees)
            assert sum(fee or 0 for fee in fees) == m((await ann.ledger())["fees_paid"])
