"""The band that says that the service behind a terminal is gone, and the keys that follow from it."""

from dataclasses import dataclass, replace

import pytest

from pmtui.domain.ids import ConditionId, OrderId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Order, OrderStatus, TimeInForce
from pmtui.link.connection import OTHER_VERSION
from pmtui.service.topics import StatusTopic
from pmtui.service.views import ServiceLoss
from pmtui.ui.app import PmtuiApp
from pmtui.ui.keys.actions import DEFAULT_KEYMAP
from pmtui.ui.keys.quit_key import LeaveCard
from pmtui.ui.paint_status import paint_loss
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme_files import load_themes
from pmtui.ui.widgets.text_line import KeyLine
from tests.ui.demo import believable_service
from tests.ui.fake_surface import EMPTY_ACCOUNT, NOW, PAPER_STATUS, READ_ONLY_STATUS, FakeService
from tests.ui.look import shows
from tests.ui.wait import settle, until

RESTING = Order(
    OrderId("0x1"), ConditionId("0x2"), TokenId("3"), "Yes", Side.BUY, Micros(372_000),
    Micros(50_000_000), Micros(0), OrderStatus.LIVE, TimeInForce.GTC, NOW,
)  # fmt: skip
ENDED = ServiceLoss(NOW, is_final=True)


@dataclass
class Process:
    loss: ServiceLoss | None = None
    is_silent: bool = False
    starts: int = 0
    locked_account: str = ""

    def start_again(self) -> None:
        self.starts += 1
        self.loss = None


def attached(service: FakeService, process: Process) -> PmtuiApp:
    surface = service.surface()
    options = replace(surface.options, is_attached=True)
    away = Surface(
        surface.queries, surface.commands, surface.subscriptions, options, process=process
    )
    return PmtuiApp(away, themes=load_themes()[0])


def offered(app: PmtuiApp) -> dict[str, str]:
    """Return what the footer offers, with the words it has for it."""
    return {each.id: each.label for each in app.screen.query_one("#footer", KeyLine).entries}


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_an_ended_service_is_said_until_it_is_started_again(size: tuple[int, int]) -> None:
    service, process = FakeService(), Process()
    app = attached(service, process)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        assert not shows(app, "SERVICE ENDED")
        process.loss = ENDED
        service.announce(StatusTopic())
        await until(pilot, lambda: shows(app, "SERVICE ENDED"), "the band")
        assert shows(app, "r starts it again")
        await pilot.press("r")
        await settle(pilot)
        assert process.starts == 1
        service.announce(StatusTopic())
        await until(pilot, lambda: not shows(app, "SERVICE ENDED"), "no band")
        await pilot.press("r")
        assert process.starts == 1


async def test_without_a_service_only_what_can_be_done_is_offered() -> None:
    service, process = believable_service(), Process(ENDED)
    app = attached(service, process)
    async with app.run_test(size=(200, 50)) as pilot:
        await pilot.press("p")
        await until(pilot, lambda: "row.flatten" in offered(app), "the positions")
        service.status_view = replace(service.status_view, is_gone=True)
        service.announce(StatusTopic())
        await until(pilot, lambda: "row.buy" not in offered(app), "fewer keys")
        assert offered(app)["global.refresh"] == "Start the service"
        trading = {"row.buy", "row.sell", "row.flatten", "row.protect", "portfolio.flatten_marked"}
        assert not trading & set(offered(app))
        for key in ("b", "t", "F", "X"):
            await pilot.press(key)
            await until(pilot, lambda: shows(app, "The service is gone"), f"the answer to {key}")
        sent = ("cancel_all", "place", "prepare_many", "flatten")
        assert not [name for name in sent if service.calls_of(name)]


async def test_a_keystore_that_stays_locked_is_unlocked_by_the_key_on_show() -> None:
    service, process = FakeService(status_view=READ_ONLY_STATUS), Process(locked_account="0xabc")
    app, given = attached(service, process), list[bytes]()

    async def unlock(passphrase: bytes) -> str:
        given.append(passphrase)
        return ""

    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert offered(app)["global.kill"] == "Unlock"
        app.unlock_prompt.offer(process.locked_account, unlock)
        for _ in range(2):
            await pilot.press("K")
            await until(pilot, lambda: shows(app, "Unlock the keystore?"), "the question")
            await settle(pilot)
            await pilot.press("escape")
            await until(pilot, lambda: shows(app, "K asks for the passphrase again"), "the answer")
        app.unlock_prompt.withdraw()
        await pilot.press("K")
        await until(pilot, lambda: shows(app, "Kill switch?"), "the switch itself")
    assert not given


async def test_quitting_does_not_offer_to_leave_running_what_does_not_run() -> None:
    account = replace(EMPTY_ACCOUNT, open_orders=(RESTING,))
    service = FakeService(status_view=PAPER_STATUS, account_view=account)
    app = attached(service, Process(ENDED))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("q")
        assert not isinstance(app.screen, LeaveCard)
        await settle(pilot)
    assert app.return_code == 0


@pytest.mark.parametrize(
    ("loss", "orders", "width", "expected"),
    [
        (ENDED, 0, 80, ("SERVICE ENDED", "r starts it again · q quit")),
        (ENDED, 1, 100, ("your 50 @ 37.2¢ stays at the venue · r starts it again · q quit",)),
        (ENDED, 1, 60, ("SERVICE ENDED", "r starts it again · q quit")),
        (ENDED, 3, 120, ("your 3 orders stay at the venue · r starts",)),
        (replace(ENDED, is_final=False), 0, 80, ("SERVICE GONE", "starting it again · q quit")),
        (replace(ENDED, refusal=OTHER_VERSION), 1, 80, (f" {OTHER_VERSION} · q quit",)),
    ],
)
def test_the_band_says_what_stays_behind(
    loss: ServiceLoss, orders: int, width: int, expected: tuple[str, ...]
) -> None:
    account = replace(EMPTY_ACCOUNT, open_orders=(RESTING,) * orders)
    line = paint_loss(loss, account, keymap=DEFAULT_KEYMAP, width=width)
    text = "".join(cell.text for cell in line)
    assert len(text) <= width
    for words in expected:
        assert words in text


def test_the_band_says_how_to_leave_a_field_that_takes_the_keys() -> None:
    line = paint_loss(ENDED, EMPTY_ACCOUNT, keymap=DEFAULT_KEYMAP, width=80, is_typing=True)
    assert "esc, then r starts it again" in "".join(cell.text for cell in line)
