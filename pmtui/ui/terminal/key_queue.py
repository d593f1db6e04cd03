"""Keys act one after the other, also when several arrive at once.

On a slow line a burst of keys arrives together. Textual hands each to whatever has the focus as
it arrives, while the one before may be about to move the focus: of `tab 25` the digits would land in
the field that `tab` is leaving, and a price could become a size. Here a key waits until the one
before it has gone all the way: to its widget, up to the app, and through what that set off.
"""

import asyncio
from collections import deque
from functools import partial
from typing import Any

from textual import events
from textual.app import App
from textual.message_pump import MessagePump
from typing_extensions import override

from pmtui.ui.question import QuestionScreen

PASSES = 3
"""Ways up that are waited for: the key's own, that of its action, that of what the action posted."""
LONGEST_S = 0.5
"""A key is held no longer than this, whatever became of the widget that had the one before."""
MOST_HELD = 4_096
DEAF_AFTER_ANSWER_S = 0.15
"""The second enter of an impatient finger was meant for the question, not for what it uncovers."""


class KeysInOrder(App[Any]):
    """An app that handles keys strictly one by one; put it first among the bases."""

    _held: deque[events.Key | events.Paste] | None = None
    _in_hand: object | None = None
    _longest: asyncio.TimerHandle | None = None
    _answer: tuple[str, float] = ("", float("-inf"))

    @override
    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        elif self._in_hand is None:
            await self._deliver(event)
        else:
            held = self._held = self._held or deque()
            if len(held) < MOST_HELD:
                held.append(event)

    def _repeats_answer(self, event: events.Key | events.Paste) -> bool:
        """Whether this is the key that just answered a question, pressed once more.

        A key held down repeats: it must rest before it means something else.
        """
        if not isinstance(event, events.Key):
            return False
        if isinstance(self.screen, QuestionScreen):
            self._answer = (event.key, event.time)
            return False
        key, at = self._answer
        if event.key != key or event.time - at >= DEAF_AFTER_ANSWER_S:
            return False
        self._answer = (key, event.time)
        return True

    async def _deliver(self, event: events.Key | events.Paste) -> None:
        if not self.screen_stack:
            await super().on_event(event)
            return
        turn = self._in_hand = object()
        if self._repeats_answer(event):
            self._let_go(turn)
            return
        target: MessagePump = self.focused or self.screen
        if self._longest is not None:
            self._longest.cancel()
        self._longest = asyncio.get_running_loop().call_later(LONGEST_S, self._let_go, turn)
        await super().on_event(event)
        self._follow(target, turn, PASSES)

    def _follow(self, pump: MessagePump, turn: object, passes: int) -> None:
        """Send a callback the way the key went: every queue is first in, first out."""
        call = partial(self._passed, pump, turn, passes)
        if not pump.post_message(events.Callback(call)):
            self._let_go(turn)

    def _let_go(self, turn: object) -> None:
        self.post_message(events.Callback(partial(self._release, turn)))

    def _passed(self, pump: MessagePump, turn: object, passes: int) -> None:
        parent = pump._parent
        if pump is not self and parent is not None:
            self._follow(parent, turn, passes)
        elif passes > 1 and self.screen_stack:
            self._follow(self.focused or self.screen, turn, passes - 1)
        else:
            self._let_go(turn)

    async def _release(self, turn: object) -> None:
        if self._in_hand is turn:
            self._in_hand = None
            if self._longest is not None:
                self._longest.cancel()
                self._longest = None
            if self._held:
                await self._deliver(self._held.popleft())
