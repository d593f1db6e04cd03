"""What is typed after a key that opens an input lands in the input, however fast it comes.

A machine that is busy is one on which every turn of the event loop lasts too long: here a key
may wait for turns only, and for no time at all.
"""

import pytest
from textual import events
from textual.app import App
from textual.widgets import Input

from pmtui.ui.app import PmtuiApp
from pmtui.ui.keys.actions import key_label
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.terminal import key_queue
from pmtui.ui.theme.theme_files import load_themes
from tests.ui.demo import believable_service
from tests.ui.moving_market import CONDITION, MovingMarket
from tests.ui.wait import settle, until

TYPED = "4.5"
NAMES = {".": "full_stop"}


def send(app: App[None], *keys: str) -> None:
    """Let keys arrive in one read, before any of them is handled."""
    for key in keys:
        sign = key_label(key)
        app.post_message(events.Key(key, sign if len(sign) == 1 else None))


def typed(app: App[None]) -> str:
    return app.focused.value if isinstance(app.focused, Input) else ""


@pytest.fixture(autouse=True)
def busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_queue, "TURN_S", 0)


@pytest.mark.parametrize("opener", ["slash", "colon", "ctrl+p", "b", "s", "t", "L", "A"])
async def test_on_the_trading_screen(opener: str) -> None:
    market = MovingMarket()
    surface = market.service.surface()
    app = PmtuiApp(surface, themes=load_themes()[0])
    async with app.run_test(size=(120, 36)) as pilot:
        screen = MarketScreen(surface, CONDITION)
        _ = app.push_screen(screen)
        await until(pilot, lambda: screen.ladder.ladder is not None, "the book")
        await settle(pilot)
        given = len(market.service.calls)
        send(app, opener, *(NAMES.get(sign, sign) for sign in TYPED))
        await until(pilot, lambda: typed(app).endswith(TYPED), "the text")
        await settle(pilot)
        assert [call.name for call in market.service.calls[given:]] == []


@pytest.mark.parametrize("place", ["", "p"])
@pytest.mark.parametrize("opener", ["slash", "colon", "ctrl+p"])
async def test_on_other_screens(place: str, opener: str) -> None:
    app = PmtuiApp(believable_service().surface(), themes=load_themes()[0])
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        send(app, *place, opener, *"bank-of-fed")
        await until(pilot, lambda: typed(app) == "bank-of-fed", "the text")
