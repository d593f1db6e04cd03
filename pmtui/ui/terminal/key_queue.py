"""Dispatches keys one after the other, even when several arrive at once.

On a slow connection a burst of keys arrives together. Textual dispatches each to the focused widget
as it arrives, although the previous one may be about to move the focus: the digits of `tab 25`
would go to the field that `tab` is leaving, and a price could become a size. Here a key waits until
the previous one has been handled by its widget, by the app, and by everything it caused.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from textual import events
from textual._time import get_time
from textual.app import App
from textual.message_pump import MessagePump
from textual.screen import Screen

PASSES = 3
"""Passes through the message pumps to wait for: the key's, its action's, and that of messages
the action posted."""
LONGEST_TURNS = 100
"""The longest that a key is held, whatever happened to the previous one's widget.

In turns of the event loop, not seconds: on a busy machine it may take half a second until the key
that opens a field has opened it, and a letter released before would trade.
"""
TURN_S = 0.005
"""The least duration of a turn."""
MOST_HELD = 4_096
LATE_S = 1.5
"""A key that has waited longer was meant for what the screen showed before."""
DEAF_AFTER_ANSWER_S = 0.15
"""A second enter of an impatient user was meant for the question, not for what is below it."""


class KeyQueue:
    """Dispatches keys to an application strictly one by one."""

    def __init__(
        self,
        app: App[Any],
        handle: Callable[[events.Event], Awaitable[None]],
        *,
        questions: tuple[type[Screen[Any]], ...] = (),
        on_settled: Callable[[], object] = lambda: None,
    ) -> None:
        """Start without a pending key.

        Args:
            app: the application.
            handle: dispatches a key.
            questions: the screens that a key answers.
            on_settled: called when a key has been handled.
        """
        self._app = app
        self._handle = handle
        self._questions = questions
        self._on_settled = on_settled
        self.urgent: frozenset[str] = frozenset({"escape"})
        """Keys that do not wait behind late ones, but take their place."""
        self._waited_s = 0.0
        self._held: deque[events.Key | events.Paste] = deque()
        self._in_hand: object | None = None
        self._longest: asyncio.TimerHandle | None = None
        self._answer: tuple[str, float] = ("", float("-inf"))

    async def take(self, event: events.Key | events.Paste) -> None:
        """Dispatch a key now, or after those before it."""
        if self._held and event.time - self._held[0].time > LATE_S and self._is_urgent(event):
            self._held.clear()
        if self._in_hand is None:
            await self._deliver(event)
        elif len(self._held) < MOST_HELD:
            self._held.append(event)

    @property
    def waited_s(self) -> float:
        """How long the key in hand has waited behind others; zero where that is no matter."""
        return self._waited_s if self._waited_s > LATE_S else 0.0

    def _is_urgent(self, event: events.Key | events.Paste) -> bool:
        return isinstance(event, events.Key) and event.key in self.urgent

    def _repeats_answer(self, event: events.Key | events.Paste) -> bool:
        """Return whether this is a repeat of the key that just answered a question.

        A held key repeats: it must pause before it means something else.
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
        self._waited_s = get_time() - event.time
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
        """Post a callback along the key's path: every message queue is first in, first out."""
        call = partial(self._passed, pump, turn, passes)
        if not pump.post_message(events.Callback(call)):
            self._end_turn(turn)

    def _wait(self, turn: object, turns: int) -> None:
        """Release the next key after so many turns of the loop if this one never finishes."""
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
