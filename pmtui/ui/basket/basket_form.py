"""The form that buys a set, or several: shares of every outcome of an event, with one card."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.formats import count, format_shares, parse_size
from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Event, Market
from pmtui.domain.money import ONE, Micros, format_micros, write_fee
from pmtui.domain.orders.basket import (
    BasketLeg,
    BasketMarket,
    BasketPlan,
    BasketRoom,
    BasketSide,
    KilledLeg,
    basket_room,
    killed_legs,
    least_sets,
    legs_of,
    plan_basket,
)
from pmtui.domain.orders.order import Accepted, OrderStatus, Rejected, Unknown, Verdict
from pmtui.service.surface import PreparedOrder
from pmtui.service.topics import AccountTopic, BookTopic, MarketTopic, Topic
from pmtui.service.views import Mode
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line
from pmtui.ui.facts import ABSENT
from pmtui.ui.format import (
    TENTH_OF_CENT,
    format_average,
    format_cost,
    format_money,
    format_money_change,
    format_past_money,
    format_price,
)
from pmtui.ui.frame import is_live
from pmtui.ui.market.market_model import token_id_of, why_not_tradable
from pmtui.ui.plain import plain
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.confirm import CardScreen
from pmtui.ui.ticket.fields import MORE, Choice, EntryLabel, NumberField, TextBlock
from pmtui.ui.ticket.order_form import LegOrders, OrderForm
from pmtui.ui.ticket.paint_confirm import limit_price, paint_fact, paint_question, signed_amounts
from pmtui.ui.ticket.paint_ticket import paint_text
from pmtui.ui.ticket.scaled import paint_leg_end
from pmtui.ui.widgets.text_line import KeyLine, TextLine, answer_entries

_WORDS = {BasketSide.YES: "Yes", BasketSide.NO: "No"}
_FINE = (Role.DIM, Role.NOTICE_GOOD)
"""The roles of a leg without a problem."""
_LEGS_IN_A_COLUMN = 10
_MOST_COLUMNS = 3
_MOST_NAMED = 3
_COST = 10
_PRICE = 7
_END = 26
ONE_BY_ONE = (
    "Legs fill whole or not at all, each by itself: some may fill and others not. "
    "Each spends dollars: a better price brings a little more."
)
LESS = "A worse one, within the limit, brings a little less."

SELF_TRADE = "The leg would trade with your own order: cancel that first."


def paint_room(room: BasketRoom) -> Line:
    """Paint how large a basket may be, or why none is possible."""
    least, at_best = format_shares(room.least), format_shares(room.at_best)
    if room.is_impossible:
        name = plain(room.thinnest, 16)
        offered = f"only {format_shares(room.offered)}" if room.offered else "none"
        text = f" impossible now: needs {least}, {offered} offered of {name}"
        return (Cell(text, Role.NOTICE_WARN),)
    if room.at_best < room.least and room.offered is not None:
        return (Cell(f" min {least}: more than the {at_best} at the best prices", Role.DIM),)
    return (Cell(f" min {least} · {at_best} at the best prices", Role.DIM),)


def paint_slack(plan: BasketPlan | None) -> Line:
    """Paint what the ticks that each leg may pay more can cost."""
    text = " ticks more for each leg"
    if plan is not None and plan.is_whole and plan.fewest < plan.sets:
        text += f": {format_shares(plan.fewest)} sets or more"
    return (Cell(text, Role.DIM),)


def paint_legs(
    plan: BasketPlan, width: int, ends: Sequence[Cell] = (), *, most: int
) -> tuple[Line, ...]:
    """Paint every leg with its price and cost, or why it cannot be bought, and its result.

    When not all fit into `most` lines, the legs that prevent a whole basket come first.
    """
    legs: list[tuple[bool, Line]] = []
    for number, leg in enumerate(plan.legs):
        end = ends[number] if number < len(ends) else _state_of(leg)
        room = max(width - _PRICE - _COST - _END - 4, 8)
        cells = (
            Cell(f"{plain(leg.name, room):<{room}} "),
            Cell(_price(leg.average).rjust(_PRICE), Role.ASK),
            Cell(f"{format_cost(leg.cost) if leg.intent else ABSENT:>{_COST}}  ", Role.DIM),
            end,
        )
        legs.append((end.role in _FINE, fit_line(cells, width)))
    if len(legs) > most:
        left = len(legs) - most + 1
        legs = sorted(legs, key=lambda each: each[0])[: most - 1]
        legs.append((True, (Cell(f"and {count(left, 'more leg')}", Role.DIM),)))
    return tuple(line for _, line in legs)


def paint_basket_totals(plan: BasketPlan, available: Micros | None) -> tuple[Line, ...]:
    """Paint the cost of all legs, their payout, and the gain after fees."""
    words = _WORDS[plan.side]
    cost = format_cost(Micros(plan.shown_cost + plan.shown_fees))
    lines: list[Line] = [
        (
            Cell(f"{count(len(plan.intents), 'leg')} for "),
            Cell(cost, Role.HEADING),
            Cell(f" with fees of {write_fee(plan.fees)}", Role.DIM),
        )
    ]
    gain = plan.gain
    if plan.is_rest and plan.is_whole:
        lines.append((Cell("These legs complete the basket that was bought.", Role.DIM),))
    if gain is None and not plan.is_whole:
        missing = [leg for leg in plan.legs if leg.intent is None]
        name = plain(missing[0].name, 24) if missing else ""
        problem = plain(missing[0].problem) if missing else ""
        lines.append((Cell(f"No whole set: {name}: {problem}", Role.NOTICE_WARN),))
        if any(leg.meets is not None for leg in missing):
            lines.append((Cell(SELF_TRADE, Role.NOTICE_WARN),))
    elif gain is not None:
        role = Role.UP if gain > 0 else Role.DOWN
        lines.append(
            (
                Cell(f"All {words} pay {format_money(plan.pays)} whoever wins: ", Role.DIM),
                Cell(f"{format_money_change(gain)} after fees", role, Emphasis.BOLD),
                Cell(" at worst" if plan.slack else "", Role.DIM),
            )
        )
    if available is not None and plan.cost + plan.fees > available:
        lines.append((Cell(f"Cash free: {format_past_money(available)} only", Role.NOTICE_WARN),))
    return tuple(lines)


def paint_basket_card(
    orders: Sequence[PreparedOrder], plan: BasketPlan, width: int, *, mode: Mode, doubt: str = ""
) -> tuple[Line, ...]:
    """Paint every leg from the fields that are hashed, and the totals of the basket."""
    words = _WORDS[plan.side]
    sets, markets = format_shares(plan.fewest), count(len(orders), "market")
    question = f"Buy {sets} {words} or more in {markets}?"
    lines: list[Line] = [paint_question(mode, question)]
    lines += _card_legs(orders, [leg.name for leg in plan.legs if leg.intent], width)
    facts = [("Cost", format_cost(plan.shown_cost)), ("Fee", f"{write_fee(plan.fees)} now")]
    if plan.gain is not None:
        # With what was bought before, these legs make a set.
        pays, brings = ("Set pays", "Set brings") if plan.is_rest else ("Pays", "Brings")
        facts.append((pays, format_money(plan.pays)))
        facts.append((brings, format_money_change(plan.gain)))
    for name, value in (*facts, ("TIF", "FOK")):
        lines += paint_fact(name, value, width)
    said = f"{ONE_BY_ONE} {LESS}" if plan.slack else ONE_BY_ONE
    lines += paint_text(said, width, Role.DIM)
    if doubt:
        lines += paint_text(plain(doubt), width, Role.NOTICE_BAD)
    return tuple(lines)


def describe_killed(killed: Sequence[KilledLeg]) -> str:
    """Return which legs would be killed now, and the price that they would have to pay."""
    if not killed:
        return ""
    legs = (
        f"{plain(leg.name, 24)} ({'no asks' if leg.ask is None else f'ask {format_price(leg.ask)}'})"
        for leg in killed[:_MOST_NAMED]
    )
    more = f" and {len(killed) - _MOST_NAMED} more" if len(killed) > _MOST_NAMED else ""
    return f"Would be killed now: {', '.join(legs)}{more}. Price again before you buy."


def _card_legs(orders: Sequence[PreparedOrder], names: Sequence[str], width: int) -> list[Line]:
    """Paint the legs in one column, or in several when there are many: none may be left out."""
    columns = min(-(-len(orders) // _LEGS_IN_A_COLUMN), _MOST_COLUMNS)
    rows, part = -(-len(orders) // columns), width // columns
    legs: list[Line] = []
    for order, name in zip(orders, names, strict=True):
        cash, _ = signed_amounts(order)
        spent = f"{format_cost(cash)} ≤ {format_price(limit_price(order))}"
        room = max(part - len(spent) - 2, 4)
        cells = (Cell(f"{plain(name, room):<{room}} "), Cell(spent, Role.BID), Cell(" "))
        legs.append(fit_line(cells, part))
    return [tuple(cell for leg in legs[row::rows] for cell in leg) for row in range(rows)]


def paint_basket_sent(verdicts: Sequence[Verdict], legs: int) -> Line:
    """Paint how many legs were bought, once the venue has answered."""
    if len(verdicts) < legs:
        return (Cell("sending", Role.NOTICE_WARN, Emphasis.BOLD),)
    bought = sum(is_bought(verdict) for verdict in verdicts)
    unknown = sum(isinstance(verdict, Unknown) for verdict in verdicts)
    text = f"{bought} of {legs} legs bought"
    if unknown:
        text += f", {unknown} unconfirmed"
    role = Role.NOTICE_GOOD if bought == legs else Role.NOTICE_BAD
    missing = sum(isinstance(verdict, Rejected) for verdict in verdicts)
    then = (
        f"Enter prices the {count(missing, 'missing leg')} again." if missing else "Enter closes."
    )
    return (Cell(f"{text}. {then}", role, Emphasis.BOLD),)


def is_bought(verdict: Verdict) -> bool:
    """Return whether a leg was bought whole."""
    return isinstance(verdict, Accepted) and verdict.status is OrderStatus.FILLED


def paint_end(verdict: Verdict | None) -> Cell:
    """Paint the result of a leg."""
    if isinstance(verdict, Accepted) and verdict.status is OrderStatus.FILLED:
        return Cell(f"bought {format_shares(verdict.filled_size)}", Role.NOTICE_GOOD)
    return paint_leg_end(verdict, None)


def _state_of(leg: BasketLeg) -> Cell:
    if leg.intent is None:
        return Cell(plain(leg.problem, _END), Role.NOTICE_WARN)
    return Cell(f"≤ {format_price(leg.intent.worst_price, tick=TENTH_OF_CENT)}", Role.DIM)


def _price(average: Micros | None) -> str:
    return ABSENT if average is None else format_average(average)


_SIDE_WORDS = {BasketSide.YES: " all Yes (buy the set)", BasketSide.NO: " all No (sell the set)"}
_STEP = Micros(ONE)
_CHROME = 11
"""Lines of the form that show no leg: borders, entries, totals and keys."""


class BasketCard(CardScreen):
    """Asks for confirmation of every leg of a basket."""

    AGREE = "Buy"

    def __init__(
        self, orders: Sequence[PreparedOrder], plan: BasketPlan, *, surface: Surface,
        doubt: Callable[[], str], is_stale: Callable[[], bool], price_again: Callable[[], Any],
    ) -> None:  # fmt: skip
        """Ask whether to send these legs.

        Args:
            orders: the legs.
            plan: what they were made of.
            surface: the service and the user's choices.
            doubt: returns why it may be a mistake now; empty for no reason.
            is_stale: returns whether a leg would be killed now.
            price_again: replaces the card by one with the prices of now.
        """
        super().__init__(surface=surface, orders=orders, doubt=doubt)
        self._plan = plan
        self._is_stale = is_stale
        self._price_again = price_again

    @property
    @override
    def agree(self) -> str:
        return "Price again" if self._is_stale() else super().agree

    @override
    def action_accept(self) -> None:
        # Half a set is worth less than its cost: nothing is sent while a leg cannot fill.
        if self.is_armed and self._is_stale():
            _ = self.dismiss(result=False)
            self._price_again()
        else:
            super().action_accept()

    @override
    def card_lines(self, width: int) -> tuple[Line, ...]:
        mode = self._surface.queries.status().mode
        return paint_basket_card(self._orders, self._plan, width, mode=mode, doubt=self._doubt)


class BasketForm(OrderForm[None]):
    """Takes a side and a size; enter reviews the basket, escape closes the form."""

    WIDTH: ClassVar[int] = 76
    DEFAULT_CSS = """
    BasketForm .label { width: 8; }
    BasketForm #basket-side { width: 28; }
    BasketForm NumberField { width: 12; }
    BasketForm #basket-legs { height: auto; max-height: 40; }
    """

    side_choice = query_one("#basket-side", Choice)
    size_field = query_one("#basket-size", NumberField)
    slack_field = query_one("#basket-slack", NumberField)
    slack_hint = query_one("#basket-slack-hint", TextLine)
    legs = query_one("#basket-legs", TextBlock)
    hint = query_one("#basket-hint", TextLine)

    def __init__(self, surface: Surface, event: Event) -> None:
        """Open for the open markets of an event with one winner."""
        legs = legs_of(event)
        markets = [
            m for m in surface.outcomes.markets(event) if m in legs and m.condition_id is not None
        ]
        super().__init__(surface, markets[0].condition_id or ConditionId(""))
        self._event = event
        self._markets = tuple(markets)
        self._missing: tuple[Market, ...] = ()
        """The markets of refused legs, which alone are bought again."""
        self._spent: Micros | None = Micros(0)
        """Dollars for the legs bought before those; None if one of them is unconfirmed."""
        self._side = BasketSide.YES
        self._orders = LegOrders(self, surface)
        self._asked: BasketPlan | None = None
        """The plan of the last card."""
        self._offered = ""
        """The size that the form filled in."""
        self._is_sized = False
        """Whether the size is the trader's, or was filled in with every book known."""

    @override
    def compose(self) -> ComposeResult:
        with Vertical(classes="frame"):
            title = plain(self._event.title, self.inner - 10)
            yield TextLine(
                (Cell("Basket  ", Role.HEADING, Emphasis.BOLD), Cell(title, Role.DIM)),
            )
            with Horizontal(classes="row"):
                yield EntryLabel("Buy", "basket-side")
                yield Choice(id="basket-side")
            with Horizontal(classes="row"):
                yield EntryLabel("Shares", "basket-size")
                yield NumberField(id="basket-size", characters="0-9.,")
                yield TextLine(id="basket-hint")
            with Horizontal(classes="row"):
                yield EntryLabel("Up to", "basket-slack")
                yield NumberField(id="basket-slack", characters="0-9")
                yield TextLine(id="basket-slack-hint")
            yield TextBlock(id="basket-legs")
            yield TextBlock(id="state")
            yield self.keys()

    def on_mount(self) -> None:
        """Begin with as many as the smallest preset, or as it takes, and hear of every book."""
        self._subscription = self._surface.subscriptions.subscribe(self._topics(), self._follow)
        _ = self.size_field.focus()
        self._offer_size()
        self.slack_field.offer("0")
        self.show()

    def _offer_size(self) -> None:
        """Fill in the least size that works, not below the smallest preset, until one is typed."""
        if self.size_field.value != self._offered:
            self._is_sized = True
        if self._is_sized:
            return
        found, presets = self._baskets(), self._surface.options.presets
        least = Micros(max(least_sets(found), presets[0] if presets else 0))
        self._offered = format_micros(least) if least else ""
        self.size_field.offer(self._offered)
        # A size that has been read is not changed by a moving book.
        self._is_sized = basket_room(found).offered is not None

    async def action_accept(self) -> None:
        """Ask whether to send the legs; close once all have ended."""
        if self._orders.sent:
            if len(self._orders.verdicts) == len(self._orders.sent):
                self._go_on()
            return
        plan = self._plan()
        if plan is None or not plan.is_whole:
            self.show()
            return
        self._asked = plan
        card = partial(
            BasketCard, plan=plan, surface=self._surface, doubt=partial(self._doubt, plan),
            is_stale=partial(self._is_stale, plan),
            price_again=partial(self.call_next, self.action_accept),
        )  # fmt: skip
        await self._orders.ask(plan.intents, card)

    def _go_on(self) -> None:
        """Price the refused legs again; close if there are none."""
        refused = {
            order.condition_id
            for order, verdict in self._orders.ends
            if isinstance(verdict, Rejected)
        }
        if not refused:
            _ = self.dismiss()
            return
        self._spent = self._spent_so_far()
        self._orders.forget()
        self._missing = tuple(m for m in self._markets if m.condition_id in refused)
        self.show()

    def _spent_so_far(self) -> Micros | None:
        verdicts, asked = self._orders.verdicts, self._asked
        is_known = all(isinstance(v, Rejected) or is_bought(v) for v in verdicts)
        if self._spent is None or asked is None or not is_known:
            return None
        ends = zip(asked.legs, verdicts, strict=True)
        return Micros(self._spent + sum(leg.cost + leg.fee for leg, v in ends if is_bought(v)))

    def _begin_anew(self) -> None:
        """Be about a whole basket again."""
        self._orders.forget()
        self._missing, self._spent = (), Micros(0)

    @override
    def show(self) -> None:
        if not is_live(self):
            return
        self._offer_size()
        self.side_choice.show(f"{_SIDE_WORDS[self._side]} {MORE}")
        found = self._baskets()
        self.hint.show(paint_room(basket_room(found, self._surface.queries.account().open_orders)))
        sent, verdicts = self._orders.sent, self._orders.verdicts
        plan = self._asked if sent else self._plan()
        self.slack_hint.show(paint_slack(plan))
        is_short = any(isinstance(verdict, Rejected) for verdict in verdicts)
        agree = "Review" if not sent else "Price again" if is_short else "Close"
        entries = answer_entries(agree, self._surface.options)
        if not sent and (plan is None or not plan.is_whole):
            # A basket that cannot be bought whole cannot be reviewed.
            entries = tuple(entry for entry in entries if entry.id != "confirm.accept")
        self.query_one(KeyLine).show_keys(entries, self.inner)
        if plan is None:
            self.legs.show(())
            wanted = "shares" if self._slack() is not None else "ticks"
            self.state.show(((Cell(f"Enter a number of {wanted}", Role.NOTICE_WARN),),))
            return
        rows = max(self.place.area(self.app.size.height).height - _CHROME, 1)
        ends = [paint_end(verdict) for _, verdict in self._orders.ends]
        self.legs.show(paint_legs(plan, self.inner, ends, most=rows))
        if sent:
            self.state.show((paint_basket_sent(verdicts, len(sent)),))
        else:
            available = self._surface.queries.account().available
            self.state.show(paint_basket_totals(plan, available))

    @on(Input.Changed)
    def _on_typed(self) -> None:
        self._begin_anew()
        self.show()

    @on(NumberField.Stepped)
    def _on_stepped(self, message: NumberField.Stepped) -> None:
        if message.field is self.slack_field:
            self.slack_field.value = str(max((self._slack() or 0) + message.step.value, 0))
            return
        size = parse_size(self.size_field.value) or Micros(0)
        stepped = max(size + message.step.value * _STEP, _STEP)
        if message.step > 0:
            # The first step up goes to the smallest basket that the venue accepts.
            stepped = max(stepped, least_sets(self._baskets()))
        self.size_field.value = format_micros(Micros(stepped))

    @on(Choice.Moved)
    def _on_moved(self) -> None:
        self._side = BasketSide.NO if self._side is BasketSide.YES else BasketSide.YES
        self._begin_anew()
        # The other outcomes have their own books.
        before = self._subscription
        self._subscription = self._surface.subscriptions.subscribe(self._topics(), self._follow)
        if before is not None:
            before.close()
        self._is_sized = False
        self.show()

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

    def _slack(self) -> int | None:
        """Return the ticks that a leg may pay more; None if what is typed is no number."""
        text = self.slack_field.value.strip() or "0"
        return int(text) if text.isascii() and text.isdigit() else None

    def _plan(self) -> BasketPlan | None:
        size, slack = parse_size(self.size_field.value), self._slack()
        if size is None or size <= 0 or slack is None:
            return None
        own = self._surface.queries.account().open_orders
        is_rest = bool(self._missing)
        bought = len(self._markets) - len(self._missing) if is_rest else 0
        return plan_basket(
            self._baskets(), self._side, size, own, is_rest=is_rest, bought=bought,
            spent=self._spent, slack=slack,
        )  # fmt: skip

    def _killed(self, plan: BasketPlan) -> tuple[KilledLeg, ...]:
        own = self._surface.queries.account().open_orders
        return killed_legs(plan, self._baskets(), own)

    def _is_stale(self, plan: BasketPlan) -> bool:
        """Whether a leg of a plan cannot be bought as it was asked about."""
        now = self._plan()
        return bool(self._killed(plan)) or now is None or not now.is_whole

    def _doubt(self, plan: BasketPlan) -> str:
        available = self._surface.queries.account().available
        doubts = []
        if plan.gain is not None and plan.gain < 0:
            doubts.append("This basket loses money whoever wins.")
        if available is not None and plan.cost + plan.fees > available:
            doubts.append("Cash does not cover all legs: some will be refused.")
        now = self._plan()
        impossible = [leg for leg in (now.legs if now is not None else ()) if leg.intent is None]
        doubts += [
            f"{plain(leg.name, 24)} cannot be bought now: {plain(leg.problem)}."
            for leg in impossible
        ]
        names = {leg.name for leg in impossible}
        killed = describe_killed([leg for leg in self._killed(plan) if leg.name not in names])
        doubts += [killed] if killed else []
        return " ".join(doubts)
