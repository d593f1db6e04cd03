from dataclasses import replace
from types import MappingProxyType

import pytest

from pmtui.domain.account.onboarding import LastAnswer, Onboarding
from pmtui.service.topics import OnboardingTopic
from pmtui.service.views import Mode
from pmtui.ui.cells import line_width
from pmtui.ui.keys.actions import DEFAULT_KEYMAP
from pmtui.ui.wallet.receive import ReceiveScreen, paint_receive
from tests.ui.demo import ScreenApp
from tests.ui.fake_surface import FakeService
from tests.ui.look import listens_only_in_front, screen_lines, shows, survives_resizing
from tests.ui.onboarded import KEYLESS, NEWER, READY
from tests.ui.wait import until

UNDEPLOYED = replace(
    READY,
    deployed=MappingProxyType({a: LastAnswer(False) for a in READY.deployed}),
    code=LastAnswer(False),
)


def service_with(mode: Mode = Mode.PAPER) -> FakeService:
    service = FakeService()
    service.onboarding_view = READY
    service.status_view = replace(service.status_view, mode=mode)
    return service


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_the_address_is_whole_beside_its_code(size: tuple[int, int]) -> None:
    app = ScreenApp(ReceiveScreen(service_with().surface()))
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: shows(app, NEWER.address), "the address")
        assert sum("█" in line for line in screen_lines(app)) == 17


async def test_a_terminal_without_unicode_gets_the_address_alone() -> None:
    app = ScreenApp(ReceiveScreen(service_with().surface(ascii_only=True)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: shows(app, NEWER.address), "the address")
        assert all(line.isascii() for line in screen_lines(app))


async def test_it_is_copied_from_the_screen_and_watched_only_in_front() -> None:
    service = service_with()
    screen = ReceiveScreen(service.surface())
    assert screen.cursor_item().copied == ("address", NEWER.address)
    await listens_only_in_front(service, screen, {OnboardingTopic()})


async def test_every_size_shows_the_address() -> None:
    app = ScreenApp(ReceiveScreen(service_with(Mode.LIVE).surface()))
    async with app.run_test(size=(80, 24)) as pilot:
        await survives_resizing(pilot, app, NEWER.address)


def words(
    facts: Onboarding = READY, mode: Mode = Mode.LIVE, *, width: int = 80, height: int = 20
) -> str:
    lines = paint_receive(facts, width, height, mode=mode, keymap=DEFAULT_KEYMAP, is_dark=True)
    assert all(line_width(line) <= width for line in lines)
    return "\n".join("".join(cell.text for cell in line) for line in lines)


def test_real_money_is_warned_of_other_tokens_and_paper_of_real_money() -> None:
    assert "pUSD on Polygon" in words()
    assert "Never send real money" in words(mode=Mode.PAPER)


def test_an_undeployed_wallet_can_be_funded() -> None:
    assert "not deployed yet" in words(UNDEPLOYED)
    assert "not deployed yet" not in words()


def test_without_a_wallet_there_is_no_address_to_send_to() -> None:
    assert "0x" not in words(KEYLESS)
    assert KEYLESS.key_problem in words(KEYLESS)
    unknown = replace(READY, maker=None, deployed=MappingProxyType({}))
    assert "0x" not in words(unknown)


def test_a_narrow_screen_has_the_code_below_or_none() -> None:
    assert NEWER.address in words(width=42, height=12)
    assert "█" not in words(width=42, height=12)
    assert "█" in words(width=42, height=30)
