"""The ticket on one line: at 80x24 it stands below the ladder, and nothing gives way to it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from textual.pilot import Pilot

from pmtui.domain.markets.market import Side
from pmtui.domain.markets.venue_state import Evidence, VenueFact, VenueState
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import Rejected
from pmtui.domain.ticket.draft import OrderKind
from pmtui.service.topics import MarketTopic
from pmtui.ui.cells import Cell
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.ticket.confirm import ConfirmScreen
from pmtui.ui.ticket.fields import TextBlock
from pmtui.ui.widgets.text_line import TextLine
from tests.ui.demo_market import MarketDemo
from tests.ui.fake_surface import NOW
from tests.ui.look import screen_lines, words
from tests.ui.market.market_kit import line, opened, prices_shown
from tests.ui.moving_market import CONDITION, MovingMarket
from tests.ui.stage import shown_text
from tests.ui.wait import settle, until

SMALL, WIDE = (80, 24), (160, 45)
LONG_REFUSAL = (
    "not enough balance / allowance: the balance is not enough -> balance: 12345678, order "
    "amount: 500000000, and the sum of active orders is 99999999 by the last count of all"
)
STATES = (
    VenueFact(VenueState.RESTARTING, Evidence.ANSWER, NOW),
    VenueFact(VenueState.POST_ONLY, Evidence.ANSWER, NOW),
)


def demo(*, tick: int = 10_000, ascii_only: bool = False) -> MarketDemo:
    app = MarketDemo(0, ascii_only=ascii_only)
    app.market = MovingMarket(tick=Micros(tick))
    app.is_ascii = ascii_only
    app._surface = app.market.service.surface(ascii_only=ascii_only)
    return app


async def with_ticket(app: MarketDemo, pilot: Pilot[None], key: str = "b") -> MarketScreen:
    screen = await opened(app, pilot)
    await pilot.press(key)
    await until(pilot, lambda: screen.has_class("-ticket"), "the ticket opens")
    await settle(pilot)
    return screen


@asynccontextmanager
async def on_ticket(
    size: tuple[int, int] = SMALL, *, key: str = "b"
) -> AsyncIterator[tuple[MarketDemo, Pilot[None], MarketScreen]]:
    app = demo()
    async with app.run_test(size=size) as pilot:
        yield app, pilot, await with_ticket(app, pilot, key)


def below(screen: MarketScreen) -> list[str]:
    return [words(line) for line in screen.ticket.below.lines]


def fields_line(app: MarketDemo, screen: MarketScreen) -> str:
    return screen_lines(app)[screen.ticket.region.y]


def nothing_is_cut(screen: MarketScreen) -> None:
    """Every field stands whole within the ticket, none over another."""
    ticket = screen.ticket
    fields = [
        ticket.side, ticket.outcome, ticket.kind, ticket.time_in_force, ticket.expiry,
        ticket.post_only, ticket.price, ticket.touch, ticket.size_field, ticket.unit,
    ]  # fmt: skip
    shown = [field.region for field in fields if field.display and field.region.area]
    right = ticket.region.x
    for region in shown:
        assert region.y == ticket.region.y
        assert region.x >= right
        right = region.right
    assert right <= ticket.region.right
    for choice in (ticket.side, ticket.kind, ticket.time_in_force, ticket.unit):
        assert len(choice.text) <= choice.size.width
    for number in (ticket.price, ticket.size_field):
        assert len(number.value) < number.size.width


def at_least_fourteen_rows(screen: MarketScreen) -> None:
    assert sum("¢" in row for row in shown_text(screen.ladder)[1:]) >= 14
    assert screen.position.region.height == 2
    for pane in (screen.ladder, screen.position, screen.orders, screen.tape):
        assert pane.region.area
        assert not pane.region.overlaps(screen.ticket.region)


@pytest.mark.parametrize("size", [SMALL, (79, 24), (109, 31)])
async def test_ladder_position_orders_trades_and_ticket_stand_together(
    size: tuple[int, int],
) -> None:
    app = demo()
    async with app.run_test(size=size) as pilot:
        screen = await opened(app, pilot)
        columns = screen.ladder.region.width
        screen = await with_ticket(app, pilot)
        at_least_fourteen_rows(screen)
        nothing_is_cut(screen)
        assert screen.ladder.region.width == columns
        assert screen.ticket.region.height == 3
        await pilot.press(*"100")
        await until(pilot, lambda: any("cost $53.00" in line for line in below(screen)), "the cost")
        said = " ".join(below(screen))
        for figure in ("fee $1.00", "payout $100.00", "now 100 at 53.0¢", "takes 2.3% of asks"):
            assert figure in said
        assert "BUY  Yes" in fields_line(app, screen)
        at_least_fourteen_rows(screen)


async def test_the_fields_are_those_of_the_whole_ticket_in_the_same_order() -> None:
    async with on_ticket() as (app, pilot, screen):
        screen.ticket.side.focus()
        seen = []
        for _ in range(7):
            await settle(pilot)
            assert app.focused is not None
            seen.append(app.focused.id)
            await pilot.press("tab")
        names = ("side", "kind", "time-in-force", "post-only", "price", "size", "unit")
        assert seen == [f"ticket-{name}" for name in names]
        screen.ticket.price.focus()
        await pilot.press("up")
        await until(pilot, lambda: screen.ticket.draft.price_text == "54", "a tick up")
        await pilot.press("ctrl+t")
        await until(pilot, lambda: screen.ticket.expiry.region.area, "the expiry")
        await settle(pilot)
        nothing_is_cut(screen)
        assert "GTD 5m" in fields_line(app, screen)
        await pilot.press("escape")
        await until(pilot, lambda: not screen.has_class("-ticket"), "the ticket closes")
        await settle(pilot)
        assert screen.ladder.has_focus
        assert screen.head.query_one("#quote").region.area


async def test_it_is_said_what_enter_does_and_which_keys_choose_the_kind_and_the_unit() -> None:
    app = demo()
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(app, pilot)
        state = screen.query_one("#book")
        await pilot.press("up")
        await until(pilot, lambda: "enter buy @" in shown_text(state)[0], "what enter does")
        await pilot.press("b")
        said = "enter review"
        await until(pilot, lambda: said in shown_text(state)[0], "what enter does in the ticket")
        footer = screen_lines(app)[-1]
        assert "ctrl+g Kind" in footer
        assert "ctrl+y Unit" in footer
        await pilot.press("q")
        notice = screen.query_one("#notice", TextLine)
        said = "Ticket has focus: other keys are off. esc to close it."
        await until(pilot, lambda: said in shown_text(notice)[0], "why q does not leave")
        await pilot.press("f5")
        await until(pilot, lambda: "enter buy @" in shown_text(state)[0], "what enter does again")


@pytest.mark.parametrize("where", ["f5", "f6", "f7"])
async def test_the_first_escape_closes_the_ticket_wherever_the_keys_are(where: str) -> None:
    async with on_ticket() as (app, pilot, screen):
        await pilot.press(*"100", where)
        await until(pilot, lambda: not screen.ticket.has_focus_within, "the keys elsewhere")
        await pilot.press("escape")
        await until(pilot, lambda: not screen.ticket.is_open, "the ticket closes")
        assert app.screen is screen
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is not screen, "the screen is left")


@pytest.mark.parametrize("ascii_only", [False, True])
async def test_fine_ticks_large_sizes_and_long_names_fit(*, ascii_only: bool) -> None:
    app = demo(tick=100, ascii_only=ascii_only)
    service = app.market.service
    view = service.markets[CONDITION]
    assert view.terms is not None
    labels = ("Xavier Marchetti-Lindqvist of the Northern League", "Another one")
    terms = replace(view.terms, outcome_labels=labels, neg_risk=True)
    service.markets[CONDITION] = replace(view, terms=terms)
    async with app.run_test(size=SMALL) as pilot:
        screen = await with_ticket(app, pilot)
        screen.ticket.price.write("99.99")
        screen.ticket.size_field.write("1234567.89")
        await settle(pilot)
        at_least_fourteen_rows(screen)
        nothing_is_cut(screen)
        line = fields_line(app, screen)
        assert "99.99" in line
        assert "1234567.89" in line
        assert "Xavi" in line
        screen.ticket.price.write("0.01")
        await settle(pilot)
        shown = [*below(screen), line]
        assert all(len(text) <= SMALL[0] for text in shown)
        if ascii_only:
            painted = screen_lines(app)[screen.ticket.region.y : screen.ticket.region.bottom]
            assert all(text.isascii() for text in painted)


async def test_a_problem_names_its_field_and_its_key_mends_it() -> None:
    async with on_ticket() as (app, pilot, screen):
        await pilot.press("1")
        await until(pilot, lambda: "x Size:" in below(screen)[0], "the problem")
        assert "!size" in fields_line(app, screen)
        assert "ctrl+n 5 shares" in below(screen)[0]
        assert screen.ticket.below.region.y == screen.ticket.region.y + 1
        await pilot.press("ctrl+n")
        await until(pilot, lambda: screen.ticket.size_field.value == "5", "the nearest valid size")


async def test_a_market_order_to_sell_is_refused_on_the_line_too() -> None:
    async with on_ticket(key="s") as (app, pilot, screen):
        await pilot.press("ctrl+g")
        await until(pilot, lambda: screen.ticket.draft.kind is OrderKind.MARKET, "a market order")
        await settle(pilot)
        nothing_is_cut(screen)
        assert "auto" in fields_line(app, screen)
        said = " ".join(" ".join(below(screen)).split())
        assert "limit with FAK ctrl+n limit FAK at 52¢" in said
        at_least_fourteen_rows(screen)


async def refused(app: MarketDemo, pilot: Pilot[None], screen: MarketScreen, text: str) -> None:
    """Send an order that the venue refuses."""
    service = app.market.service
    service.verdicts = [Rejected(text, field="size")]
    await pilot.press(*"100", "enter")
    await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "the card")
    card = app.screen
    assert isinstance(card, ConfirmScreen)
    await until(pilot, lambda: card._shown_at_s is not None, "the card painted")
    assert not card.query_one("#card").region.overlaps(screen.ticket.region)
    service.at += timedelta(seconds=1)
    await pilot.press("enter")
    await until(pilot, lambda: any("Refused" in line for line in below(screen)), "the refusal")
    await settle(pilot)


async def test_a_long_refusal_moves_nothing_and_a_key_shows_all_of_it() -> None:
    async with on_ticket() as (app, pilot, screen):
        region = screen.ladder.region
        prices = [text.split("¢")[0][-3:] for text in shown_text(screen.ladder)]
        quote = screen.head.query_one("#quote").region
        assert quote.area
        await refused(app, pilot, screen, LONG_REFUSAL)
        assert [text.split("¢")[0][-3:] for text in shown_text(screen.ladder)] == prices
        assert screen.ladder.region == region
        assert screen.head.query_one("#quote").region == quote
        assert screen.ticket.region.height == 3
        assert below(screen)[-1].endswith("… f2 shows all")
        assert screen.ticket.draft.size_text == "100"
        at_least_fourteen_rows(screen)
        await pilot.press("f2")
        await until(pilot, lambda: not screen.ticket.has_class("-line"), "the whole ticket")
        await settle(pilot)
        notes = screen.ticket.query_one("#ticket-size-notes", TextBlock)
        said = " ".join(" ".join(words(line) for line in notes.lines).split())
        assert LONG_REFUSAL in said
        assert notes.region.height == len(notes.lines)


async def test_a_refusal_of_two_lines_is_read_whole_on_the_line() -> None:
    app = demo()
    text = "not enough balance / allowance: the balance is 12345678 and the order amount 500000000"
    async with app.run_test(size=SMALL) as pilot:
        screen = await with_ticket(app, pilot)
        await refused(app, pilot, screen, text)
        assert text in " ".join(" ".join(below(screen)).split())
        assert "f2" not in below(screen)[-1]


async def test_a_second_warning_is_marked_beside_the_figures() -> None:
    async with on_ticket() as (app, pilot, screen):
        region = screen.ladder.region
        service = app.market.service
        service.markets[CONDITION] = replace(service.markets[CONDITION], venue=STATES)
        service.announce(MarketTopic(CONDITION))
        await pilot.press(*"100")
        await until(pilot, lambda: "cost $53.00" in below(screen)[-1], "warnings and figures")
        await settle(pilot)
        assert "The venue is restarting" in below(screen)[0]
        assert below(screen)[0].endswith("f2 shows all")
        assert screen.ladder.region == region
        at_least_fourteen_rows(screen)


async def test_a_key_shows_the_whole_ticket_and_the_line_again() -> None:
    async with on_ticket() as (_, pilot, screen):
        assert "f2 Stop, target" in line(screen, "footer")
        await pilot.press(*"100", "f2")
        await until(pilot, lambda: not screen.ticket.has_class("-line"), "the whole ticket")
        await settle(pilot)
        assert "f2" not in line(screen, "footer")
        assert screen.ticket.region.height >= 9
        assert screen.ticket.size_field.has_focus
        assert screen.ticket.draft.size_text == "100"
        assert prices_shown(screen) >= 14
        await pilot.press("f2")
        await until(pilot, lambda: screen.ticket.has_class("-line"), "the line")
        await settle(pilot)
        assert screen.ticket.region.height == 3
        at_least_fourteen_rows(screen)


@pytest.mark.parametrize("height", [9, 11, 12, 14, 17, 18])
async def test_on_a_low_screen_nothing_stands_over_the_ticket(height: int) -> None:
    async with on_ticket((80, height)) as (app, pilot, screen):
        await pilot.press(*"100")
        await until(pilot, lambda: any("cost $53.00" in line for line in below(screen)), "the cost")
        await settle(pilot)
        assert screen.ticket.region.height == 3
        shown = screen_lines(app)[screen.ticket.region.y : screen.ticket.region.bottom]
        assert "size 100" in shown[0]
        assert "cash after" in shown[1]
        if height >= 12:
            assert any("1,250.5" in row for row in screen_lines(app))


async def test_the_terminals_cursor_stands_in_the_field_that_has_the_keys_in_either_form() -> None:
    async with on_ticket() as (app, pilot, screen):
        field = screen.ticket.size_field
        assert field.has_focus
        for _ in range(2):
            await until(
                pilot,
                lambda: app.cursor_position == field.cursor_screen_offset and field.region.area,
                "the cursor in the field",
            )
            assert field.region.contains(*app.cursor_position)
            await pilot.press("f2")
            await settle(pilot)


async def test_it_changes_its_form_with_the_screen_and_keeps_what_was_typed() -> None:
    async with on_ticket((120, 36), key="s") as (_, pilot, screen):
        await pilot.press(*"100")
        assert not screen.ticket.has_class("-line")
        for size in (SMALL, (80, 12), (60, 24), (200, 50), SMALL):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert screen.ticket.size_field.has_focus
        assert screen.ticket.has_class("-line")
        assert screen.ticket.draft.side is Side.SELL
        assert screen.ticket.draft.size_text == "100"
        await until(pilot, lambda: prices_shown(screen) >= 14, "the ladder")
        nothing_is_cut(screen)


async def test_the_tour_takes_no_row_of_the_ladder() -> None:
    async with on_ticket() as (_, pilot, screen):
        screen.lines.show_tour((Cell(" 1/9 Press b to buy."),))
        await until(pilot, lambda: screen.query_one("#tour").region.area, "the tour's line")
        await settle(pilot)
        at_least_fourteen_rows(screen)


async def test_the_mouse_reaches_the_fields_and_every_pane_above_them() -> None:
    async with on_ticket() as (_, pilot, screen):
        await pilot.click("#ticket-kind")
        await until(pilot, lambda: screen.ticket.draft.kind is OrderKind.MARKET, "the next kind")
        await pilot.click("#ticket-price")
        await until(pilot, lambda: screen.ticket.price.has_focus, "the price")
        while screen.ladder.cursor is None:
            # Rows that have just moved want another click.
            await pilot.click("#ladder", offset=(20, 6))
            await until(pilot, lambda: screen.ladder.has_focus, "the ladder")
        for name, pane in (("#orders", screen.orders), ("#tape", screen.tape)):
            await pilot.click(name, offset=(5, 1))
            await until(pilot, lambda pane=pane: pane.has_focus, name)  # type: ignore[misc]  # bound now
        assert screen.ticket.is_open


async def test_the_footer_offers_a_suggestion_only_where_there_is_one() -> None:
    async with on_ticket(WIDE) as (_, pilot, screen):
        assert "ctrl+o Post only" in line(screen, "footer")
        assert "Suggestion" not in line(screen, "footer")
        await pilot.press("1")
        await until(pilot, lambda: "ctrl+n Suggestion" in line(screen, "footer"), "it is offered")
        await pilot.press("ctrl+n")
        await until(pilot, lambda: "Suggestion" not in line(screen, "footer"), "it is taken")


@pytest.mark.parametrize("width", [79, 80])
async def test_post_only_is_written_out_on_the_line(width: int) -> None:
    async with on_ticket((width, 24)) as (app, pilot, screen):
        assert screen.has_class("-line")
        assert "[ ] post-only at" in fields_line(app, screen)
        assert "Yes" in fields_line(app, screen)
        await pilot.press("ctrl+t")
        await until(pilot, lambda: screen.ticket.expiry.region.area, "the expiry")
        await settle(pilot)
        nothing_is_cut(screen)
        assert "[ ] post-only at" in fields_line(app, screen)
        assert "Yes" in fields_line(app, screen)
