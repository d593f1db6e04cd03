"""Keys act one after the other, also when several arrive at once.

On a slow line a burst of keys arrives together. Textual hands each to whatever has the focus as
it arrives, while the one before may be about to move the focus: of `tab 25` the digits would land in
the field that `tab` is leaving, and a price could become a size. Here a key waits until the one
before it has gone all the way: to its widget, up to the app, and through what that set off.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from textual import events
from textual.app import App
from textual.message_pump import MessagePump
from textual.screen import Screen

PASSES = 3
"""Ways up that are waited for: the key's own, that of its action, that of what the action posted."""
LONGEST_TURNS = 100
"""A key is held no longer than this, whatever became of the widget that had the one before.

Turns of the event loop, not seconds: on a busy machine half a second may pass before the key that
opens a field has opened it, and a letter that was let go by then would trade.
"""
TURN_S = 0.005
"""The least that a turn takes."""
MOST_HELD = 4_096
DEAF_AFTER_ANSWER_S = 0.15
"""The second enter of an impatient finger was meant for the question, not for what it uncovers."""


class KeyQueue:
    """Hands keys to an application strictly one by one."""

    def __init__(
        self,
        app: App[Any],
        handle: Callable[[events.Event], Awaitable[None]],
        *,
        questions: tuple[type[Screen[Any]], ...] = (),
        on_settled: Callable[[], object] = lambda: None,
    ) -> None:
        """Start without a key on its way.

        Args:
            app: whose screens and widgets the keys go to.
            handle: sends a key on its way.
            questions: screens that a key answers.
            on_settled: called when a key has acted.
        """
        self._app = app
        self._handle = handle
        self._questions = questions
        self._on_settled = on_settled
        self._held: deque[events.Key | events.Paste] = deque()
        self._in_hand: object | None = None
        self._longest: asyncio.TimerHandle | None = None
        self._answer: tuple[str, float] = ("", float("-inf"))

    async def take(self, event: events.Key | events.Paste) -> None:
        """Handle a key now, or when those before it have acted."""
        if self._in_hand is None:
            await self._deliver(event)
        elif len(self._held) < MOST_HELD:
            self._held.append(event)

    def _repeats_answer(self, event: events.Key | events.Paste) -> bool:
        """Whether this is the key that just answered a question, pressed once more.

        A key held down repeats: it must rest before it means something else.
        """
        if not isinstance(event, events.Key):
            return False
        if isinstance(self._app.screen, self._questions):
            self._answer = (event.key, event.time)
            return False
        key, at = self._answer
        if event.key != key or event.time - at >= DEAF_AFTER_ANSWER_S:
            return False
        self._answer = (key, event.time)
        return True

    async def _deliver(self, event: events.Key | events.Paste) -> None:
        app = self._app
        if not app.screen_stack:
            await self._handle(event)
            return
        turn = self._in_hand = object()
        if self._repeats_answer(event):
            self._end_turn(turn)
            return
        target: MessagePump = app.focused or app.screen
        self._wait(turn, LONGEST_TURNS)
        await self._handle(event)
        self._follow(target, turn, PASSES)

    def _follow(self, pump: MessagePump, turn: object, passes: int) -> None:
        """Send a callback the way the key went: every queue is first in, first out."""
        call = partial(self._passed, pump, turn, passes)
        if not pump.post_message(events.Callback(call)):
            self._end_turn(turn)

    def _wait(self, turn: object, turns: int) -> None:
        """Release the next key after so many turns of the loop, if this one never finishes."""
        if self._longest is not None:
            self._longest.cancel()
        loop = asyncio.get_running_loop()
        if turns:
            self._longest = loop.call_later(TURN_S, self._wait, turn, turns - 1)
        else:
            self._longest = None
            self._end_turn(turn)

    def _end_turn(self, turn: object) -> None:
        self._app.post_message(events.Callback(partial(self._release, turn)))

    def _passed(self, pump: MessagePump, turn: object, passes: int) -> None:
        app, parent = self._app, pump._parent
        if pump is not app and parent is not None:
            self._follow(parent, turn, passes)
        elif passes > 1 and app.screen_stack:
            self._follow(app.focused or app.screen, turn, passes - 1)
        else:
            self._end_turn(turn)

    async def _release(self, turn: object) -> None:
        if self._in_hand is turn:
            self._in_hand = None
            if self._longest is not None:
                self._longest.cancel()
                self._longest = None
            self._on_settled()
            if self._held:
                await self._deliver(self._held.popleft())
