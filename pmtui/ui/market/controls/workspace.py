"""What every control of the trading screen works with, and what it may ask of the screen.

The Protocols name the little that is needed of a screen, a ladder and a ticket: a test fulfils
them without a terminal.
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
    """A part of the trading screen that can be shown anew."""

    MARKET = auto()
    """Everything that tells of the market: head, outcomes, book, own orders, and the keys."""
    HEAD = auto()
    STATE = auto()
    """The line above the ladder."""
    BOOK = auto()
    TICKET = auto()
    """What an open ticket knows of the market."""
    SIDES = auto()
    """The ladders beside the main one."""
    CHARTS = auto()
    """Which charts there is room for, and the mark of the ladder's cursor on them."""
    CURSOR = auto()
    """The mark of the ladder's cursor on the charts."""
    FOOTER = auto()
    STATUS = auto()
    TOPICS = auto()
    """What is watched, where that is something else now."""


class Page(Protocol):
    """The trading screen, as its controls know it."""

    @property
    def size(self) -> Size:
        """Columns and rows."""
        ...

    @property
    def are_keys_locked(self) -> bool:
        """Whether the ticket has the keys, so that single keys trade nothing."""
        ...

    @property
    def is_covered(self) -> bool:
        """Whether a form or a question stands above the screen and has the keys."""
        ...

    @property
    def focused(self) -> Widget | None:
        """What has the keys."""
        ...

    def set_focus(self, widget: Widget | None) -> None:
        """Focus a widget."""
        ...

    def set_class(self, add: bool, *class_names: str, update: bool = True) -> object:  # noqa: FBT001 - Textual's signature
        """Choose the layout; without `update` only what gets its styles later follows."""
        ...

    def post_message(self, message: Message) -> object:
        """Say where the trader wants to go."""
        ...

    def run_worker(self, work: Coroutine[None, None, None]) -> object:
        """Wait for something; the waiting ends with the screen."""
        ...

    def call_after_refresh(self, callback: Callable[[], None]) -> object:
        """Do something once the layout is the new one."""
        ...

    def set_timer(self, delay: float, callback: Callable[[], None]) -> object:
        """Do something in so many seconds."""
        ...

    def ask(
        self,
        screen: Screen[Answer],
        decide: Callable[[Answer | None], None]
        | Callable[[Answer | None], Awaitable[None]]
        | None = None,
    ) -> None:
        """Open a question or a form; `decide` gets its answer."""
        ...

    def show_parts(self, *parts: Part) -> None:
        """Show these anew."""
        ...


class LadderOnShow(Protocol):
    """The main ladder."""

    @property
    def cursor(self) -> tuple[Micros, Side] | None:
        """The price pointed at, and what `enter` does there."""
        ...

    @property
    def ladder(self) -> Ladder | None:
        """The rows."""
        ...

    @property
    def book(self) -> BookView | None:
        """The very book that is on show."""
        ...

    def better_seen(self, side: Side, price: Micros) -> Micros | None:
        """Return a better touch that was seen last, where the line is slow."""
        ...

    def show_ghosts(self, ghosts: tuple[Ghost, ...]) -> None:
        """Show what is being typed at its prices."""
        ...

    def point_at(self, price: Micros) -> None:
        """Put the cursor on a price."""
        ...

    def go_to(self, price: Micros) -> None:
        """Put the cursor on a price, in the middle of the rows."""
        ...

    def clear_cursor(self) -> None:
        """Point at nothing and follow the spread again."""
        ...

    def action_recentre(self) -> None:
        """Bring the spread to the middle."""
        ...

    def focus(self) -> object:
        """Take the focus."""
        ...


class TicketOnShow(Protocol):
    """The order ticket."""

    @property
    def is_open(self) -> bool:
        """Whether it is on the screen."""
        ...

    def open(
        self, side: Side, *, market: MarketView, outcome_index: int, price: Micros | None
    ) -> None:
        """Show the ticket and take the keys."""
        ...

    def fill(self, draft: TicketDraft) -> None:
        """Fill in fields that were typed elsewhere."""
        ...

    async def action_review(self) -> None:
        """Show the card, or where the draft cannot be an order."""
        ...

    def close(self) -> None:
        """Hide the ticket."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """One trading screen's service, picture, message line and panes."""

    surface: Surface
    reader: MarketReader
    line: MessageLine
    page: Page
    ladder: LadderOnShow
    ticket: TicketOnShow

    @property
    def queries(self) -> Queries:
        """What the service knows."""
        return self.surface.queries

    @property
    def commands(self) -> Commands:
        """What the service can be asked to do."""
        return self.surface.commands

    @property
    def keymap(self) -> Keymap:
        """The user's keys."""
        return self.surface.options.keymap

    def key(self, name: str) -> str:
        """Return the key of an action of this screen."""
        return key_of(self.keymap, f"market.{name}")

    def is_read_only(self, model: MarketModel) -> bool:
        """Return whether nothing here can be ours, and say so if it cannot."""
        reason = why_nothing_of_ours(model.status)
        if reason:
            self.line.refuse_form(reason)
        return bool(reason)

    def go_to(self, pane: Widget, name: str) -> None:
        """Focus a pane, if it is visible."""
        if pane.display and pane.region.area:
            _ = pane.focus()
        else:
            self.line.show(f"No room for {name} on this screen.")
