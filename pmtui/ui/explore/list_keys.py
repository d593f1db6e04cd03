"""The keys that arrange the list of events, and the arrangement kept from the last session."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any

from textual.screen import Screen

from pmtui.config.workplace import KeptList
from pmtui.domain.markets.listing import Arrangement, ListFilter, ListSort
from pmtui.domain.money import Micros
from pmtui.service.topics import MarketListTopic
from pmtui.ui.explore.event_list import EventList
from pmtui.ui.explore.filter_form import FilterForm
from pmtui.ui.explore.paint_markets import sort_of_column
from pmtui.ui.explore.tag_picker import TagChoice, TagPicker
from pmtui.ui.facts import key_of
from pmtui.ui.frame import show_answer
from pmtui.ui.surface import Surface

LONGEST_S = 400 * 86_400
"""The longest time filter that is restored: a damaged file may hold any number."""


def kept_choice(kept: KeptList) -> TagChoice:
    """Return the remembered tags."""
    return TagChoice(tuple(zip(kept.tags, kept.labels, strict=False)), kept.include_closed)


def kept_arrangement(kept: KeptList) -> Arrangement:
    """Return the remembered order, filters and unfolded series; an unknown order is ignored."""
    usual = Arrangement()
    sort = next((each for each in ListSort if each.value == kept.sort), usual.sort)
    wanted = ListFilter(
        min_volume_24h=Micros(kept.min_volume_24h) if kept.min_volume_24h > 0 else None,
        max_spread=Micros(kept.max_spread) if kept.max_spread > 0 else None,
        ends_within=timedelta(seconds=kept.ends_within_s)
        if 0 < kept.ends_within_s <= LONGEST_S
        else None,
        is_mine=kept.is_mine,
        is_starred=kept.is_starred,
    )
    return Arrangement(sort, kept.is_reversed, wanted, frozenset(kept.unfolded))


def to_kept(arrangement: Arrangement, choice: TagChoice) -> KeptList:
    """Return the arrangement in the form that is stored."""
    wanted = arrangement.filter
    ends_within = wanted.ends_within or timedelta()
    return KeptList(
        sort=arrangement.sort.value,
        is_reversed=arrangement.is_reversed,
        tags=choice.slugs,
        labels=tuple(label for _, label in choice.tags),
        include_closed=choice.include_closed,
        min_volume_24h=wanted.min_volume_24h or 0,
        max_spread=wanted.max_spread or 0,
        ends_within_s=int(ends_within.total_seconds()),
        is_mine=wanted.is_mine,
        is_starred=wanted.is_starred,
        unfolded=tuple(sorted(arrangement.unfolded)),
    )


class ListKeys:
    """Arranges one list; during a search the keys answer that they do not apply."""

    def __init__(
        self, page: Screen[Any], surface: Surface, rows: EventList, *,
        is_searching: Callable[[], bool], fetch: Callable[[], None], show: Callable[[bool], None],
    ) -> None:  # fmt: skip
        """Start with the remembered arrangement.

        Args:
            page: the screen below the forms.
            surface: the service and the user's choices.
            rows: the list.
            is_searching: whether a search is open.
            fetch: reloads the list in its order and by its tags.
            show: shows the arranged list, from the top if true.
        """
        self._page = page
        self._surface = surface
        self._rows = rows
        self._is_searching = is_searching
        self._fetch = fetch
        self._show = show
        kept = surface.memory.now.listing
        self.choice = kept_choice(kept)
        """The chosen tags."""
        rows.arrangement = kept_arrangement(kept)
        rows.narrow_to_tags(self.choice.slugs[1:])
        rows.table.columns.on_press = self.sort_by

    @property
    def actions(self) -> Mapping[str, Callable[[], Awaitable[None] | None]]:
        """The handlers of the actions in the registry's list context."""
        return {
            "sort": self.sort,
            "reverse": self.reverse,
            "filter": self.choose_tags,
            "narrow": self.narrow,
            "fold": self.fold,
        }

    @property
    def topic(self) -> MarketListTopic:
        """The list to fetch: in its order and with its first tag."""
        first = next(iter(self.choice.slugs), "")
        topic = MarketListTopic(tag_slug=first, include_closed=self.choice.include_closed)
        return self._rows.topic(topic)

    def sort(self) -> None:
        """Sort the list by the next measure."""
        if not self._refuse_during_search():
            self._rows.next_sort()
            self._arrange()

    def sort_by(self, column: str) -> None:
        """Sort the list by the clicked column; a second click reverses the order."""
        sort = sort_of_column(column)
        if self._refuse_during_search():
            return
        if sort is None:
            key = key_of(self._surface.options.keymap, "markets.sort")
            show_answer(self._page.app, f"Cannot sort by this column; {key} cycles the order.")
        else:
            self._rows.order_by(sort)
            self._arrange()

    def reverse(self) -> None:
        """Reverse the list."""
        if not self._refuse_during_search():
            self._rows.reverse()
            self._arrange()

    def narrow(self) -> None:
        """Open the filter form."""

        def narrow(wanted: ListFilter) -> None:
            if wanted != self._rows.arrangement.filter:
                self._rows.narrow(wanted)
                self._show(True)  # noqa: FBT003 - one meaning only

        if not self._refuse_during_search():
            before = self._rows.arrangement.filter
            form = FilterForm(self._surface.options, before, preview=narrow)
            _ = self._page.app.push_screen(form, lambda _: self._keep())

    def fold(self) -> None:
        """Fold or unfold the selected series."""
        key = self._rows.table.cursor_key or ""
        if not self._refuse_during_search() and self._rows.toggle(key):
            self._keep()
            self._show(False)  # noqa: FBT003 - one meaning only

    def choose_tags(self) -> None:
        """Choose tags, and whether closed events are listed."""

        def narrow(choice: TagChoice | None) -> None:
            if choice is not None and choice != self.choice:
                self.choice = choice
                self._arrange()

        if not self._refuse_during_search():
            _ = self._page.app.push_screen(TagPicker(self._surface, self.choice), narrow)

    def _arrange(self) -> None:
        self._fetch()
        self._keep()

    def _keep(self) -> None:
        """Remember the arrangement."""
        self._surface.memory.keep_listing(to_kept(self._rows.arrangement, self.choice))

    def _refuse_during_search(self) -> bool:
        is_searching = self._is_searching()
        if is_searching:
            text = "Close search first: this key is for the list."
            self._page.notify(text, markup=False, timeout=4)
        return is_searching
