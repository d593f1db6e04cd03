"""The frame around every screen: status line above, notice and keys below, topics in between.

A screen names its topics; they are subscribed while it is in front and let go when it is not.
Nothing of the service ever touches a widget: a change crosses over by `call_next`. Where a screen wants
to go it posts as a message, and the application takes it there.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from types import MappingProxyType
from typing import Any, ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from typing_extensions import override

from pmtui.config.workplace import Place
from pmtui.domain.ids import ConditionId, EventId
from pmtui.domain.markets.market import Side
from pmtui.domain.markets.watchlist import StarKey
from pmtui.service.topics import (
    LogTopic,
    StatusTopic,
    Topic,
)
from pmtui.service.views import Level, LogEntry, LogView
from pmtui.ui.cells import Cell, Line
from pmtui.ui.keys.action import Context
from pmtui.ui.keys.actions import FooterEntry, entries_of, footer_entries
from pmtui.ui.message_line import MessageLine
from pmtui.ui.paint_status import paint_status
from pmtui.ui.portfolio.paint_log import paint_notice
from pmtui.ui.replay.replay_line import ReplayLine
from pmtui.ui.surface import Surface
from pmtui.ui.terminal.span_compositor import use_spans
from pmtui.ui.theme.theme import Role
from pmtui.ui.topic_feed import TopicFeed
from pmtui.ui.widgets.key_line import KeyLine
from pmtui.ui.widgets.panel import are_frames_wanted
from pmtui.ui.widgets.text_line import TextLine

_TOAST_S = 4

NOTICE_LIFE_S = 12
SMALLEST = Size(40, 12)
"""Every screen shows what it is for down to here; below it says so."""


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


@dataclass
class TransactionsChosen(Message):
    """The trader wants to see the wallet's transactions."""


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
    message_line: MessageLine | None = None
    """Answers keys in the place of notices; without one they are answered in a toast."""
    actions: Mapping[str, Callable[[], Awaitable[None] | None]] = MappingProxyType({})
    """What the registry's actions do here, by their names, where controls carry them out."""

    DEFAULT_CSS = """
    FrameScreen { layout: vertical; }
    FrameScreen > #status { background: $panel; }
    FrameScreen > #body { height: 1fr; }
    FrameScreen > #footer { background: $panel; }
    FrameScreen > #tour { display: none; background: $panel; }
    FrameScreen.-touring > #tour { display: block; }
    """

    def __init__(self, surface: Surface) -> None:
        super().__init__()
        use_spans(self)
        self.surface = surface
        self._greeting: Line = ()
        self._feed = TopicFeed(
            self,
            surface.subscriptions,
            topics=lambda: (*self.topics(), StatusTopic(), LogTopic()),
            show=self._show,
        )

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
    def do_keys_rest(self) -> bool:
        """Whether single keys trade nothing right here, armed or not."""
        return False

    def retopic(self) -> None:
        """Subscribe anew because `topics` returns something else now."""
        if self._feed.is_open:
            self._feed.open()

    def show_footer(self) -> None:
        """Show the keys that work right here: below a question, those that answer it."""
        above = self.app.screen
        is_covered = above is not self and above.is_modal
        if is_covered:
            ids = (active.binding.id for active in above.active_bindings.values())
            entries = entries_of(ids, self.surface.options.keymap)
        else:
            entries = self.footer_entries()
        idle = self.IDLE_KEYS
        if type(self).to_star is FrameScreen.to_star:
            idle |= {"global.star"}
        working = tuple(entry for entry in entries if entry.id not in idle)
        self.query_one("#footer", KeyLine).show_keys(working, self.size.width)

    def show_tour(self, line: Line) -> None:
        """Show what the tour says next; nothing takes its line away again."""
        self.set_class(bool(line), "-touring")
        self.query_one("#tour", TextLine).show(line)

    def greet(self, line: Line) -> None:
        """Show this on the line of the notices whenever there is none."""
        self._greeting = line
        self._show_notice()

    def to_copy(self) -> tuple[str, str]:
        """Return what is under the cursor, in a word or two, and its text; empty for nothing."""
        return "", ""

    def to_star(self) -> tuple[StarKey, str] | None:
        """Return what is under the cursor as it can be starred, with its title; None for nothing."""
        return None

    def place(self) -> Place | None:
        """Return where this is, to come back to when the terminal is opened again; None for nowhere."""
        return Place(screen=self.PLACE) if self.PLACE else None

    def keep_place(self) -> None:
        """Remember that this is in front."""
        place = self.place()
        if place is not None:
            self.surface.memory.keep_place(place)

    async def action_perform(self, name: str) -> None:
        """Do what the registry calls `context.<name>`."""
        work = self.actions[name]()
        if work is not None:
            await work

    def action_refresh(self) -> None:
        """Fetch everything on this screen again."""
        for topic in self.topics():
            self.surface.commands.refresh(topic)

    @override
    def compose(self) -> ComposeResult:
        yield TextLine(id="status")
        with Vertical(id="body"):
            yield from self.compose_body()
        if (replay := self.surface.replay) is not None:
            yield ReplayLine(replay, self.surface.options.keymap, on_standstill=self._show_status)
        yield TextLine(id="tour")
        yield TextLine(id="notice")
        yield KeyLine((), self.surface.options, width=0, id="footer")

    def on_mount(self) -> None:
        """Fill the frame before anything is heard."""
        # Before the first layout the screen has no size of its own yet.
        self.set_class(not are_frames_wanted(self.app.size), "-ruled")
        self._show_status()
        self.show_footer()

    def on_screen_resume(self) -> None:
        """Start to listen."""
        self._feed.open()
        self.show_footer()
        self.keep_place()

    def on_screen_suspend(self) -> None:
        """Stop listening: what nobody sees costs nothing. Below a question, one still sees it."""
        if self.app.screen.is_modal:
            self.show_footer()
        else:
            self._feed.close()

    def on_unmount(self) -> None:
        """Stop listening for good."""
        self._feed.close()

    def on_resize(self, _: events.Resize) -> None:
        """Lay the frame out for the new width."""
        self.set_class(not are_frames_wanted(self.app.size), "-ruled")
        self._show_status()
        self._show_notice()
        self.show_footer()

    def catch_up(self) -> None:
        """Show what changed while the line had no room for a picture of it."""
        self._feed.catch_up()

    def _show(self, topic: Topic) -> None:
        if not self._feed.is_open or not is_live(self):
            return
        match topic:
            case StatusTopic():
                self._show_status()
                self._show_notice()
            case LogTopic():
                self._show_notice()
            case _:
                pass
        self.show_topic(topic)

    def _show_status(self) -> None:
        status, replay = self.surface.queries.status(), self.surface.replay
        self.query_one("#status", TextLine).show(
            paint_status(
                status,
                self.size.width,
                do_keys_rest=self.do_keys_rest,
                standstill="" if replay is None else replay.view().standstill,
            )
        )

    def _show_notice(self) -> None:
        if not is_live(self):
            return
        if self.message_line is not None and (message := self.message_line.current()):
            self.query_one("#notice", TextLine).show_in_width(message.paint)
            return
        queries, line = self.surface.queries, self.query_one("#notice", TextLine)
        is_replay = self.surface.replay is not None
        age_s = partial(self.surface.notice_age.age_s, queries=queries, is_replay=is_replay)
        notice = notice_of(queries.log(), age_s)
        if notice is None:
            line.show(_explain_too_small(self.size) or self._greeting)
        else:
            line.show_in_width(partial(paint_notice, notice))


def notice_of(log: LogView, age_s: Callable[[LogEntry], float]) -> LogEntry | None:
    """Return the entry of the log to show now: one that is new, or one that nobody has read yet."""
    latest = next((e for e in reversed(log.entries) if e.level is not Level.INFO), None)
    if latest is not None and age_s(latest) <= NOTICE_LIFE_S:
        return latest
    unread = takewhile(lambda e: e.sequence > log.read_up_to, reversed(log.entries))
    return next((e for e in unread if e.until_read), None)


def _explain_too_small(size: Size) -> Line:
    width, height = size
    if not width or (width >= SMALLEST.width and height >= SMALLEST.height):
        return ()
    return (Cell(f" {width}x{height} needs {SMALLEST.width}x{SMALLEST.height}", Role.NOTICE_WARN),)


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
