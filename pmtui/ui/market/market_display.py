"""Puts the market model into the panes of the trading screen.

Everything about the book comes from one view of it, so that no two numbers contradict each other.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from pmtui.domain.account.position import Position
from pmtui.domain.books.book_view import BookState, BookSummary, BookView
from pmtui.domain.books.tape import fills_in
from pmtui.domain.ids import TokenId
from pmtui.domain.money import Micros
from pmtui.service.views import OwnList, TapeView
from pmtui.ui.cells import Cell, Line
from pmtui.ui.facts import key_of
from pmtui.ui.format import TENTH_OF_CENT
from pmtui.ui.ladder.ladder import LadderPane
from pmtui.ui.ladder.ladder_state import paint_ending, paint_state
from pmtui.ui.market.market_head import MarketHead
from pmtui.ui.market.market_model import MarketModel, outcome_labels, tick_size_of, trading_of
from pmtui.ui.market.own_in_market import position_facts, working_orders
from pmtui.ui.market.paint_single_keys import ArmedKeys, Dials, describe_held, paint_dials
from pmtui.ui.market.tape import OrdersPane, PositionPane, TapePane
from pmtui.ui.paint_status import is_starting
from pmtui.ui.portfolio.paint_position import account_words
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.protect import count_guards, paint_unprotected, protection_forms
from pmtui.ui.ticket.ticket import TicketPane
from pmtui.ui.widgets.panel import Panel
from pmtui.ui.widgets.text_line import TextLine

_NOTHING = BookView(TokenId(""), BookState.LOADING)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketWidgets:
    """The panes that show one market."""

    head: MarketHead
    state: Panel
    """The frame around the ladder, whose title shows the state of the book."""
    ladder: LadderPane
    tape: TapePane
    position: PositionPane
    orders: OrdersPane
    ticket: TicketPane
    dials: tuple[TextLine, TextLine]
    """The lines of single keys: their sizes, and what each key does."""
    panels: tuple[Panel, ...]
    """All frames of the screen."""


class MarketDisplay:
    """Shows a market model, part by part."""

    def __init__(
        self, surface: Surface, widgets: MarketWidgets, *, width: Callable[[], int]
    ) -> None:
        """Start empty.

        Args:
            surface: the service's public trades, and the user's keys.
            widgets: the panes.
            width: returns the width of the screen.
        """
        self._surface = surface
        self._widgets = widgets
        self._width = width
        keymap = surface.options.keymap
        self._release, self._centre, *self._window_keys = (
            key_of(keymap, name)
            for name in (
                "ladder.hold", "ladder.recentre", "market.previous_window", "market.next_window",
            )
        )  # fmt: skip
        # What was shown last: most changes of a book are sizes behind the touch.
        self._quoted: BookSummary | None = None
        self._placed: tuple[BookSummary | None, tuple[Position, ...]] = (None, ())
        self._stated: Hashable = None
        self._dials: tuple[Dials | None, int] = (None, 0)

    def clear(self) -> None:
        """Clear the panes because the market changes."""
        widgets = self._widgets
        widgets.ticket.close()
        widgets.ladder.clear_cursor()
        widgets.ladder.show(_NOTHING)
        widgets.tape.show(TapeView((), 0))
        widgets.orders.forget_cursor()

    def show_head(self, model: MarketModel) -> None:
        """Show the question, the touch, and the terms for orders."""
        self._widgets.head.show(
            model.market, model.status, model.now,
            outcome_index=model.outcome_index, width=self._width(),
        )  # fmt: skip
        self.show_quote(model)

    def show_quote(self, model: MarketModel) -> None:
        """Show the touch."""
        self._quoted = model.summary
        self._widgets.head.show_quote(model.market, model.book, self._width())

    def show_book(self, model: MarketModel, *, is_in_series: Callable[[], bool]) -> None:
        """Show the book with our orders on the ladder; once the market has ended, its result.

        Args:
            model: the picture.
            is_in_series: whether the market is a window of a series, so that keys lead to others.
        """
        inputs = model.ladder
        if model.book is not None and model.token_id is not None and inputs is not None:
            self._widgets.ladder.show(
                model.book,
                tick=tick_size_of(model.market),
                orders=inputs.orders,
                volume=self._surface.queries.tape(model.token_id).volume,
                fills=model.fills,
                marks=inputs.marks,
                other_label=inputs.other_label,
                ending=self._ending(model, is_in_series=is_in_series),
            )

    def _ending(self, model: MarketModel, *, is_in_series: Callable[[], bool]) -> tuple[Line, ...]:
        if not model.is_over or model.token_id is None:
            return ()
        earlier, later = self._window_keys
        return paint_ending(
            model.market.market,
            held=describe_held(
                model.positions, holds_nothing=model.holds_nothing, fees=model.settled_fees
            ),
            last=self._last_trade(model, model.token_id),
            window_keys=(earlier, later) if is_in_series() else None,
        )

    def _last_trade(
        self, model: MarketModel, token_id: TokenId
    ) -> tuple[Micros, datetime | None] | None:
        """Return the last price, with its time where the newest trade known is at that price."""
        prints = self._surface.queries.tape(token_id).prints
        price = model.book.own_last_price if model.book is not None else None
        if prints and price in (None, prints[0].price):
            return prints[0].price, prints[0].at
        return None if price is None else (price, None)

    def show_state(
        self, model: MarketModel, *, moving: Line, keys: Line, is_in_ticket: bool, is_covered: bool
    ) -> None:
        """Show the state of the book in the ladder's title.

        Args:
            model: the market.
            moving: what is being moved, shown instead of all else; empty for nothing.
            keys: the state of single keys; empty while they are not armed.
            is_in_ticket: whether the ticket has the focus.
            is_covered: whether a form or a question has it.
        """
        frame, book, ladder = self._widgets.state, model.book, self._widgets.ladder
        if model.has_only_result and not keys:
            self._stated = None
            frame.show_title((Cell("RESULT", Role.HEADING),))
            return
        if moving or book is None:
            self._stated = None
            frame.show_title(moving or (Cell("no book", Role.DIM),))
            return
        view = ladder.viewport
        where = view.spread_is
        stated = (
            model.summary, model.market, keys, is_in_ticket, is_covered,
            where, view.is_held, view.axis, view.pointed_at,
        )  # fmt: skip
        # The age of a book that is not good changes with the clock.
        if stated == self._stated and book.state.is_good:
            return
        self._stated = stated
        frame.show_title_in_width(
            partial(
                paint_state,
                book, model.now,
                group=ladder.axis.group, cursor=ladder.cursor,
                release_key=self._release if view.is_held else "",
                away=(where, self._centre) if where else None,
                keys=keys,
                is_in_ticket=is_in_ticket,
                # Locked, `enter` opens no ticket.
                is_covered=is_covered or bool(model.status.kill_lock),
                trading=trading_of(model.market),
            )
        )  # fmt: skip

    def show_dials(self, dials: Dials | None) -> None:
        """Show what single keys do, and highlight the frames while they are armed."""
        shown = dials, self._width()
        if shown == self._dials:
            return
        self._dials = shown
        is_armed = isinstance(dials, ArmedKeys)
        for panel in self._widgets.panels:
            panel.show_look(Role.FRAME_ARMED if is_armed else None)
        if dials is not None:
            for line, cells in zip(
                self._widgets.dials, paint_dials(dials, self._width()), strict=True
            ):
                line.show(cells)

    def show_tape(self, model: MarketModel) -> None:
        """Show public trades, and which of them were own trades."""
        if model.token_id is not None:
            self._widgets.tape.show(
                self._surface.queries.tape(model.token_id),
                now=model.now,
                fills=fills_in(model.fills, model.condition_id, model.token_id),
                tick=tick_size_of(model.market),
            )

    def show_own(self, model: MarketModel, *, has_facts: bool) -> None:
        """Show the position, own orders and stops by the book and the clock.

        Args:
            model: the picture.
            has_facts: whether the position's pane has room for what closing it brings.
        """
        self._placed = model.summary, model.positions
        account, condition_id = model.account, model.condition_id
        self._widgets.position.show(
            model.positions,
            labels=outcome_labels(model.market),
            words=account_words(account, is_starting=is_starting(model.status)),
            are_known=not account.missing_in(OwnList.POSITIONS),
            facts=position_facts(model),
            fees=model.settled_fees,
        )
        self._widgets.ladder.viewport.is_exit_elsewhere = has_facts
        here = [e for e in account.conditionals if e.condition_id == condition_id]
        tick = tick_size_of(model.market) or TENTH_OF_CENT
        watched = [
            protection_forms(each, account, tick=tick, shown=model.token_id) for each in here
        ]
        tokens = dict.fromkeys(each.token_id for each in here)
        bare = (paint_unprotected(account, token_id) for token_id in tokens)
        watched += ((line,) for line in bare if line)
        self._widgets.orders.show(
            working_orders(model), protections=tuple(watched), guards=count_guards(here)
        )

    def shows_touch(self, model: MarketModel) -> bool:
        """Return whether the panes beside the ladder show this touch and these prices of positions already."""
        summary = model.summary
        return self._quoted == summary and self._placed == (summary, model.positions)

    def update_ticket(self, model: MarketModel) -> None:
        """Check an open ticket's draft against the current market."""
        ticket = self._widgets.ticket
        if ticket.is_open and model.book is not None:
            ticket.update_context(book=model.book, account=model.account, market=model.market)
