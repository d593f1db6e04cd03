"""Stops and targets: the form that places them, and their painting on all screens."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.widgets import Input
from typing_extensions import override

from pmtui.domain.account.position import Stake, break_even
from pmtui.domain.books.book_view import BookView
from pmtui.domain.books.ladder import Ghost, StopMark
from pmtui.domain.conditionals.conditional import (
    ALL,
    ConditionalDraft,
    ConditionalOrder,
    ConditionalPlan,
    ConditionalState,
    PlanField,
    PlanProblem,
    SaleEnd,
    Trigger,
    check_plan,
    describe_plan,
    ends_of,
    mirror_draft,
    read_conditional,
    shares_short,
)
from pmtui.domain.formats import count, format_cents, format_shares
from pmtui.domain.ids import ConditionId, TokenId
from pmtui.domain.markets.market import MarketTerms
from pmtui.domain.money import Micros, complement, format_micros
from pmtui.domain.orders.amounts import size_floor
from pmtui.domain.orders.life import DUST
from pmtui.domain.orders.self_trade import book_of_others
from pmtui.domain.ticket.draft import step_cents
from pmtui.domain.ticket.ghosts import ghosts_of_texts
from pmtui.service.surface import Queries
from pmtui.service.views import AccountView
from pmtui.ui.cells import Cell, Column, Emphasis, Line, Row
from pmtui.ui.facts import ABSENT, PRICE_WIDTH, mark_of, paint_average
from pmtui.ui.format import (
    TENTH_OF_CENT,
    format_age,
    format_money,
    format_money_change,
    format_price,
    format_size_compact,
)
from pmtui.ui.frame import if_agreed, show_answer
from pmtui.ui.ladder.paint_ladder import guard_role, paint_guard
from pmtui.ui.market.market_model import net_stake_in, outcome_label, title_of
from pmtui.ui.plain import Align, plain
from pmtui.ui.question import QuestionScreen
from pmtui.ui.surface import Options, Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.ticket.fields import EntryLabel, NumberField, TextBlock
from pmtui.ui.ticket.order_form import Draw, OrderForm, draw_nothing
from pmtui.ui.ticket.paint_ticket import paint_market, paint_text
from pmtui.ui.widgets.text_line import TextLine

_LIVES_HERE = "Held by pmtui, not by the venue: inactive while pmtui is closed."
_LIVES_ON = "Held by pmtui's service, not by the venue: active without this terminal, too."
IF_ALL_FILLS = "Assumes a full fill at that price."
_GAP = "  "
_SIZE_WIDTH = 9
"""Fits `99,999.99`."""
_SHORT = "short"

CONDITIONAL_COLUMNS = (
    Column("state", "State", 9),
    Column("age", "Age", 4, align=Align.RIGHT),
    Column("size", "Size", _SIZE_WIDTH + len("all "), align=Align.RIGHT),
    Column("outcome", "Outcome", 8),
    Column("stop", "Stop", PRICE_WIDTH, align=Align.RIGHT),
    Column("worst", "Limit", PRICE_WIDTH, align=Align.RIGHT),
    Column("profit", "Target", PRICE_WIDTH, align=Align.RIGHT),
    Column("title", "Market", 16, grow=1, is_name=True),
)

_ROLES = {
    ConditionalState.WATCHING: Role.NOTICE_GOOD,
    ConditionalState.SELLING: Role.ARMED,
    ConditionalState.CHECKING: Role.NOTICE_WARN,
    ConditionalState.PAUSED: Role.NOTICE_WARN,
}


def paint_conditional_row(each: ConditionalOrder, account: AccountView, now: datetime) -> Row:
    """Paint a conditional order as a row."""
    size = account.allotted(each)
    return Row(
        each.conditional_id,
        (
            _state_of(each, account),
            Cell(format_age((now - each.created_at).total_seconds()), Role.DIM),
            _size_of(each, size),
            Cell(plain(each.outcome), Role.DIM),
            paint_guard_price(Trigger.STOP, each.stop, is_active=each.state.is_active),
            _price(None if each.stop is None else Micros(max(each.stop - each.give_way, 0))),
            paint_guard_price(
                Trigger.TAKE_PROFIT, each.take_profit, is_active=each.state.is_active
            ),
            Cell(plain(each.title), Role.DIM),
        ),
    )


def paint_conditional_details(each: ConditionalOrder, account: AccountView, book: str) -> Line:
    """Paint the details of a conditional order.

    Args:
        each: the conditional order.
        account: the positions, and which books are not good.
        book: the state of its book, in words.
    """
    if account.is_blind(each):
        text = f" Cannot trigger: book {book}"
        return (Cell(text, Role.NOTICE_BAD), Cell(f"  {plain(each.title)}", Role.HEADING))
    why = "paused: no shares held" if each in account.idle else plain(each.reason)
    if each.trail is not None:
        why = f"trails the best bid by {format_price(each.trail)}  {why}"
    return (Cell(f" {plain(each.title)}", Role.HEADING), Cell(f"  {why}" if why else "", Role.DIM))


def paint_protection(each: ConditionalOrder, account: AccountView | None = None) -> Line:
    """Paint a conditional order as a line beside its position.

    Args:
        each: the conditional order.
        account: the positions, and which books are not good; None if only its state matters.
    """
    state = _state_of(each, account)
    return (
        state._replace(text=f"{state.text} "),
        *_sizes_in_words(each, account)[0],
        *_triggers(each, TENTH_OF_CENT),
    )


def protection_forms(
    each: ConditionalOrder, account: AccountView, *, tick: Micros = TENTH_OF_CENT,
    shown: TokenId | None = None,
) -> tuple[Line, ...]:  # fmt: skip
    """Return the same line in several forms, longest first, without its usual state.

    The prices matter most: size, outcome and trail are dropped first.

    Args:
        each: the conditional order.
        account: the positions, and which books are not good.
        tick: fixes the digits of prices.
        shown: the outcome in whose prices to paint it, in which shares of the other are a short; None for its own.
    """
    state = _state_of(each, account)
    is_usual = state.text == ConditionalState.WATCHING.value
    if shown not in (None, each.token_id):
        each = replace(
            each, outcome=_SHORT,
            stop=None if each.stop is None else complement(each.stop),
            take_profit=None if each.take_profit is None else complement(each.take_profit),
        )  # fmt: skip
    begin = () if is_usual else (state._replace(text=f"{state.text} "),)
    bare = replace(each, trail=None) if each.stop or each.take_profit else each
    forms = [
        (*begin, *size, *_triggers(of, tick, gap))
        for of in (each, bare)
        for size in _sizes_in_words(each, account)
        for gap in (_GAP, " ")
    ]
    # Only the prices, without the gap before the first.
    _, *prices = _triggers(bare, tick, " ")
    return (*forms, (*begin, *prices))


def _sizes_in_words(each: ConditionalOrder, account: AccountView | None) -> tuple[Line, ...]:
    outcome = plain(each.outcome, 12)
    if each.is_waiting:
        # It will be for what its purchase fills: there is no size yet.
        return ((Cell(outcome),), ())
    size = account.allotted(each) if account is not None else each.size
    of_all, compact = "all " * each.is_all, format_size_compact(size).strip()
    short = "all" if each.is_all else compact
    texts = (
        f"{of_all}{format_shares(size)} {outcome}", f"{of_all}{compact} {outcome}",
        f"{short} {outcome}", short,
    )  # fmt: skip
    return tuple((Cell(text),) for text in dict.fromkeys(texts))


def _triggers(each: ConditionalOrder, tick: Micros, gap: str = _GAP) -> Line:
    is_active = each.state.is_active
    line: list[Cell] = []
    for trigger, name, price in (
        (Trigger.STOP, "stop", each.stop),
        (Trigger.TAKE_PROFIT, "target", each.take_profit),
        (Trigger.STOP, "trail", each.trail),
    ):
        if price is not None:
            text = f"{name} {format_price(price, tick=tick)}"
            line += [Cell(gap), *paint_guard(trigger, text, is_active=is_active)]
    return tuple(line)


def count_guards(them: Iterable[ConditionalOrder]) -> str:
    """Count the prices that sell by themselves: `1 stop, 2 targets`."""
    them = tuple(them)
    stops = sum(each.has_stop for each in them)
    targets = sum(each.take_profit is not None for each in them)
    counted = ((stops, "stop"), (targets, "target"))
    return ", ".join(count(number, noun) for number, noun in counted if number)


def paint_unprotected(account: AccountView, token_id: TokenId) -> Line:
    """Paint how many shares beyond pairs have no stop; empty if all have one, or none are held."""
    bare, position = account.unprotected(token_id), account.unpaired(token_id)
    # Dust is never sold, so it needs no stop.
    if bare is None or bare < DUST:
        return ()
    of = "" if bare == position else f" of {format_shares(position)}"
    text = f"{format_shares(bare)}{of} unprotected"
    return (Cell(text, Role.NOTICE_WARN),)


def describe_stops(marks: Sequence[StopMark]) -> str:
    """Return the stops and targets on a row of the ladder: `stop 38¢ of 100 shares`."""
    if len(marks) > 1:
        return f"{len(marks)} stops and targets"
    (mark,) = marks
    word = "stop" if mark.trigger is Trigger.STOP else "target"
    named = f"{word} {format_price(mark.price)}"
    # One that waits for the fills of its order has no size yet.
    return f"{named} of {format_shares(mark.size)}" if mark.size else named


def paint_end(end: SaleEnd, *, is_brief: bool = False) -> Line:
    """Paint the proceeds of a sale at one of the prices, and the resulting profit."""
    if is_brief:
        name = end.name.removeprefix("At ").removeprefix("the ").capitalize()
        line = [
            Cell(f"{name:<7}", Role.DIM), Cell(f"{format_price(end.price):>5}"),
            Cell(f" {format_money(end.cash):>9}", Role.DIM),
        ]  # fmt: skip
    else:
        line = [
            Cell(f" {end.name:<14}", Role.DIM), Cell(f"{format_price(end.price):>6}"),
            Cell("  brings ", Role.DIM), Cell(format_money(end.cash)),
        ]  # fmt: skip
    if end.profit is not None:
        role = Role.UP if end.profit >= 0 else Role.DOWN
        comma = "  " if is_brief else ", "
        line += [Cell(comma, Role.DIM), Cell(format_money_change(end.profit), role)]
    return (*line, Cell(" net", Role.DIM))


def _state_of(each: ConditionalOrder, account: AccountView | None) -> Cell:
    if account is not None and account.is_blind(each):
        return Cell("blind", Role.NOTICE_BAD)
    if account is not None and each in account.idle:
        return Cell("no shares", Role.DIM)
    if each.is_waiting and each.state.is_active:
        return Cell("on fill", Role.DIM)
    return Cell(each.state.value, _ROLES.get(each.state, Role.DIM))


def _size_of(each: ConditionalOrder, size: Micros) -> Cell:
    if each.is_waiting:
        return Cell(ABSENT, Role.DIM)
    exact = format_shares(size)
    if len(exact) > _SIZE_WIDTH:
        exact = format_size_compact(size, width=_SIZE_WIDTH).strip()
    return Cell(f"all {exact}" if each.is_all else exact)


def _price(price: Micros | None) -> Cell:
    if price is None:
        return Cell(ABSENT, Role.DIM)
    return Cell(format_price(price, tick=TENTH_OF_CENT))


def paint_guard_price(
    trigger: Trigger, price: Micros | None, *, is_active: bool = True
) -> Cell:  # fmt: skip
    """Paint the price of a stop or a target in a column, as it was typed."""
    cell = _price(price)
    return cell if price is None else cell._replace(role=guard_role(trigger, is_active=is_active))


def where_stops_live(options: Options) -> str:
    """Return who watches stops and targets, and until when."""
    return _LIVES_ON if options.is_attached else _LIVES_HERE


_ENTRIES = (
    (PlanField.STOP, "protect-stop", "Stop", "¢  bid at or below"),
    (PlanField.TAKE_PROFIT, "protect-profit", "Target", "¢  bid at or above"),
    (PlanField.GIVE_WAY, "protect-give-way", "Slippage", "¢  below the stop"),
    (PlanField.SIZE, "protect-size", "Size", "shares, or all"),
    (PlanField.TRAIL, "protect-trail", "Trail", "¢  below the bid"),
)
_BESIDE_ENTRY = 23
"""Columns before the text beside an entry."""
_NAMES = {field: name for field, name, _, _ in _ENTRIES}
_LOADING = "The trading terms are loading"


def _stake_in(queries: Queries, terms: MarketTerms, outcome_index: int) -> Stake | None:
    token_id = terms.token_ids[outcome_index]
    return net_stake_in(queries.account(), queries.fills().fills, terms, token_id)


def _paint_stake(stake: Stake, tick: Micros) -> Line:
    """Paint what the form may cover, and a stop is judged by."""
    even = break_even(stake, tick)
    price = ABSENT if even is None else mark_of(stake) + format_price(even)
    return (
        Cell("avg ", Role.DIM), paint_average(stake), Cell("  b/e ", Role.DIM), Cell(price),
    )  # fmt: skip


def _describe_all(plan: ConditionalPlan | None, outcome: str) -> str:
    """Return what `all` is now: `19.99 Yes`; empty for a stated size."""
    if plan is None or not plan.is_all or not plan.size:
        return ""
    return f"{format_shares(plan.size)} {outcome}"


def _paint_short(plan: ConditionalPlan, account: AccountView, width: int) -> tuple[Line, ...]:
    """Paint that a plan reaches into pairs; empty if it does not."""
    token_id = plan.token_id
    short = shares_short(
        plan, held=account.held(token_id), of_other=account.held_of_other(token_id),
        others=account.protecting(token_id),
    )  # fmt: skip
    if not short:
        return ()
    what = f"{format_shares(plan.size)} of which {format_shares(short)} in pairs"
    text = f"! {what}: leaves you short {format_shares(short)}"
    return paint_text(text, width, Role.NOTICE_WARN)


def _book_of(queries: Queries, condition_id: ConditionId, token_id: TokenId) -> BookView:
    """Return the book of an outcome without own orders."""
    return book_of_others(queries.book(token_id), condition_id, queries.account().open_orders)


def _mirrored(draw: Draw) -> Draw:
    """Return a drawing of previews of one outcome on the other one's ladder."""

    def draw_mirrored(ghosts: tuple[Ghost, ...]) -> None:
        draw(tuple(replace(g, price=complement(g.price), side=g.side.opposite) for g in ghosts))

    return draw_mirrored


def _paint_shown(plan: ConditionalPlan | None, shown: str, held: str) -> Line:
    """Paint the prices of a plan for one outcome on the ladder shown, which is the other one's."""
    named = () if plan is None else (("stop", plan.stop), ("target", plan.take_profit))
    prices = [f"{name} {format_price(complement(at))}" for name, at in named if at is not None]
    text = (
        f"On the {shown} ladder: {', '.join(prices)}" if prices else f"Prices are those of {held}"
    )
    return (Cell(text, Role.NOTICE_WARN),)


class ProtectScreen(OrderForm[None]):
    """Takes the prices, shows the card, and passes the plan to the service."""

    DEFAULT_CSS = """
    ProtectScreen .label { width: 10; }
    ProtectScreen NumberField { width: 11; }
    ProtectScreen.-narrow .label { width: 10; }
    ProtectScreen.-narrow NumberField { width: 6; }
    ProtectScreen.-narrow #protect-size { width: 10; }
    """

    head = query_one("#protect-head", TextLine)
    pairs = query_one("#protect-pairs", TextBlock)
    market = query_one("#protect-market", TextLine)
    stake_line = query_one("#protect-stake", TextLine)
    others = query_one("#protect-others", TextLine)

    def __init__(
        self, surface: Surface, condition_id: ConditionId, *, outcome_index: int,
        at: Micros | None = None, begin: ConditionalDraft | None = None,
        draw: Draw = draw_nothing, shown_index: int | None = None,
    ) -> None:  # fmt: skip
        """Ask for the prices.

        Args:
            surface: the service and the user's choices.
            condition_id: the market.
            outcome_index: the outcome held.
            at: the cursor's price: the initial stop if below the best bid of others, else the
                initial target.
            begin: prices from a command; they override `at`.
            draw: shows the draft on a ladder.
            shown_index: the outcome on the ladder, of which `at`, `begin` and the ladder's prices are; None
                for the one held.
        """
        is_short = shown_index not in (None, outcome_index)
        super().__init__(
            surface, condition_id, _mirrored(draw) if is_short else draw,
            outcome_index=outcome_index,
        )  # fmt: skip
        self._short_of = shown_index if is_short else None
        """The outcome shown, of which the shares held of the other are a short."""
        view = surface.queries.market(condition_id)
        self._shown = plain(outcome_label(view, shown_index or 0), 16) if is_short else ""
        self._at = complement(at) if is_short and at is not None else at
        self._begin = mirror_draft(begin) if is_short and begin is not None else begin
        self._is_asked = False
        self._refusal: tuple[str, Micros | None] = ("", None)
        """Why the service refused, and the best bid then: it expires when the price moves."""

    @override
    def compose(self) -> ComposeResult:
        with Vertical(classes="frame"):
            yield TextLine(id="protect-head")
            title = self.market_title(self.inner)
            yield TextLine((Cell(title, Role.DIM),))
            yield TextBlock(id="protect-pairs")
            if self._shown:
                yield TextLine(id="protect-mirror")
            with Horizontal(classes="row"):
                yield TextLine((Cell(" Market", Role.DIM),), classes="label")
                yield TextLine(id="protect-market")
            with Horizontal(classes="row"):
                yield TextLine((Cell(" Position", Role.DIM),), classes="label")
                yield TextLine(id="protect-stake")
            yield TextLine(id="protect-others")
            for field, name, label, _ in _ENTRIES:
                with Horizontal(classes="row"):
                    yield EntryLabel(label, name)
                    letters = ALL if field is PlanField.SIZE else "¢"
                    yield NumberField(id=name, characters=f"0-9.,{letters}")
                    yield TextLine(id=f"{name}-says")
            yield TextBlock(id="state")
            yield self.keys()

    def on_mount(self) -> None:
        """Start with the size that no stop covers, and subscribe to the market."""
        draft = self._begin or ConditionalDraft()
        token_id, account = self.token_id, self._surface.queries.account()
        if token_id is not None and (taken := self._others()):
            covered = sum(account.allotted(each) for each in taken)
            left = size_floor(Micros(max(account.unpaired(token_id) - covered, 0)))
            draft = replace(draft, size_text=format_micros(left) if left else "")
        self.field("protect-size").value = draft.size_text
        self.field("protect-give-way").value = draft.give_way_text
        if self._begin is None:
            self._begin_at_cursor()
        else:
            self.field("protect-stop").value = draft.stop_text
            self.field("protect-profit").value = draft.take_profit_text
            _ = self.field("protect-stop").focus()
        self.watch_market(self.token_id)

    def _begin_at_cursor(self) -> None:
        """Fill in the cursor's price, selected so that typing replaces it."""
        bid = self._bid
        if bid is None and self._short_of is not None and self.terms is not None:
            # The book of the outcome held is asked for only now: it mirrors the one shown.
            shown = self.terms.token_ids[self._short_of]
            ask = _book_of(self._surface.queries, self._condition_id, shown).best_ask
            bid = None if ask is None else complement(ask)
        is_target = self._at is not None and bid is not None and self._at > bid
        field = self.field("protect-profit" if is_target else "protect-stop")
        if self._at is not None and bid is not None and self._at != bid:
            field.value = format_cents(self._at)
            field.action_select_all()
        _ = field.focus()

    @override
    def show(self) -> None:
        account, token_id, book = self._surface.queries.account(), self.token_id, self._market
        if token_id is not None:
            self._show_held(account, token_id)
        if token_id is not None and book is not None:
            tick = self.terms.tick_size if self.terms is not None else None
            own = any(o.condition_id == self._condition_id for o in account.open_orders)
            self.market.show(paint_market(book, tick, is_without_own=own))
            self.others.show(paint_unprotected(account, token_id))
        if (terms := self.terms) is not None:
            stake = _stake_in(self._surface.queries, terms, self._outcome_index)
            self.stake_line.show(_paint_stake(stake, terms.tick_size) if stake else ())
        self._show_judgement()

    def _show_held(self, account: AccountView, token_id: TokenId) -> None:
        """Show the shares held now, and below those in pairs, which no `all` sells."""
        unpaired = account.unpaired(token_id)
        pairs = Micros(account.held(token_id) - unpaired)
        head = f"Stop / target: {format_shares(unpaired)} {self.outcome}"
        self.head.show((Cell(head, Role.HEADING, Emphasis.BOLD),))
        # Beside the heading it would be cut on a narrow form.
        stay: Line = (Cell(f"Pairs {format_shares(pairs)} stay", Role.DIM),)
        self.pairs.show((stay,) if pairs else ())

    def action_accept(self) -> None:
        """Show the card of the plan, or its problems."""
        self._is_asked = True
        plan, problems = self._judged()
        if plan is None and not problems:
            self.show_reason(_LOADING)
        elif plan is None or problems:
            self._show_problems(problems)
            _ = self.field(_NAMES[problems[0].field]).focus()
        else:
            self._ask(plan)

    @on(Input.Changed)
    def _on_typed(self) -> None:
        self._refusal = ("", None)
        self._show_judgement()

    @on(NumberField.Stepped)
    def _on_stepped(self, event: NumberField.Stepped) -> None:
        terms, token_id, field = self.terms, self.token_id, event.field
        if terms is None or token_id is None or field.id == "protect-size":
            return
        best_bid = self._bid
        start = format_cents(best_bid) if best_bid is not None else ""
        if field.id in ("protect-trail", "protect-give-way"):
            start = "0"
        field.write(step_cents(field.value or start, event.step, terms.tick_size))

    def _ask(self, plan: ConditionalPlan) -> None:
        outcome = self.outcome
        lines = (
            (Cell(plain(title_of(self._surface.queries, self._condition_id)), Role.DIM),),
            (Cell(describe_plan(plan, outcome)),),
            *((_paint_shown(plan, self._shown, outcome),) if self._shown else ()),
            *_paint_short(plan, self._surface.queries.account(), self.inner),
            (Cell("Market "), *self.market.line),
            *(paint_end(end) for end in self._ends(plan)),
            (Cell(IF_ALL_FILLS, Role.DIM),),
            (Cell(where_stops_live(self._surface.options), Role.NOTICE_WARN),),
        )

        async def place() -> None:
            problem = await self._surface.commands.protect(plan)
            if problem:
                self._refusal = (problem, self._bid)
                self._show_judgement()
            else:
                _ = self.dismiss()
                said = f"Placed: {describe_plan(plan, outcome)}"
                self.app.call_later(show_answer, self.app, said)

        question = QuestionScreen(
            "Place stop / target?", lines, agree="Place", surface=self._surface
        )
        _ = self.app.push_screen(question, if_agreed(place))

    def _judged(self) -> tuple[ConditionalPlan | None, tuple[PlanProblem, ...]]:
        """Return the plan from the entries, and its problems in the current market."""
        terms = self.terms
        if terms is None:
            return None, ()
        token_id = terms.token_ids[self._outcome_index]
        account = self._surface.queries.account()
        plan = read_conditional(
            self._draft(), condition_id=self._condition_id, token_id=token_id,
            unpaired=account.unpaired(token_id), tick=terms.tick_size,
        )  # fmt: skip
        if isinstance(plan, tuple):
            return None, plan
        return plan, check_plan(
            plan, held=account.held(token_id), bid=self._bid, tick=terms.tick_size,
            others=self._others(), of_other=account.held_of_other(token_id),
        )  # fmt: skip

    def _show_judgement(self) -> None:
        """Show each problem beside its entry, and below the proceeds, or why it was refused."""
        plan, problems = self._judged()
        self._draw_typed(plan)
        if self._shown:
            line = _paint_shown(plan, self._shown, self.outcome)
            self.query_one("#protect-mirror", TextLine).show(line)
        is_blank = plan is not None and plan.stop is plan.take_profit is plan.trail is None
        # Missing prices are no error before they are asked for; missing shares are one from the start.
        is_early = is_blank and not self._is_asked
        shown = tuple(p for p in problems if p.field is PlanField.SIZE or not is_early)
        self.state.show(())
        self._show_problems(shown, _describe_all(plan, self.outcome))
        refusal, bid = self._refusal
        if problems or plan is None or (refusal and bid != self._bid):
            self._refusal = ("", None)
            if not problems:
                self.state.show(())
        elif refusal:
            self.show_reason(refusal)
        else:
            ends = (paint_end(end, is_brief=self.inner < 56) for end in self._ends(plan))
            warning = _paint_short(plan, self._surface.queries.account(), self.inner)
            self.state.show((*warning, *ends))

    def _draw_typed(self, plan: ConditionalPlan | None) -> None:
        """Show stop and target on the ladder, even while other entries are invalid."""
        terms = self.terms
        if terms is not None:
            draft = self._draft()
            texts = (Trigger.STOP, draft.stop_text), (Trigger.TAKE_PROFIT, draft.take_profit_text)
            size = plan.size if plan is not None else Micros(0)
            self._draw(ghosts_of_texts(texts, terms.tick_size, size=size))

    def _show_problems(self, problems: tuple[PlanProblem, ...], all_of: str = "") -> None:
        first = {problem.field: problem.text for problem in reversed(problems)}
        for field, name, _, meaning in _ENTRIES:
            text = first.get(field)
            is_told = field is PlanField.SIZE and all_of
            said = Cell(f" {all_of if is_told else meaning}", Role.DIM)
            if text is not None:
                # A text too long for the place beside the entry is shown below.
                is_short = _BESIDE_ENTRY + len(text) <= self.inner
                said = Cell(f"x {text}" if is_short else "x see below", Role.NOTICE_BAD)
            self.query_one(f"#{name}-says", TextLine).show((said,))
        long = [text for text in first.values() if _BESIDE_ENTRY + len(text) > self.inner]
        if long:
            self.show_reason(" · ".join(long), Role.NOTICE_BAD)

    def _ends(self, plan: ConditionalPlan) -> tuple[SaleEnd, ...]:
        terms = self.terms
        if terms is None:
            return ()
        if plan.trail is not None and plan.stop is None and self._bid is not None:
            plan = replace(plan, stop=Micros(self._bid - plan.trail))
        stake = _stake_in(self._surface.queries, terms, self._outcome_index)
        return ends_of(plan, stake=stake, fee=terms.fee)

    @property
    def _bid(self) -> Micros | None:
        """The best bid of others, if the book is good: the stop is compared with it."""
        book = self._market
        return book.best_bid if book is not None and book.state.is_good else None

    @property
    def _market(self) -> BookView | None:
        """The book without own orders."""
        token_id, queries = self.token_id, self._surface.queries
        return None if token_id is None else _book_of(queries, self._condition_id, token_id)

    def _others(self) -> tuple[ConditionalOrder, ...]:
        token_id = self.token_id
        return self._surface.queries.account().protecting(token_id) if token_id is not None else ()

    def _draft(self) -> ConditionalDraft:
        return ConditionalDraft(
            stop_text=self.field("protect-stop").value,
            take_profit_text=self.field("protect-profit").value,
            give_way_text=self.field("protect-give-way").value,
            size_text=self.field("protect-size").value,
            trail_text=self.field("protect-trail").value,
        )
