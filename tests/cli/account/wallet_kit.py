"""A service with a wallet at the local venue, and its steps taken."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from pmtui.cli.account.wallet_access import WalletOptions
from pmtui.cli.hosts import SessionHosts
from pmtui.config.endpoints import Dialect
from pmtui.domain.account.keys import SignatureType
from pmtui.domain.account.wallet_steps import (
    WalletStep,
)
from pmtui.domain.ids import ConditionId
from pmtui.service.data_service import DataService
from pmtui.service.health import Health
from pmtui.service.journal.journal import Journal
from pmtui.service.ports import Hosts
from pmtui.service.profile import Profile
from pmtui.service.surface import WalletVerdict
from pmtui.service.topics import AccountTopic, WalletTopic
from pmtui.service.views import Mode
from pmtui.service.wallet.wallet_views import (
    WalletCard,
)
from pmtui.signing.secret import Secret
from pmtui.sim.run import RunningVenue
from tests.cli.at_venue import VenueTime, urls_of
from tests.cli.at_venue import until as until_told
from tests.sim.kit import KEYS, RAIN, Person

T = TypeVar("T")
RAINY = ConditionId(RAIN)
SHARE = 1_000_000
OTHER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"


@asynccontextmanager
async def session(
    running: RunningVenue, folder: Path, *, options: WalletOptions | None = None
) -> AsyncIterator[DataService]:
    """Run the service on the first person's key, with the wallet in sight."""
    clock = VenueTime(running)

    async def connect(health: Health) -> Hosts | str:
        hosts = SessionHosts(
            urls_of(running), Dialect.LIVE, health=health, clock=clock,
            wallet=options or WalletOptions(state_dir=folder),
        )  # fmt: skip
        return hosts.hosts(Secret.from_hex(KEYS[0]), SignatureType.DEPOSIT_WALLET)

    service = DataService(
        profile=Profile("test", Mode.LIVE), connect=connect, clock=clock,
        journal=Journal(folder / "journal.sqlite"), rng=random.Random(7),
    )  # fmt: skip
    async with service.running():
        _ = service.hub.subscribe([WalletTopic(), AccountTopic()], lambda _: None)
        yield service


async def passing(person: Person, work: Awaitable[T]) -> T:
    """Let the venue's time pass until something has come."""
    task = asyncio.ensure_future(work)
    while not task.done():
        await asyncio.wait({task}, timeout=0.2)
        person.pass_time(1)
    return await task


async def take(service: DataService, person: Person, step: WalletStep) -> WalletVerdict:
    card = await service.commands.prepare_wallet(step)
    assert isinstance(card, WalletCard), card
    return await passing(person, service.commands.submit_wallet(card.prepared_id))


async def card_of(service: DataService, step: WalletStep) -> WalletCard:
    card = await service.commands.prepare_wallet(step)
    assert isinstance(card, WalletCard), card
    return card


async def until(service: DataService, person: Person, is_so: Callable[[], bool]) -> None:
    """Let time pass until something is so that one of the wallet's topics tells."""
    await passing(person, until_told(service, is_so, (WalletTopic(), AccountTopic())))
