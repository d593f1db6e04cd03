"""What every control of the trading screen works with, and what it may ask of the screen.

The Protocols name the little that is needed of a screen, a ladder and a ticket, so that tests can
implement them without a terminal.
"""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol, TypeVar

from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from pmtui.domain.books.book_view import BookView
from pmtui.domain.books.ladder import Ghost, Ladder
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.ticket.draft import TicketDraft
from pmtui.service.surface import Commands, Queries
from pmtui.service.views import MarketView
from pmtui.ui.facts import key_of
from pmtui.ui.keys.actions import Keymap
from pmtui.ui.market.market_model import MarketModel, MarketReader, why_nothing_of_ours
from pmtui.ui.message_line import MessageLine
from pmtui.ui.surface import Surface

Answer = TypeVar("Answer")


class Part(Enum):
    """A part of the trading screen that can be repainted."""

    MARKET = auto()
    """Everything about the market: head, outcomes, book, own orders, and the keys."""
    HEAD = auto()
    STATE = auto()
    """The line above the ladder."""
    BOOK = auto()
    TICKET = auto()
    """The open ticket's view of the market."""
    SIDES = auto()
    """The ladders beside the main one."""
    CHARTS = auto()
    """Which charts fit, and the mark of the ladder's cursor on them."""
    CURSOR = auto()
    """The mark of the ladder's cursor on the charts."""
    FOOTER = auto()
    STATUS = auto()
    TOPICS = auto()
    """The subscriptions, if they changed."""


class Page(Protocol):
    """What controls need of the trading screen."""

    @property
    def size(self) -> Size:
        """The screen's columns and rows."""
        ...

    @property
    def are_keys_locked(self) -> bool:
        """Whether the ticket has the focus, so that single keys do not trade."""
        ...

    @property
    def is_covered(self) -> bool:
        """Whether a form or a question covers the screen and has the focus."""
        ...

    @property
    def focused(self) -> Widget | None:
        """The focused widget."""
        ...

    def set_focus(self, widget: Widget | None) -> None:
        """Focus a widget."""
        ...

    def set_class(self, add: bool, *class_names: str, update: bool = True) -> object:  # noqa: FBT001 - Textual's signature
        """Switch the layout; without `update` only later restyling applies it."""
        ...

    def post_message(self, message: Message) -> object:
        """Post a message, such as one to open another screen."""
        ...

    def run_worker(self, work: Coroutine[None, None, None]) -> object:
        """Run a coroutine that ends with the screen."""
        ...

    def call_after_refresh(self, callback: Callable[[], None]) -> object:
        """Call back after the next layout."""
        ...

    def set_timer(self, delay: float, callback: Callable[[], None]) -> object:
        """Call back once after a delay in seconds."""
        ...

    def ask(
        self,
        screen: Screen[Answer],
        decide: Callable[[Answer | None], None]
        | Callable[[Answer | None], Awaitable[None]]
        | None = None,
    ) -> None:
        """Open a question or a form; `decide` gets its result."""
        ...

    def show_parts(self, *parts: Part) -> None:
        """Repaint these parts."""
        ...


class LadderOnShow(Protocol):
    """What controls need of the main ladder."""

    @property
    def cursor(self) -> tuple[Micros, Side] | None:
        """The cursor's price and the side that `enter` trades there."""
        ...

    @property
    def ladder(self) -> Ladder | None:
        """The rows."""
        ...

    @property
    def book(self) -> BookView | None:
        """The exact book that is shown."""
        ...

    @property
    def line_stood_still_s(self) -> float:
        """For how long the line stood still as of the ladder that a key is meant for; else zero."""
        ...

    @property
    def key_late_s(self) -> float:
        """How long the key in hand has waited behind others; zero where that is no matter."""
        ...

    @property
    def is_unseen(self) -> bool:
        """Whether a slow line has not yet brought the first picture of the book to the trader."""
        ...

    def better_seen(self, side: Side, price: Micros) -> Micros | None:
        """Return a better touch seen last, on a slow connection."""
        ...

    def show_ghosts(self, ghosts: tuple[Ghost, ...]) -> None:
        """Show a draft at its prices."""
        ...

    def point_at(self, price: Micros) -> None:
        """Move the cursor to a price."""
        ...

    def go_to(self, price: Micros) -> None:
        """Move the cursor to a price and centre the rows on it."""
        ...

    def clear_cursor(self) -> None:
        """Remove the cursor and follow the spread again."""
        ...

    def action_recentre(self) -> None:
        """Centre the spread."""
        ...

    def focus(self) -> object:
        """Take the focus."""
        ...


class TicketOnShow(Protocol):
    """What controls need of the ticket."""

    @property
    def is_open(self) -> bool:
        """Whether the ticket is shown."""
        ...

    def open(
        self, side: Side, *, market: MarketView, outcome_index: int, price: Micros | None
    ) -> None:
        """Show the ticket and focus it."""
        ...

    def fill(self, draft: TicketDraft) -> None:
        """Fill in the fields from a draft."""
        ...

    async def action_review(self) -> None:
        """Show the card, or focus the field with a problem."""
        ...

    def close(self) -> None:
        """Hide the ticket."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A trading screen's service, market model, message line and panes."""

    surface: Surface
    reader: MarketReader
    line: MessageLine
    page: Page
    ladder: LadderOnShow
    ticket: TicketOnShow

    @property
    def queries(self) -> Queries:
        """The service's queries."""
        return self.surface.queries

    @property
    def commands(self) -> Commands:
        """The service's commands."""
        return self.surface.commands

    @property
    def keymap(self) -> Keymap:
        """The user's keys."""
        return self.surface.options.keymap

    def key(self, name: str) -> str:
        """Return the key of an action in the market context."""
        return key_of(self.keymap, f"market.{name}")

    def refuse_read_only(self, model: MarketModel) -> bool:
        """Refuse a session without an account; return whether it was refused."""
        reason = why_nothing_of_ours(model.status)
        if reason:
            self.line.refuse_form(reason)
        return bool(reason)

    def distrust_line(self, model: MarketModel) -> str:
        """Return why the screen may have shown older prices, which disarms; empty if it has not."""
        if still_s := self.ladder.line_stood_still_s:
            reason = f"this line stood still for {still_s:.0f} s"
        elif late_s := self.ladder.key_late_s:
            reason = f"this key waited {late_s:.0f} s behind others"
        else:
            return ""
        if model.is_armed:
            self.commands.disarm(reason)
        return reason

    def go_to(self, pane: Widget, name: str) -> None:
        """Focus a pane if it is visible."""
        if pane.display and pane.region.area:
            _ = pane.focus()
        else:
            self.line.show(f"No room for {name} on this screen.")
