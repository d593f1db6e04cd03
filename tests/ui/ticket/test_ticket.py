from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from pmtui.domain.books.book_view import BookState
from pmtui.domain.markets.market import Side
from pmtui.domain.markets.venue_state import Evidence, VenueFact, VenueState
from pmtui.domain.money import Micros
from pmtui.domain.orders.limits import EntryRules, Limits
from pmtui.domain.orders.order import (
    Accepted,
    LimitIntent,
    MarketBuyIntent,
    Order,
    OrderStatus,
    Rejected,
    TimeInForce,
    Unknown,
)
from pmtui.domain.ticket.draft import OrderKind, SizeUnit, TicketDraft, TicketRules
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic
from pmtui.ui.terminal.output_throttle import CATCH_UP_S, OutputThrottle
from pmtui.ui.ticket.confirm import ConfirmScreen
from pmtui.ui.widgets.text_line import TextLine
from tests.ui import believable
from tests.ui.fake_surface import EMPTY_ACCOUNT, NOW, FakeService
from tests.ui.look import screen_lines
from tests.ui.stage import painted, shown_text
from tests.ui.ticket_stage import (
    CONDITION,
    HOSTILE,
    NO,
    YES,
    TicketApp,
    account_view,
    book_view,
    m,
    market_view,
    ticket_on,
)
from tests.ui.wait import settle, until


async def _card(pilot: Pilot[Any], app: TicketApp) -> ConfirmScreen:
    await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "the confirm card")
    screen = app.screen
    assert isinstance(screen, ConfirmScreen)
    await until(pilot, lambda: screen._shown_at_s is not None, "the card painted")
    return screen


async def _send(pilot: Pilot[Any], app: TicketApp) -> None:
    await pilot.press("enter")
    await _card(pilot, app)
    app.pass_time()
    await pilot.press("enter")
    await until(pilot, lambda: not isinstance(app.screen, ConfirmScreen), "the card gone")
    await settle(pilot)


def _card_text(screen: ConfirmScreen) -> str:
    lines = (*shown_text(screen.lines), *(shown_text(line)[0] for line in screen.query(TextLine)))
    return "\n".join(line.rstrip() for line in lines)


async def test_filled_in_by_keys_alone_it_is_reviewed_and_sent() -> None:
    async with ticket_on(FakeService()) as (app, pilot):
        assert app.facts == ["opened"]
        await pilot.press(*"51", "tab", *"100")
        await until(pilot, lambda: "cost $51.00" in app.text(), "the cost")
        assert "payout $100.00" in app.text()
        assert "rests 100 at 51¢" in app.text()
        await pilot.press("enter")
        screen = await _card(pilot, app)
        text = _card_text(screen)
        assert "BUY 100 Yes @ 51¢ or better" in text
        assert "Cost       max $51.00" in text
        app.pass_time()
        await pilot.press("enter")
        await until(pilot, lambda: "Working: BUY 100" in app.words(), "the verdict")
        ((prepared,),) = app.service.calls_of("place")
        assert isinstance(prepared, PreparedOrder)
        assert prepared.intent == LimitIntent(
            condition_id=prepared.condition_id, token_id=YES, side=Side.BUY,
            price=m("0.51"), size=m("100"),
        )  # fmt: skip
        assert app.pane.draft.size_text == ""
        assert app.pane.draft.price_text == "51"
        assert app.pane.is_open


async def test_addresses_and_the_id_are_shown_when_they_are_asked_for() -> None:
    async with ticket_on(FakeService(), price="0.51", size=(120, 36)) as (app, pilot):
        await pilot.press(*"100", "enter")
        screen = await _card(pilot, app)
        assert "Order id" not in _card_text(screen)
        await pilot.press("question_mark")
        await until(pilot, lambda: "Order id" in _card_text(screen), "all that is signed")
        assert "Maker" in _card_text(screen)
        app.pass_time()
        await pilot.press("enter")
        await until(pilot, lambda: "Working: BUY 100" in app.words(), "the verdict")


async def test_an_open_card_tells_what_speaks_against_it_by_now_and_stays_where_it_is() -> None:
    app = TicketApp(FakeService())
    app.service.books[YES] = book_view()
    app.service.markets[CONDITION] = market_view()
    async with app.run_test(size=(120, 36)) as pilot:
        app.open(price="0.51")
        await settle(pilot)
        await pilot.press(*"100", "enter")
        screen = await _card(pilot, app)
        app.pass_time()
        before = screen.query_one("#card").region
        assert "! " not in _card_text(screen)
        mine = believable.order(9, side=Side.SELL, price=0.51, size=10)
        mine = replace(mine, condition_id=CONDITION, token_id=YES)
        app.service.account_view = replace(app.service.account_view, open_orders=(mine,))
        app.service.announce(AccountTopic())
        await until(pilot, lambda: "! Self-trade with your SELL 10" in _card_text(screen), "it")
        assert screen.query_one("#card").region.right == before.right
        assert screen.query_one("#card").region.y == before.y
        # What is new was not read yet.
        await until(pilot, lambda: screen._shown_at_s is not None, "the pause begun anew")
        await pilot.press("enter")
        assert "Too quick" in _card_text(screen)
        # It goes as it came, and the card keeps its place.
        grown = screen.query_one("#card").region
        app.service.account_view = replace(app.service.account_view, open_orders=())
        app.service.announce(AccountTopic())
        await until(pilot, lambda: "Self-trade" not in _card_text(screen), "it is gone")
        assert screen.query_one("#card").region == grown
        app.service.books[YES] = book_view(state=BookState.STALE)
        app.service.announce(BookTopic(YES))
        await until(pilot, lambda: "! Book stale" in _card_text(screen), "the book")
        assert screen.query_one("#card").region == grown
        app.pass_time()
        await pilot.press("enter")
        await until(pilot, lambda: app.service.calls_of("place"), "sent all the same")


async def test_an_open_card_says_a_warning_once_whatever_the_figures_in_it_become() -> None:
    app = TicketApp(FakeService())
    app.service.books[YES] = book_view()
    app.service.markets[CONDITION] = market_view()
    async with app.run_test(size=(120, 36)) as pilot:
        app.open(price="0.60")
        await settle(pilot)
        await pilot.press(*"20", "enter")
        screen = await _card(pilot, app)
        await until(pilot, lambda: screen._shown_at_s is not None, "the pause")
        shown_at_s, before = screen._shown_at_s, _card_text(screen)
        book = book_view()
        app.service.books[YES] = replace(book, bids=book.bids[1:])
        app.service.announce(BookTopic(YES))
        await until(pilot, lambda: _card_text(screen) != before, "the midpoint of now")
        assert _card_text(screen).count("above the midpoint") == 1
        # It was read: nothing new speaks against the order.
        assert screen._shown_at_s == shown_at_s


async def test_an_open_card_says_that_its_order_would_be_refused_now() -> None:
    app = TicketApp(FakeService())
    app.service.books[YES] = book_view()
    app.service.markets[CONDITION] = market_view()
    async with app.run_test(size=(120, 36)) as pilot:
        app.open(price="0.51")
        await settle(pilot)
        await pilot.press(*"100", "enter")
        screen = await _card(pilot, app)
        assert "refused" not in _card_text(screen)
        app.service.markets[CONDITION] = market_view(accepting=False)
        app.service.announce(MarketTopic(CONDITION))
        said = "Would be refused now: Paused"
        await until(pilot, lambda: said in _card_text(screen), "why")
    assert not app.service.watched()


async def test_a_small_order_that_nothing_speaks_against_needs_no_card_where_the_trader_says_so() -> (
    None
):
    async with ticket_on(FakeService(), rules=TicketRules(confirm_above=m("60"))) as (app, pilot):
        await pilot.press(*"51", "tab", *"100", "enter")
        await until(pilot, lambda: "Working: BUY 100" in app.words(), "the verdict")
        assert not isinstance(app.screen, ConfirmScreen)
        await pilot.press(*"120", "enter")
        _ = await _card(pilot, app)
        assert len(app.service.calls_of("place")) == 1


async def test_the_size_of_the_last_order_is_there_in_the_next_ticket_and_typing_replaces_it() -> (
    None
):
    async with ticket_on(FakeService(), price="0.51") as (app, pilot):
        await pilot.press(*"100")
        await _send(pilot, app)
        await until(pilot, lambda: "Working: BUY 100" in app.words(), "the verdict")
        app.pane.close()
        app.open(price="0.50")
        await settle(pilot)
        assert app.pane.draft.size_text == "100"
        await pilot.press(*"25")
        assert app.pane.draft.size_text == "25"


async def test_letters_typed_into_the_ticket_are_nobody_elses_keys() -> None:
    async with ticket_on(FakeService(), price="0.53") as (app, pilot):
        for _ in range(7):
            await pilot.press(*"mpqbosxzrl")
            await pilot.press("tab")
        await settle(pilot)
        assert app.pressed == []
        assert app.pane.draft.size_text == "mpqbosxzrl"
        await pilot.press("enter")
        await settle(pilot)
        assert not isinstance(app.screen, ConfirmScreen)
        await pilot.press("escape")
        await until(pilot, lambda: "closed" in app.facts, "the ticket closed")
        assert not app.pane.is_open


async def test_every_field_is_reached_by_tab_and_moved_by_keys() -> None:
    async with ticket_on(FakeService(), price="0.53") as (app, pilot):
        app.pane.side.focus()
        await settle(pilot)
        seen: list[str] = []
        for _ in range(6):
            focused = app.focused
            assert focused is not None
            seen.append(str(focused.id))
            await pilot.press("tab")
        assert seen == [
            f"ticket-{name}"
            for name in ("side", "kind", "time-in-force", "post-only", "price", "size")
        ]
        app.pane.time_in_force.focus()
        await pilot.press("left", "left", "left")
        await until(
            pilot, lambda: app.pane.draft.time_in_force is TimeInForce.GTD, "good till date"
        )
        await settle(pilot)
        app.pane.expiry.focus()
        await pilot.press(*"30m")
        await until(pilot, lambda: app.pane.draft.expiry_text == "30m", "the expiry")
        app.pane.post_only.focus()
        await pilot.press("space")
        await until(pilot, lambda: app.pane.draft.is_post_only, "post-only")
        await pilot.press("ctrl+o")
        await until(pilot, lambda: not app.pane.draft.is_post_only, "not post-only")
        app.pane.unit.focus()
        await pilot.press("right")
        await until(pilot, lambda: app.pane.draft.size_unit is SizeUnit.DOLLARS, "dollars")
        await pilot.press("ctrl+y", "ctrl+r", "ctrl+t", "ctrl+g")
        await settle(pilot)
        draft = app.pane.draft
        assert (draft.size_unit, draft.side, draft.kind) == (
            SizeUnit.PERCENT, Side.SELL, OrderKind.MARKET,
        )  # fmt: skip


async def test_a_timed_order_starts_with_five_minutes_and_leaves_the_focus_where_it_was() -> None:
    async with ticket_on(FakeService(), price="0.53") as (app, pilot):
        await pilot.press(*"100", "ctrl+t")
        await until(pilot, lambda: app.pane.expiry.display, "the expiry field")
        await settle(pilot)
        assert app.focused is app.pane.size_field
        assert app.pane.expiry.value == "5m"
        await pilot.press("ctrl+t")
        assert app.pane.expiry.value == "15m"


async def test_a_decimal_comma_is_refused_in_words_and_not_dropped() -> None:
    async with ticket_on(FakeService()) as (app, pilot):
        await pilot.press("3", "comma", "1")
        await until(pilot, lambda: "comma" in app.words(), "the refusal")
        assert app.pane.price.value == "3,1"


@pytest.mark.parametrize("way", ["typed", "pasted"])
async def test_what_is_no_size_is_kept_as_it_was_typed_and_refused(way: str) -> None:
    async with ticket_on(FakeService(), price="0.53") as (app, pilot):
        if way == "typed":
            await pilot.press(*"1e3")
        else:
            app.pane.size_field.post_message(events.Paste("1e3"))
        await until(pilot, lambda: "Not a number" in app.words(), "the refusal")
        assert app.pane.size_field.value == "1e3"
        await pilot.press("enter")
        await settle(pilot)
        assert not isinstance(app.screen, ConfirmScreen)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("16:00", "Not a time span: 16:00; enter minutes, or 150s, 30m, 2h, 1d"),
        ("-5m", "Not a time span: -5m; enter minutes"),
        ("2020-01-01", "Not a time span: 2020-01-01; enter"),
        ("xyz", "Not a time span: xyz; enter"),
        ("99999d", "99999d is over a year"),
        ("", "Enter an expiry: minutes, or 150s, 30m, 2h, 1d"),
    ],
)
async def test_what_is_no_time_to_live_is_kept_and_refused_with_what_works(
    typed: str, said: str
) -> None:
    app = TicketApp(FakeService(), width=78, height=14)
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(price="0.53")
        await settle(pilot)
        await pilot.press(*"10", "ctrl+t")
        await until(pilot, lambda: app.pane.expiry.display, "the expiry field")
        ends = f"{(NOW + timedelta(minutes=5, seconds=2)).astimezone():%d %b %H:%M %Z}"
        await until(pilot, lambda: ends in app.words(), "when it ends")
        app.pane.expiry.focus()
        app.pane.expiry.action_select_all()
        keys = [{":": "colon", "-": "minus"}.get(letter, letter) for letter in typed]
        await pilot.press("backspace", *keys)
        await until(pilot, lambda: said in app.words(), "the refusal")
        assert app.pane.expiry.value == typed
        assert ends not in app.words()
        assert not app.pane.expiry.placeholder


@pytest.mark.parametrize("is_line", [False, True])
async def test_fields_keep_their_places_when_an_order_gets_a_time(*, is_line: bool) -> None:
    app = TicketApp(FakeService(), width=80, height=14)
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(price="0.53")
        app.pane.show_on_a_line(is_line=is_line)
        await settle(pilot)
        pane = app.pane
        fields = (pane.kind, pane.time_in_force, pane.post_only, pane.price, pane.unit)
        before = [field.region for field in fields]
        word = pane.post_only.text
        assert pane.expiry not in pane.screen.focus_chain
        await pilot.press("ctrl+t")
        await until(pilot, lambda: pane.expiry in pane.screen.focus_chain, "the expiry field")
        await settle(pilot)
        assert [field.region for field in fields] == before
        assert pane.post_only.text == word
        pane.expiry.focus()
        await pilot.press("ctrl+t", "ctrl+t", "ctrl+t")
        await until(pilot, lambda: pane.expiry not in pane.screen.focus_chain, "no expiry")
        await settle(pilot)
        assert app.focused is not None
        assert app.focused is not pane.expiry
        assert pane in app.focused.ancestors


async def test_the_other_side_keeps_the_size_and_not_how_long_the_order_before_lived() -> None:
    async with ticket_on(
        FakeService(), Side.SELL, price="0.53", account=account_view(shares="50")
    ) as (app, pilot):
        await pilot.press(*"20", *["ctrl+t"] * 5)
        await until(pilot, lambda: app.pane.draft.time_in_force is TimeInForce.FAK, "FAK")
        app.open(Side.SELL, price="0.52")
        assert shown_text(app.pane.time_in_force)[0].strip() == "FAK »"
        app.open(price="0.51")
        assert app.pane.draft == TicketDraft(Side.BUY, 0, price_text="51", size_text="20")
        await _send(pilot, app)
        await until(pilot, lambda: "Working:" in app.words(), "the verdict")
        await pilot.press("ctrl+t")
        await until(pilot, lambda: app.pane.draft.time_in_force is TimeInForce.GTD, "GTD")
        await pilot.press(*"10")
        await _send(pilot, app)
        await until(pilot, lambda: "Working:" in app.words(), "the verdict")
        app.open(price="0.51")
        assert app.pane.draft == TicketDraft(Side.BUY, 0, price_text="51")


async def test_the_card_answers_a_key_that_means_nothing_there() -> None:
    async with ticket_on(FakeService(), price="0.53") as (app, pilot):
        await pilot.press(*"100", "enter")
        screen = await _card(pilot, app)
        await pilot.press("Z")
        await until(
            pilot,
            lambda: "Answer first; esc to go back" in _card_text(screen),
            "what to press",
        )


async def test_the_mouse_moves_choices_too() -> None:
    async with ticket_on(FakeService(), price="0.53") as (app, pilot):
        await pilot.click("#ticket-side")
        await until(pilot, lambda: app.pane.draft.side is Side.SELL, "the other side")
        await pilot.click("#ticket-side")
        await until(pilot, lambda: app.pane.draft.side is Side.BUY, "the first side")
        await pilot.click("#ticket-kind")
        await until(pilot, lambda: app.pane.draft.kind is OrderKind.MARKET, "a market order")
        app.open(price="0.51")
        await until(pilot, lambda: app.pane.draft.kind is OrderKind.LIMIT, "a limit order again")


async def test_up_and_down_step_the_price_by_the_tick_and_the_size_by_its_own_measure() -> None:
    async with ticket_on(FakeService()) as (app, pilot):
        await pilot.press("up")
        await until(pilot, lambda: app.pane.price.value == "51", "the best bid")
        await pilot.press("up", "up", "down")
        await until(pilot, lambda: app.pane.price.value == "52", "one tick further")
        await pilot.press("tab", "up")
        await until(pilot, lambda: app.pane.size_field.value == "5", "the least size")
        await pilot.press("up", "up")
        await until(pilot, lambda: app.pane.size_field.value == "7", "two more")
        assert app.pane.draft.size_text == "7"


async def test_a_problem_stands_beside_its_field_and_one_key_mends_it() -> None:
    async with ticket_on(FakeService()) as (app, pilot):
        assert "!" not in app.text()
        await pilot.press(*"51.4", "tab", *"100")
        await until(pilot, lambda: "Tick 1¢" in app.words(), "the problem")
        assert "ctrl+n at 51¢" in app.text()
        await pilot.press("enter")
        await settle(pilot)
        assert not isinstance(app.screen, ConfirmScreen)
        assert app.focused is app.pane.price
        await pilot.press("ctrl+n")
        await until(pilot, lambda: app.pane.price.value == "51", "the fix")
        await until(pilot, lambda: "cost $51.00" in app.text(), "the figures")


async def test_a_market_order_to_sell_is_refused_and_a_key_makes_it_a_limit() -> None:
    async with ticket_on(
        FakeService(), Side.SELL, price="0.52", account=account_view(shares="250")
    ) as (app, pilot):
        await pilot.press("ctrl+g")
        await until(pilot, lambda: "No market sells" in app.words(), "the refusal")
        assert "ctrl+n limit FAK at 51¢" in app.words()
        await pilot.press("enter")
        await settle(pilot)
        assert app.service.calls == []
        await pilot.press("ctrl+n")
        app.pane.size_field.focus()
        await pilot.press(*"30")
        await until(pilot, lambda: "proceeds $15.30" in app.text(), "the proceeds")
        await _send(pilot, app)
        ((prepared,),) = app.service.calls_of("place")
        assert isinstance(prepared, PreparedOrder)
        intent = prepared.intent
        assert isinstance(intent, LimitIntent)
        assert (intent.side, intent.time_in_force, intent.price, intent.size) == (
            Side.SELL, TimeInForce.FAK, m("0.51"), m("30"),
        )  # fmt: skip


async def test_a_market_purchase_takes_its_worst_price_from_the_book() -> None:
    async with ticket_on(FakeService()) as (app, pilot):
        await pilot.press("ctrl+g")
        assert "¢" not in "".join(cell.text for cell in app.pane.touch.line)
        app.pane.size_field.focus()
        await pilot.press(*"25")
        await until(pilot, lambda: "shares min 46.29" in app.text(), "the shares")
        await _send(pilot, app)
        ((prepared,),) = app.service.calls_of("place")
        assert isinstance(prepared, PreparedOrder)
        intent = prepared.intent
        assert isinstance(intent, MarketBuyIntent)
        assert (intent.amount, intent.worst_price) == (m("25"), m("0.54"))


@pytest.mark.parametrize(
    ("field", "shown"), [("size", "Refused: not enough balance"), (None, "not enough balance")]
)
async def test_a_rejection_keeps_the_ticket_and_says_why(field: str | None, shown: str) -> None:
    service = FakeService(verdicts=[Rejected("not enough balance / allowance", field)])
    async with ticket_on(service, price="0.53") as (app, pilot):
        await pilot.press(*"100")
        await settle(pilot)
        draft = app.pane.draft
        await _send(pilot, app)
        await until(pilot, lambda: shown in app.words(), "the venue's words")
        assert app.pane.draft == draft
        assert app.pane.size_field.value == "100"
        await pilot.press("backspace")
        await until(pilot, lambda: "Refused" not in app.text(), "the words gone with the draft")


async def test_a_ticket_opened_anew_knows_nothing_of_the_order_before() -> None:
    service = FakeService(verdicts=[Rejected("not enough depth", None)])
    async with ticket_on(service, price="0.53") as (app, pilot):
        await pilot.press(*"100", *["ctrl+t"] * 4)
        assert app.pane.draft.time_in_force is TimeInForce.FOK
        await _send(pilot, app)
        await until(pilot, lambda: "not enough depth" in app.words(), "the venue's words")
        # Still open and refused, so it is still the same order, at another price.
        app.open(price="0.54")
        assert (app.pane.draft.size_text, app.pane.draft.time_in_force) == ("100", TimeInForce.FOK)
        app.pane.close()
        app.open(price="0.52")
        assert app.pane.draft == TicketDraft(Side.BUY, 0, price_text="52")
        await pilot.press("ctrl+g", "$")
        app.pane.close()
        app.open(price="0.52")
        assert app.pane.draft == TicketDraft(Side.BUY, 0, price_text="52")


async def test_own_limits_and_the_lock_speak_while_one_types_and_until_released() -> None:
    limits = Limits(order=Micros(40_000_000))
    service = FakeService(account_view=replace(EMPTY_ACCOUNT, entry=EntryRules(limits)))
    async with ticket_on(service, price="0.53") as (app, pilot):
        app.pane.size_field.focus()
        await pilot.press(*"100")
        await until(pilot, lambda: "Over your limit of $40.00" in app.words(), "the limit")
        assert "review" not in app.words()
        await pilot.press("enter")
        await settle(pilot)
        assert not isinstance(app.screen, ConfirmScreen)
        lock = "Trading locked since 12:00 UTC by the key"
        service.status_view = replace(service.status_view, kill_lock=lock)
        app.tell()
        await until(pilot, lambda: "K unlocks it" in app.words(), "the key")
        service.account_view = EMPTY_ACCOUNT
        service.status_view = replace(service.status_view, kill_lock="")
        app.tell()
        await until(pilot, lambda: "review" in app.words(), "the way free")
        assert "locked" not in app.words()


async def test_after_sending_the_next_thing_typed_is_a_size() -> None:
    async with ticket_on(FakeService(), price="0.53") as (app, pilot):
        app.pane.size_field.focus()
        await pilot.press(*"100")
        app.pane.price.focus()
        await _send(pilot, app)
        await until(pilot, lambda: "Working:" in app.words(), "the verdict")
        await pilot.press(*"50")
        assert (app.pane.price.value, app.pane.size_field.value) == ("53", "50")


async def test_what_a_command_filled_in_is_one_order_and_closes_the_ticket() -> None:
    async with ticket_on(FakeService(), price="0.53") as (app, pilot):
        draft = replace(app.pane.draft, size_text="100")
        app.pane.fill(draft)
        await _send(pilot, app)
        await until(pilot, lambda: not app.pane.is_open, "the ticket to close")
        # Changed by hand, it is an entry like any other.
        app.open(price="0.53")
        app.pane.fill(draft)
        await pilot.press(*"50")
        await _send(pilot, app)
        await until(pilot, lambda: "Working:" in app.words(), "the verdict")
        assert app.pane.is_open


async def test_what_the_service_cannot_prepare_is_said_without_a_card() -> None:
    async with ticket_on(
        FakeService(refusal=Rejected("No key: this session is read-only")), price="0.53"
    ) as (app, pilot):
        await pilot.press(*"100", "enter")
        await until(pilot, lambda: "No key" in app.words(), "the reason")
        assert not isinstance(app.screen, ConfirmScreen)


async def test_sending_is_said_at_once_and_survives_the_ticket_being_closed() -> None:
    service = FakeService(is_holding=True)
    async with ticket_on(service, price="0.53") as (app, pilot):
        await pilot.press(*"100")
        await _send(pilot, app)
        assert "sending…" in app.text()
        await pilot.press("enter")
        screen = await _card(pilot, app)
        assert "being sent" in _card_text(screen)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, ConfirmScreen), "the card gone")
        await pilot.press("escape")
        await until(pilot, lambda: not app.pane.is_open, "the ticket closed")
        service.release()
        await until(pilot, lambda: app.pane.draft.size_text == "", "the verdict taken in")


async def test_an_unknown_end_is_said_and_the_same_order_again_asks_first() -> None:
    service = FakeService()
    async with ticket_on(service, price="0.53") as (app, pilot):
        await pilot.press(*"100", "enter")
        await _card(pilot, app)
        ((intent,),) = service.calls_of("prepare")
        assert isinstance(intent, LimitIntent)
        app.pass_time()
        order_id = "0x" + "0" * 63 + "1"
        service.verdicts.append(Unknown(order_id, "no answer", since=NOW))  # type: ignore[arg-type]
        await pilot.press("enter")
        await until(pilot, lambda: "Unconfirmed, checking" in app.words(), "the doubt")
        assert app.pane.size_field.value == "100"
        await pilot.press("enter")
        screen = await _card(pilot, app)
        assert "unconfirmed" in " ".join(_card_text(screen).split())
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, ConfirmScreen), "the card gone")
        service.account_view = _with_order(intent, order_id, OrderStatus.UNKNOWN)
        app.tell()
        assert "Confirmed at the venue" not in app.words()
        service.account_view = _with_order(intent, order_id, OrderStatus.LIVE)
        app.tell()
        await until(
            pilot, lambda: "Confirmed at the venue: 100 working" in app.words(), "the truth"
        )


async def test_an_order_in_doubt_from_before_the_ticket_opened_is_remembered() -> None:
    async with ticket_on(FakeService(), price="0.53") as (app, pilot):
        intent = LimitIntent(
            condition_id=market_view().terms.condition_id,  # type: ignore[union-attr]
            token_id=YES, side=Side.BUY, price=m("0.53"), size=m("100"),
        )  # fmt: skip
        app.service.account_view = _with_order(intent, "0x77", OrderStatus.UNKNOWN)
        app.tell()
        await pilot.press(*"100", "enter")
        screen = await _card(pilot, app)
        assert "second one" in _card_text(screen)


def _with_order(intent: LimitIntent, order_id: str, status: OrderStatus) -> Any:
    order = Order(
        order_id=order_id, condition_id=intent.condition_id, token_id=intent.token_id,  # type: ignore[arg-type]
        outcome="Yes", side=intent.side, price=intent.price, original_size=intent.size,
        matched_size=m("0"), status=status, time_in_force=intent.time_in_force, created_at=NOW,
    )  # fmt: skip
    return account_view(open_orders=(order,))


async def test_escape_on_the_card_leaves_the_ticket_as_it_was() -> None:
    async with ticket_on(FakeService(), price="0.53") as (app, pilot):
        await pilot.press(*"100")
        draft = app.pane.draft
        await pilot.press("enter")
        await _card(pilot, app)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, ConfirmScreen), "the card gone")
        assert app.pane.draft == draft
        assert app.focused is app.pane.size_field
        assert app.service.calls_of("place") == []


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50), (60, 24)])
async def test_the_card_fits_and_stands_over_the_ticket(
    size: tuple[int, int],
) -> None:
    async with ticket_on(FakeService(), price="0.53", size=size) as (app, pilot):
        await pilot.press(*"100", "enter")
        screen = await _card(pilot, app)
        card = screen.query_one("#card").region
        assert card.y >= 0
        assert card.bottom <= size[1]
        assert card.contains_region(app.pane.region)
        # The screen may change its size while one reads.
        await pilot.resize_terminal(90, 30)
        await until(
            pilot,
            lambda: screen.query_one("#card").region.contains_region(app.pane.region),
            "it follows",
        )


async def test_every_warning_of_the_ticket_is_on_the_card_too() -> None:
    service = FakeService()
    app = TicketApp(service)
    view = replace(
        market_view(),
        venue=(
            VenueFact(VenueState.RESTARTING, Evidence.ANSWER, NOW),
            VenueFact(VenueState.POST_ONLY, Evidence.ANSWER, NOW),
        ),
    )
    async with app.run_test(size=(120, 36)) as pilot:
        app.open(price="0.60", view=view)
        await settle(pilot)
        await pilot.press(*"2000")
        await until(pilot, lambda: "is restarting" in app.words(), "the ticket warns")
        await pilot.press("enter")
        words = " ".join(_card_text(await _card(pilot, app)).split())
        for warning in (
            "The venue is restarting",
            "post-only orders only",
            "15% above",
            "in one order",
        ):
            assert warning in words, warning
        app.pass_time()
        await pilot.press("enter")
        # A warning holds nothing back.
        await until(pilot, lambda: service.calls_of("place"), "the order sent")


async def test_a_post_only_venue_is_met_with_one_key() -> None:
    app = TicketApp(FakeService())
    view = replace(market_view(), venue=(VenueFact(VenueState.POST_ONLY, Evidence.ANSWER, NOW),))
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(price="0.51", view=view)
        await settle(pilot)
        await pilot.press(*"100")
        await until(pilot, lambda: "post-only orders only" in app.words(), "the warning")
        app.pane.action_use_suggestion()
        await settle(pilot)
        assert app.pane.draft.is_post_only
        assert "post-only orders only" not in app.words()


async def test_the_last_line_follows_the_orders_life() -> None:
    service = FakeService()
    async with ticket_on(service, price="0.53") as (app, pilot):
        await pilot.press(*"100")
        order_id = "0x" + "0" * 63 + "1"
        service.is_holding = True
        await _send(pilot, app)
        (placed,) = service.calls_of("place")[0]
        assert isinstance(placed, PreparedOrder)
        order_id = placed.unsigned.order_id
        delayed = Accepted(order_id, OrderStatus.DELAYED, m("0"), "delayed")
        service.verdicts.append(delayed)
        service.release()
        await until(pilot, lambda: "Yes delayed by the venue" in app.words(), "the delay is said")
        known = _known(placed, OrderStatus.DELAYED)
        _tell_recent(app, known)
        await settle(pilot)
        assert "Yes delayed by the venue" in app.words()
        for status, matched, words in (
            (OrderStatus.PARTIALLY_FILLED, "40", "40 Yes filled, 60 working"),
            (OrderStatus.FILLED, "100", "100 Yes filled"),
        ):
            _tell_recent(app, replace(known, status=status, matched_size=m(matched)))
            await until(pilot, lambda w=words: w in app.words(), words)  # type: ignore[misc]
        assert "delayed" not in app.words()
        # Once the trader types, the ticket speaks of the next order.
        await pilot.press("5")
        _tell_recent(app, replace(known, status=OrderStatus.CANCELLED, matched_size=m("40")))
        await settle(pilot)
        assert "cancelled" not in app.words()


def _known(order: PreparedOrder, status: OrderStatus) -> Order:
    return Order(
        order_id=order.unsigned.order_id, condition_id=order.condition_id,
        token_id=order.intent.token_id, outcome=order.outcome, side=order.intent.side,
        price=order.price, original_size=order.size, matched_size=m("0"), status=status,
        time_in_force=order.intent.time_in_force, created_at=NOW,
    )  # fmt: skip


def _tell_recent(app: TicketApp, *orders: Order) -> None:
    app.service.account_view = replace(app.service.account_view, recent=orders)
    app.tell()


async def test_enter_after_a_standstill_asks_for_another_look() -> None:
    async with ticket_on(FakeService(), price="0.53") as (app, pilot):
        at = [100.0]
        pace = OutputThrottle(lambda: at[0])
        vars(app._driver)["pace"] = pace
        pace.beat()
        await pilot.press(*"100", "enter")
        screen = await _card(pilot, app)
        app.pass_time()
        at[0] += 6
        await pilot.press("enter")
        assert "Line stalled 6 s: press again" in _card_text(screen)
        assert app.service.calls_of("place") == []
        pace.beat()
        at[0] += CATCH_UP_S
        await pilot.press("enter")
        await until(pilot, lambda: app.service.calls_of("place"), "the order sent")


async def test_a_hasty_second_enter_sends_nothing() -> None:
    async with ticket_on(FakeService(), price="0.53") as (app, pilot):
        await pilot.press(*"100", "enter", "enter")
        screen = await _card(pilot, app)
        await pilot.press("enter")
        app.service.at += timedelta(milliseconds=149)
        await pilot.press("enter")
        await settle(pilot)
        assert app.screen is screen
        assert "Too quick" in _card_text(screen)
        assert app.service.calls_of("place") == []
        app.service.at += timedelta(milliseconds=1)
        await pilot.press("enter")
        await until(pilot, lambda: app.service.calls_of("place"), "the order sent")


async def test_the_pause_for_reading_passes_while_the_recorded_time_stands_still() -> None:
    async with ticket_on(FakeService(), price="0.53") as (app, pilot):
        await pilot.press(*"100", "enter")
        screen = await _card(pilot, app)
        app.service.at += timedelta(seconds=-30)
        app.service.waited_s = 30.149
        await pilot.press("enter")
        await settle(pilot)
        assert app.screen is screen
        app.service.waited_s = 30.151
        await pilot.press("enter")
        await until(pilot, lambda: app.service.calls_of("place"), "the order sent")


async def test_a_partial_fill_is_told_in_shares() -> None:
    verdict = Accepted("0x1", OrderStatus.PARTIALLY_FILLED, m("40"), "partially filled")  # type: ignore[arg-type]
    async with ticket_on(FakeService(verdicts=[verdict]), price="0.53") as (app, pilot):
        await pilot.press(*"100")
        await _send(pilot, app)
        await until(pilot, lambda: "40 Yes filled, 60 working" in app.words(), "the fill")


async def test_a_book_of_the_other_outcome_takes_the_ticket_along_without_a_price() -> None:
    async with ticket_on(FakeService(), price="0.53") as (app, pilot):
        app.tell(book=book_view(NO))
        await until(pilot, lambda: "Outcome changed" in app.words(), "the change said")
        assert app.pane.price.value == ""
        assert " No " in app.text()


async def test_without_terms_nothing_is_reviewed() -> None:
    async with ticket_on(FakeService(), price="0.53", view=market_view(has_terms=False)) as (
        app,
        pilot,
    ):
        await pilot.press(*"100", "enter")
        await until(pilot, lambda: "terms are loading" in app.words(), "the reason")
        assert app.service.calls == []


async def test_a_doubtful_book_is_named_in_words() -> None:
    async with ticket_on(FakeService(), price="0.53", book=book_view(state=BookState.STALE)) as (
        app,
        _,
    ):
        assert "stale" in app.text()


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("theme", ["harbour", "ansi"])
@pytest.mark.parametrize("size", [(38, 9), (44, 20)])
async def test_it_is_painted_whole_in_any_colours_with_hostile_labels(
    ascii_only: bool, theme: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    if ascii_only:
        monkeypatch.setenv("NO_COLOR", "1")
    app = TicketApp(
        FakeService(), width=size[0], height=size[1], theme=theme, ascii_only=ascii_only
    )
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(price="0.53", view=market_view(labels=(HOSTILE, "No")))
        await settle(pilot)
        await pilot.press(*"1000000")
        await settle(pilot)
        text = app.text()
        assert "\x1b" not in text
        assert "[bold]" in text
        if ascii_only:
            assert all(line.isascii() for line in screen_lines(app))
        for widget in app.pane.query("TextLine, TextBlock, Choice").results():
            if widget.display:
                _ = list(painted(widget))
        assert "…" not in "\n".join(shown_text(app.pane.figures))
        assert app.pane.outer_size.height == size[1]


async def test_on_the_smallest_region_a_timed_order_with_a_problem_still_shows_its_cost() -> None:
    async with ticket_on(FakeService(), price="0.53", book=book_view(state=BookState.STALE)) as (
        app,
        pilot,
    ):
        await pilot.press(*"100", "ctrl+t")
        await until(pilot, lambda: app.pane.expiry.display, "the expiry field")
        app.pane.expiry.focus()
        await pilot.press(*"1m")
        await until(pilot, lambda: "two minutes" in app.words(), "the problem")
        assert "cost $53.00" in app.text()
        assert app.pane.state.region.bottom <= app.pane.region.bottom


async def test_resizing_and_a_closed_ticket_are_harmless() -> None:
    app = TicketApp(FakeService())
    async with app.run_test(size=(80, 24)) as pilot:
        app.tell()
        await pilot.resize_terminal(60, 18)
        app.open(price="0.53")
        await pilot.resize_terminal(40, 12)
        await settle(pilot)
        app.pane.close()
        app.pane.close()
        await settle(pilot)
        assert app.facts == ["opened", "closed"]
        app.open(Side.SELL, price="0.53", account=replace(account_view(), balance=None))
        await settle(pilot)
        assert app.pane.draft.side is Side.SELL
