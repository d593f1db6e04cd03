"""The account screen from the keys: what it shows, copies, explains and asks for."""

import re
from dataclasses import replace

import pytest

from pmtui.domain.account.onboarding import LastAnswer
from pmtui.service.topics import AccountTopic, AddressBookTopic, OnboardingTopic, Topic, WalletTopic
from pmtui.ui.account.account import AccountLineScreen, AccountScreen
from pmtui.ui.app import PmtuiApp
from pmtui.ui.widgets.line_table import LineTable
from tests.ui.account.account_app import account_on, app_on
from tests.ui.demo import ScreenApp
from tests.ui.fake_surface import KEYLESS_ACCOUNT, READ_ONLY_STATUS, FakeService
from tests.ui.look import (
    listens_only_in_front,
    screen_lines,
    shows,
    survives_resizing,
    text_of,
)
from tests.ui.onboarded import KEYLESS, NEG_RISK, NEWER, READY, SECONDS_AGO, allowing
from tests.ui.wait import settle, until

TOPICS: set[Topic] = {
    OnboardingTopic(), AccountTopic(), WalletTopic(), AddressBookTopic(),
}  # fmt: skip


def ready_service() -> FakeService:
    service = FakeService()
    service.onboarding_view = READY
    return service


def keyless_service() -> FakeService:
    service = FakeService()
    service.onboarding_view = KEYLESS
    service.account_view, service.status_view = KEYLESS_ACCOUNT, READ_ONLY_STATUS
    return service


def row(app: PmtuiApp | ScreenApp, words: str) -> str:
    return next((line for line in screen_lines(app) if words in line), "")


def cursor_row(app: PmtuiApp) -> str:
    return app.screen.query_one("#steps", LineTable).cursor_key or ""


async def test_a_opens_the_account_and_every_step_is_there() -> None:
    async with account_on(ready_service()) as (app, pilot):
        for title, said in (
            ("Region", "CH ZH: not blocked"),
            ("Key", "0xf39Fd6…b92266 paper's own"),
            ("Paying wallet", "0xBc0fF0…0d6B50 deposit wallet"),
            ("Deployed (relayer)", "deployed, says the relayer"),
            ("Deployed (chain)", "contract at the address"),
            ("API credentials", "present, id 6f1c2a34…"),
            ("Standing", "may open positions"),
            ("Relayer key", "none"),
            ("Allow: exchange", "unlimited to 0xE11118…7B996B"),
            ("Allow: neg-risk", "unlimited to 0xe2222d…310F59"),
            ("Collateral", "$10,000.00"),
        ):
            assert said in row(app, title), title
        await pilot.press("end")
        await until(pilot, lambda: row(app, "Transactions"), "the last line")
        assert "order $500.00, day's loss $200.00" in row(app, "Own limits")
        assert "not asked" in row(app, "Transactions")


async def test_a_second_a_changes_nothing_and_escape_leads_back() -> None:
    app = app_on(ready_service())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a", "a")
        await until(pilot, lambda: isinstance(app.screen, AccountScreen), "the account")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, AccountScreen), "the list")


async def test_without_a_key_the_cursor_is_on_the_key_and_the_command_is_there() -> None:
    app = app_on(keyless_service())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a")
        await until(pilot, lambda: shows(app, "not done: Key"), "what is missing")
        assert "`pmtui account new --profile live`" in text_of(app, "#way")
        assert cursor_row(app) == "key"
        assert shows(app, "Leave, and run `pmtui account new --profile live`")
        await settle(pilot)
        await pilot.press("y")
        await until(pilot, lambda: app.clipboard != "", "the command copied")
        assert app.clipboard == "pmtui account new --profile live"


async def test_y_copies_the_whole_address_under_the_cursor() -> None:
    async with account_on(ready_service()) as (app, pilot):
        await pilot.press("down", "down", "y")
        await until(pilot, lambda: app.clipboard != "", "something copied")
        assert app.clipboard == NEWER.address
        await pilot.press(*["down"] * 7, "y")
        await until(pilot, lambda: app.clipboard != NEWER.address, "something else copied")
        assert app.clipboard == NEG_RISK.address


async def test_a_line_without_an_address_copies_nothing() -> None:
    async with account_on(ready_service()) as (app, pilot):
        await pilot.press(*["down"] * 5, "y")
        await until(pilot, lambda: "Nothing to copy" in text_of(app, "#notice"), "a word about it")
        assert cursor_row(app) == "credentials"
        assert app.clipboard == ""


async def test_enter_explains_a_line_and_what_it_would_sign() -> None:
    service = ready_service()
    service.onboarding_view = allowing(0, 1)
    app = app_on(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a")
        await until(pilot, lambda: shows(app, "not done: Allow: exchange"), "what is missing")
        await pilot.press(*["down"] * 8, "enter")
        await until(pilot, lambda: isinstance(app.screen, AccountLineScreen), "the explanation")
        await until(pilot, lambda: shows(app, "What is signed"), "what is signed")
        assert shows(app, "approve(this contract, unlimited)")
        assert shows(app, "refused without it")
        await pilot.press("y")
        await until(pilot, lambda: app.clipboard.startswith("0xE111"), "its address copied")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, AccountScreen), "the account")


async def test_an_explanation_of_a_contract_that_is_gone_says_so() -> None:
    service = ready_service()
    async with account_on(service) as (app, pilot):
        await pilot.press(*["down"] * 10, "enter")
        await until(pilot, lambda: shows(app, "Orders do not"), "the explanation")
        service.onboarding_view = allowing(1, 1)
        service.announce(OnboardingTopic())
        await until(pilot, lambda: shows(app, "nothing more to say"), "that it is gone")
        await pilot.press("y")
        await settle(pilot)
        assert app.clipboard == ""


async def test_r_asks_everything_again() -> None:
    service = ready_service()
    async with account_on(service) as (_, pilot):
        await pilot.press("r")
        await until(pilot, lambda: len(service.calls_of("refresh")) == 4, "the questions")
        assert {topic for (topic,) in service.calls_of("refresh")} == TOPICS


async def test_what_is_told_meanwhile_is_shown_where_the_cursor_stays() -> None:
    service = ready_service()
    async with account_on(service) as (app, pilot):
        await pilot.press(*["down"] * 6)
        problem = "GET /auth/ban-status/closed-only: timed out"
        service.onboarding_view = replace(READY, closed_only=LastAnswer(True, SECONDS_AGO, problem))
        service.announce(OnboardingTopic())
        await until(pilot, lambda: shows(app, "x not done"), "the change")
        assert "close-only; failing: GET" in row(app, "x not done   Standing")
        assert cursor_row(app) == "standing"
        assert shows(app, "Only the venue can change it")


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_lines_and_explanation_fit_every_screen(size: tuple[int, int]) -> None:
    app = app_on(ready_service())
    async with app.run_test(size=size) as pilot:
        await pilot.press("a")
        await until(pilot, lambda: shows(app, "every step is done"), "the account")
        await pilot.press("down", "down")
        await until(pilot, lambda: shows(app, "wallet: the form"), "the explanation")
        assert shows(app, NEWER.address)
        is_beside = "0xBc0fF067" in row(app, "What is known")
        assert is_beside is (size[0] >= 150)
        whole = f"{NEWER.address} deposit wallet"
        assert any(
            whole in line for line in screen_lines(app) if re.search(r"3 +\+ done", line)
        ) is (size[0] > 80)


async def test_a_terminal_without_unicode_shows_the_same() -> None:
    async with account_on(ready_service(), ascii_only=True) as (app, pilot):
        assert "0xBc0fF0~0d6B50 deposit wallet" in row(app, "Paying wallet")
        assert "id 6f1c2a34~" in row(app, "API credentials")
        for _ in range(18):
            assert "".join(screen_lines(app)).isascii()
            await pilot.press("down")
            await settle(pilot)


async def test_without_colour_every_state_still_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    service = ready_service()
    service.onboarding_view = replace(allowing(0, 1), closed_only=LastAnswer())
    app = app_on(service)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a")
        await until(pilot, lambda: shows(app, "x not done"), "what is missing")
        for sign in ("+ done", "x not done", "? not known", "- not needed"):
            assert shows(app, sign)


async def test_the_account_survives_resizing() -> None:
    app = ScreenApp(AccountScreen(ready_service().surface()))
    async with app.run_test(size=(80, 24)) as pilot:
        await survives_resizing(pilot, app, "every step is done")


async def test_the_account_is_asked_for_only_while_it_is_in_front() -> None:
    service = ready_service()
    await listens_only_in_front(service, AccountScreen(service.surface()), TOPICS)
