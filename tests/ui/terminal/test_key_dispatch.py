"""A bound key acts at once where nothing else could take it, and never before a click that came first."""

from typing import Any

import pytest
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Container, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input
from typing_extensions import override

from pmtui.ui.terminal import key_dispatch as straight_keys
from pmtui.ui.terminal.key_dispatch import StraightKeys
from tests.ui.wait import until


class Box(Widget, can_focus=True):
    """Bound to `b`, and counts the keys that it is sent."""

    BINDINGS = [Binding("b", "note('box')", "x"), Binding("d", "note('box')", "x")]  # noqa: RUF012
    keys = 0

    @override
    def post_message(self, message: Message) -> bool:
        self.keys += isinstance(message, events.Key)
        return super().post_message(message)

    def action_note(self, what: str) -> None:
        self.app.done.append(what)  # type: ignore[attr-defined]

    def on_click(self) -> None:
        self.app.done.append("click")  # type: ignore[attr-defined]


class HandlesAll(Box):
    def on_key(self, event: events.Key) -> None:
        self.app.done.append(f"own {event.key}")  # type: ignore[attr-defined]
        event.stop()


class HandlesOne(Box):
    def key_b(self) -> None:
        self.app.done.append("own b")  # type: ignore[attr-defined]


class HandlesAround(Vertical):
    @on(events.Key)
    def take(self, event: events.Key) -> None:
        self.app.done.append(f"around {event.key}")  # type: ignore[attr-defined]
        event.stop()


class Keys(StraightKeys, App[None]):
    BINDINGS = [  # noqa: RUF012 - Textual's way
        Binding("a", "note('app')", "x"),
        Binding("d", "note('first')", "x", priority=True),
    ]

    def __init__(self, widget: Widget, around: type[Widget] = Vertical) -> None:
        super().__init__()
        self.done: list[str] = []
        self._widget, self._around = widget, around

    @override
    def compose(self) -> ComposeResult:
        with Container(), self._around():
            yield self._widget

    def on_mount(self) -> None:
        self._widget.focus()

    def action_note(self, what: str) -> None:
        self.done.append(what)


class StockKeys(Keys):
    @override
    async def _act(self, event: events.Key) -> bool:
        return False


@pytest.mark.parametrize(("key", "done"), [("a", "app"), ("b", "box"), ("d", "first")])
async def test_a_bound_key_acts_before_it_is_sent_anywhere(key: str, done: str) -> None:
    box = Box()
    app = Keys(box)
    async with app.run_test():
        with app._context():
            await app.on_event(events.Key(key, key))
        assert app.done == [done]
        assert not box.keys


async def test_a_key_without_a_meaning_goes_textuals_way() -> None:
    box = Box()
    app = Keys(box)
    async with app.run_test() as pilot:
        await pilot.press("x")
        assert box.keys == 1
        assert not app.done


@pytest.mark.parametrize("key", ["a", "b", "d", "x"])
@pytest.mark.parametrize(
    ("kind", "around"),
    [(Box, Vertical), (HandlesAll, Vertical), (HandlesOne, Vertical), (Box, HandlesAround)],
)
async def test_whoever_handles_keys_gets_them_as_from_textual(
    kind: type[Box], around: type[Widget], key: str
) -> None:
    ends = []
    for app in (Keys(kind(), around), StockKeys(kind(), around)):
        async with app.run_test() as pilot:
            await pilot.press(key)
            await pilot.pause()
            ends.append(app.done)
    assert ends[0] == ends[1]


async def test_a_field_is_typed_into_whatever_a_letter_is_bound_to() -> None:
    field = Input()
    app = Keys(field)
    async with app.run_test() as pilot:
        await pilot.press("a", "b")
        assert field.value == "ab"
        assert not app.done


async def test_a_key_does_not_overtake_the_click_before_it() -> None:
    app = Keys(Box())
    async with app.run_test() as pilot:
        await pilot.pause()
        for kind in (events.MouseDown, events.MouseUp):
            app.post_message(_mouse(kind))
        app.post_message(events.Key("b", "b"))
        await until(pilot, lambda: "box" in app.done, "the key")
        assert app.done == ["click", "box"]
        await until(pilot, lambda: not app._clicks_on_way, "the click having gone all the way")
        app.done.clear()
        with app._context():
            await app.on_event(events.Key("b", "b"))
        assert app.done == ["box"]


async def test_another_release_looks_its_bindings_up_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(straight_keys, "_IS_KNOWN", False)
    box = Box()
    app = Keys(box)
    async with app.run_test() as pilot:
        await pilot.press("b")
        assert box.keys == 1
        assert app.done == ["box"]


def _mouse(kind: Any) -> events.Event:
    event: events.Event = kind(
        None, 1, 1, 0, 0, button=1, shift=False, meta=False, ctrl=False, screen_x=1, screen_y=1
    )
    return event
