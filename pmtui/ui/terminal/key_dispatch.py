"""A key that is bound acts at once, instead of after a tour of everything around the focus.

Textual sends a key to the widget with the focus and from there up, queue by queue, to the
application, which then looks up what it is bound to. Where no class on that way handles keys itself
the outcome is known beforehand, and the way costs most of the time until the answer is seen; on a
busy screen it also leads through the queue of the screen, behind everything that is told there.

Clicks and keys stay in their order: a key does not overtake the mouse. (One key does not overtake
another, see `keys_in_order`.)
"""

from collections.abc import Iterable
from functools import cache, partial
from typing import Any

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.errors import NoWidget
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget
from typing_extensions import override

_BUTTONS = (
    events.MouseDown, events.MouseUp, events.MouseScrollUp, events.MouseScrollDown,
)  # fmt: skip
_IS_KNOWN = hasattr(App, "_check_bindings") and hasattr(Screen, "_clear_tooltip")
"""Whether this release of Textual looks bindings up as it did; else keys go its way."""
_PASSES = 2
"""Ways up that a click is waited for: its own, and that of what it set off."""


class StraightKeys(App[Any]):
    """An app whose bound keys act at once where they may; put it right before `App`."""

    _clicks_on_way = 0

    @override
    async def on_event(self, event: events.Event) -> None:
        if event.is_forwarded:
            await super().on_event(event)
        elif isinstance(event, events.Key) and await self._act(event):
            return
        else:
            await super().on_event(event)
            if isinstance(event, _BUTTONS):
                self._follow_click(event)

    async def _act(self, event: events.Key) -> bool:
        """Do what the key is bound to, where nothing else could take it; return whether it did."""
        if not _IS_KNOWN or not self.app_focus or self._clicks_on_way or not self.screen_stack:
            return False
        screen, focused = self.screen, self.focused
        if not screen.is_mounted or screen.maximized is not None:
            return False
        target: DOMNode = focused or screen
        if not isinstance(target, Widget) or not target.is_mounted:
            return False
        if any(_handles_keys(type(node)) for node in (*target.ancestors_with_self, self)):
            return False
        if focused is not None:
            screen._clear_tooltip()
        key = event.key
        return await self._check_bindings(key, priority=True) or await self._check_bindings(key)

    def _follow_click(self, event: events.MouseEvent) -> None:
        if not self.screen_stack:
            return
        try:
            widget, _ = self.get_widget_at(event.x, event.y)
        except NoWidget:
            return
        self._clicks_on_way += 1
        self._pass_on(widget, _PASSES)

    def _pass_on(self, pump: MessagePump, passes: int) -> None:
        if not pump.post_message(events.Callback(partial(self._passed_by, pump, passes))):
            self._clicks_on_way -= 1

    def _passed_by(self, pump: MessagePump, passes: int) -> None:
        parent = pump._parent
        if pump is not self and parent is not None:
            self._pass_on(parent, passes)
        elif passes > 1 and self.screen_stack:
            self._pass_on(self.focused or self.screen, passes - 1)
        else:
            self._clicks_on_way -= 1


@cache
def _handles_keys(kind: type) -> bool:
    """Whether instances may do something with a key besides what it is bound to."""
    return any(_says_keys(each) for each in kind.__mro__)


def _says_keys(kind: type) -> bool:
    names = vars(kind)
    if kind.__module__ in _PLAIN_MODULES:
        return False
    handled: Iterable[type] = names.get("_decorated_handlers", {})
    return (
        any(name in names for name in ("on_key", "_on_key", "handle_key"))
        or any(name.startswith("key_") and callable(value) for name, value in names.items())
        or any(issubclass(events.Key, each) for each in handled)
    )


_PLAIN_MODULES = ("textual.app", "textual.widget", "textual.screen", "textual.message_pump")
"""What these do with a key is to look up what it is bound to."""
