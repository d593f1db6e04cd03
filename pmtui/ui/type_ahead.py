"""Letters typed before a text field has the focus still reach it.

On a slow line several keys arrive at once. The toolkit sends each to what has the focus as it
arrives, so of `/quit` only the first key would open the search, and the rest would act as keys of
the list, up to leaving the program. Here a letter that nobody took, and that was sent elsewhere
before a text field got the focus, is given to that field.
"""

from collections import deque
from typing import Any

from textual import events
from textual.app import App
from textual.widget import Widget
from textual.widgets import Input
from typing_extensions import override

_MOST_ON_THE_WAY = 256


class TypeAhead(App[Any]):
    """An app that loses no letters; put it before `App` among the bases."""

    _on_the_way: deque[tuple[events.Key, Widget | None]] | None = None

    @override
    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key):
            if self._on_the_way is None:
                self._on_the_way = deque(maxlen=_MOST_ON_THE_WAY)
            if not event.is_forwarded:
                self._on_the_way.append((event, self.focused))
            elif self._give_to_field(event):
                return
        await super().on_event(event)

    # A key that comes back here bubbled up from where it was sent: nobody took it on the way.
    def _give_to_field(self, event: events.Key) -> bool:
        field = self.focused
        sent_to = self._sent_to(event)
        if not isinstance(field, Input) or sent_to is field:
            return False
        if not field.check_consume_key(event.key, event.character):
            return False
        again = events.Key(event.key, event.character)
        again._set_forwarded()
        return field.post_message(again)

    def _sent_to(self, event: events.Key) -> Widget | None:
        waiting = self._on_the_way
        while waiting:
            sent, target = waiting.popleft()
            if sent is event:
                return target
        return self.focused
