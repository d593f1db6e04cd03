"""How far an account is: asked while somebody looks, each host apart, failures beside their line."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from pmtui.domain.account.keys import KeyKind, SignatureType
from pmtui.domain.account.onboarding import (
    Identity,
    Onboarding,
    Purpose,
    Spender,
    Wallet,
    WalletForm,
)
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.ids import Address
from pmtui.domain.money import Micros
from pmtui.domain.orders.limits import Limits
from pmtui.service.account.onboarding import ASK_PERIOD_S, NO_CHAIN
from pmtui.service.ports import Setup
from pmtui.service.profile import Profile, Tuning
from pmtui.service.topics import OnboardingTopic
from pmtui.service.views import Mode
from tests.manual_clock import settle
from tests.service.fakes import WALLET, World, running_world

OLDER = Wallet(WalletForm.OLDER_DEPOSIT, Address("0xdf8b9E8f9AB23f261F6e1B171B7454ae6E46Ba76"))
NEWER = Wallet(WalletForm.DEPOSIT, WALLET)
IDENTITY = Identity(
    KeyKind.KEYSTORE, Address("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
    SignatureType.DEPOSIT_WALLET, (OLDER, NEWER),
)  # fmt: skip
SPENDERS = (Spender(Purpose.EXCHANGE, Address("0x" + "e1" * 20)),)
DOWN = Failure(FailureKind.UNREACHABLE, "GET /deployed", "no connection")


@dataclass
class FakeWallets:
    """The relayer and the chain, which know the newer wallet only."""

    failure: Failure | None = None
    asked: list[Address] = field(default_factory=list)

    async def is_deployed(self, wallet: Address, form: WalletForm) -> bool | Failure:
        assert form is not WalletForm.EOA
        self.asked.append(wallet)
        await asyncio.sleep(0)
        return self.failure or wallet == NEWER.address

    async def has_code(self, address: Address) -> bool | Failure:
        await asyncio.sleep(0)
        return self.failure or address == NEWER.address


def view(world: World) -> Onboarding:
    return world.service.queries.onboarding()


async def look(world: World) -> None:
    """Open the screen."""
    _ = world.service.hub.subscribe([OnboardingTopic()], lambda _: None)
    await settle()


async def test_nothing_is_asked_before_somebody_looks_nor_afterwards(tmp_path: Path) -> None:
    wallets = FakeWallets()
    async with running_world(tmp_path, setup=Setup(wallets, wallets, IDENTITY, SPENDERS)) as world:
        await world.pass_time(ASK_PERIOD_S * 2)
        assert wallets.asked == []
        looking = world.service.hub.subscribe([OnboardingTopic()], lambda _: None)
        await settle()
        assert wallets.asked == [OLDER.address, NEWER.address]
        await world.pass_time(ASK_PERIOD_S)
        assert len(wallets.asked) == 4
        looking.close()
        await world.pass_time(ASK_PERIOD_S * 2)
        assert len(wallets.asked) == 4


async def test_every_answer_comes_with_its_time(tmp_path: Path) -> None:
    wallets = FakeWallets()
    async with running_world(tmp_path, setup=Setup(wallets, wallets, IDENTITY, SPENDERS)) as world:
        await look(world)
        facts, now = view(world), world.clock.now()
        assert facts.identity == IDENTITY
        assert facts.wallet == NEWER
        assert (facts.deployed_answer.value, facts.deployed_answer.as_of) == (True, now)
        assert (facts.code.value, facts.code.as_of) == (True, now)
        assert facts.balance.value is not None
        assert facts.balance.value.balance == world.account.cash
        assert facts.closed_only.value is False
        assert facts.place.value is not None
        assert facts.trading_key is not None
        assert facts.spenders == SPENDERS
        assert not facts.is_asking


async def test_a_host_that_fails_is_told_of_beside_its_line_and_nowhere_else(
    tmp_path: Path,
) -> None:
    wallets = FakeWallets()
    async with running_world(tmp_path, setup=Setup(wallets, wallets, IDENTITY, SPENDERS)) as world:
        await look(world)
        changed_at = world.clock.now()
        wallets.failure = DOWN
        await world.pass_time(ASK_PERIOD_S)
        facts = view(world)
        told = facts.deployed_answer
        assert (told.value, told.as_of, told.problem) == (True, changed_at, str(DOWN))
        assert told.asked_at == world.clock.now()
        assert facts.code.problem == str(DOWN)
        assert facts.balance.problem == ""
        assert facts.balance.as_of == world.clock.now()
        wallets.failure = None
        await world.pass_time(ASK_PERIOD_S)
        assert view(world).deployed_answer.problem == ""


async def test_refreshing_has_the_host_look_at_the_chain_first(world: World) -> None:
    await look(world)
    before = len(world.account.refreshed)
    await world.pass_time(ASK_PERIOD_S)
    assert world.account.refreshed[before:] == []
    world.account.cash = Micros(7)
    world.service.commands.refresh(OnboardingTopic())
    await settle()
    assert world.account.refreshed[before:] == [None]
    told = view(world).balance.value
    assert told is not None
    assert told.balance == 7


async def test_a_look_at_the_chain_that_failed_is_told_of_with_the_balance(world: World) -> None:
    await look(world)
    world.account.refresh_failure = DOWN
    world.service.commands.refresh(OnboardingTopic())
    await settle()
    told = view(world).balance
    assert told.value is not None
    assert told.problem == f"without a new check of the chain: {DOWN}"


async def test_what_takes_an_account_is_asked_as_soon_as_there_is_one(tmp_path: Path) -> None:
    refusals: list[Failure | None] = [Failure(FailureKind.REFUSED, "POST /auth/api-key", "no")]
    release = asyncio.Event()

    async def opening() -> Failure | None:
        if refusals:
            return refusals.pop()
        _ = await release.wait()
        return None

    wallets = FakeWallets()
    setup = Setup(wallets, wallets, IDENTITY, SPENDERS)
    async with running_world(tmp_path, setup=setup, opening=opening) as world:
        await look(world)
        facts = view(world)
        assert facts.wallet == NEWER
        assert facts.balance.as_of is None
        assert facts.account_problem == "POST /auth/api-key: no"
        await world.pass_time(1)
        release.set()
        await settle()
        facts = view(world)
        assert facts.balance.as_of == world.clock.now()
        assert (facts.maker, facts.account_problem) == (WALLET, "")


async def test_a_session_without_a_key_asks_what_is_public_and_names_the_command(
    tmp_path: Path,
) -> None:
    wallets = FakeWallets()
    profile = Profile("live", Mode.READ_ONLY, "no key", "pmtui account new --profile live")
    setup = Setup(wallets, None, None, SPENDERS)
    async with running_world(tmp_path, with_key=False, profile=profile, setup=setup) as world:
        world.geo.is_blocked = True
        await look(world)
        facts = view(world)
        assert (facts.key_problem, facts.remedy) == ("no key", "pmtui account new --profile live")
        assert facts.place.value is not None
        assert facts.place.value.is_blocked
        assert facts.code_unasked == NO_CHAIN
        assert wallets.asked == []
        assert facts.balance.as_of is None


async def test_a_place_that_does_not_answer_is_told_of(world: World) -> None:
    world.geo.failure = Failure(FailureKind.LOST, "GET geographic check", "timed out")
    await look(world)
    assert view(world).place.problem == "GET geographic check: timed out"


async def test_the_limits_in_force_are_told(tmp_path: Path) -> None:
    limits = Limits(order=Micros(50_000_000))
    async with running_world(tmp_path, tuning=Tuning(limits=limits)) as world:
        assert view(world).limits == limits
