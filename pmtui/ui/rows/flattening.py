"""Selling net positions from a list: one with the card of the market screen, several with one card that names each sale."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from textual.screen import Screen
from typing_extensions import override

from pmtui.domain.account.position import Position
from pmtui.domain.books.book_view import BookState
from pmtui.domain.formats import count, format_shares
from pmtui.domain.ids import CommandId, ConditionId
from pmtui.domain.money import Micros, cents_near, write_fee
from pmtui.domain.orders.flattening import FlattenPlan
from pmtui.domain.orders.order import Accepted, Rejected, Verdict
from pmtui.domain.ticket.estimate import TicketNumbers
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic, Topic
from pmtui.service.views import Mode
from pmtui.ui.account.action_cards import FlattenCard, reprice_sale
from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.format import format_average, format_past_money, format_price
from pmtui.ui.frame import if_agreed
from pmtui.ui.market.market_model import why_not_tradable
from pmtui.ui.market.moves import describe_merging, describe_pairs, plan_net_sale
from pmtui.ui.market.order_news import OrderNews
from pmtui.ui.message_line import MessageLine
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.confirm import CardScreen
from pmtui.ui.ticket.paint_confirm import limit_price, paint_fact, paint_question, signed_amounts
from pmtui.ui.ticket.paint_ticket import paint_text
from pmtui.ui.ticket.ticket_state import describe_doubts

_DOUBTED_TITLE = 32
_LEAST_TITLE = 28
"""The fewest cells in which a market's name differs from its siblings'."""


@dataclass(frozen=True, slots=True)
class Sale:
    """The sale of a net position, as prepared."""

    plan: FlattenPlan
    order: PreparedOrder


@dataclass(frozen=True, slots=True)
class KeptPosition:
    """A position that is not sold, and why."""

    position: Position
    reason: str


class FlattenManyCard(CardScreen):
    """Shows what selling several positions signs, sale by sale."""

    AGREE = "Sell"
    WIDTH: ClassVar[int] = 72
    """Fits a sale with the name of its market."""

    def __init__(
        self, sales: Sequence[Sale], left: Sequence[KeptPosition], *, surface: Surface, merging: str
    ) -> None:
        """Ask whether to send sales.

        Args:
            sales: as prepared.
            left: what stays.
            surface: the service and the user's choices.
            merging: says which keys merge pairs.
        """
        super().__init__(surface=surface, orders=[sale.order for sale in sales])
        self._merging = merging
        self._sales = tuple(sales)
        self._left = tuple(left)
        self._doubts = self._doubts_now()

    def _doubts_now(self) -> tuple[str, ...]:
        return tuple(
            describe_doubts(
                self._surface,
                [sale.order],
                cancelled=sale.plan.in_the_way,
                expected=sale.plan.expected,
            )
            for sale in self._sales
        )

    @override
    def judge_again(self) -> bool:
        self._sales = tuple(
            replace(sale, plan=reprice_sale(self._surface, sale.plan)) for sale in self._sales
        )
        before, self._doubts = self._doubts, self._doubts_now()
        return any(now and not was for now, was in zip(self._doubts, before, strict=True))

    @override
    def card_lines(self, width: int) -> tuple[Line, ...]:
        mode = self._surface.queries.status().mode
        return paint_flatten_many(
            self._sales, self._left, width, mode=mode, doubts=self._doubts, merging=self._merging
        )


def paint_flatten_many(
    sales: Sequence[Sale],
    left: Sequence[KeptPosition],
    width: int,
    *,
    mode: Mode,
    doubts: Sequence[str] = (),
    merging: str = "",
) -> tuple[Line, ...]:
    """Paint every sale from the fields that are hashed, its proceeds, and the positions not sold.

    Args:
        sales: the prepared sales.
        left: the positions not sold, and why.
        width: the cells available.
        mode: whether this is real money.
        doubts: why each sale may be a mistake, in their order; empty for no reason.
        merging: says which keys merge pairs.
    """
    paired = [sale for sale in sales if sale.plan.pairs]
    what = "net position" if paired else "whole position"
    lines: list[Line] = [paint_question(mode, f"Sell {count(len(sales), what)}?")]
    for sale in sales:
        lines += _leg(sale, width)
    for name, value in _money([sale.plan.numbers for sale in sales]):
        lines += paint_fact(name, value, width)
    cancelled = sum(len(sale.plan.in_the_way) for sale in sales)
    if cancelled:
        lines += paint_fact("Cancels first", count(cancelled, "working order"), width)
    kept = [(sale.order.market_title, describe_pairs(sale.plan.pairs, merging)) for sale in paired]
    for title, pairs in kept:
        text = f"{plain(title, _DOUBTED_TITLE)}: {pairs}."
        lines += paint_text(text, width, Role.DIM)
    for each in left:
        text = f"Stays: {plain(each.position.title, 32)}: {each.reason}"
        lines += paint_text(text, width, Role.NOTICE_WARN)
    for text in _name_doubts(sales, doubts):
        lines += paint_text(text, width, Role.NOTICE_BAD)
    return tuple(lines)


def _money(sales: Sequence[TicketNumbers]) -> list[tuple[str, str]]:
    """Return what fills now, the fees, and what is received: from the cents shown, so that they add up."""
    brought = cents_near(Micros(sum(each.fills_now_cash for each in sales)))
    fee = Micros(sum(each.fee for each in sales))
    facts = [("Fills now", f"for {format_past_money(brought)}")]
    if fee:
        rest = format_past_money(Micros(brought - cents_near(fee)))
        facts.append(("Fee", write_fee(fee)))
        facts.append(("Total", f"about {rest} after that fee, as the books are"))
    return facts


def _name_doubts(sales: Sequence[Sale], doubts: Sequence[str]) -> Iterable[str]:
    """Yield each doubt once, with its markets unless it is about all."""
    found: dict[str, list[str]] = {}
    for number, sale in enumerate(sales):
        own = [f"{text}." for text in sale.plan.warnings]
        for text in (*own, *(plain(doubt) for doubt in doubts[number : number + 1] if doubt)):
            found.setdefault(text, []).append(plain(sale.order.market_title, _DOUBTED_TITLE))
    for text, names in found.items():
        yield text if len(names) == len(sales) else f"{', '.join(names)}: {text}"


def _leg(sale: Sale, width: int) -> list[Line]:
    _, shares = signed_amounts(sale.order)
    numbers = sale.plan.numbers
    what = f"SELL {format_shares(shares)} {plain(sale.order.outcome, 10)} ≥ {format_price(limit_price(sale.order))}"
    average = numbers.fills_now_average
    now = "no bids here" if average is None else f"~{format_average(average)}"
    if sale.plan.stays:
        now += f", {format_shares(sale.plan.stays)} unsold"
    room = width - len(what) - len(now) - 4
    head = (Cell(what, Role.ASK, Emphasis.BOLD),)
    if room >= _LEAST_TITLE:
        title = plain(sale.order.market_title, room)
        return [(*head, Cell(f"  {title:<{room}}  ", Role.DIM), Cell(now))]
    # The name identifies the market: on a narrow card it gets its own line.
    gap = " " * max(width - len(what) - len(now), 1)
    name = plain(sale.order.market_title, width)
    return [(*head, Cell(f"{gap}{now}")), (Cell(name, Role.DIM),)]


MOST_AT_ONCE = 12
"""Markets on one card: so many fit on the smallest screen, and more nobody reads before agreeing."""


class Flattening:
    """Asks before positions are sold, and shows how the sales ended."""

    def __init__(
        self, page: Screen[Any], surface: Surface, line: MessageLine, *, merge_path: Sequence[str]
    ) -> None:
        """Sell positions of a screen; `merge_path` are the keys that merge pairs from there."""
        self._page = page
        self._surface = surface
        self._line = line
        self._merging = describe_merging(surface.options.keymap, merge_path)
        self._news = OrderNews(surface, line)

    async def ask(self, positions: Sequence[Position]) -> None:
        """Ask whether to sell the net positions of some markets; say why where none can be sold.

        Args:
            positions: what may be sold: of a market with one of its outcomes, that one alone.
        """
        if not positions:
            self._line.refuse_form("No position on this row.")
            return
        legs = _by_market(positions)
        if len(legs) > MOST_AT_ONCE:
            self._line.refuse_form(
                f"Mark positions of {MOST_AT_ONCE} markets at most: {len(legs)} are too many."
            )
            return
        wait = BookWait(self._surface, positions)
        with wait.listening():
            self._line.confirm("Reading the books.")
            await wait.until_ready()
            sales, left = await self._prepared(legs)
            # The trader may have gone on: no card covers what is looked at now.
            if self._page.app.screen is self._page:
                self._show(sales, left)

    def _show(self, sales: Sequence[Sale], left: Sequence[KeptPosition]) -> None:
        if not sales:
            self._line.refuse_form(left[0].reason)
        elif len(sales) + len(left) == 1:
            self._ask_for_one(sales[0])
        else:
            card = FlattenManyCard(sales, left, surface=self._surface, merging=self._merging)
            sell = partial(self._sell_all, sales)
            _ = self._page.app.push_screen(card, if_agreed(sell))

    async def _prepared(
        self, legs: Iterable[Sequence[Position]]
    ) -> tuple[list[Sale], list[KeptPosition]]:
        planned: list[tuple[Position, FlattenPlan]] = []
        left: list[KeptPosition] = []
        for positions in legs:
            plan = self._plan(positions)
            if isinstance(plan, str):
                left.append(KeptPosition(positions[0], plan))
            else:
                planned.append((positions[0], plan))
        orders = await self._surface.commands.prepare_many([p.intent for _, p in planned])
        sales: list[Sale] = []
        for (position, plan), order in zip(planned, orders, strict=True):
            if isinstance(order, Rejected):
                left.append(KeptPosition(position, f"Not sold: {plain(order.reason, 80)}."))
            else:
                sales.append(Sale(plan, order))
        return sales, left

    def _plan(self, positions: Sequence[Position]) -> FlattenPlan | str:
        queries = self._surface.queries
        # The net position is told by the book of what it is in.
        position = max(positions, key=lambda each: each.size)
        view = queries.market(position.condition_id)
        reason = why_not_tradable(view, queries.status())
        return reason or plan_net_sale(
            self._surface, view.terms, queries.book(position.token_id),
            leg=position.token_id if len(positions) == 1 else None, merging=self._merging,
        )  # fmt: skip

    def _ask_for_one(self, sale: Sale) -> None:
        def sell() -> None:
            self._line.show(f"Selling the {sale.plan.what}.")
            _ = self._page.run_worker(self._news.report_placed(self._send(sale), sale.order))

        card = FlattenCard(sale.order, sale.plan, surface=self._surface, merging=self._merging)
        _ = self._page.app.push_screen(card, if_agreed(sell))

    def _sell_all(self, sales: Sequence[Sale]) -> None:
        self._line.show(f"Selling {count(len(sales), 'position')}.")
        sent = [(self._send(sale), sale.order) for sale in sales]
        _ = self._page.run_worker(self._report(sent))

    def _send(self, sale: Sale) -> CommandId:
        return self._surface.commands.flatten(sale.order.order_id, sale.plan.in_the_way)

    # A closed screen loses only the messages: the service owns the sales.
    async def _report(self, sent: Sequence[tuple[CommandId, PreparedOrder]]) -> None:
        waiting = (self._surface.commands.verdict(command_id) for command_id, _ in sent)
        verdicts = await asyncio.gather(*waiting)
        self._line.show(describe_ends([(o, v) for (_, o), v in zip(sent, verdicts, strict=True)]))


def _by_market(positions: Iterable[Position]) -> tuple[tuple[Position, ...], ...]:
    """Return what may be sold, market by market in their order."""
    found: dict[ConditionId, tuple[Position, ...]] = {}
    for each in positions:
        found[each.condition_id] = (*found.get(each.condition_id, ()), each)
    return tuple(found.values())


def describe_ends(ends: Sequence[tuple[PreparedOrder, Verdict]]) -> str:
    """Return how several sales ended: how many sold all, for how much, and the first that did not."""
    whole = [o for o, v in ends if isinstance(v, Accepted) and v.filled_size >= o.size]
    text = f"Sold {len(whole)} of {len(ends)}{_received(v for _, v in ends)}."
    rest = [(o, v) for o, v in ends if o not in whole]
    if not rest:
        return text
    order, verdict = rest[0]
    name = plain(order.market_title, 24)
    match verdict:
        case Accepted():
            return f"{text} {name}: in part."
        case Rejected(reason):
            return f"{text} {name}: {plain(reason, 60)}."
        case _:
            return f"{text} {name}: not confirmed yet."


def _received(verdicts: Iterable[Verdict]) -> str:
    """Describe what sales brought, those in part included; empty where the venue did not report it."""
    sold = [v for v in verdicts if isinstance(v, Accepted) and v.filled_size > 0]
    if not sold or any(v.average is None for v in sold):
        return ""
    cash = cents_near(Micros(sum(v.filled_cash for v in sold)))
    fee = Micros(sum(v.filled_fee for v in sold))
    text = f" for {format_past_money(cash)}"
    if not fee:
        return text
    rest = Micros(cash - cents_near(fee))
    return f"{text}, fee {write_fee(fee)}: {format_past_money(rest)} received"


LONGEST_WAIT_S = 4.0


class BookWait:
    """A subscription to the markets and books of some positions."""

    def __init__(self, surface: Surface, positions: Iterable[Position]) -> None:
        self._surface = surface
        self._positions = tuple(positions)
        self._changed = asyncio.Event()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Subscribe to them during the context."""
        topics: list[Topic] = [AccountTopic()]
        for position in self._positions:
            topics += [MarketTopic(position.condition_id), BookTopic(position.token_id)]
        subscription = self._surface.subscriptions.subscribe(topics, lambda _: self._changed.set())
        try:
            yield
        finally:
            subscription.close()

    async def until_ready(self) -> None:
        """Wait until all terms and books have loaded, at most `LONGEST_WAIT_S`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_WAIT_S):
                while not all(map(self._is_ready, self._positions)):
                    self._changed.clear()
                    _ = await self._changed.wait()

    def _is_ready(self, position: Position) -> bool:
        queries = self._surface.queries
        has_terms = queries.market(position.condition_id).terms is not None
        return has_terms and queries.book(position.token_id).state is not BookState.LOADING
