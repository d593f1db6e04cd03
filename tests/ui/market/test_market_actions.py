"""Moving, selling all and scaling from the trading screen: by key, card, and what is said."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from textual.pilot import Pilot

from pmtui.domain.books.book_view import Level
from pmtui.domain.markets.market import Side
from pmtui.domain.markets.venue_state import Evidence, VenueFact, VenueState
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import (
    Accepted,
    LimitIntent,
    Order,
    OrderStatus,
    Rejected,
    TimeInForce,
    Unknown,
)
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import AccountTopic, BookTopic
from pmtui.ui.account.action_cards import FlattenCard, MoveCard, ScaledCard
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.ticket.confirm import CardScreen
from pmtui.ui.ticket.fields import EntryLabel, NumberField
from pmtui.ui.ticket.scaled import ScaledScreen
from pmtui.ui.widgets.text_line import KeyLine
from tests.ui import believable
from tests.ui.demo_market import MarketDemo
from tests.ui.fake_surface import NOW
from tests.ui.look import agree, filled_in, scaled, shows
from tests.ui.market.market_kit import MIDDLE, cents, line, on_market, opened
from tests.ui.moving_market import CONDITION, NUMBER, YES
from tests.ui.wait import settle, until

SMALL = (80, 24)


def set_orders(app: MarketDemo, *orders: Order) -> None:
    service = app.market.service
    service.account_view = replace(service.account_view, open_orders=orders)
    service.announce(AccountTopic())


async def pick_up(pilot: Pilot[None], screen: MarketScreen) -> None:
    screen.ladder.point_at(cents(49))
    await pilot.press("e")
    await until(pilot, lambda: screen.controls.moving.is_moving, "the order is picked up")


@asynccontextmanager
async def picked_up() -> AsyncIterator[tuple[MarketDemo, Pilot[None], MarketScreen]]:
    async with on_market() as (app, pilot, screen):
        await pick_up(pilot, screen)
        yield app, pilot, screen


async def test_e_picks_up_arrows_choose_and_enter_asks() -> None:
    async with picked_up() as (app, pilot, screen):
        service = app.market.service
        assert "MOVE BUY 250 Yes @ 49¢ to 49¢" in line(screen, "book")
        assert "Move here" in line(screen, "footer")
        assert "Back" not in line(screen, "footer")
        await pilot.press("down", "down")
        assert "to 47¢" in line(screen, "book")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MoveCard), "the card")
        assert shows(app, "Replaces BUY 250 Yes @ 49¢")
        assert shows(app, "BUY 250 Yes @ 47¢ or better")
        assert not service.calls_of("move")
        await agree(app, pilot)
        ((order_id, order),) = service.calls_of("move")
        (old,) = (o for o in service.account_view.open_orders if o.price == cents(49))
        assert order_id == old.order_id
        assert isinstance(order, PreparedOrder)
        assert order.price == cents(47)
        assert not screen.controls.moving.is_moving
        await until(pilot, lambda: "Moved." in line(screen, "notice"), "the verdict")


async def test_the_pick_is_the_order_and_the_goal_a_price_whatever_the_book_does() -> None:
    async with picked_up() as (app, pilot, screen):
        screen.ladder.point_at(cents(45))
        app.market.service.books[YES] = replace(app.market.service.books[YES], bids=(), version=99)
        app.market.service.announce(BookTopic(YES))
        await settle(pilot)
        screen.ladder.action_recentre()
        screen.ladder.point_at(cents(45))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MoveCard), "the card")
        assert shows(app, "Replaces BUY 250 Yes @ 49¢")
        assert shows(app, "@ 45¢ or better")


async def test_escape_drops_the_order_and_only_then_leaves_the_screen() -> None:
    async with picked_up() as (app, pilot, screen):
        await pilot.press("escape")
        await settle(pilot)
        assert app.screen is screen
        assert not screen.controls.moving.is_moving
        assert "Nothing was moved" in line(screen, "notice")
        assert "MOVE" not in line(screen, "book")
        assert not screen.check_action("perform", ("drop_order",))


async def test_nothing_of_ours_at_a_price_is_said_until_something_else_is_done() -> None:
    async with on_market() as (_, pilot, screen):
        screen.ladder.point_at(cents(50))
        await pilot.press("e")
        await settle(pilot)
        assert "No order of yours at 50¢" in line(screen, "notice")
        await pilot.press("down")
        await until(pilot, lambda: "No order" not in line(screen, "notice"), "another price")
        screen.ladder.point_at(cents(50))
        await pilot.press("x")
        await settle(pilot)
        assert "No order of yours at 50¢" in line(screen, "notice")
        await pilot.press("b")
        await until(pilot, lambda: "No order" not in line(screen, "notice"), "the ticket")


async def test_an_order_that_ends_in_hand_is_dropped_and_said() -> None:
    async with picked_up() as (app, pilot, screen):
        set_orders(app)
        await until(pilot, lambda: not screen.controls.moving.is_moving, "it is dropped")
        assert "has ended" in line(screen, "notice")


async def test_several_orders_at_a_price_move_together_each_with_its_own_verdict() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        orders = (
            believable.order(1, NUMBER, price=0.49, size=250),
            believable.order(2, NUMBER, price=0.49, size=30),
        )
        screen = await opened(app, pilot)
        set_orders(app, *orders)
        await settle(pilot)
        screen.ladder.point_at(cents(49))
        await pilot.press("e", "down", "enter")
        await until(pilot, lambda: isinstance(app.screen, MoveCard), "the card")
        assert shows(app, "Move 2 orders?")
        await agree(app, pilot)
        moved = app.market.service.calls_of("move")
        assert [order_id for order_id, _ in moved] == [o.order_id for o in orders]


async def test_a_price_it_would_cross_is_said_on_the_card() -> None:
    async with on_market(MIDDLE) as (app, pilot, screen):
        set_orders(app, replace(believable.order(1, NUMBER, price=0.49), is_post_only=True))
        await settle(pilot)
        screen.ladder.point_at(cents(49))
        await pilot.press("e")
        screen.ladder.point_at(cents(60))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, MoveCard), "the card")
        assert shows(app, "It would cross: post-only")
        # The card follows the market.
        service = app.market.service
        book = service.books[YES]

        def announce(ask: float) -> None:
            asks = (Level(cents(ask), believable.micros(50)),)
            service.books[YES] = replace(book, asks=asks, version=book.version + 1)
            service.announce(BookTopic(YES))

        announce(65)
        await until(pilot, lambda: not shows(app, "It would cross"), "it rests")
        announce(55)
        await until(pilot, lambda: shows(app, "It would cross: post-only"), "it crosses again")


async def test_f_sells_all_at_a_stated_worst_price_after_cancelling_what_is_in_the_way() -> None:
    async with on_market() as (app, pilot, screen):
        sale = believable.order(3, NUMBER, side=Side.SELL, price=0.57, size=400)
        set_orders(app, sale)
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, FlattenCard), "the card")
        assert shows(app, "Sell the whole position?")
        assert shows(app, "Cancels first: SELL 400 Yes @ 57¢")
        assert shows(app, "Fills now")
        assert not app.market.service.calls_of("flatten")
        filled = Accepted(sale.order_id, OrderStatus.FILLED, believable.micros(1_250.5), "filled")
        app.market.service.verdicts = [filled]
        await agree(app, pilot)
        ((order, sales),) = app.market.service.calls_of("flatten")
        assert isinstance(order, PreparedOrder)
        intent = order.intent
        assert isinstance(intent, LimitIntent)
        assert (intent.size, intent.time_in_force) == (
            believable.micros(1_250.5), TimeInForce.FAK,
        )  # fmt: skip
        assert sales == (sale,)
        await until(pilot, lambda: "Sold" in line(screen, "notice"), "the verdict")


async def test_the_card_of_selling_all_follows_the_book_and_stays_ready() -> None:
    async with on_market(MIDDLE) as (app, pilot, _):
        set_orders(app)
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, FlattenCard), "the card")
        card, service = app.screen, app.market.service
        assert isinstance(card, FlattenCard)
        await settle(pilot)
        service.at += timedelta(seconds=1)
        assert card.is_armed
        book = service.books[YES]
        for bids, words in (
            ((Level(cents(54), believable.micros(50)),), "50 at 54.0¢ for $27.00"),
            ((), "nothing, no bids here"),
        ):
            service.books[YES] = replace(book, bids=bids, version=book.version + 1)
            service.announce(BookTopic(YES))
            await until(pilot, lambda words=words: shows(app, words), words)  # type: ignore[misc]
        assert card.is_armed


async def test_the_card_of_selling_all_cancels_own_bids_and_warns_of_none() -> None:
    async with on_market() as (app, pilot, _):
        best = app.market.service.books[YES].bids[0]
        mine = replace(believable.order(3, NUMBER, size=1), price=best.price)
        set_orders(app, mine)
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, FlattenCard), "the card")
        assert shows(app, "Cancels first: BUY 1 Yes @")
        assert not shows(app, "Self-trade")
        await agree(app, pilot)
        ((_, in_the_way),) = app.market.service.calls_of("flatten")
        assert in_the_way == (mine,)


async def test_a_sale_that_the_venue_delays_is_told_of_when_it_fills() -> None:
    async with on_market() as (app, pilot, screen):
        service = app.market.service
        set_orders(app)
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, FlattenCard), "the card")
        order_id = believable.order(77).order_id
        service.verdicts = [Accepted(order_id, OrderStatus.DELAYED, Micros(0), "delayed")]
        await agree(app, pilot)
        said = "Accepted, delayed by the venue: sale of 1,250.5 Yes"
        await until(pilot, lambda: said in line(screen, "notice"), "that it was taken")
        ((order, _),) = service.calls_of("flatten")
        assert isinstance(order, PreparedOrder)
        sold = replace(
            believable.order(77, NUMBER, side=Side.SELL, price=0.47, size=1_250.5, matched=1_250.5),
            order_id=order.unsigned.order_id, status=OrderStatus.FILLED,
        )  # fmt: skip
        fill = replace(
            believable.fill(77, NUMBER), order_id=sold.order_id, side=Side.SELL,
            size=sold.matched_size, price=cents(51),
        )  # fmt: skip
        view = service.account_view
        service.account_view = replace(view, recent=(sold,))
        service.own_fills = (fill, *service.own_fills)
        service.announce(AccountTopic())
        said = "Sold 1,250.5 Yes @ 51¢ avg for $637.7"
        await until(pilot, lambda: said in line(screen, "notice"), "the fill")


@pytest.mark.parametrize("key", ["f", "e", "L"])
async def test_the_cards_warn_of_what_the_ticket_would_warn_of(key: str) -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        service = app.market.service
        fact = VenueFact(VenueState.CANCEL_ONLY, Evidence.ANSWER, NOW)
        view = service.markets[CONDITION]
        service.markets[CONDITION] = replace(view, venue=(fact,))
        if key == "f":
            await opened(app, pilot)
            set_orders(app)
            await pilot.press("f")
        elif key == "e":
            screen = await opened(app, pilot)
            await pick_up(pilot, screen)
            screen.ladder.point_at(cents(48))
            await pilot.press("enter")
        else:
            set_orders(app)
            await filled_in(app, pilot)
            await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, CardScreen), "the card")
        card = app.screen
        assert isinstance(card, CardScreen)
        said = " ".join("".join(cell.text for cell in part) for part in card.card_lines(60))
        assert "The venue is cancel-only" in " ".join(said.split())


@pytest.mark.parametrize("key", ["e", "shift+down"])
async def test_a_card_whose_order_is_cancelled_elsewhere_says_so_and_moves_nothing(
    key: str,
) -> None:
    async with on_market() as (app, pilot, screen):
        screen.ladder.point_at(cents(49))
        await pilot.press(key)
        if key == "e":
            await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, MoveCard), "the card")
        assert shows(app, "enter Move")
        set_orders(app)
        await until(pilot, lambda: shows(app, "has ended"), "the reason")
        assert shows(app, "enter Close")
        await agree(app, pilot)
        assert app.market.service.calls_of("move") == []


@pytest.mark.parametrize("size", [SMALL, (120, 36), (200, 50)])
async def test_a_ladder_is_previewed_confirmed_and_told_leg_by_leg(size: tuple[int, int]) -> None:
    app = MarketDemo(0)
    async with app.run_test(size=size) as pilot:
        set_orders(app)
        dialog = await filled_in(app, pilot)
        for price in ("45¢", "46¢", "47¢"):
            assert any(price in text for text in leg_lines(dialog))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ScaledCard), "the card")
        assert shows(app, "Send 3 orders?")
        assert shows(app, "BUY 60 Yes")
        service = app.market.service
        service.is_holding = True
        service.verdicts = [
            Accepted(believable.order(1).order_id, OrderStatus.LIVE, cents(0), "live"),
            Rejected("not enough balance / allowance"),
            Unknown(believable.order(2).order_id, "no answer", since=NOW),
        ]
        await agree(app, pilot)
        ((first, second, third),) = service.calls_of("place_many")
        for order, cent in ((first, 45), (second, 46), (third, 47)):
            assert isinstance(order, PreparedOrder)
            assert (order.price, order.size) == (cents(cent), believable.micros(20))
        assert all("sending" in text for text in leg_lines(dialog)[:3])
        service.release()
        await until(pilot, lambda: "live" in leg_lines(dialog)[0], "the first leg's verdict")
        assert "refused: not enou" in leg_lines(dialog)[1]
        assert shows(app, "refused: not enough balance")
        assert "unconfirmed" in leg_lines(dialog)[2]
        assert shows(app, "1 working, 1 refused, 1")
        # The dialog's keys are the only ones, and say what they do by now.
        assert "Close" in " ".join(cell.text for cell in dialog.query_one(KeyLine).line)
        below = app.screen_stack[-2].query_one("#footer", KeyLine)
        assert [entry.label for entry in below.entries] == ["Close", "Back"]
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is not dialog, "it closes")
        market = app.screen
        assert isinstance(market, MarketScreen)
        await until(pilot, lambda: "Buy" in line(market, "footer"), "the screen's own keys")
        assert len(service.calls_of("place_many")) == 1


async def test_a_form_whose_legs_are_all_accepted_closes() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        set_orders(app)
        dialog = await filled_in(app, pilot)
        app.market.service.verdicts = [
            Accepted(believable.order(number).order_id, OrderStatus.LIVE, cents(0), "live")
            for number in range(3)
        ]
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ScaledCard), "the card")
        await agree(app, pilot)
        await until(pilot, lambda: dialog not in app.screen_stack, "it closes")
        market = app.screen
        assert isinstance(market, MarketScreen)
        await until(pilot, lambda: "Sent 3: 3 working" in line(market, "notice"), "how it ended")


async def test_an_edit_that_is_a_mistake_makes_a_sent_form_a_new_one() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        set_orders(app)
        dialog = await filled_in(app, pilot)
        service = app.market.service
        service.verdicts = [Rejected("no")] * 3
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ScaledCard), "the card")
        await agree(app, pilot)
        keys, below = dialog.query_one(KeyLine), app.screen_stack[-2].query_one("#footer", KeyLine)
        await until(pilot, lambda: below.entries[0].label == "Close", "the verdicts")
        dialog.query_one("#scaled-total").value = ""  # type: ignore[attr-defined]
        await settle(pilot)
        assert keys.entries[0].label == below.entries[0].label == "Review"


async def test_a_range_is_typed_or_pasted_into_the_first_price() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=(120, 36)) as pilot:
        dialog = await scaled(app, pilot)
        first = dialog.query_one("#scaled-first", NumberField)
        last = dialog.query_one("#scaled-last", NumberField)
        first.focus()
        first.value = ""
        await settle(pilot)
        await pilot.press("4", "6", "minus", "4", "7")
        await settle(pilot)
        assert (first.value, last.value) == ("46", "47")
        assert dialog.focused is last
        first.focus()
        first.value = "44-45"
        await settle(pilot)
        assert (first.value, last.value) == ("44", "45")
        assert (dialog.draft.first_text, dialog.draft.last_text) == ("44", "45")


def leg_lines(dialog: ScaledScreen) -> list[str]:
    return ["".join(cell.text for cell in line_) for line_ in dialog.legs.lines]


async def test_a_problem_is_said_and_nothing_is_asked() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        dialog = await filled_in(app, pilot, total="9")
        assert shows(app, "Minimum 5 shares")
        await pilot.press("enter")
        await settle(pilot)
        assert app.screen is dialog
        assert not app.market.service.calls_of("prepare")


async def test_every_entry_that_is_wrong_is_named_and_enter_goes_to_the_first() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        dialog = await scaled(app, pilot)
        await pilot.press(*"47.03", "tab", "9", "9")
        await settle(pilot)
        said = ["".join(cell.text for cell in each) for each in dialog.state.lines]
        assert [text.partition(":")[0] for text in said] == ["To", "Orders", "Total"]
        await pilot.press("enter")
        await settle(pilot)
        assert dialog.focused is dialog.query_one("#scaled-last")
        marked = [each.entry for each in dialog.query(EntryLabel) if each.line[0].text == "▸"]
        assert marked == ["scaled-last"]


async def test_choices_and_steps_change_the_ladder() -> None:
    app = MarketDemo(0)
    async with app.run_test(size=SMALL) as pilot:
        dialog = await filled_in(app, pilot)
        _ = dialog.shape.focus()
        await pilot.press("space")
        assert dialog.draft.shape.value == "rising"
        _ = dialog.side.focus()
        await pilot.press("space")
        assert dialog.draft.side is Side.SELL
        _ = dialog.query_one("#scaled-last").focus()
        await pilot.press("up")
        assert dialog.draft.last_text == "48"
        _ = dialog.post_only.focus()
        await pilot.press("space")
        assert dialog.draft.is_post_only
        # Bids stand at these prices: a sale meets them.
        assert shows(app, "meet") or shows(app, "would cross")


async def test_the_mouse_presses_the_keys_of_a_card() -> None:
    async with picked_up() as (app, pilot, screen):
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, MoveCard), "the card")
        await settle(pilot)
        app.market.service.at += timedelta(seconds=1)
        keys = app.screen.query_one(KeyLine)
        text = "".join(cell.text for cell in keys.line)
        await pilot.click(keys, offset=(text.index("Move"), 0))
        await until(pilot, lambda: app.screen is screen, "the card is answered")
        assert len(app.market.service.calls_of("move")) == 1


async def test_the_mouse_presses_the_keys_of_the_footer_and_leaves_the_ladder_its_focus() -> None:
    async with on_market() as (_, pilot, screen):
        screen.ladder.point_at(cents(49))
        await settle(pilot)
        footer = screen.query_one("#footer", KeyLine)
        await pilot.click(footer, offset=(line(screen, "footer").index("Move"), 0))
        await until(pilot, lambda: screen.controls.moving.is_moving, "the order is picked up")
        await pilot.press("down")
        assert "to 48¢" in line(screen, "book")
        await pilot.click(footer, offset=(line(screen, "footer").index("Leave as is"), 0))
        await until(pilot, lambda: not screen.controls.moving.is_moving, "it is dropped")


async def test_nudges_go_on_while_their_card_is_up() -> None:
    async with on_market() as (app, pilot, screen):
        screen.ladder.point_at(cents(49))
        await pilot.press("shift+down")
        await until(pilot, lambda: shows(app, "BUY 250 Yes @ 48¢ or better"), "the card")
        await pilot.press("shift+down")
        await until(pilot, lambda: shows(app, "BUY 250 Yes @ 47¢ or better"), "the next card")
        assert isinstance(app.screen, MoveCard)
        assert not app.market.service.calls_of("move")


async def test_what_is_picked_up_is_drawn_where_it_would_go() -> None:
    async with picked_up() as (_, pilot, screen):
        await pilot.press("down", "down")
        left, *ghosts = screen.ladder.viewport.marks.ghosts
        assert left.is_leaving
        assert left.price == cents(49)
        assert [(g.price, g.side, g.size) for g in ghosts] == [
            (cents(47), Side.BUY, believable.micros(250))
        ]
        await pilot.press("escape")
        await until(pilot, lambda: not screen.ladder.viewport.marks.ghosts, "nothing picked up")
