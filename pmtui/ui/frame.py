"""A screen of the service: its topics, its lines above and below, and where it wants to go.

A screen names its topics; they are subscribed while it is in front and let go when it is not.
Nothing of the service ever touches a widget: a change crosses over by `call_next`. Where a screen wants
to go it posts as a message, and the application takes it there.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from textual import events, on
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input
from typing_extensions import override

from pmtui.config.workplace import Place
from pmtui.domain.ids import ConditionId, EventId, TokenId
from pmtui.domain.markets.market import Market, Side
from pmtui.domain.markets.watchlist import StarKey
from pmtui.domain.money import Micros
from pmtui.service.surface import Subscription, Subscriptions
from pmtui.service.topics import (
    AccountTopic,
    BookTopic,
    EventQuotesTopic,
    EventTopic,
    LogTopic,
    MarketTopic,
    RowQuotesTopic,
    StatusTopic,
    TapeTopic,
    Topic,
    WalletTopic,
    WatchlistTopic,
)
from pmtui.service.views import StatusView
from pmtui.ui.facts import key_of
from pmtui.ui.frame_lines import FrameLines
from pmtui.ui.keys.action_table import Context, Need
from pmtui.ui.keys.actions import FooterEntry, available, footer_entries
from pmtui.ui.surface import Surface
from pmtui.ui.terminal.span_compositor import use_spans
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.panel import are_frames_wanted

_TOAST_S = 4


@dataclass
class EventChosen(Message):
    """The trader picked an event."""

    event_id: EventId


@dataclass
class MarketChosen(Message):
    """The trader picked a market, perhaps to trade an outcome of it at once."""

    condition_id: ConditionId
    outcome_index: int = 0
    side: Side | None = None
    """Of the ticket to open; None for no ticket."""
    aim: tuple[TokenId, Micros] | None = None
    """What the cursor begins at: an own order, say."""


@dataclass
class DeskChosen(Message):
    """The trader wants the ladders of an event's outcomes side by side."""

    event_id: EventId
    first: ConditionId | None = None
    """The market whose ladder has the keys."""


@dataclass
class TransactionsChosen(Message):
    """The trader wants to see the wallet's transactions."""


@dataclass(frozen=True, slots=True)
class CursorItem:
    """What is under the cursor, for keys that work on every screen."""

    copied: tuple[str, str] = ("", "")
    """What `y` copies: its kind in a word or two, and its text; empty for nothing."""
    starred: tuple[StarKey, str] | None = None
    """What `*` stars, with its title."""
    traded: tuple[Market, int] | None = None
    """The market that the command line trades, and the outcome."""


def is_live(widget: Widget) -> bool:
    """Whether a widget has all its parts: it was mounted, and is not being taken away.

    Textual's `is_mounted` stays true for ever, and a widget's parts go before it is told that
    it goes. A change of the service, or an answer that was waited for, may come in between.
    """
    return widget.is_mounted and widget.is_running


_LADDER = "#book"
"""The panel of the main ladder, by its id."""


def ladder_edge(app: App[None]) -> int:
    """Return the columns at the left that the ladder of the screen in front takes; 0 without one."""
    below = [screen for screen in app.screen_stack if isinstance(screen, FrameScreen)]
    ladders = below[-1].query(_LADDER) if below else ()
    return max((ladder.region.right for ladder in ladders), default=0)


_ONLY_SHOWN = (BookTopic, EventQuotesTopic, RowQuotesTopic, TapeTopic)
"""What may wait for a slow line: many changes, and nothing follows from them but a picture."""
_DECIDES_KEYS = (AccountTopic, EventTopic, MarketTopic, StatusTopic, WalletTopic, WatchlistTopic)
"""What may bring or take away something that a key needs."""


class TopicFeed:
    """Subscribes to the topics of one screen and shows what changed, one topic after another."""

    def __init__(
        self,
        screen: Screen[Any],
        subscriptions: Subscriptions,
        *,
        topics: Callable[[], Iterable[Topic]],
        show: Callable[[Topic], None],
    ) -> None:
        """Begin closed.

        Args:
            screen: on whose task `show` is called.
            subscriptions: of the service.
            topics: what the screen watches now.
            show: shows what changed.
        """
        self._screen = screen
        self._subscriptions = subscriptions
        self._topics = topics
        self._show = show
        self._subscription: Subscription | None = None
        self._late: dict[Topic, None] = {}

    @property
    def is_open(self) -> bool:
        """Whether the screen is told anything."""
        return self._subscription is not None

    def open(self) -> None:
        """Watch the topics of now, and no others any more."""
        previous = self._subscription
        self._subscription = self._subscriptions.subscribe(list(self._topics()), self._on_change)
        # Only now: a topic that stays must not lose its last watcher in between.
        if previous is not None:
            previous.close()

    def renew(self) -> None:
        """Watch the topics of now, if anything is watched at all."""
        if self.is_open:
            self.open()

    def close(self) -> None:
        """Watch nothing: what nobody sees costs nothing."""
        if self._subscription is not None:
            self._subscription.close()
            self._subscription = None

    def catch_up(self) -> None:
        """Show what changed while the line had no room for a picture of it."""
        late, self._late = self._late, {}
        for topic in late:
            self._show_now(topic)

    def _on_change(self, topic: Topic) -> None:
        app = self._screen.app
        is_behind = isinstance(app, TerminalApp) and app.terminal.is_behind
        if is_behind and isinstance(topic, _ONLY_SHOWN):
            self._late[topic] = None
        else:
            self._screen.call_next(self._show_and_yield, topic)

    # Between two topics a key gets its turn: all that is told of a frame takes some milliseconds.
    async def _show_and_yield(self, topic: Topic) -> None:
        self._show_now(topic)
        await asyncio.sleep(0)

    def _show_now(self, topic: Topic) -> None:
        if self.is_open and is_live(self._screen):
            self._show(topic)


class FrameScreen(Screen[None]):
    """A screen of the service. Subclasses say what they watch and how they show it."""

    ABOUT: ClassVar[str]
    """What it is, in a sentence that its help begins with."""
    CONTEXTS: ClassVar[tuple[Context, ...]] = ()
    """Whose keys work here; the global ones always do."""
    PLACE: ClassVar[str] = ""
    """How it is called where the screen in front is remembered; empty for one that is not."""
    IDLE_KEYS: ClassVar[frozenset[str]] = frozenset()
    """Global keys that would do nothing here; the footer leaves them out."""
    actions: Mapping[str, Callable[[], Awaitable[None] | None]] = MappingProxyType({})
    """What the registry's actions do here, by their names, where controls carry them out."""
    missing_needs: Sequence[Callable[[], Collection[Need]]] = ()
    """Each returns what keys need and is not there now: such keys are not offered."""

    DEFAULT_CSS = """
    FrameScreen { layout: vertical; }
    FrameScreen > #status { background: $panel; }
    FrameScreen > #loss { display: none; }
    FrameScreen.-unserved > #loss { display: block; }
    FrameScreen > #body { height: 1fr; }
    FrameScreen > #footer { background: $panel; }
    FrameScreen.-dials > #notice { background: $panel; }
    FrameScreen > #tour { display: none; background: $panel; }
    FrameScreen.-touring > #tour { display: block; }
    """

    def __init__(self, surface: Surface) -> None:
        super().__init__()
        use_spans(self)
        self.surface = surface
        self.lines = FrameLines(
            self, surface, entries=self._working_keys, are_keys_locked=lambda: self.are_keys_locked
        )
        """Status, tour, notice and keys."""
        self.message_line = self.lines.message_line
        """Answers keys."""
        self.feed = TopicFeed(
            self,
            surface.subscriptions,
            topics=lambda: (*self.topics(), StatusTopic(), LogTopic()),
            show=self._show,
        )
        """What it is told of the service."""

    def topics(self) -> Iterable[Topic]:
        """Return what this screen watches now."""
        return ()

    def show_topic(self, topic: Topic) -> None:
        """Show what changed; called on the app's own task."""

    def compose_body(self) -> ComposeResult:
        """Yield the widgets between status line and notice."""
        yield from ()

    def footer_entries(self) -> tuple[FooterEntry, ...]:
        """Return the keys that work right here, the nearest first."""
        return footer_entries(*self.CONTEXTS, Context.GLOBAL, keymap=self.surface.options.keymap)

    @property
    def are_keys_locked(self) -> bool:
        """Whether single keys trade nothing right here, armed or not."""
        return False

    def cursor_item(self) -> CursorItem:
        """Return what the keys of every screen find under the cursor."""
        return CursorItem()

    def place(self) -> Place | None:
        """Return where this is, to come back to when the terminal is opened again; None for nowhere."""
        return Place(screen=self.PLACE) if self.PLACE else None

    async def action_perform(self, name: str) -> None:
        """Do what the registry calls `context.<name>`."""
        work = self.actions[name]()
        if work is not None:
            await work

    @override
    def compose(self) -> ComposeResult:
        # Before the first layout the screen has no size of its own yet; its widgets have no styles.
        self.set_class(not are_frames_wanted(self.app.size), "-ruled", update=False)
        yield from self.lines.compose_above()
        with Vertical(id="body"):
            yield from self.compose_body()
        yield from self.lines.compose_below()

    def on_mount(self) -> None:
        """Fill the frame before anything is heard."""
        self.lines.show_status()
        self.lines.show_footer()

    def on_screen_resume(self) -> None:
        """Start to listen."""
        self.feed.open()
        # What changed meanwhile is announced a frame later; the first picture must not show the past.
        self.lines.show_status()
        self.lines.show_footer()
        self.surface.memory.keep_place(self.place())

    def on_screen_suspend(self) -> None:
        """Stop listening: what nobody sees costs nothing. Below a question, one still sees it."""
        if (above := self.app.screen).is_modal:
            # Once it has its own line of keys.
            _ = above.call_after_refresh(self.lines.show_footer)
        else:
            self.feed.close()

    def on_unmount(self) -> None:
        """Stop listening for good."""
        self.feed.close()

    def on_resize(self, _: events.Resize) -> None:
        """Lay the frame out for the new width."""
        self.set_class(not are_frames_wanted(self.app.size), "-ruled")
        self.lines.show_all()

    @on(LineTable.RowHighlighted)
    def follow_cursor(self) -> None:
        """Offer what can be done with the row that is at the cursor now."""
        self.lines.show_footer()

    @on(LineTable.TitleClicked)
    def _answer_title(self) -> None:
        self.message_line.show("These rows keep their own order: no column sorts them.")

    def _show(self, topic: Topic) -> None:
        if isinstance(topic, StatusTopic | LogTopic):
            self.lines.show_topic(topic)
        self.show_topic(topic)
        if isinstance(topic, _DECIDES_KEYS):
            self.lines.show_footer()

    def _working_keys(self) -> tuple[FooterEntry, ...]:
        status = self.surface.queries.status()
        missing = {need for find in self.missing_needs for need in find()}
        if status.is_gone:
            missing |= set(Need) - {Need.WAY_BACK, Need.ROW}
        if status.are_orders_known and not status.open_orders:
            missing.add(Need.WORKING_ORDERS)
        if self is self.app.screen_stack[0]:
            missing.add(Need.WAY_BACK)
        if self.cursor_item().starred is None:
            missing.add(Need.STAR)
        if isinstance(self.focused, LineTable) and self.focused.cursor_key is None:
            missing.add(Need.ROW)
        here = (entry for entry in self.footer_entries() if entry.id not in self.IDLE_KEYS)
        return (*self._remedies(status), *available(here, missing))

    def _remedies(self, status: StatusView) -> tuple[FooterEntry, ...]:
        """Return the key that lets trading go on where nothing can be sent."""
        if self.are_keys_locked or isinstance(self.focused, Input):
            return ()
        loss = self.surface.loss
        if loss is not None and loss.is_final:
            wanted, label = "global.refresh", "Start the service"
        elif loss is None and (status.kill_lock or self.surface.locked_account):
            wanted, label = "global.kill", "Unlock"
        else:
            return ()
        key = key_of(self.surface.options.keymap, wanted)
        return (FooterEntry(wanted, key, label, is_dangerous=False),) if key else ()


def refresh_topics(screen: FrameScreen) -> None:
    """Fetch everything on a screen again."""
    for topic in screen.topics():
        screen.surface.commands.refresh(topic)


def show_answer(app: App[Any], text: str, *, is_refusal: bool = False) -> None:
    """Show why a key did nothing, or what it did where nothing else shows it.

    Args:
        app: whose screen in front answers.
        text: one line.
        is_refusal: whether a form or a question did not open: what is typed next may be meant for it.
    """
    line = app.screen.message_line if isinstance(app.screen, FrameScreen) else None
    if line is None:
        app.notify(text, markup=False, timeout=_TOAST_S)
    elif is_refusal:
        line.refuse_form(text)
    else:
        # A line of its own covers nothing.
        line.show(text)
