"""The base of screens with ladders and a ticket: the market screen and the desk."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable
from typing import ClassVar, Generic, Protocol, TypeVar

from textual import events, on
from textual.message import Message
from textual.screen import Screen
from typing_extensions import override

from pmtui.service.topics import AccountTopic, BookTopic, FillsTopic, StatusTopic, Topic
from pmtui.ui.frame import FrameScreen, TopicFeed, is_live
from pmtui.ui.keys.action_table import Context
from pmtui.ui.ladder.ladder import LadderPane
from pmtui.ui.ladder.side_ladder import SideLadder
from pmtui.ui.market.controls.moving import Moving
from pmtui.ui.market.controls.single_keys import SingleKeys
from pmtui.ui.market.controls.workspace import Part
from pmtui.ui.market.siblings import SiblingStrip
from pmtui.ui.market.tape import OrdersPane
from pmtui.ui.ticket.ticket import TicketPane

Answer = TypeVar("Answer")


class TradingControls(Protocol):
    """Handles the keys and messages of such a screen."""

    moving: Moving
    single_keys: SingleKeys

    def topics(self) -> Iterable[Topic]:
        """Return the topics to watch now."""
        ...

    def follow_focus(self) -> None:
        """Show the keys of the focused pane."""
        ...

    async def answer(self, message: Message) -> None:
        """Handle a pane's message."""
        ...


ControlsT = TypeVar("ControlsT", bound=TradingControls)


class TradingScreen(FrameScreen, Generic[ControlsT]):
    """Subclasses lay out panes and a ticket, and build the controls."""

    CONTEXTS: ClassVar[tuple[Context, ...]] = (Context.MARKET, Context.LADDER, Context.TICKET)
    SHOWS_ACCOUNT: ClassVar[tuple[type[Topic], ...]] = (
        AccountTopic, BookTopic, FillsTopic, StatusTopic,
    )  # fmt: skip

    controls: ControlsT
    ticket: TicketPane
    _watched: tuple[Topic, ...] = ()
    _behind: TopicFeed | None = None
    """Watches the armed market while another screen is in front."""

    @abstractmethod
    def show_part(self, part: Part) -> None:
        """Repaint a part of the body."""

    def topics_now(self) -> tuple[Topic, ...]:
        """Return the topics to watch now."""
        return tuple(self.controls.topics())

    @override
    def topics(self) -> Iterable[Topic]:
        self._watched = self.topics_now()
        return self._watched

    @property
    @override
    def are_keys_locked(self) -> bool:
        return is_live(self) and self.ticket.is_open and self.ticket.has_focus_within

    @property
    def is_covered(self) -> bool:
        """Whether a form or a question covers the screen and has the focus."""
        return self.app.screen is not self

    def on_key(self, event: events.Key) -> None:
        """Use digits for the size of picked-up orders instead of presets."""
        self.controls.moving.take_key(event)

    def on_descendant_focus(self) -> None:
        """Show the keys of the focused pane."""
        self.controls.follow_focus()

    @override
    def on_screen_suspend(self) -> None:
        """Disarm when the screen is closed."""
        # Textual also calls FrameScreen.on_screen_suspend.
        if self not in self.app.screen_stack:
            self.controls.single_keys.leave()
            return
        self.show_parts(Part.STATE)
        keys = self.controls.single_keys
        if keys.topics_behind() and not self.app.screen.is_modal:
            # Arming ends with its market, whatever screen is in front.
            self._behind = TopicFeed(
                self, self.surface.subscriptions, topics=keys.topics_behind,
                show=lambda _: keys.follow_end(),
            )  # fmt: skip
            self._behind.open()

    @override
    def on_screen_resume(self) -> None:
        """Show again what `enter` does at the cursor."""
        self._close_behind()
        self.show_parts(Part.STATE)

    @override
    def on_unmount(self) -> None:
        """Stop watching for good."""
        # Textual also calls FrameScreen.on_unmount.
        self._close_behind()

    def _close_behind(self) -> None:
        if self._behind is not None:
            self._behind.close()
            self._behind = None

    @override
    def show_focus(self) -> None:
        super().show_focus()
        if self.ticket.is_open:
            self.ticket.show_state()

    @on(LadderPane.CursorMoved)
    @on(LadderPane.LevelPicked)
    @on(LadderPane.Doubted)
    @on(TicketPane.Opened)
    @on(TicketPane.Closed)
    @on(TicketPane.Finished)
    @on(TicketPane.KeyKept)
    @on(TicketPane.SuggestionChanged)
    @on(TicketPane.Drafted)
    @on(TicketPane.Reshaped)
    @on(OrdersPane.Picked)
    @on(SiblingStrip.Picked)
    @on(SideLadder.Picked)
    async def _answer(self, message: Message) -> None:
        await self.controls.answer(message)

    def ask(
        self,
        screen: Screen[Answer],
        decide: Callable[[Answer | None], None]
        | Callable[[Answer | None], Awaitable[None]]
        | None = None,
    ) -> None:
        """Open a question or a form; `decide` gets its result."""
        _ = self.app.push_screen(screen, decide)

    def show_parts(self, *parts: Part) -> None:
        """Repaint these parts."""
        for part in parts:
            match part:
                case Part.FOOTER:
                    self.lines.show_footer()
                case Part.STATUS:
                    self.lines.show_status()
                case Part.TOPICS:
                    if self._watched and self._watched != self.topics_now():
                        self.feed.renew()
                        self.surface.memory.keep_place(self.place())
                case _:
                    self.show_part(part)
