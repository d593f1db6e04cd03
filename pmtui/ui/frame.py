"""A screen over the service: its topics, its lines above and below, and navigation messages.

A screen names its topics; it is subscribed to them while it is in front. The service never touches
a widget: changes cross over by `call_next`. A screen posts a message to open another screen, and
the application opens it.
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

from pmtui.config.workplace import LastScreen
from pmtui.domain.conditionals.conditional import ConditionalId
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
from pmtui.service.views import AccountView, StatusView
from pmtui.ui.facts import key_of
from pmtui.ui.frame_lines import FrameLines
from pmtui.ui.keys.action_table import Context, Need
from pmtui.ui.keys.actions import FooterEntry, available, footer_entries
from pmtui.ui.surface import Surface
from pmtui.ui.terminal.span_compositor import use_spans
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.widgets.focus import show_focus
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.panel import Panel, are_frames_wanted

_TOAST_S = 4


@dataclass
class EventChosen(Message):
    """The trader picked an event."""

    event_id: EventId


@dataclass
class MarketChosen(Message):
    """The trader picked a market, possibly to trade an outcome of it at once."""

    condition_id: ConditionId
    outcome_index: int = 0
    side: Side | None = None
    """The side of the ticket to open; None for no ticket."""
    aim: tuple[TokenId, Micros] | None = None
    """Where to put the cursor, such as at an own order."""


@dataclass
class DeskChosen(Message):
    """The trader asked for the ladders of an event's outcomes side by side."""

    event_id: EventId
    first: ConditionId | None = None
    """The market whose ladder gets the focus."""


@dataclass
class StopChosen(Message):
    """The trader asked for a stop or a target where one covers everything."""

    conditional_id: ConditionalId


@dataclass
class TransactionsChosen(Message):
    """The trader asked for the wallet's transactions."""


@dataclass(frozen=True, slots=True)
class CursorItem:
    """The item under the cursor, for keys that work on every screen."""

    copied: tuple[str, str] = ("", "")
    """What `y` copies: its kind in a word or two, and the text; empty for nothing."""
    starred: tuple[StarKey, str] | None = None
    """What `*` stars, and its title."""
    traded: tuple[Market, int] | None = None
    """The market and the outcome that the command line trades."""


def is_live(widget: Widget) -> bool:
    """Return whether a widget is mounted and not being removed.

    Textual's `is_mounted` stays true for ever, and a widget's children are removed before the
    widget is notified. A topic or an awaited reply may arrive in between.
    """
    return widget.is_mounted and widget.is_running


_ONLY_SHOWN = (BookTopic, EventQuotesTopic, RowQuotesTopic, TapeTopic)
"""Topics that a slow connection may defer: they change often, and only the display depends on
them."""
_DECIDES_KEYS = (AccountTopic, EventTopic, MarketTopic, StatusTopic, WalletTopic, WatchlistTopic)
"""Topics that may change which keys are available."""


class TopicFeed:
    """Subscribes to the topics of one screen and shows the changes, one topic after another."""

    def __init__(
        self,
        screen: Screen[Any],
        subscriptions: Subscriptions,
        *,
        topics: Callable[[], Iterable[Topic]],
        show: Callable[[Topic], None],
    ) -> None:
        """Start closed.

        Args:
            screen: the screen on whose task `show` is called.
            subscriptions: the service's subscriptions.
            topics: returns the screen's current topics.
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
        """Whether the screen is subscribed."""
        return self._subscription is not None

    def open(self) -> None:
        """Subscribe to the current topics, and to no others."""
        previous = self._subscription
        self._subscription = self._subscriptions.subscribe(list(self._topics()), self._on_change)
        # Closed last, so that a topic in both keeps a subscriber throughout.
        if previous is not None:
            previous.close()

    def renew(self) -> None:
        """Subscribe to the current topics if the feed is open."""
        if self.is_open:
            self.open()

    def close(self) -> None:
        """Unsubscribe: a hidden screen causes no work."""
        if self._subscription is not None:
            self._subscription.close()
            self._subscription = None

    def catch_up(self) -> None:
        """Show the changes that were deferred while the connection was behind."""
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

    # Yield between two topics, so that a key need not wait for all changes of a frame.
    async def _show_and_yield(self, topic: Topic) -> None:
        self._show_now(topic)
        await asyncio.sleep(0)

    def _show_now(self, topic: Topic) -> None:
        if self.is_open and is_live(self._screen):
            self._show(topic)


class FrameScreen(Screen[None]):
    """A screen over the service. Subclasses name their topics and show them."""

    ABOUT: ClassVar[str]
    """What the screen is; the first sentence of its help."""
    CONTEXTS: ClassVar[tuple[Context, ...]] = ()
    """The contexts whose keys work here, besides the global one."""
    PLACE: ClassVar[str] = ""
    """The name under which the screen is remembered; empty if it is not."""
    IDLE_KEYS: ClassVar[frozenset[str]] = frozenset()
    """Global keys without effect here, which the footer leaves out."""
    SHOWS_ACCOUNT: ClassVar[tuple[type[Topic], ...]] = (AccountTopic,)
    """The topics with which the body shows the account as it is then."""
    _account: AccountView | None = None
    """The account as it was shown last."""
    actions: Mapping[str, Callable[[], Awaitable[None] | None]] = MappingProxyType({})
    """The handlers of registry actions, by name."""
    missing_needs: Sequence[Callable[[], Collection[Need]]] = ()
    """Each returns needs that are not met now; keys with such needs are not offered."""

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
    /* The focus is in the form in front. */
    FrameScreen.-behind TicketLayout NumberField:focus { background: $surface; }
    FrameScreen.-behind NumberField:focus > .input--cursor {
        background: $surface; color: $foreground; text-style: none;
    }
    FrameScreen.-behind NumberField:focus > .input--selection { background: $surface; }
    """

    def __init__(self, surface: Surface) -> None:
        super().__init__()
        use_spans(self)
        self.surface = surface
        self.lines = FrameLines(
            self, surface, entries=self._working_keys, are_keys_locked=lambda: self.are_keys_locked
        )
        """The lines for status, tour, notice and keys."""
        self.message_line = self.lines.message_line
        """Shows the answers to keys."""
        self.feed = TopicFeed(
            self,
            surface.subscriptions,
            topics=lambda: (*self.topics(), StatusTopic(), LogTopic()),
            show=self._show,
        )
        """The screen's subscriptions."""

    def topics(self) -> Iterable[Topic]:
        """Return the topics that this screen watches now."""
        return ()

    def show_topic(self, topic: Topic) -> None:
        """Show what changed; called on the app's own task."""

    def compose_body(self) -> ComposeResult:
        """Yield the widgets between the status line and the notice."""
        yield from ()

    def footer_entries(self) -> tuple[FooterEntry, ...]:
        """Return the keys that work here, those of the nearest context first."""
        return footer_entries(*self.CONTEXTS, Context.GLOBAL, keymap=self.surface.options.keymap)

    @property
    def are_keys_locked(self) -> bool:
        """Whether single keys are locked here, armed or not."""
        return False

    def cursor_item(self) -> CursorItem:
        """Return what the keys of every screen act on."""
        return CursorItem()

    @property
    def traded_ladder(self) -> Widget | None:
        """The ladder on which the keys of this screen trade; None for none."""
        return None

    def place(self) -> LastScreen | None:
        """Return the place to restore in the next session; None if it is not restored."""
        return LastScreen(screen=self.PLACE) if self.PLACE else None

    async def action_perform(self, name: str) -> None:
        """Run the registry's action `context.<name>`."""
        work = self.actions[name]()
        if work is not None:
            await work

    @override
    def compose(self) -> ComposeResult:
        # Before the first layout the screen has no size, and its widgets have no styles.
        self.set_class(not are_frames_wanted(self.app.size), "-ruled", update=False)
        yield from self.lines.compose_above()
        with Vertical(id="body"):
            yield from self.compose_body()
        yield from self.lines.compose_below()

    def on_mount(self) -> None:
        """Show the status and keys before the first topic arrives."""
        self.lines.show_status()
        self.lines.show_footer()

    def on_screen_resume(self) -> None:
        """Subscribe and show the current state."""
        self.feed.open()
        # Pending changes arrive a frame later; the first frame must not show old data.
        self.lines.show_status()
        self.lines.show_footer()
        self.surface.memory.keep_place(self.place())
        self.show_focus()

    def on_screen_suspend(self) -> None:
        """Unsubscribe when hidden; behind a modal the screen stays visible and subscribed."""
        if (above := self.app.screen).is_modal:
            # Once the modal has its own line of keys.
            _ = above.call_after_refresh(self.lines.show_footer)
            self.show_focus()
        else:
            self.feed.close()

    def show_focus(self) -> None:
        """Show the focus while this screen is in front; behind a form only the form shows one."""
        show_focus(self)

    def on_unmount(self) -> None:
        """Unsubscribe for good."""
        self.feed.close()

    def on_resize(self, _: events.Resize) -> None:
        """Lay the frame out for the new size."""
        is_ruled = not are_frames_wanted(self.app.size)
        if is_ruled != self.has_class("-ruled"):
            self.set_class(is_ruled, "-ruled")
            # Behind a form a panel that keeps its place is not painted by the layout alone.
            for panel in self.query(Panel):
                panel.refresh()
        self.lines.show_all()

    @on(LineTable.RowHighlighted)
    def follow_cursor(self) -> None:
        """Offer the keys for the selected row."""
        self.lines.show_footer()

    @on(LineTable.TitleClicked)
    def _answer_title(self) -> None:
        self.message_line.show("These rows keep their own order: no column sorts them.")

    def _show(self, topic: Topic) -> None:
        if isinstance(topic, StatusTopic | LogTopic):
            self.lines.show_topic(topic)
        self.show_topic(topic)
        self._follow_prices(topic)
        if isinstance(topic, _DECIDES_KEYS):
            self.lines.show_footer()

    def _follow_prices(self, topic: Topic) -> None:
        """Show other prices of positions in the status line and in the body at once: a frame is of one moment."""
        account = self.surface.queries.account()
        if account is self._account or account == self._account:
            return
        self._account = account
        self.lines.show_status()
        if not isinstance(topic, self.SHOWS_ACCOUNT):
            self.show_topic(AccountTopic())

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
        """Return the key that restores trading when nothing can be sent."""
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
    """Reload everything on a screen."""
    for topic in screen.topics():
        screen.surface.commands.refresh(topic)


def if_agreed(do: Callable[[], object]) -> Callable[[bool | None], Any]:
    """Return what a question or a card calls in its end: this, if the trader agreed."""

    def decide(is_agreed: bool | None) -> Any:  # noqa: FBT001 - Textual's callback
        return do() if is_agreed else None

    return decide


def show_answer(app: App[Any], text: str, *, is_refusal: bool = False) -> None:
    """Show why a key did nothing, or what it did if nothing else shows that.

    Args:
        app: the application; the message line of the screen in front, or behind the form in front, shows it.
        text: one line.
        is_refusal: whether a form or question did not open: the next keys may be meant for it.
    """
    front = next(
        (each for each in reversed(app.screen_stack) if isinstance(each, FrameScreen)), None
    )
    if front is None:
        app.notify(text, markup=False, timeout=_TOAST_S)
    elif is_refusal and front is app.screen:
        front.message_line.refuse_form(text)
    else:
        # The message line covers nothing.
        front.message_line.show(text)
