"""The account's steps from the keys: each leads to its card, and what cannot be done says why."""

from dataclasses import replace

import pytest

from pmtui.domain.account.keys import PastedKey
from pmtui.domain.account.wallet_steps import (
    Approval,
    ApprovalKind,
    Approve,
    Deploy,
    MintRelayerKey,
    Revoke,
    Send,
    WalletStep,
)
from pmtui.domain.money import parse_micros
from pmtui.service.topics import WalletTopic
from pmtui.service.views import Load
from pmtui.service.wallet.wallet_views import (
    StepKind,
    StepState,
    WalletCard,
    WalletStepView,
    WalletView,
)
from pmtui.ui.account.account import AccountScreen
from pmtui.ui.account.account_keys import KEY_IS_KEPT, PASTE_PROMPT
from pmtui.ui.app import PmtuiApp
from pmtui.ui.portfolio.portfolio import PortfolioScreen
from pmtui.ui.terminal.terminal_app import HiddenPrompt
from pmtui.ui.wallet.receive import ReceiveScreen
from pmtui.ui.wallet.send_form import SendForm
from pmtui.ui.wallet.signing_card import SigningCard
from pmtui.ui.widgets.line_table import LineTable
from tests.ui.account.account_app import account_on, app_on
from tests.ui.account.test_wallet_lines import with_step
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.look import screen_lines, shows, survives_resizing, text_of
from tests.ui.onboarded import EXCHANGE, NEWER, READY
from tests.ui.wait import settle, until
from tests.ui.wallet.wallets import (
    APPROVE_CARD,
    DEPLOY_CARD,
    READY_WALLET,
    SEND_CARD,
    SIGN_IN_CARD,
    STRANGER,
)

m = parse_micros
RIGHT = Approval(EXCHANGE.address, ApprovalKind.CASH)
TO_DEPLOY = with_step(WalletStepView(StepKind.DEPLOY, StepState.TO_DO, step=Deploy()))


def service_with(*cards: WalletCard) -> FakeService:
    service = FakeService(wallet_view=READY_WALLET, cards=list(cards))
    service.onboarding_view = READY
    return service


def prepared(service: FakeService) -> list[WalletStep]:
    return [step for (step,) in service.calls_of("prepare_wallet") if isinstance(step, WalletStep)]


def notice(app: PmtuiApp) -> str:
    return text_of(app, "#notice")


async def point_at(app: PmtuiApp, key: str) -> None:
    _ = app.screen.query_one("#steps", LineTable).move_cursor_to(key)


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_n_takes_the_next_step_and_its_card_asks(size: tuple[int, int]) -> None:
    service = service_with(DEPLOY_CARD)
    service.wallet_view = TO_DEPLOY
    app = app_on(service)
    async with app.run_test(size=size) as pilot:
        await pilot.press("a")
        await until(pilot, lambda: "n: deploy" in text_of(app, "#way"), "the way")
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, SigningCard), "the card")
        assert prepared(service) == [Deploy()]
        await settle(pilot)
        service.at = NOW.replace(second=1)
        await pilot.press("enter")
        await until(pilot, lambda: service.calls_of("submit_wallet"), "the submission")
        await until(pilot, lambda: isinstance(app.screen, AccountScreen), "the account")
        assert app.screen.query_one("#steps", LineTable).cursor_key == "deployed"


async def test_d_takes_the_step_at_the_cursor_and_x_takes_it_back() -> None:
    service = service_with(APPROVE_CARD, APPROVE_CARD)
    async with account_on(service) as (app, pilot):
        await point_at(app, f"approvals cash {EXCHANGE.address}")
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, SigningCard), "the card")
        await pilot.press("escape")
        await until(pilot, lambda: "Nothing was signed" in notice(app), "the account")
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, SigningCard), "the other card")
    assert prepared(service) == [Approve((RIGHT,)), Revoke((RIGHT,))]


async def test_e_approves_up_to_an_amount() -> None:
    service = service_with(APPROVE_CARD)
    async with account_on(service) as (app, pilot):
        await pilot.press("e")
        await until(pilot, lambda: "Only cash" in notice(app), "why not here")
        await point_at(app, f"approvals cash {EXCHANGE.address}")
        await pilot.press("e")
        await until(pilot, lambda: shows(app, "spend up to"), "the form")
        await pilot.press("2", "5", "enter")
        await until(pilot, lambda: isinstance(app.screen, SigningCard), "the card")
    assert prepared(service) == [Approve((RIGHT,), 25_000_000)]


async def test_a_relayer_key_is_signed_for_on_a_card_with_its_text() -> None:
    service = service_with(SIGN_IN_CARD)
    async with account_on(service) as (app, pilot):
        await point_at(app, "relayer key")
        await pilot.press("d")
        await until(pilot, lambda: shows(app, "| Nonce: 7f3a"), "the text")
        await survives_resizing(pilot, app, "| Nonce: 7f3a")
    assert prepared(service) == [MintRelayerKey()]


async def test_s_sends_to_an_address_and_v_shows_ours() -> None:
    service = service_with(SEND_CARD)
    async with account_on(service) as (app, pilot):
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, ReceiveScreen), "the address")
        await until(pilot, lambda: shows(app, NEWER.address), "the address")
        await pilot.press("y")
        await until(pilot, lambda: app.clipboard == NEWER.address, "it is copied")
        await pilot.press("escape", "s")
        await until(pilot, lambda: isinstance(app.screen, SendForm), "the form")
        await settle(pilot)
        await pilot.press(*STRANGER, "tab", *STRANGER)
        await until(
            pilot, lambda: sum(STRANGER in line for line in screen_lines(app)) == 2, "whole"
        )
        await pilot.press("tab", "3", "enter")
        await until(pilot, lambda: isinstance(app.screen, SigningCard), "the card")
    assert prepared(service) == [Send(STRANGER, m("3"))]


async def test_a_refusal_leaves_the_form_with_all_that_was_typed() -> None:
    service = service_with()
    async with account_on(service) as (app, pilot):
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, SendForm), "the form")
        await settle(pilot)
        await pilot.press(*STRANGER, "tab", *STRANGER, "tab", "3", "enter")
        await until(pilot, lambda: shows(app, "Not prepared"), "the reason")
        form = app.screen
        assert isinstance(form, SendForm)
        assert (form.recipient.value, form.amount.value) == (STRANGER, "3")
        service.cards.append(SEND_CARD)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, SigningCard), "the card")
    assert prepared(service) == [Send(STRANGER, m("3"))] * 2


async def test_what_is_not_prepared_says_why() -> None:
    service = service_with()
    service.wallet_view = TO_DEPLOY
    app = app_on(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a")
        await until(pilot, lambda: "n: deploy" in text_of(app, "#way"), "the way")
        await pilot.press("n")
        await until(pilot, lambda: "Not prepared: This session has no wallet" in notice(app), "why")
        await point_at(app, "wallet")
        await pilot.press("d")
        await until(pilot, lambda: "nothing to do" in notice(app), "nothing")
        await pilot.press("x")
        await until(pilot, lambda: "Nothing to revoke" in notice(app), "nothing to take back")


async def test_without_a_wallet_every_key_says_why() -> None:
    service = service_with()
    service.wallet_view = replace(READY_WALLET, reason="only deposit wallets can be used")
    async with account_on(service) as (app, pilot):
        await point_at(app, "wallet")
        for key in ("d", "x", "e", "s"):
            await pilot.press("down", "up", key)
            await until(pilot, lambda: "only deposit wallets" in notice(app), "why")
    assert not prepared(service)


async def test_the_transactions_line_leads_to_their_tab() -> None:
    service = service_with()
    app = app_on(service)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("a")
        await until(pilot, lambda: shows(app, "every step is done"), "the account")
        await point_at(app, "transactions")
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, PortfolioScreen), "the portfolio")
        await until(pilot, lambda: shows(app, "… pending"), "the transactions")


async def test_asking_again_and_a_step_under_way() -> None:
    service = service_with()
    moving = WalletStepView(StepKind.DEPLOY, StepState.RUNNING, "STATE_NEW", NOW)
    service.wallet_view = with_step(moving)
    app = app_on(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a")
        await until(pilot, lambda: shows(app, "running: Deployed"), "what runs")
        await point_at(app, "deployed")
        await pilot.press("d")
        await until(pilot, lambda: "Under way" in notice(app), "it runs")
        await point_at(app, "balance")
        await pilot.press("d")
        await until(pilot, lambda: (WalletTopic(),) in service.calls_of("refresh"), "asked")


async def test_a_refusal_of_the_service_is_said() -> None:
    service = service_with()
    async with account_on(service) as (app, pilot):
        await pilot.press("n")
        await until(pilot, lambda: "Every step is done" in notice(app), "nothing to do")


@pytest.mark.parametrize(
    ("given", "problem", "said"),
    [
        ("0198f3a1-relayer", "", KEY_IS_KEPT),
        ("0198f3a1-relayer", "not kept: refused", "No relayer key was taken: not kept: refused"),
        (None, "", "No relayer key was taken."),
    ],
)
async def test_a_key_that_one_has_is_asked_for_outside_the_screen(
    given: str | None, problem: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def answer(_: HiddenPrompt, prompt: str) -> str | None:
        asked.append(prompt)
        return given

    asked: list[str] = []
    monkeypatch.setattr(HiddenPrompt, "ask", answer)
    service = service_with()
    service.key_problem = problem
    async with account_on(service) as (app, pilot):
        await pilot.press("I")
        await until(pilot, lambda: said in notice(app), "the answer")
    assert asked == [PASTE_PROMPT]
    assert service.calls_of("take_relayer_key") == ([(PastedKey(given),)] if given else [])


async def test_without_a_wallet_no_key_is_asked_for() -> None:
    service = FakeService(wallet_view=WalletView(reason="no deposit wallet", load=Load.READY))
    app = app_on(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a", "I")
        await until(pilot, lambda: "no deposit wallet" in notice(app), "the reason")
    assert service.calls_of("take_relayer_key") == []
