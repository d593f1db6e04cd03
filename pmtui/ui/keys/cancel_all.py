"""The key that cancels every order, after a question that names them."""

from functools import partial
from typing import Any

from textual.app import App

from pmtui.ui.frame import show_answer
from pmtui.ui.market.market_model import title_of, why_nothing_of_ours
from pmtui.ui.portfolio.paint_orders import paint_resting_orders
from pmtui.ui.question import QuestionScreen
from pmtui.ui.surface import Surface


class CancelAllKey:
    """Cancels everything that rests."""

    def __init__(self, app: App[Any], surface: Surface) -> None:
        self._app = app
        self._surface = surface

    def press(self) -> None:
        """Ask, or say why there is nothing to cancel."""
        queries = self._surface.queries
        orders = queries.account().open_orders
        if not orders:
            reason = why_nothing_of_ours(queries.status())
            show_answer(self._app, reason or "No working orders.", is_refusal=True)
            return

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if is_agreed:
                # How it ended is logged by the service and shown on the notice line.
                self._surface.commands.cancel_all()

        lines = paint_resting_orders(orders, partial(title_of, queries))
        question = QuestionScreen(
            "Cancel all working orders?", lines, agree="Cancel them", options=self._surface.options
        )
        _ = self._app.push_screen(question, decide)
