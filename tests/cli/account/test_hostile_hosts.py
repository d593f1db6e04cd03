"""Hosts that lie to the wallet, between the real service and the local venue.

Nothing is signed that the card does not show, and whoever disagrees is shown with both views.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

import pytest

from pmtui.cli.account.wallet_access import WalletOptions
from pmtui.cli.hosts import SessionHosts
from pmtui.config.endpoints import Dialect
from pmtui.domain.account.keys import SignatureType
from pmtui.domain.account.wallet_steps import Approval, ApprovalKind, MintRelayerKey, Send, Split
from pmtui.domain.account.wallet_transactions import TransactionStatus
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Rejected
from pmtui.service.data_service import DataService
from pmtui.service.health import Health
from pmtui.service.journal.journal import Journal
from pmtui.service.ports import Hosts
from pmtui.service.profile import Profile
from pmtui.service.topics import AccountTopic, WalletTopic
from pmtui.service.views import Mode
from pmtui.service.wallet.transactions import OTHER_TRANSACTION
from pmtui.service.wallet.wallet_views import (
    Confirmed,
    Failed,
    NotKnown,
    Simulation,
    ViewsDiffer,
    WalletCard,
    WalletView,
)
from pmtui.signing.contracts import POLYGON
from pmtui.signing.secret import Secret
from tests.cli.account.wallet_kit import OTHER, RAINY, SHARE, passing, take, until
from tests.cli.at_venue import VenueTime, urls_of
from tests.clients.raw_server import Call, serving
from tests.sim.kit import KEYS, RAIN, SNOW, Person, http_client, small_venue

Lie = Callable[[str, str, str], str]
"""From the path, the question and the honest answer to what is said instead."""
NO_LIES: Mapping[str, Lie] = MappingProxyType({})
MADE_UP = "0x" + "7a" * 32


@dataclass
class Scene:
    """A service whose hosts say what a lie makes of their answers; lies may begin at any time."""

    person: Person
    service: DataService | None = None
    lies: dict[str, Lie] = field(default_factory=dict)
    submitted: list[Any] = field(default_factory=list)

    @property
    def front(self) -> DataService:
        assert self.service is not None
        return self.service

    @property
    def view(self) -> WalletView:
        return self.front.queries.wallet()

    async def card(self, step: Send | Split) -> WalletCard | Rejected:
        return await passing(self.person, self.front.commands.prepare_wallet(step))

    async def differing(self, subject: str) -> ViewsDiffer:
        """Wait until hosts are known to disagree about something."""

        def found() -> list[ViewsDiffer]:
            self.front.commands.refresh(WalletTopic())
            return [each for each in self.view.disagreements if subject in each.subject]

        await until(self.front, self.person, lambda: bool(found()))
        return found()[0]


@asynccontextmanager
async def lying(scene: Scene, name: str, target: str) -> AsyncIterator[str]:
    """Stand before a host; gives the address."""
    async with http_client() as http:

        async def pass_on(call: Call) -> None:
            method, path, _ = call.line.split(" ")
            kept = ("host", "accept-encoding", "content-length")
            headers = {k: v for k, v in call.headers.items() if k not in kept}
            if path == "/submit":
                scene.submitted.append(json.loads(call.body))
            answer = await http.request(method, target + path, headers=headers, content=call.body)
            lie = scene.lies.get(name)
            text = answer.text if lie is None else lie(path, call.body.decode(), answer.text)
            cookies = "".join(
                f"Set-Cookie: {cookie}\r\n" for cookie in answer.headers.get_list("set-cookie")
            )
            status = f"{answer.status_code} Said"
            await call.answer(text.encode(), status=status, headers=cookies)

        async with serving(pass_on) as server:
            yield server.url


@asynccontextmanager
async def scene(
    folder: Path, *names: str, lies: Mapping[str, Lie] = NO_LIES
) -> AsyncIterator[Scene]:
    """A funded wallet with a relayer key, whose named hosts can be made to lie."""
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(small_venue(folder))
        http = await stack.enter_async_context(http_client())
        ann = await Person(running, http, key=0).arrive(dollars="100")
        made = Scene(ann, lies=dict(lies))
        urls, clock = urls_of(running), VenueTime(running)
        for name in names:
            url = await stack.enter_async_context(lying(made, name, getattr(urls, name)))
            urls = replace(urls, **{name: url})

        async def connect(health: Health) -> Hosts | str:
            hosts = SessionHosts(
                urls, Dialect.LIVE, health=health, clock=clock,
                wallet=WalletOptions(state_dir=folder),
            )  # fmt: skip
            return hosts.hosts(Secret.from_hex(KEYS[0]), SignatureType.DEPOSIT_WALLET)

        made.service = DataService(
            profile=Profile("test", Mode.LIVE), connect=connect, clock=clock,
            journal=Journal(folder / "journal.sqlite"), rng=Random(7),
        )  # fmt: skip
        await stack.enter_async_context(made.service.running())
        _ = made.service.hub.subscribe([WalletTopic(), AccountTopic()], lambda _: None)
        assert isinstance(await take(made.service, ann, MintRelayerKey()), Confirmed)
        yield made


def at(route: str, answer: Callable[[Any], Any]) -> Lie:
    """Change the answers of one route, as values."""

    def lie(path: str, _: str, text: str) -> str:
        return json.dumps(answer(json.loads(text))) if path.startswith(route) else text

    return lie


def rpc(method: str, answer: Callable[[Any], object]) -> Lie:
    """Change what a node answers to a method, alone or among several."""

    def lie(_: str, question: str, text: str) -> str:
        asked, told = json.loads(question), json.loads(text)
        if isinstance(asked, list):
            numbers = {each["id"] for each in asked if each["method"] == method}
            changed = [
                {**each, "result": answer(each)} if each["id"] in numbers else each for each in told
            ]
            return json.dumps(changed)
        return json.dumps({**told, "result": answer(told)}) if asked["method"] == method else text

    return lie


def signed_fields(body: Mapping[str, Any]) -> tuple[str, str, list[tuple[str, str]]]:
    """Return wallet, counter and calls of a submission."""
    parameters = body["depositWalletParams"]
    calls = [(call["target"], call["data"]) for call in parameters["calls"]]
    return parameters["depositWallet"], body["nonce"], calls


@pytest.mark.parametrize("nonce", ["-1", "1e3", "9" * 79, "0x1", None, [1]])
async def test_a_counter_that_is_none_prepares_nothing(tmp_path: Path, nonce: object) -> None:
    async with scene(tmp_path, "relayer") as made:
        made.lies["relayer"] = at("/nonce", lambda _: {"nonce": nonce})
        assert isinstance(await made.card(Send(OTHER, Micros(SHARE))), Rejected)
        assert made.submitted == []


async def test_a_wrong_counter_stands_on_the_card_and_does_nothing(tmp_path: Path) -> None:
    async with scene(tmp_path, "relayer") as made:
        made.lies["relayer"] = at("/nonce", lambda _: {"nonce": "99"})
        card = await made.card(Send(OTHER, Micros(SHARE)))
        assert isinstance(card, WalletCard)
        assert card.nonce == 99
        ended = await passing(made.person, made.front.commands.submit_wallet(card.prepared_id))
        assert isinstance(ended, Failed)
        (body,) = made.submitted
        wallet, nonce, calls = signed_fields(body)
        assert (wallet, nonce) == (card.wallet, "99")
        assert [target for target, _ in calls] == [card.calls[0].target]
        assert (await made.person.ledger())["collateral"] == "100"


async def test_a_counter_that_was_used_is_not_signed_again(tmp_path: Path) -> None:
    async with scene(tmp_path, "relayer") as made:
        assert isinstance(
            await take(made.front, made.person, Send(OTHER, Micros(SHARE))), Confirmed
        )
        made.lies["relayer"] = at("/nonce", lambda _: {"nonce": "0"})
        assert isinstance(await made.card(Send(OTHER, Micros(SHARE))), Rejected)
        assert len(made.submitted) == 1


async def test_another_wallet_in_a_row_is_shown_beside_what_was_signed(tmp_path: Path) -> None:
    async with scene(tmp_path, "relayer") as made:
        other = OTHER.lower()
        made.lies["relayer"] = at(
            "/transaction", lambda rows: [{**row, "proxyAddress": other} for row in rows]
        )
        _ = await take(made.front, made.person, Send(OTHER, Micros(SHARE)))
        differing = await made.differing("Send")
        assert any(other in told for _, told in differing.views)
        wallet, _, _ = signed_fields(made.submitted[0])
        assert wallet == made.view.wallet
        assert any(wallet in told for _, told in differing.views)


async def test_confirmed_without_a_block_is_doubted_and_shown(tmp_path: Path) -> None:
    async with scene(tmp_path, "relayer") as made:
        confirmed = {"state": "STATE_CONFIRMED", "transactionHash": MADE_UP}
        made.lies["relayer"] = at(
            "/transaction", lambda rows: [{**row, **confirmed} for row in rows]
        )
        await made.person.admin("POST", "/relayer", {"course": "stalled", "count": 1})
        card = await made.card(Send(OTHER, Micros(SHARE)))
        assert isinstance(card, WalletCard)
        submitting = asyncio.ensure_future(made.front.commands.submit_wallet(card.prepared_id))
        differing = await made.differing("Send")
        assert len(differing.views) == 2
        (known,) = made.view.transactions
        assert known.status is TransactionStatus.PENDING
        assert (await made.person.ledger())["collateral"] == "100"
        made.front.commands.stop_following(known.key)
        assert isinstance(await submitting, NotKnown)


async def test_somebody_elses_success_is_not_taken_for_ours(tmp_path: Path) -> None:
    async with scene(tmp_path, "relayer") as made:
        first = await take(made.front, made.person, Send(OTHER, Micros(SHARE)))
        assert isinstance(first, Confirmed)
        stolen = {"state": "STATE_CONFIRMED", "transactionHash": first.hash}
        made.lies["relayer"] = at("/transaction", lambda rows: [{**row, **stolen} for row in rows])
        await made.person.admin("POST", "/relayer", {"course": "stalled", "count": 1})
        card = await made.card(Send(OTHER, Micros(2 * SHARE)))
        assert isinstance(card, WalletCard)
        submitting = asyncio.ensure_future(made.front.commands.submit_wallet(card.prepared_id))
        differing = await made.differing("Send $2")
        assert len(differing.views) == 2
        assert differing.believed == "nobody"
        known = made.view.transactions[0]
        assert (known.status, known.chain_view) == (TransactionStatus.UNKNOWN, OTHER_TRANSACTION)
        assert (await made.person.ledger())["collateral"] == "99"
        made.front.commands.stop_following(known.key)
        assert isinstance(await submitting, NotKnown)


async def test_the_chain_goes_before_a_relayer_that_has_heard_of_no_wallet(tmp_path: Path) -> None:
    async with scene(tmp_path, "relayer") as made:
        made.lies["relayer"] = at("/deployed", lambda _: {"deployed": False})
        differing = await made.differing("")
        assert len(differing.views) == 2
        assert made.view.is_deployed


async def test_a_node_of_another_chain_proves_nothing(tmp_path: Path) -> None:
    other_chain = {"rpc": rpc("eth_chainId", lambda _: "0x1")}
    async with scene(tmp_path, "rpc", lies=other_chain) as made:
        paying = next(each for each in made.view.wallets if each.is_paying)
        assert paying.chain.value is None
        assert "chain 1" in paying.chain.problem
        assert made.view.is_deployed
        card = await made.card(Send(OTHER, Micros(SHARE)))
        assert isinstance(card, WalletCard)
        assert card.simulation is Simulation.NOT_ASKED


@pytest.mark.parametrize(
    "result", ["0x" + "ff" * 60_000, "0x", "0x01", "yes", 7, None, {"a": 1}, "0x" + "zz" * 32]
)
async def test_what_is_no_number_allows_nothing(tmp_path: Path, result: object) -> None:
    approval = Approval(POLYGON.collateral_adapter, ApprovalKind.CASH)

    def is_asked() -> bool:
        told = next(each for each in made.view.approvals if each.approval == approval)
        return bool(told.allowed.problem)

    async with scene(tmp_path, "rpc") as made:
        made.lies["rpc"] = rpc("eth_call", lambda _: result)
        made.front.commands.refresh(WalletTopic())
        await until(made.front, made.person, is_asked)
        card = await made.card(Send(OTHER, Micros(SHARE)))
        assert isinstance(card, WalletCard)
        # What the node says does not change what is signed.
        assert card.calls[0].arguments == (("to", OTHER), ("amount", str(SHARE)))


def swap(text: str, first: str, second: str) -> str:
    return text.replace(first, "\0").replace(second, first).replace("\0", second)


async def test_swapped_condition_ids_are_not_signed_for(tmp_path: Path) -> None:
    async with scene(tmp_path, "gamma", "data") as made:
        for name in ("gamma", "data"):
            made.lies[name] = lambda _path, _question, text: swap(text, RAIN, SNOW)
        assert isinstance(await made.card(Split(RAINY, Micros(SHARE))), Rejected)
        assert made.submitted == []
        made.lies.clear()
        honest = await made.card(Split(RAINY, Micros(SHARE)))
        assert isinstance(honest, WalletCard)
        assert dict(honest.calls[0].arguments)["conditionId"] == RAIN
