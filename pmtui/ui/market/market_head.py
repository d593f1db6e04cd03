"""The three lines over the ladder: question, touch, terms."""

from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Container
from typing_extensions import override

from pmtui.domain.books.book_view import BookView
from pmtui.service.views import MarketView, StatusView
from pmtui.ui.market.paint_market_header import paint_question, paint_quote, paint_terms
from pmtui.ui.widgets.text_line import TextLine


class MarketHead(Container):
    """What market this is, what it costs now, and what orders must obey."""

    DEFAULT_CSS = "MarketHead { height: auto; layout: vertical; }"

    def __init__(self, *, id: str | None = None, ascii_only: bool = False) -> None:  # noqa: A002 - Textual's word
        """Start empty."""
        super().__init__(id=id)
        self._ascii_only = ascii_only
        self._question = TextLine(id="question", ascii_only=ascii_only)
        self._quote = TextLine(id="quote", ascii_only=ascii_only)
        self._terms = TextLine(id="terms", ascii_only=ascii_only)

    @override
    def compose(self) -> ComposeResult:
        yield self._question
        yield self._quote
        yield self._terms

    def show(
        self, view: MarketView, status: StatusView, now: datetime, *, outcome_index: int, width: int
    ) -> None:
        """Show the market; the quote has its own beat."""
        ascii_only = self._ascii_only
        self._question.show(paint_question(view, outcome_index, now, width, ascii_only=ascii_only))
        self._terms.show(paint_terms(view, status, now, width, ascii_only=ascii_only))

    def show_quote(self, view: MarketView, book: BookView | None, width: int) -> None:
        """Show the touch."""
        self._quote.show(paint_quote(view, book, width, ascii_only=self._ascii_only))
