"""The list of events on a screen: what is loaded, how much of it, and how it is shown."""

from collections.abc import Callable
from typing import Any

from textual.screen import Screen

from pmtui.service.topics import MarketListTopic
from pmtui.service.views import Load, MarketListView
from pmtui.ui.explore.event_list import EventList
from pmtui.ui.explore.list_keys import ListKeys
from pmtui.ui.explore.paint_markets import sorted_column
from pmtui.ui.surface import Surface


class ListedEvents:
    """Loads a list page by page and shows it as arranged."""

    def __init__(
        self, page: Screen[Any], surface: Surface, rows: EventList, *,
        is_searching: Callable[[], bool], on_other: Callable[[], None],
        on_shown: Callable[[], None],
    ) -> None:  # fmt: skip
        """Start with the remembered list.

        Args:
            page: the screen below the forms.
            surface: the service and the user's choices.
            rows: the rows of the list.
            is_searching: whether a search is open.
            on_other: called when the list to subscribe to has changed.
            on_shown: called after the rows are shown.
        """
        self._surface = surface
        self._rows = rows
        self._on_other = on_other
        self._on_shown = on_shown
        self.keys = ListKeys(
            page, surface, rows, is_searching=is_searching, fetch=self._fetch, show=self._arrange
        )  # fmt: skip
        self.topic: MarketListTopic = self.keys.topic
        """The subscribed list."""
        self.view = MarketListView((), Load.EMPTY, has_more=False, as_of=None)
        """The view shown last."""
        self.wants_more = False
        """Whether the user scrolled for the next page and it is loading."""
        self._goes_to_top = True
        self._loaded = 0

    def load_more(self) -> None:
        """Load the next page."""
        self.wants_more = True
        self.show()

    def show(self) -> None:
        """Show the list as it is now."""
        queries, rows, table = self._surface.queries, self._rows, self._rows.table
        view = self.view = queries.view(self.topic)
        now = queries.now()
        grows = len(view.rows) > self._loaded and not self._goes_to_top
        self._loaded = len(view.rows)
        rows.show(view, now)
        self.wants_more = self.wants_more and view.has_more and not grows
        if self.wants_more or rows.needs_more(view):
            # A repeated request is ignored; it is needed if another reply came first.
            self._surface.commands.load_more(self.topic)
        keymap = self._surface.options.keymap
        table.set_empty_text(rows.explain_empty(view, self.topic, keymap))
        table.columns.mark_order(*sorted_column(rows.arrangement))
        table.set_rows(rows.rows(rows.entries, now))
        table.set_loading_more(is_loading=self.wants_more and bool(rows.entries))
        if self._goes_to_top and (opening := rows.opening_key) is not None:
            self._goes_to_top = False
            # The rows above it are in view, too.
            _ = table.move_cursor_to(next(iter(rows.entries))) and table.move_cursor_to(opening)
        self._on_shown()

    def _fetch(self) -> None:
        """Reload the list in its order and by its tags."""
        self._rows.narrow_to_tags(self.keys.choice.slugs[1:])
        self.topic, self.wants_more, self._goes_to_top = self.keys.topic, False, True
        self._on_other()
        self.show()

    def _arrange(self, from_top: bool) -> None:  # noqa: FBT001 - the keys' only question
        self._goes_to_top = self._goes_to_top or from_top
        self.show()
