"""How far an account is, asked of the local venue by the real clients over real sockets."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from pmtui.cli.hosts import SessionHosts
from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.domain.account.keys import KeyKind, SignatureType
from pmtui.domain.account.onboarding import (
    Onboarding,
    SetupState,
    SetupStep,
    next_step,
    step_statuses,
)
from pmtui.service.data_service import DataService
from pmtui.service.health import Health
from pmtui.service.journal.journal import Journal
from pmtui.service.ports import Hosts
from pmtui.service.profile import Profile
from pmtui.service.topics import AccountTopic, OnboardingTopic, StatusTopic, Topic
from pmtui.service.views import Mode
from pmtui.signing.secret import Secret
from pmtui.sim.run import RunningVenue
from pmtui.ui.account.onboarding_lines import account_lines
from tests.cli.at_venue import TimeWithoutPolls, until, urls_of
from tests.sim.kit import KEYS, Person, http_client, small_venue

NOWHERE = "http://127.0.0.1:9"
"""The discard port of loopback: nobody listens."""


@asynccontextmanager
async def session(
    running: RunningVenue, folder: Path, *, urls: Endpoints | None = None, key: str | None = KEYS[0],
    signature_type: SignatureType = SignatureType.DEPOSIT_WALLET,
) -> AsyncIterator[DataService]:  # fmt: skip
    """Run the service on the first person's key, with the account's screen open."""
    clock = TimeWithoutPolls(running)

    async def connect(health: Health) -> Hosts | str:
        hosts = SessionHosts(urls or urls_of(running), Dialect.LIVE, health=health, clock=clock)
        secret = Secret.from_hex(key) if key is not None else None
        return hosts.hosts(secret, signature_type, kind=KeyKind.ENVIRONMENT)

    mode = Mode.READ_ONLY if key is None else Mode.LIVE
    service = DataService(
        profile=Profile("test", mode), connect=connect, clock=clock,
        journal=Journal(folder / "journal.sqlite"), rng=random.Random(7),
    )  # fmt: skip
    async with service.running():
        topics: list[Topic] = [OnboardingTopic(), AccountTopic(), StatusTopic()]
        _ = service.hub.subscribe(topics, lambda _: None)
        yield service


def facts_of(service: DataService) -> Onboarding:
    return service.queries.onboarding()


def states(service: DataService) -> dict[SetupStep, SetupState]:
    stands = step_statuses(facts_of(service))
    return {each.step: each.state for each in stands if each.spender is None or each.is_needed}


async def test_a_funded_account_has_every_step_done(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        async with session(running, tmp_path) as service:
            await until(service, lambda: next_step(step_statuses(facts_of(service))) is None)
            facts = facts_of(service)
            assert facts.wallet is not None
            assert facts.wallet.address == ann.wallet
            assert facts.code.value is True
            assert facts.identity is not None
            assert facts.identity.kind is KeyKind.ENVIRONMENT
            assert facts.trading_key is not None
            assert ann.api_key.startswith(facts.trading_key.shown.rstrip("…"))


async def test_nothing_of_what_is_shown_is_a_secret(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        async with session(running, tmp_path) as service:
            await until(service, lambda: next_step(step_statuses(facts_of(service))) is None)
            facts, status = facts_of(service), service.queries.status()
            shown = f"{facts!r} {account_lines(facts, status)!r} {service.queries.log()!r}"
            assert ann.wallet in shown
            secrets = (
                KEYS[0].removeprefix("0x"), ann.credentials["secret"],
                ann.credentials["passphrase"], ann.api_key,
            )  # fmt: skip
            for secret in secrets:
                assert secret.lower() not in shown.lower()


async def test_what_the_venue_changes_is_shown_after_a_refresh(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        async with session(running, tmp_path) as service:
            await until(service, lambda: next_step(step_statuses(facts_of(service))) is None)
            geo = {"blocked": True, "ip": "203.0.113.7", "country": "US", "region": "NY"}
            await ann.admin("POST", "/geoblock", geo)
            await ann.admin("POST", "/standing", {"address": ann.wallet, "standing": "closed only"})
            await until(service, lambda: not facts_of(service).is_asking)
            service.commands.refresh(OnboardingTopic())
            await until(service, lambda: states(service)[SetupStep.PLACE] is SetupState.NOT_DONE)
            await until(service, lambda: states(service)[SetupStep.STANDING] is SetupState.NOT_DONE)


async def test_an_approval_that_is_missing_is_the_next_thing(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        taking = {"address": ann.wallet, "standing": "no allowance"}
        await ann.admin("POST", "/standing", taking)
        async with session(running, tmp_path) as service:
            await until(service, lambda: facts_of(service).balance.value is not None)
            await until(service, lambda: facts_of(service).code.value is not None)
            await until(service, lambda: facts_of(service).closed_only.value is not None)
            following = next_step(step_statuses(facts_of(service)))
            assert following is not None
            assert (following.step, following.amount) == (SetupStep.ALLOWANCE, 0)


async def test_an_unfunded_wallet_is_not_deployed_by_both_views(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, session(running, tmp_path, key=KEYS[2]) as service:
        await until(service, lambda: facts_of(service).code.value is not None)
        await until(service, lambda: facts_of(service).balance.value is not None)
        found = states(service)
        for step in (SetupStep.DEPLOYED, SetupStep.CODE, SetupStep.BALANCE, SetupStep.ALLOWANCE):
            assert found[step] is SetupState.NOT_DONE
        assert found[SetupStep.WALLET] is SetupState.DONE


async def test_a_key_that_pays_itself_is_asked_nothing_about_wallets(tmp_path: Path) -> None:
    own = SignatureType.EOA
    async with (
        small_venue(tmp_path) as running,
        session(running, tmp_path, signature_type=own) as service,
    ):
        await until(service, lambda: facts_of(service).balance.value is not None)
        assert states(service)[SetupStep.DEPLOYED] is SetupState.NOT_NEEDED
        assert facts_of(service).deployed == {}


@pytest.mark.parametrize("kind", [SignatureType.PROXY, SignatureType.SAFE])
async def test_older_forms_are_asked_about_as_what_they_are(
    tmp_path: Path, kind: SignatureType
) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        async with session(running, tmp_path, signature_type=kind) as service:
            await until(service, lambda: states(service)[SetupStep.CODE] is SetupState.NOT_DONE)
            facts = facts_of(service)
            assert facts.wallet is not None
            assert facts.wallet.address == ann.wallet_of(kind)
            assert facts.wallet.form.value == kind.value
            assert facts.deployed_answer.value is False


async def test_a_chain_that_cannot_be_reached_is_told_of_beside_its_line(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        _ = await Person(running, http, key=0).arrive()
        urls = replace(urls_of(running), rpc=NOWHERE)
        async with session(running, tmp_path, urls=urls) as service:
            await until(service, lambda: bool(facts_of(service).code.problem))
            await until(service, lambda: next_step(step_statuses(facts_of(service))) is None)
            assert states(service)[SetupStep.CODE] is SetupState.NOT_KNOWN


async def test_a_relayer_that_cannot_be_reached_leaves_the_wallet_unknown(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running:
        urls = replace(urls_of(running), relayer=NOWHERE, rpc=NOWHERE)
        async with session(running, tmp_path, urls=urls) as service:
            await until(service, lambda: bool(facts_of(service).account_problem))
            await until(service, lambda: len(facts_of(service).deployed) == 2)
            found = {each.step: each for each in step_statuses(facts_of(service))}
            assert found[SetupStep.WALLET].state is SetupState.NOT_KNOWN
            assert "/deployed" in found[SetupStep.WALLET].problem
            assert found[SetupStep.CREDENTIALS].state is SetupState.NOT_DONE


async def test_the_chain_alone_tells_which_wallet_pays(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive()
        urls = replace(urls_of(running), relayer=NOWHERE)
        async with session(running, tmp_path, urls=urls) as service:
            await until(service, lambda: facts_of(service).maker is not None)
            assert facts_of(service).maker == ann.wallet


async def test_without_a_key_only_the_place_is_asked(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, session(running, tmp_path, key=None) as service:
        await until(service, lambda: facts_of(service).place.value is not None)
        facts = facts_of(service)
        assert facts.identity is None
        assert facts.deployed == {}
        assert next_step(step_statuses(facts)) is not None
