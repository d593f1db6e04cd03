"""A burst of keys acts as if each had come alone."""

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.markets.market import Side
from pmtui.ui.terminal.terminal_app import TerminalApp
from tests.ui.fake_surface import FakeService
from tests.ui.ticket_stage import TicketApp
from tests.ui.wait import until


def send(app: App[None], *keys: str) -> None:
    """Let keys arrive together, before any of them can be handled."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else None))


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
