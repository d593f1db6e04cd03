"""A ticket on an otherwise empty screen, over the fake service; also runs to be looked at.

`python -m tests.ui.ticket_stage` opens it in the terminal; every key the app itself has is written
down instead of doing anything.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.pilot import Pilot
from typing_extensions import override

from pmtui.domain.account.position import Position
from pmtui.domain.books.book_view import BookState, BookView, Level
from pmtui.domain.ids import ConditionId, MarketId, TokenId
from pmtui.domain.markets.market import FeeSchedule, Market, MarketTerms, Outcome, Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.domain.ticket.draft import DEFAULT_RULES, TicketRules
from pmtui.service.views import AccountView, Load, MarketView
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.theme.theme import DEFAULT_THEME
from pmtui.ui.ticket.ticket import TicketPane
from tests.ui.fake_surface import EMPTY_ACCOUNT, NOW, FakeService
from tests.ui.stage import Themed, shown_text
from tests.ui.wait import settle

CONDITION = ConditionId("0x" + "ab" * 32)
YES, NO = TokenId("11"), TokenId("22")
HOSTILE = "Yes\x1b[31m [bold]\u202eoN"


def m(text: str) -> Micros:
    return parse_micros(text)


def market_view(
    *, labels: tuple[str, str] = ("Yes", "No"), tick: str = "0.01", has_terms: bool = True,
    accepting: bool = True,
) -> MarketView:  # fmt: skip
    market = Market(
        market_id=MarketId("1"), condition_id=CONDITION, slug="ferry",
        question="Will the night ferry to Brack run in July?",
        outcomes=(Outcome(labels[0], YES, m("0.5")), Outcome(labels[1], NO, m("0.5"))),
    )  # fmt: skip
    terms = MarketTerms(
        condition_id=CONDITION, token_ids=(YES, NO), outcome_labels=labels, tick_size=m(tick),
        min_order_size=m("5"), neg_risk=False, fee=FeeSchedule(rate=m("0.04")),
        accepting_orders=accepting,
    )  # fmt: skip
    return MarketView(market, terms if has_terms else None, Load.READY, NOW)


def book_view(token: TokenId = YES, *, state: BookState = BookState.VERIFIED) -> BookView:
    return BookView(
        token, state, tick_size=m("0.01"), as_of=NOW,
        bids=tuple(Level(m(p), m(s)) for p, s in (("0.51", "120"), ("0.50", "400"))),
        asks=tuple(Level(m(p), m(s)) for p, s in (("0.53", "40"), ("0.54", "300"))),
    )  # fmt: skip


def account_view(*, shares: str = "0", **changes: object) -> AccountView:
    position = Position(
        token_id=YES, condition_id=CONDITION, title="Ferry", outcome="Yes", size=m(shares),
        average_price=m("0.4"), current_price=m("0.52"), realized=m("0"),
    )  # fmt: skip
    account = replace(EMPTY_ACCOUNT, positions=(position,) if position.size else ())
    return replace(account, **changes)  # type: ignore[arg-type]


class TicketApp(Themed, TerminalApp):
    """A ticket in a region of its own, with global keys that must never be pressed by typing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key, f"swallow('{key}')", priority=False) for key in "mpqbosxzrl"
    ]
    CSS = "Screen { overflow: hidden; } #region { width: 38; height: 9; }"

    def __init__(
        self, service: FakeService, *, width: int = 38, height: int = 9,
        theme: str = DEFAULT_THEME, ascii_only: bool = False, rules: TicketRules = DEFAULT_RULES,
    ) -> None:  # fmt: skip
        super().__init__(theme=theme)
        self.service = service
        self.is_ascii = ascii_only
        surface = service.surface(ascii_only=ascii_only)
        self.surface = replace(surface, options=replace(surface.options, ticket=rules))
        self.pane = TicketPane(self.surface)
        self.region = (width, height)
        self.pressed: list[str] = []
        self.facts: list[str] = []

    @override
    def compose(self) -> ComposeResult:
        region = Container(self.pane, id="region")
        region.styles.width, region.styles.height = self.region
        yield region

    def on_ticket_pane_opened(self) -> None:
        self.facts.append("opened")

    def on_ticket_pane_closed(self) -> None:
        self.facts.append("closed")

    def action_swallow(self, key: str) -> None:
        self.pressed.append(key)

    def open(
        self, side: Side = Side.BUY, *, price: str | None = None, view: MarketView | None = None,
        book: BookView | None = None, account: AccountView | None = None,
    ) -> None:  # fmt: skip
        """Open the ticket on the usual market and tell it of the usual world."""
        view = view or market_view()
        self.service.account_view = account or self.service.account_view
        self.pane.open(
            side, market=view, outcome_index=0, price=m(price) if price is not None else None
        )
        self.tell(view=view, book=book)

    def tell(self, *, view: MarketView | None = None, book: BookView | None = None) -> None:
        self.pane.update_context(
            book=book or book_view(),
            account=self.service.account_view,
            market=view or market_view(),
        )

    def pass_time(self, milliseconds: int = 200) -> None:
        self.service.at += timedelta(milliseconds=milliseconds)

    def text(self) -> str:
        """Return what every visible line widget of the ticket shows, top to bottom."""
        lines: list[tuple[int, int, str]] = []
        for widget in self.pane.query("TextLine, TextBlock, Choice, NumberField").results():
            if widget.display and widget.size.height:
                if widget.has_class("-textual-compact"):
                    shown = [str(getattr(widget, "value", ""))]
                else:
                    shown = shown_text(widget)
                for n, text in enumerate(shown):
                    lines.append((widget.region.y + n, widget.region.x, text))
        return "\n".join(text.rstrip() for _, _, text in sorted(lines))

    def words(self) -> str:
        """Return the same as running text, however it was wrapped."""
        return " ".join(self.text().split())


@asynccontextmanager
async def ticket_on(
    service: FakeService, side: Side = Side.BUY, *, price: str | None = None,
    size: tuple[int, int] = (80, 24), rules: TicketRules = DEFAULT_RULES,
    view: MarketView | None = None, book: BookView | None = None,
    account: AccountView | None = None,
) -> AsyncIterator[tuple[TicketApp, Pilot[None]]]:  # fmt: skip
    """Open a ticket, a purchase at 80 columns unless told otherwise."""
    app = TicketApp(service, rules=rules)
    async with app.run_test(size=size) as pilot:
        app.open(side, price=price, view=view, book=book, account=account)
        await settle(pilot)
        yield app, pilot


class Look(TicketApp):
    """For the eye: opens at once, and its clock runs."""

    def on_mount(self) -> None:
        self.open(price="0.53", account=account_view(shares="250"))
        self.set_interval(0.1, lambda: self.pass_time(100))
        self.set_interval(0.5, self.tell)


if __name__ == "__main__":
    import sys

    columns, rows = (int(word) for word in (sys.argv[1:3] or ("38", "9")))
    Look(FakeService(), width=columns, height=rows).run()
