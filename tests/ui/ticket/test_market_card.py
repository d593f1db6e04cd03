"""The confirm card over the trading screen: it stands in the ticket's place."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from textual.pilot import Pilot

from pmtui.domain.markets.venue_state import Evidence, VenueFact, VenueState
from pmtui.domain.orders.exit_policy import ExitPolicy
from pmtui.service.topics import MarketTopic
from pmtui.service.views import Mode
from pmtui.ui.keys.global_keys import ask_cancel_all, ask_kill
from pmtui.ui.keys.quit_key import LeaveCard, QuitKey, choices_of, what_goes_on
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.modal import Modal
from pmtui.ui.ticket.confirm import ConfirmScreen
from pmtui.ui.wallet.paint_card import WalletFunds, paint_card
from pmtui.ui.wallet.signing_card import SigningCard
from pmtui.ui.wallet.wallet_form import SplitForm
from pmtui.ui.widgets.text_line import KeyLine
from tests.ui.demo_market import MarketDemo
from tests.ui.fake_surface import NOW
from tests.ui.market.market_kit import cents, on_market
from tests.ui.market.test_market_actions import set_orders
from tests.ui.moving_market import CONDITION
from tests.ui.stage import shown_text
from tests.ui.wait import settle, until
from tests.ui.wallet.wallets import APPROVE_CARD

STATES = (
    VenueFact(VenueState.RESTARTING, Evidence.ANSWER, NOW),
    VenueFact(VenueState.POST_ONLY, Evidence.ANSWER, NOW),
    VenueFact(VenueState.DELAYED, Evidence.TERMS, NOW, text="3 s", condition_id=CONDITION),
)


async def _card(pilot: Pilot[None], app: MarketDemo) -> ConfirmScreen:
    await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "the confirm card")
    screen = app.screen
    assert isinstance(screen, ConfirmScreen)
    await until(pilot, lambda: screen._shown_at_s is not None, "the card painted")
    return screen


@pytest.mark.parametrize("states", [(), STATES])
@pytest.mark.parametrize("size", [(80, 24), (110, 30), (120, 36), (200, 50)])
async def test_it_stands_over_the_ticket_and_beside_the_ladder_at_any_of_the_sizes(
    size: tuple[int, int], states: tuple[VenueFact, ...]
) -> None:
    async with on_market(size) as (app, pilot, screen):
        service = app.market.service
        service.markets[CONDITION] = replace(service.markets[CONDITION], venue=states)
        service.announce(MarketTopic(CONDITION))
        await pilot.press("b")
        await until(pilot, lambda: screen.ticket.is_open, "the ticket opens")
        await pilot.press(*"100")
        await settle(pilot)
        await pilot.press("enter")
        card = await _card(pilot, app)
        region = card.query_one("#card").region
        if screen.ticket.has_class("-line"):
            assert not region.overlaps(screen.ticket.region) or card.lines.size.height > 11
        else:
            # It repeats the fields: it stands in their columns, and nothing of them looks out.
            assert region.contains_region(screen.ticket.region)
            assert region.column_span == screen.ticket.region.column_span
        stands_clear(screen, card)
        words = " ".join("".join(c.text for c in line) for line in card.card_lines(card.inner))
        assert "? addresses and id" in " ".join(words.split())
        assert "Send" in shown_text(card.query_one(KeyLine))[0]
        assert ("is restarting" in words) is bool(states)


def stands_clear(screen: MarketScreen, card: Modal[Any]) -> None:
    """Neither the ladder that is traded nor header, message line and keys are covered."""
    frame = card.query_one(card.FRAME)
    for kept in ("#status", "#head", "#notice", "#footer"):
        assert not frame.region.overlaps(screen.query_one(kept).region), kept
    assert screen.traded_ladder is not None
    assert not frame.region.overlaps(screen.traded_ladder.region)
    # All of it is there, its keys at the end.
    assert card.size.region.contains_region(frame.region)
    keys = card.query_one(KeyLine).region
    assert frame.region.contains_region(keys)
    assert keys.y == frame.region.bottom - 2


async def flattened(app: MarketDemo, pilot: Pilot[None], screen: MarketScreen) -> None:
    set_orders(app)
    await pilot.press("f")


async def moved(app: MarketDemo, pilot: Pilot[None], screen: MarketScreen) -> None:
    screen.ladder.point_at(cents(49))
    await pilot.press("e")
    await until(pilot, lambda: screen.controls.moving.is_moving, "the order is picked up")
    await pilot.press("down", "down", "enter")


async def nudged(app: MarketDemo, pilot: Pilot[None], screen: MarketScreen) -> None:
    screen.ladder.point_at(cents(49))
    await pilot.press("shift+down")


def pressed(key: str) -> Callable[[MarketDemo, Pilot[None], MarketScreen], Awaitable[None]]:
    async def press(app: MarketDemo, pilot: Pilot[None], screen: MarketScreen) -> None:
        await pilot.press(key)

    return press


async def split(app: MarketDemo, pilot: Pilot[None], screen: MarketScreen) -> None:
    form = SplitForm(screen.surface, CONDITION, title="A market", cash=cents(1_000_000))
    _ = app.push_screen(form)


async def signed(app: MarketDemo, pilot: Pilot[None], screen: MarketScreen) -> None:
    paint = partial(paint_card, APPROVE_CARD, mode=Mode.PAPER, held=WalletFunds(), now=NOW)
    _ = app.push_screen(SigningCard(paint, surface=screen.surface))


async def quitting(app: MarketDemo, pilot: Pilot[None], screen: MarketScreen) -> None:
    QuitKey(app, screen.surface, ExitPolicy.LEAVE).press()


async def leaving(app: MarketDemo, pilot: Pilot[None], screen: MarketScreen) -> None:
    queries = screen.surface.queries
    lines = what_goes_on(queries.account(), queries.status(), 1)
    choices = choices_of(has_orders=True, has_heartbeat=True)
    _ = app.push_screen(LeaveCard(lines, choices, options=screen.surface.options))


async def killing(app: MarketDemo, pilot: Pilot[None], screen: MarketScreen) -> None:
    ask_kill(app, screen.surface)


async def cancelling(app: MarketDemo, pilot: Pilot[None], screen: MarketScreen) -> None:
    ask_cancel_all(app, screen.surface)


KINDS = {
    "flatten": flattened, "move": moved, "nudge": nudged, "scaled": pressed("L"),
    "stop": pressed("t"), "alert": pressed("A"), "split": split, "signing": signed,
    "quit": quitting, "leave": leaving, "kill": killing, "cancel all": cancelling,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
async def test_every_card_leaves_ladder_header_and_message_line_at_any_of_the_sizes(
    kind: str,
) -> None:
    async with on_market() as (app, pilot, screen):
        await KINDS[kind](app, pilot, screen)
        await until(pilot, lambda: isinstance(app.screen, Modal), kind)
        card = app.screen
        assert isinstance(card, Modal)
        for size in ((80, 24), (120, 36), (20, 5), (200, 50), (40, 10), (80, 24)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            if size[0] >= 80:
                stands_clear(screen, card)
