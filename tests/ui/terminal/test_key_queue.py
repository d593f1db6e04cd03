"""A burst of keys acts as if each had come alone."""

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.markets.market import Side
from pmtui.ui.terminal import key_queue
from pmtui.ui.terminal.terminal_app import TerminalApp
from tests.ui.fake_surface import FakeService
from tests.ui.ticket_stage import TicketApp
from tests.ui.wait import until


def send(app: App[None], *keys: str, ago_s: float = 0.0) -> None:
    """Let keys arrive together, before any of them can be handled, read so long ago."""
    for key in keys:
        event = events.Key(key, key if len(key) == 1 else None)
        event.time -= ago_s
        app.post_message(event)


class Fields(TerminalApp):
    BINDINGS = [Binding("f6", "leave_the_field", "x")]  # noqa: RUF012 - Textual's way

    @override
    def compose(self) -> ComposeResult:
        yield Input(id="first")
        yield Input(id="second")

    def action_leave_the_field(self) -> None:
        _ = self.query_one("#first", Input).remove()


def value(app: App[None], field: str) -> str:
    return app.query_one(f"#{field}", Input).value


async def test_what_is_typed_after_a_tab_lands_in_the_next_field() -> None:
    app = Fields()
    async with app.run_test() as pilot:
        app.query_one("#first", Input).focus()
        await pilot.pause()
        send(app, "4", "0", "tab", "2", "5", "shift+tab", "end", "1")
        await until(pilot, lambda: value(app, "first") == "401", "the last key arrived")
        assert value(app, "second") == "25"


async def test_what_is_typed_after_clearing_a_field_stays() -> None:
    app = Fields()
    async with app.run_test() as pilot:
        app.query_one("#first", Input).focus()
        await pilot.pause()
        send(app, "9", "9", "ctrl+u", "4", "0")
        await until(pilot, lambda: value(app, "first") == "40", "the new text")


async def test_a_widget_that_goes_away_holds_nothing_up() -> None:
    app = Fields()
    async with app.run_test() as pilot:
        app.query_one("#first", Input).focus()
        await pilot.pause()
        send(app, "1", "f6", "tab", "7")
        await until(pilot, lambda: not app.query("#first"), "the field is gone")
        app.query_one("#second", Input).focus()
        send(app, "8")
        await until(pilot, lambda: "8" in value(app, "second"), "keys still arrive")


async def test_text_that_is_pasted_keeps_its_place_among_keys() -> None:
    app = Fields()
    async with app.run_test() as pilot:
        app.query_one("#first", Input).focus()
        await pilot.pause()
        send(app, "1", "tab")
        app.post_message(events.Paste("23"))
        send(app, "4")
        await until(pilot, lambda: value(app, "second") == "234", "the paste is in its field")


async def test_escape_takes_the_place_of_keys_that_come_late() -> None:
    app = Fields()
    async with app.run_test() as pilot:
        app.query_one("#first", Input).focus()
        await pilot.pause()
        send(app, *"1234", ago_s=5)
        send(app, "escape", "9")
        await until(pilot, lambda: "9" in value(app, "first"), "the last key arrived")
        # The first one was in hand already.
        assert value(app, "first") == "19"


@pytest.mark.parametrize(("late_s", "is_late"), [(1.0, True), (1_000.0, False)])
async def test_a_key_knows_whether_it_waited_long(
    monkeypatch: pytest.MonkeyPatch, late_s: float, *, is_late: bool
) -> None:
    monkeypatch.setattr(key_queue, "LATE_S", late_s)
    app = Fields()
    async with app.run_test() as pilot:
        app.query_one("#first", Input).focus()
        await pilot.pause()
        send(app, *"12", ago_s=5)
        await until(pilot, lambda: value(app, "first") == "12", "both keys arrived")
        assert (app.key_queue.waited_s > 0) is is_late


@pytest.mark.parametrize("price", ["40", "47"])
async def test_price_and_size_never_change_places(price: str) -> None:
    app = TicketApp(FakeService(), width=44, height=20)
    async with app.run_test() as pilot:
        app.open(Side.BUY, price="0.53")
        await until(pilot, lambda: app.focused is not None, "the ticket has the focus")
        send(app, "shift+tab", "backspace", "backspace", "backspace", *price, "tab", "2", "5")

        def typed() -> list[str]:
            return [field.value for field in app.pane.query(Input)]

        await until(pilot, lambda: "25" in typed(), "the size is typed")
        assert typed()[1:3] == [price, "25"]
