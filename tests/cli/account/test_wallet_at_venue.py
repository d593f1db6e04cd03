"""From a bare key to cash again, through the real service and clients on the local venue."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from pmtui.cli.account.wallet_access import WalletKeyFiles, WalletOptions
from pmtui.domain.account.keys import PastedKey, RelayerAuth
from pmtui.domain.account.wallet_steps import (
    Approval,
    ApprovalKind,
    Approve,
    CreateCredentials,
    Deploy,
    FlowKind,
    Merge,
    MintBuilderKey,
    MintRelayerKey,
    QuestionState,
    Redeem,
    Revoke,
    RevokeBuilderKey,
    Send,
    Split,
)
from pmtui.domain.account.wallet_transactions import TransactionStatus
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import LimitIntent, Rejected
from pmtui.service.data_service import DataService
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import AccountTopic, MarketTopic, WalletTopic
from pmtui.service.wallet.wallet import NO_ORDERS
from pmtui.service.wallet.wallet_views import (
    Confirmed,
    Failed,
    NotKnown,
    Simulation,
    StepKind,
    StepState,
)
from pmtui.signing.contracts import POLYGON
from tests.cli.account.wallet_kit import OTHER, RAINY, SHARE, card_of, passing, session, take, until
from tests.cli.at_venue import VenueTime
from tests.cli.at_venue import until as until_told
from tests.sim.kit import RAIN, Person, http_client, small_venue

pytestmark = pytest.mark.slow


async def until_step(
    service: DataService, person: Person, kind: StepKind, state: StepState
) -> None:
    def is_so() -> bool:
        step = service.queries.wallet().step(kind)
        return step is not None and step.state is state

    await until(service, person, is_so)


async def prepare_order(service: DataService, person: Person) -> PreparedOrder | Rejected:
    await passing(
        person,
        until_told(
            service, lambda: service.queries.market(RAINY).terms is not None, (MarketTopic(RAINY),)
        ),
    )
    market = service.queries.market(RAINY).market
    assert market is not None
    token_id = market.outcomes[0].token_id
    assert token_id is not None
    intent = LimitIntent(
        condition_id=RAINY, token_id=token_id, side=Side.BUY,
        price=Micros(400_000), size=Micros(10 * SHARE),
    )  # fmt: skip
    return await service.commands.prepare(intent)


async def test_a_bare_key_comes_to_a_wallet_that_may_trade(tmp_path: Path) -> None:
    options = WalletOptions(state_dir=tmp_path, is_practice=True, permit_file=tmp_path / "permit")
    async with (
        small_venue(tmp_path) as running,
        http_client() as http,
        session(running, tmp_path, options=options) as service,
    ):
        ann = Person(running, http, key=0)
        await until_step(service, ann, StepKind.CREDENTIALS, StepState.TO_DO)
        assert isinstance(await service.commands.prepare_wallet(Deploy()), Rejected)
        assert isinstance(await take(service, ann, CreateCredentials()), Confirmed)
        card = await card_of(service, MintRelayerKey())
        assert ann.signer.address in card.message
        made = await passing(ann, service.commands.submit_wallet(card.prepared_id))
        assert isinstance(made, Confirmed)
        await until_step(service, ann, StepKind.DEPLOY, StepState.TO_DO)
        assert service.queries.wallet().is_deployed is False
        refused = await prepare_order(service, ann)
        assert isinstance(refused, Rejected)
        assert refused.reason == NO_ORDERS
        assert isinstance(await take(service, ann, Deploy()), Confirmed)
        await until_step(service, ann, StepKind.DEPLOY, StepState.DONE)
        assert isinstance(await prepare_order(service, ann), PreparedOrder)
        view = service.queries.wallet()
        assert view.is_deployed
        assert view.disagreements == ()
        approve = view.step(StepKind.APPROVE)
        assert approve is not None
        assert isinstance(approve.step, Approve)
        assert len(approve.step.approvals) == 8
        ann.pass_time(30)
        assert isinstance(await take(service, ann, approve.step), Confirmed)
        await until_step(service, ann, StepKind.APPROVE, StepState.DONE)
        assert service.queries.wallet().missing_approvals() == ()
        assert (tmp_path / "relayer-key.json").stat().st_mode & 0o077 == 0


async def test_cash_becomes_both_outcomes_and_cash_again(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive(dollars="100")
        async with session(running, tmp_path) as service:
            await take(service, ann, MintRelayerKey())
            split = await card_of(service, Split(RAINY, Micros(40 * SHARE)))
            assert split.simulation is Simulation.PASSES
            assert [f.amount for f in split.flows if f.kind is FlowKind.CASH] == [-40 * SHARE]
            assert split.calls[0].target == POLYGON.collateral_adapter
            assert split.calls[0].arguments[-1] == ("amount", str(40 * SHARE))
            done = await passing(ann, service.commands.submit_wallet(split.prepared_id))
            assert isinstance(done, Confirmed)
            service.commands.refresh(AccountTopic())
            await until(service, ann, lambda: sizes(service) == (40 * SHARE, 40 * SHARE))
            assert isinstance(await take(service, ann, Merge(RAINY, Micros(10 * SHARE))), Confirmed)
            assert (await ann.ledger())["collateral"] == "70"
            await ann.admin("POST", "/resolve", {"condition_id": RAIN, "winner": 0})
            service.commands.refresh(AccountTopic())
            await until(service, ann, lambda: bool(service.queries.wallet().redeemable))
            (market,) = service.queries.wallet().redeemable
            assert [o.standing for o in market.outcomes] == [QuestionState.WON, QuestionState.LOST]
            redeem = await card_of(service, Redeem())
            assert redeem.flows[-1].amount == 30 * SHARE
            done = await passing(ann, service.commands.submit_wallet(redeem.prepared_id))
            assert isinstance(done, Confirmed)
            ledger = await ann.ledger()
            assert (ledger["collateral"], ledger["shares"]) == ("100", {})


def sizes(service: DataService) -> tuple[int, ...]:
    held = service.queries.wallet().settlements
    return tuple(outcome.size for each in held for outcome in each.outcomes)


async def test_what_reverts_is_told_before_it_is_signed_and_after(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive(dollars="100")
        async with session(running, tmp_path) as service:
            await take(service, ann, MintRelayerKey())
            await ann.admin("POST", "/relayer", {"course": "failed", "count": 1})
            verdict = await take(service, ann, Send(OTHER, Micros(5 * SHARE)))
            assert isinstance(verdict, Failed)
            newest = service.queries.wallet().transactions[0]
            assert newest.status is TransactionStatus.FAILED
            assert newest.calls[0].function == "transfer"
            assert (await ann.ledger())["collateral"] == "100"


async def test_a_lost_submission_is_found_again_and_happens_once(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive(dollars="100")
        async with session(running, tmp_path) as service:
            await take(service, ann, MintRelayerKey())
            fault = {
                "host": "relayer", "prefix": "/submit", "method": "POST", "remaining": 1,
                "is_answer_lost": True,
            }  # fmt: skip
            await ann.admin("POST", "/faults", fault)
            verdict = await take(service, ann, Send(OTHER, Micros(5 * SHARE)))
            assert isinstance(verdict, Confirmed)
            assert (await ann.ledger())["collateral"] == "95"
            assert OTHER in service.queries.wallet().sent_to


def statuses(service: DataService) -> list[TransactionStatus]:
    return [each.status for each in service.queries.wallet().transactions]


async def test_a_stalled_transaction_can_be_let_go_and_is_taken_up_again(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive(dollars="100")
        async with session(running, tmp_path) as service:
            await take(service, ann, MintRelayerKey())
            await ann.admin("POST", "/relayer", {"course": "stalled", "count": 1})
            card = await card_of(service, Send(OTHER, Micros(5 * SHARE)))
            waiting = asyncio.ensure_future(service.commands.submit_wallet(card.prepared_id))
            await until_told(
                service, lambda: bool(service.queries.wallet().transactions), (WalletTopic(),)
            )
            (known,) = service.queries.wallet().transactions
            service.commands.stop_following(known.key)
            assert isinstance(await waiting, NotKnown)
            assert isinstance(await service.commands.prepare_wallet(Redeem()), Rejected)
        await ann.admin("POST", "/relayer", {"course": "normal", "count": 0})
        async with session(running, tmp_path) as service:
            await until(service, ann, lambda: statuses(service) == [TransactionStatus.CONFIRMED])
            assert (await ann.ledger())["collateral"] == "95"


async def test_approvals_are_taken_back_and_builder_keys_made_and_revoked(tmp_path: Path) -> None:
    approval = Approval(POLYGON.collateral_adapter, ApprovalKind.CASH)
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive(dollars="100")
        async with session(running, tmp_path) as service:
            await take(service, ann, MintRelayerKey())
            assert isinstance(await take(service, ann, Revoke((approval,))), Confirmed)
            await until_step(service, ann, StepKind.APPROVE, StepState.TO_DO)
            assert service.queries.wallet().missing_approvals() == (approval,)
            refused = await service.commands.prepare_wallet(Split(RAINY, Micros(SHARE)))
            assert isinstance(refused, Rejected)
            exact = await card_of(service, Approve((approval,), 7 * SHARE))
            assert exact.calls[0].arguments == (
                ("spender", POLYGON.collateral_adapter), ("amount", str(7 * SHARE)),
            )  # fmt: skip
            for_exchange = Approve((Approval(POLYGON.exchange, ApprovalKind.CASH),), 7 * SHARE)
            assert isinstance(await service.commands.prepare_wallet(for_exchange), Rejected)
            assert isinstance(await take(service, ann, MintBuilderKey()), Confirmed)
            await until(service, ann, lambda: bool(service.queries.wallet().builder_keys))
            (key,) = service.queries.wallet().builder_keys
            legacy = WalletOptions(state_dir=tmp_path, auth=RelayerAuth.BUILDER)
        async with session(running, tmp_path, options=legacy) as service:
            assert isinstance(await take(service, ann, Approve((approval,))), Confirmed)
            assert isinstance(await take(service, ann, RevokeBuilderKey(key.key)), Confirmed)


async def test_the_lines_are_done_when_the_verdict_is_told_and_not_before(tmp_path: Path) -> None:
    approval = Approval(POLYGON.collateral_adapter, ApprovalKind.CASH)
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive(dollars="100")
        async with session(running, tmp_path) as service:

            def state() -> StepState | None:
                step = service.queries.wallet().step(StepKind.APPROVE)
                return None if step is None else step.state

            def is_allowed() -> bool | None:
                told = service.queries.wallet().approvals
                return next(each.is_allowed for each in told if each.approval == approval)

            await take(service, ann, MintRelayerKey())
            assert isinstance(await take(service, ann, Revoke((approval,))), Confirmed)
            assert state() is StepState.TO_DO
            card = await card_of(service, Approve((approval,)))
            waiting = asyncio.ensure_future(service.commands.submit_wallet(card.prepared_id))
            await until(service, ann, lambda: state() is StepState.RUNNING)
            while not is_allowed():
                service.commands.refresh(WalletTopic())
                await asyncio.wait({waiting}, timeout=0.2)
                ann.pass_time(0.5)
            # The chain has it, and the relayer does not call it final yet.
            assert not waiting.done()
            assert state() is StepState.RUNNING
            assert isinstance(await passing(ann, waiting), Confirmed)
            assert state() is StepState.DONE


@pytest.mark.parametrize(
    "recipient",
    ["0x12", "", POLYGON.exchange, "0x" + "0" * 40, OTHER.replace("c8", "C8")[:-1] + "9"],
)
async def test_cash_is_not_sent_where_it_would_be_lost(tmp_path: Path, recipient: str) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive(dollars="100")
        async with session(running, tmp_path) as service:
            await take(service, ann, MintRelayerKey())
            answer = await service.commands.prepare_wallet(Send(recipient, Micros(SHARE)))
            assert isinstance(answer, Rejected)
            assert answer.field == "recipient"


async def test_a_card_is_good_for_a_minute_and_once(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive(dollars="100")
        async with session(running, tmp_path) as service:
            await take(service, ann, MintRelayerKey())
            card = await card_of(service, Send(OTHER, Micros(SHARE)))
            first = await passing(ann, service.commands.submit_wallet(card.prepared_id))
            assert isinstance(first, Confirmed)
            assert isinstance(await service.commands.submit_wallet(card.prepared_id), Rejected)
            assert card.deadline is not None
            assert card.deadline > VenueTime(running).now() + timedelta(minutes=4)


async def test_a_key_that_the_trader_has_is_tried_and_kept(tmp_path: Path) -> None:
    async with small_venue(tmp_path) as running, http_client() as http:
        ann = await Person(running, http, key=0).arrive(dollars="100")
        (tmp_path / "elsewhere").mkdir()
        async with session(running, tmp_path / "elsewhere") as service:
            await take(service, ann, MintRelayerKey())
            key = WalletKeyFiles(tmp_path / "elsewhere").relayer_key(ann.signer.address)
            assert key is not None
            had = PastedKey(f" {key.key.reveal_text()}\n")
        async with session(running, tmp_path) as service:
            for wrong in ("", "two words", "x" * 300, "0198f3a1-of-nobody"):
                assert await passing(ann, service.commands.take_relayer_key(PastedKey(wrong)))
            assert not (tmp_path / "relayer-key.json").exists()
            assert await passing(ann, service.commands.take_relayer_key(had)) == ""
            await until_step(service, ann, StepKind.RELAYER_KEY, StepState.DONE)
            assert isinstance(await take(service, ann, Send(OTHER, Micros(SHARE))), Confirmed)
        assert had.text.strip() not in repr(had)
