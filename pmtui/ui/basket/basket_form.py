"""Buys all Yes, or all No, of an event with one winner: a size, the legs as they would be, one card.

Nothing is priced here: `domain.orders.basket` plans, the service prepares and sends, this shows.
"""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.formats import format_shares, parse_size
from pmtui.domain.ids import CommandId, ConditionId
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.money import ONE, Micros
from pmtui.domain.orders.basket import (
    BasketMarket,
    BasketPlan,
    BasketSide,
    least_sets,
    legs_of,
    most_sets,
    plan_basket,
)
from pmtui.domain.orders.order import Rejected, Verdict
from pmtui.service.surface import MOST_IN_BATCH, PreparedOrder
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic, Topic
from pmtui.ui.basket.paint_basket import (
    paint_basket_card,
    paint_basket_sent,
    paint_basket_totals,
    paint_end,
    paint_legs,
)
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.frame import is_live
from pmtui.ui.market.market_model import token_id_of, why_not_tradable
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.confirm import CardScreen
from pmtui.ui.ticket.fields import Choice, NumberField, TextBlock
from pmtui.ui.ticket.order_form import OrderForm
from pmtui.ui.widgets.text_line import KeyLine, TextLine, answer_entries

_SIDE_WORDS = {BasketSide.YES: " all Yes (buy the set)", BasketSide.NO: " all No (sell the set)"}
_STEP = Micros(ONE)
_CHROME = 10
"""Lines of the form that show no leg: borders, entries, sums and keys."""


class BasketCard(CardScreen):
    """Shows every leg of a basket."""

    AGREE = "Buy"

    def __init__(
        self, orders: Sequence[PreparedOrder], plan: BasketPlan, *, surface: Surface, doubt: str
    ) -> None:
        """Ask whether to send these legs; `doubt` says why it may be a mistake."""
        super().__init__(surface=surface)
        self._orders = tuple(orders)
        self._plan = plan
        self._doubt = doubt

    @override
    def card_lines(self, width: int) -> tuple[Line, ...]:
        mode = self._surface.queries.status().mode
        return paint_basket_card(self._orders, self._plan, width, mode=mode, doubt=self._doubt)


class BasketForm(OrderForm[None]):
    """Takes a side and a size; enter asks, escape leaves."""

    WIDTH: ClassVar[int] = 76
    DEFAULT_CSS = """
    BasketForm > .frame { width: 80; }
    BasketForm .label { width: 8; }
    BasketForm #basket-side { width: 28; }
    BasketForm NumberField { width: 12; }
    BasketForm #basket-legs { height: auto; max-height: 40; }
    """

    side_choice = query_one("#basket-side", Choice)
    size_field = query_one("#basket-size", NumberField)
    legs = query_one("#basket-legs", TextBlock)
    hint = query_one("#basket-hint", TextLine)

    def __init__(self, surface: Surface, event: Event) -> None:
        """Open for the open markets of an event with one winner."""
        markets = [m for m in legs_of(event) if m.condition_id is not None]
        super().__init__(surface, markets[0].condition_id or ConditionId(""))
        self._event = event
        self._markets = tuple(markets)
        self._missing: tuple[Market, ...] = ()
        """The markets of legs that were refused: they are bought again alone."""
        self._side = BasketSide.YES
        self._sent: tuple[PreparedOrder, ...] = ()
        self._sent_plan: BasketPlan | None = None
        self._verdicts: tuple[Verdict, ...] = ()

    @override
    def compose(self) -> ComposeResult:
        with Vertical(classes="frame"):
            title = plain(self._event.title, self.WIDTH - 10)
            yield TextLine(
                (Cell("Basket  ", Role.HEADING, Emphasis.BOLD), Cell(title, Role.DIM)),
            )
            with Horizontal(classes="row"):
                yield TextLine((Cell("Buy", Role.DIM),), classes="label")
                yield Choice(id="basket-side")
            with Horizontal(classes="row"):
                yield TextLine((Cell("Shares", Role.DIM),), classes="label")
                yield NumberField(id="basket-size", characters="0-9.,")
                yield TextLine(id="basket-hint")
            yield TextBlock(id="basket-legs")
            yield TextBlock(id="state")
            yield self.keys()

    def on_mount(self) -> None:
        """Begin with as many as the smallest preset, and hear of every book."""
        presets = self._surface.options.presets
        self.size_field.value = format_shares(presets[0]).replace(",", "") if presets else ""
        self._subscription = self._surface.subscriptions.subscribe(self._topics(), self._follow)
        _ = self.size_field.focus()
        self.show()

    async def action_accept(self) -> None:
        """Ask whether to send the legs; once all have ended, leave."""
        if self._sent:
            if len(self._verdicts) == len(self._sent):
                self._go_on()
            return
        plan = self._plan()
        if plan is None or not plan.is_whole:
            self.show()
            return
        orders: list[PreparedOrder] = []
        for order in await self._surface.commands.prepare_many(plan.intents):
            if isinstance(order, Rejected):
                self.show_reason(order.reason, Role.NOTICE_BAD)
                return
            orders.append(order)

        def decide(is_agreed: bool | None) -> None:  # noqa: FBT001 - Textual's callback
            if is_agreed:
                self._send(tuple(orders), plan)

        card = BasketCard(orders, plan, surface=self._surface, doubt=self._doubt(plan))
        _ = self.app.push_screen(card, decide)

    def _go_on(self) -> None:
        """Price what was refused again; close where nothing was."""
        refused = {
            order.condition_id
            for order, verdict in zip(self._sent, self._verdicts, strict=True)
            if isinstance(verdict, Rejected)
        }
        if not refused:
            _ = self.dismiss()
            return
        self._forget_sent()
        self._missing = tuple(m for m in self._markets if m.condition_id in refused)
        self.show()

    @override
    def show(self) -> None:
        if not is_live(self):
            return
        self.side_choice.show(_SIDE_WORDS[self._side])
        found = self._baskets()
        most = most_sets(found, self._surface.queries.account().open_orders)
        text = f" min {format_shares(least_sets(found))} · {format_shares(most)} at best"
        self.hint.show((Cell(text, Role.DIM),))
        plan = self._sent_plan or self._plan()
        is_short = any(isinstance(verdict, Rejected) for verdict in self._verdicts)
        agree = "Review" if not self._sent else "Price again" if is_short else "Close"
        self.query_one(KeyLine).show_keys(answer_entries(agree, self._surface.options), self.WIDTH)
        if plan is None:
            self.legs.show(())
            self.state.show(((Cell("Enter a number of shares", Role.NOTICE_WARN),),))
            return
        rows = max(self.app.size.height - _CHROME, 1)
        self.legs.show(paint_legs(plan, self.WIDTH, self._ends(), most=rows))
        if self._sent:
            self.state.show((paint_basket_sent(self._verdicts, len(self._sent)),))
        else:
            available = self._surface.queries.account().available
            self.state.show(paint_basket_totals(plan, available))

    @on(Input.Changed)
    def _on_typed(self) -> None:
        self._forget_sent()
        self._missing = ()
        self.show()

    @on(NumberField.Stepped)
    def _on_stepped(self, message: NumberField.Stepped) -> None:
        size = parse_size(self.size_field.value) or Micros(0)
        stepped = max(size + message.step.value * _STEP, _STEP)
        self.size_field.value = format_shares(Micros(stepped)).replace(",", "")

    @on(Choice.Moved)
    def _on_moved(self) -> None:
        self._side = BasketSide.NO if self._side is BasketSide.YES else BasketSide.YES
        self._forget_sent()
        self._missing = ()
        # The other tokens have books of their own.
        before = self._subscription
        self._subscription = self._surface.subscriptions.subscribe(self._topics(), self._follow)
        if before is not None:
            before.close()
        self.show()

    def _forget_sent(self) -> None:
        self._sent, self._sent_plan, self._verdicts = (), None, ()

    def _topics(self) -> list[Topic]:
        topics: list[Topic] = [AccountTopic()]
        for market in self._markets:
            if market.condition_id is not None:
                topics.append(MarketTopic(market.condition_id))
            if self._side.value < len(market.token_ids):
                topics.append(BookTopic(market.token_ids[self._side.value]))
        return topics

    def _baskets(self) -> tuple[BasketMarket, ...]:
        queries = self._surface.queries
        found = []
        for market in self._missing or self._markets:
            view = queries.market(market.condition_id or ConditionId(""))
            token_id = token_id_of(view, self._side.value)
            book = None if token_id is None else queries.book(token_id)
            why = why_not_tradable(view, queries.status())
            found.append(BasketMarket(market.title, view.terms, book, why.partition(":")[0]))
        return tuple(found)

    def _plan(self) -> BasketPlan | None:
        size = parse_size(self.size_field.value)
        if size is None or size <= 0:
            return None
        own = self._surface.queries.account().open_orders
        is_rest = bool(self._missing)
        return plan_basket(self._baskets(), self._side, size, own, is_rest=is_rest)

    def _doubt(self, plan: BasketPlan) -> str:
        available = self._surface.queries.account().available
        doubts = []
        if plan.gain is not None and plan.gain < 0:
            doubts.append("This basket loses money whoever wins.")
        if available is not None and plan.cost + plan.fees > available:
            doubts.append("Cash does not cover all legs: some will be refused.")
        return " ".join(doubts)

    def _send(self, orders: tuple[PreparedOrder, ...], plan: BasketPlan) -> None:
        self._sent, self._sent_plan, self._verdicts = orders, plan, ()
        self.show()
        batches = [orders[n : n + MOST_IN_BATCH] for n in range(0, len(orders), MOST_IN_BATCH)]
        place = self._surface.commands.place_many
        sent = [place(order.order_id for order in batch) for batch in batches]
        _ = self.run_worker(self._await(sent, orders))

    # Only the words are lost when this screen goes: the service owns the orders.
    async def _await(self, sent: list[CommandId], orders: tuple[PreparedOrder, ...]) -> None:
        for command_id in sent:
            verdicts = await self._surface.commands.batch_verdict(command_id)
            if not is_live(self) or self._sent != orders:
                return
            self._verdicts += verdicts
            self.show()

    def _ends(self) -> tuple[Cell, ...]:
        return tuple(
            paint_end(self._verdicts[number] if number < len(self._verdicts) else None)
            for number in range(len(self._sent))
        )
