"""Going to the next or the previous window of a rolling series: the screen, its presets and its layout stay.

Windows to come are in the venue's list of what ends soon, which is watched while a window is on show. Those
that have ended are known only as far as they were seen here.
"""

from collections.abc import Callable, Iterable

from pmtui.domain.ids import ConditionId, EventId
from pmtui.domain.markets.listing import rolling_series, window_beside
from pmtui.domain.markets.market import Event, MarketSort
from pmtui.service.topics import MarketListTopic, Topic
from pmtui.ui.market.controls.workspace import Workspace
from pmtui.ui.plain import plain

ENDING = MarketListTopic(sort=MarketSort.ENDING_SOON)
MOST_SEEN = 200
"""Windows that are kept in mind: half a day of five minutes each."""
_LONGEST_WINDOW_NAME = 60


class Windows:
    """Knows the windows of the series on show, and goes to them."""

    def __init__(
        self, workspace: Workspace, *, event: Callable[[], Event | None],
        hop_to: Callable[[ConditionId], None],
    ) -> None:  # fmt: skip
        """Begin with the event on show.

        Args:
            workspace: of the screen.
            event: returns the event of the market on show; None until it is known.
            hop_to: shows another market in the place of this one.
        """
        self._workspace = workspace
        self._event = event
        self._hop_to = hop_to
        self._seen: dict[EventId, Event] = {}

    @property
    def is_in_series(self) -> bool:
        """Whether the market on show is a window of a rolling series."""
        event = self._event()
        return event is not None and rolling_series(event) is not None

    def topics(self) -> Iterable[Topic]:
        """Return the list that the next windows are in."""
        if self.is_in_series:
            yield ENDING

    def next(self) -> None:
        """Go to the window that ends next."""
        self._step(is_later=True)

    def previous(self) -> None:
        """Go to the window that ended before this one."""
        self._step(is_later=False)

    def _step(self, *, is_later: bool) -> None:
        event, line = self._event(), self._workspace.line
        if event is None or rolling_series(event) is None:
            line.show("This market is no window of a series.")
            return
        self._remember(event)
        found = window_beside(event, self._seen.values(), is_later=is_later)
        market = next((m for m in found.markets if m.condition_id), None) if found else None
        if found is None or market is None or market.condition_id is None:
            line.show(f"No {'later' if is_later else 'earlier'} window is known yet.")
            return
        self._hop_to(market.condition_id)
        line.confirm(f"Window: {plain(found.title, _LONGEST_WINDOW_NAME)}.")

    def _remember(self, event: Event) -> None:
        queries = self._workspace.queries
        rows = (*queries.market_list(ENDING).rows, *queries.market_list(MarketListTopic()).rows)
        for each in (event, *(row.event for row in rows if rolling_series(row.event))):
            self._seen[each.event_id] = each
        for event_id in list(self._seen)[: max(len(self._seen) - MOST_SEEN, 0)]:
            del self._seen[event_id]
