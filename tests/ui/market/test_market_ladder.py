"""What the trading screen puts on its ladder."""

from dataclasses import replace

import pytest
from textual.events import MouseScrollUp

from pmtui.domain.markets.market import Side
from pmtui.domain.orders.order import LimitIntent
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic
from pmtui.ui.account.action_cards import MoveCard
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.ticket.confirm import CardScreen, ConfirmScreen
from pmtui.ui.ticket.protect import ProtectScreen
from pmtui.ui.ticket.scaled import ScaledScreen
from tests.ui import believable
from tests.ui.demo_market import MarketDemo
from tests.ui.look import screen_lines, shows
from tests.ui.market.market_kit import MIDDLE, cents, earns, on_market, opened
from tests.ui.moving_market import CONDITION, NO, YES
from tests.ui.stage import shown_text
from tests.ui.wait import settle, until

SMALL, LARGE = (80, 24), (200, 50)


WHEEL = MouseScrollUp(
    None, x=1, y=1, delta_x=0, delta_y=-1, button=0, shift=False, meta=False, ctrl=False
)


def row_of(screen: MarketScreen, price: str) -> str:
    return next(line for line in shown_text(screen.ladder) if price in line)


async def test_queue_rewards_and_cost_are_on_the_ladder() -> None:
    async with on_market(LARGE) as (app, pilot, screen):
        assert "~97 " in row_of(screen, " 49¢")
        assert earns(screen, 49)
        assert "avg" in row_of(screen, " 48¢")
        assert "b/e" in row_of(screen, " 50¢")
        account = app.market.service.account_view
        first = account.open_orders[0].order_id
        app.market.service.account_view = replace(
            account, queue_ahead=((first, believable.micros(33)),), scoring=frozenset()
        )
        app.market.service.announce(BookTopic(YES))
        await until(pilot, lambda: "~33" in row_of(screen, " 49¢"), "the queue is shorter")
        assert not earns(screen, 49)


async def test_both_outcomes_on_one_ladder_and_cancelling_there() -> None:
    async with on_market() as (app, pilot, screen):
        await pilot.press("o")
        await until(pilot, lambda: screen.reader.token_id == NO, "the other outcome is shown")
        # A purchase of Yes at 49 stands among the sellers of No at 51, where the venue matches it.
        assert "250" in row_of(screen, " 51¢")
        await pilot.press("O")
        await until(pilot, lambda: "Yes" in shown_text(screen.ladder)[0], "both are shown")
        row = row_of(screen, " 51¢")
        assert "49¢" in row
        level, own = row[row.index("49¢") :].split()[1:3]
        assert (level[0].isdigit(), own) == (True, "250")
        screen.ladder.point_at(cents(51))
        service = app.market.service
        await pilot.press("e", "up", "enter")
        await until(pilot, lambda: isinstance(app.screen, MoveCard), "the card")
        prepared = [arguments[0] for arguments in service.calls_of("prepare")]
        # A tick up here is a tick down there.
        assert all(isinstance(intent, LimitIntent) for intent in prepared)
        limits = [intent for intent in prepared if isinstance(intent, LimitIntent)]
        assert [(limit.token_id, limit.price) for limit in limits] == [(YES, cents(48))]
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the card is gone")
        await pilot.press("escape")
        screen.ladder.point_at(cents(51))
        await pilot.press("x")
        mine = service.account_view.orders_at(YES)[0].order_id
        await until(pilot, lambda: service.calls_of("cancel") == [((mine,),)], "it is cancelled")
        await pilot.press("O")
        await until(pilot, lambda: "Yes" not in shown_text(screen.ladder)[0], "one is shown")


async def test_an_order_that_comes_stands_out_and_a_quiet_screen_paints_nothing_after() -> None:
    async with on_market() as (app, pilot, screen):
        service = app.market.service
        new = believable.order(9, price=0.5, size=70)
        account = service.account_view
        service.account_view = replace(account, open_orders=(new, *account.open_orders))
        service.announce(AccountTopic())
        await until(pilot, lambda: "70" in row_of(screen, "50¢"), "it stands out")
        screen.ladder.repaint.end_flashes()
        await until(pilot, lambda: "70+" not in row_of(screen, "50¢"), "it does no more")
        before = shown_text(screen.ladder)
        screen.ladder.repaint.end_flashes()
        service.announce(AccountTopic())
        await settle(pilot)
        assert shown_text(screen.ladder) == before


async def test_holding_is_said_above_the_ladder() -> None:
    async with on_market() as (_, pilot, screen):
        await pilot.press("h")
        state = screen.query_one("#book")
        await until(pilot, lambda: "held" in shown_text(state)[0], "it says so")
        await pilot.press("h")
        await until(pilot, lambda: "held" not in shown_text(state)[0], "it says no more")


async def test_a_spread_out_of_sight_is_said_above_the_ladder() -> None:
    async with on_market() as (_, pilot, screen):
        state = screen.query_one("#book")

        async def says(words: str) -> None:
            await until(pilot, lambda: words in shown_text(state)[0], words)

        screen.ladder.point_at(cents(5))
        # The name of the pane stays, and a sign is enough.
        await says("spread ↑")
        screen.ladder.point_at(cents(95))
        await says("spread ↓")
        await pilot.press("space")
        await until(pilot, lambda: "spread" not in shown_text(state)[0], "it is in sight")
        for _ in range(20):
            screen.ladder.on_mouse_scroll_up(WHEEL)
        await says("spread below")


async def test_in_a_market_that_is_over_enter_promises_nothing() -> None:
    async with on_market() as (app, pilot, screen):
        screen.ladder.point_at(cents(40))
        state = screen.query_one("#book")
        await until(pilot, lambda: "sell @ 40¢" in shown_text(state)[0], "what enter does")
        service = app.market.service
        view = service.markets[CONDITION]
        assert view.market is not None
        service.markets[CONDITION] = replace(view, market=replace(view.market, closed=True))
        service.announce(MarketTopic(CONDITION))
        await until(pilot, lambda: "sell @" not in shown_text(state)[0], "nothing any more")
        assert "enter" not in shown_text(state)[0]


def row_at(screen: MarketScreen, price: str) -> str:
    rows = [text for text in shown_text(screen.ladder) if price in text]
    return rows[0] if rows else ""


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_the_order_in_the_ticket_is_drawn_on_the_ladder_until_it_closes(
    size: tuple[int, int],
) -> None:
    async with on_market(size) as (_, pilot, screen):
        screen.ladder.point_at(cents(51))
        await pilot.press("b", *"70")
        await until(pilot, lambda: "╌70╌" in row_at(screen, "51¢"), "the order as it is typed")
        await pilot.press("backspace", "5")
        await until(pilot, lambda: "╌75╌" in row_at(screen, "51¢"), "the order as it is typed")
        await pilot.press("escape")
        await until(pilot, lambda: "╌" not in row_at(screen, "51¢"), "nothing typed any more")


@pytest.mark.parametrize(
    ("size", "at", "key", "typed", "drawn", "prices"),
    [
        ((120, 36), 46, "L", (*"50", "tab", "tab", "tab", *"100"), "╌20╌", (46, 47, 48, 49, 50)),
        ((80, 24), 47, "t", (), "▽", (47,)),
    ],
    ids=["scaled orders", "a stop on a small screen"],
)
async def test_what_a_form_asks_for_is_drawn_beside_it(
    *, size: tuple[int, int], at: int, key: str, typed: tuple[str, ...], drawn: str,
    prices: tuple[int, ...],
) -> None:  # fmt: skip
    async with on_market(size) as (app, pilot, screen):
        screen.ladder.point_at(cents(at))
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, ScaledScreen | ProtectScreen), "the form")
        await settle(pilot)
        await pilot.press(*typed)
        rows = [f"{price}¢" for price in prices]
        await until(pilot, lambda: all(drawn in row_at(screen, row) for row in rows), "the legs")
        frame = app.screen.query_one(".frame")
        assert frame.region.x >= screen.book.region.right
        await pilot.press("escape")
        await until(pilot, lambda: drawn not in row_at(screen, rows[0]), "nothing typed any more")


async def test_a_sale_without_shares_says_on_its_card_that_the_other_outcome_is_bought() -> None:
    app = MarketDemo(0)
    service = app.market.service
    flat = replace(service.account_view, positions=(), balances=(), open_orders=())
    service.account_view = flat
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        screen.ladder.point_at(cents(55))
        await pilot.press("s", *"100")
        said = "Sell 100 Yes at 55¢ = buy 100 No at"
        await until(pilot, lambda: shows(app, "Sell 100 Yes at 55¢"), "the ticket says so")
        # Where it was asked for: among those who sell Yes.
        assert "╌100╌" in row_at(screen, "55¢")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "the card")
        ((intent, *_),) = service.calls_of("prepare")
        assert isinstance(intent, LimitIntent)
        assert (intent.token_id, intent.side, intent.price) == (NO, Side.BUY, cents(45))
        assert isinstance(app.screen, CardScreen)
        card = " ".join(cell.text for line in app.screen.card_lines(60) for cell in line)
        assert said in " ".join(card.split())


async def test_what_is_held_of_the_other_outcome_is_told_net() -> None:
    app = MarketDemo(0)
    service = app.market.service
    yes = service.account_view.positions[0]
    no = replace(yes, token_id=NO, outcome="No", outcome_index=1, size=believable.micros(40))
    service.account_view = replace(service.account_view, positions=(no,))
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        service.announce(AccountTopic())
        title = "".join(cell.text for line in screen.position.titles() for cell in line)
        assert title == "-40 Yes+$1.54 at mid"
        assert screen.ladder.ladder is not None
        net = screen.ladder.ladder.placed.marks.net
        assert net is not None
        assert net.is_other


@pytest.mark.parametrize(("pointed", "is_price_first"), [(51, False), (20, True)])
async def test_the_ticket_begins_with_its_price_where_the_cursor_is_far_from_the_market(
    pointed: int, *, is_price_first: bool
) -> None:
    async with on_market(MIDDLE) as (app, pilot, screen):
        screen.ladder.point_at(cents(pointed))
        await pilot.press("b")
        first = screen.ticket.price if is_price_first else screen.ticket.size_field
        await until(pilot, lambda: app.focused is first, "the field")
        await pilot.press(*"48")
        assert first.value == "48"
        top = screen.ticket.region.y
        await until(pilot, lambda: "╭■ TICKET BUY ─" in screen_lines(app)[top], "the mark")
        seen = screen.ticket.styles.border_top
        await pilot.press("f8")
        await until(pilot, lambda: "╭─ TICKET BUY ─" in screen_lines(app)[top], "no mark")
        assert screen.ticket.styles.border_top != seen
