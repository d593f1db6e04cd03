"""Journals the history of our orders, except those placed elsewhere with the same key."""

from collections.abc import Sequence
from dataclasses import replace

from pmtui.domain.formats import count
from pmtui.domain.ids import OrderId
from pmtui.domain.money import format_micros
from pmtui.domain.orders.life import IN_DOUBT
from pmtui.domain.orders.order import (
    Fill,
    Order,
    OrderChanged,
    OrderStatus,
    TradeChanged,
    UserEvent,
)
from pmtui.service.journal.journal import Journal, OutgoingOrder, RememberedStatus
from pmtui.service.journal.journal_rows import (
    KEPT,
    PLANNED,
    RESIZED,
    RULED_OUT,
    UNWANTED,
    Damage,
    JournaledOrder,
    JournalProblem,
)
from pmtui.service.kernel import Kernel
from pmtui.service.views import Level
from pmtui.service.words import describe_fill, describe_order


class OrderHistory:
    """The journal as used by the desk, the feed and the search for lost orders."""

    def __init__(self, kernel: Kernel, journal: Journal) -> None:
        self._kernel = kernel
        self._journal = journal
        self._unread = ""
        """Why the open orders of an earlier session are unknown; empty if they are known."""
        self._lost: set[OrderId] = set()
        """Orders of which the journal has only the id, until the venue reports them."""
        self._reported = ""
        journal.on_problem(self._on_problem)

    @property
    def problem(self) -> str:
        """Why no orders can be sent as things stand; empty if the journal can be used."""
        problem = self._describe_lost() or self._unread or self._reported
        return f"the journal cannot be used ({problem})" if problem else ""

    async def restore(self) -> tuple[JournaledOrder, ...]:
        """Return the orders whose end is unknown; report a journal that cannot be used.

        Without it nothing is sent: nothing would search for orders that an earlier session may have
        left.
        """
        unsettled = await self._journal.unsettled()
        if isinstance(unsettled, JournalProblem):
            self._unread = unsettled.text
            self._report(unsettled)
            return ()
        for each in unsettled:
            self._report_damage(each)
        damaged = await self._journal.damaged_conditionals()
        if isinstance(damaged, int) and damaged:
            text = f"{count(damaged, 'conditional order')} of the journal cannot be read"
            self._kernel.log.notice(Level.BAD, text)
        await self._report_cut_off_moves()
        return unsettled

    async def restore_ruled_out(self) -> tuple[JournaledOrder, ...]:
        """Return the newest orders that were ruled out: the venue may report otherwise by now."""
        ruled_out = await self._journal.ruled_out()
        if isinstance(ruled_out, JournalProblem):
            self._report(ruled_out)
            return ()
        return ruled_out

    async def find(self, order_id: OrderId) -> JournaledOrder | JournalProblem | None:
        """Return an order as it was written down before it left; None if it never left."""
        return await self._journal.order(order_id)

    async def begin(self, outgoing: Sequence[OutgoingOrder]) -> JournalProblem | None:
        """Journal orders before they are sent together; if there is a problem, none may be sent."""
        if (missing := await self._recheck_missing()) is not None:
            return missing
        legs = len(outgoing)
        worded = [
            replace(
                each,
                text=describe_order(each.order, each.title)
                + (f" (leg {number} of {legs} of one request)" if legs > 1 else ""),
            )
            for number, each in enumerate(outgoing, start=1)
        ]
        problem = await self._journal.begin(worded)
        if problem is not None:
            self._report(problem)
        else:
            self._on_problem(None)
        return problem

    async def _recheck_missing(self) -> JournalProblem | None:
        """Check the journal again if it could not be read; return what is missing before orders may be sent."""
        if lost := self._describe_lost():
            return JournalProblem(lost)
        if not self._unread:
            return None
        unsettled = await self._journal.unsettled()
        if isinstance(unsettled, JournalProblem):
            return unsettled
        if unsettled:
            # The next session counts them and searches for them.
            return JournalProblem("it can be read again; start anew to take up its orders")
        self._unread = ""
        return None

    def _describe_lost(self) -> str:
        return f"{count(len(self._lost), 'damaged row')}, not found yet" if self._lost else ""

    async def begin_move(self, text: str, *, old: OrderId, new: OrderId) -> JournalProblem | None:
        """Journal the replacement of an order before that is cancelled, with both of them."""
        now = self._kernel.clock.now()
        self._journal.record("move", f"is to replace {old}: {text}", at=now, order_id=new)
        problem = await self._journal.append(
            "move", f"{PLANNED}{new}: {text}", at=now, order_id=old
        )
        if problem is not None:
            self._report(problem)
        return problem

    def record_resized(self, *, old: OrderId, new: OrderId) -> None:
        """Note that an order for fewer shares leaves in place of another, before it does."""
        text = f"leaves with fewer shares, as {new}"
        self._journal.record(RESIZED, text, at=self._kernel.clock.now(), order_id=old)

    def record_move(self, text: str, *, old: OrderId, new: OrderId) -> None:
        """Record how a move ended, with both of its orders."""
        for order_id in (old, new):
            self._journal.record("move", text, at=self._kernel.clock.now(), order_id=order_id)

    async def write(self, kind: str, text: str, order_id: OrderId | None = None) -> None:
        """Write an entry and wait for it; a problem is reported but blocks nothing."""
        now = self._kernel.clock.now()
        problem = await self._journal.append(kind, text, at=now, order_id=order_id)
        if problem is not None:
            self._report(problem)

    def record_override(self, text: str, order_id: OrderId) -> None:
        """Record what the trader permitted with an order, before the order itself is journaled."""
        self._journal.record("override", text, at=self._kernel.clock.now(), order_id=order_id)

    def record_kill(self, text: str) -> None:
        """Record what happened to all trading; the journal's own thread writes it."""
        self._journal.record("kill", text, at=self._kernel.clock.now())

    def record_event(self, event: UserEvent) -> None:
        """Record an event of the user stream before anything is concluded from it."""
        match event:
            case OrderChanged(kind=kind, order=order):
                self._record("stream", f"{kind.value} {_format_standing(order)}", order.order_id)
            case TradeChanged(fills=fills):
                for fill in fills:
                    self._record("stream", _format_settlement(fill), fill.order_id)

    def record_answer(self, text: str, order_id: OrderId) -> None:
        """Record a reply of the venue before anything is concluded from it."""
        self._record("answer", text, order_id)

    def record_not_sent(self, reason: str, order_id: OrderId) -> None:
        """Record that a journaled order was never sent, and why."""
        standing = RememberedStatus(order_id, OrderStatus.REJECTED, is_known=False)
        self._record("not sent", reason, order_id, standing)

    def record_cancel(self, text: str, order_id: OrderId) -> None:
        """Record that an order is about to be cancelled, or the result."""
        self._record("cancel", text, order_id)

    def record_unwanted(self, order_id: OrderId) -> None:
        """Record that an order is to be cancelled until it is gone: the next session continues."""
        self._record(UNWANTED, "to be cancelled until it is known to be gone", order_id)

    def record_kept(self, reason: str, order_id: OrderId) -> None:
        """Record that the venue's refusal to cancel an order was accepted as final."""
        self._record(KEPT, reason, order_id)

    def record_ruled_out(self, text: str, order_id: OrderId) -> None:
        """Record that the end of an order is about to be concluded: the next session follows it."""
        self._record(RULED_OUT, text, order_id)

    def record_order(self, order: Order) -> None:
        """Record the current state of a journaled order, even if it had ended."""
        if order.order_id in self._lost and order.status not in IN_DOUBT:
            self._lost.discard(order.order_id)
            if not self._lost:
                self._kernel.log.notice(Level.GOOD, "Found: orders can be sent again")
        is_known = order.status not in IN_DOUBT
        standing = RememberedStatus(order.order_id, order.status, is_known)
        self._record("state", _format_standing(order), order.order_id, standing)

    def record_fill(self, fill: Fill) -> None:
        """Record a fill of a journaled order, or its new settlement state."""
        self._record("fill", _format_settlement(fill), fill.order_id, fill)

    async def _report_cut_off_moves(self) -> None:
        """Report, once, moves that were interrupted between cancel and replacement."""
        moves = await self._journal.cut_off_moves()
        for move in () if isinstance(moves, JournalProblem) else moves:
            if move.was_sent:
                end = f"{move.text} was sent and is checked"
            else:
                end = f"{move.text} was not sent; what it was to replace may be cancelled"
            self.record_move(f"cut off: {end}", old=move.old, new=move.new)
            text = f"A move from the last session was cut off: {end}"
            self._kernel.log.notice(Level.WARNING, text, order_id=move.old)

    def _report_damage(self, journaled: JournaledOrder) -> None:
        order_id = journaled.order.order_id
        name = f"The journal's row of order {order_id[:10]}… is damaged"
        if journaled.damage is Damage.FACTS:
            text = f"{name}: its signed bytes tell what it was, and it is looked for by its id"
            self._kernel.log.notice(Level.WARNING, text, order_id=order_id)
        elif journaled.damage is Damage.ALL:
            self._lost.add(order_id)
            text = (
                f"{name}: it is looked for by its id, and no orders can be sent until it is found"
            )
            self._kernel.log.notice(Level.BAD, text, order_id=order_id)

    def _record(
        self, kind: str, text: str, order_id: OrderId, fact: RememberedStatus | Fill | None = None
    ) -> None:
        now = self._kernel.clock.now()
        self._journal.record_about(order_id, kind, text, at=now, fact=fact)

    def _on_problem(self, problem: JournalProblem | None) -> None:
        if problem is not None:
            self._report(problem)
        elif self._reported:
            self._reported = ""
            self._kernel.log.notice(Level.GOOD, "The journal is written again")

    def _report(self, problem: JournalProblem) -> None:
        if problem.text != self._reported:
            self._reported = problem.text
            text = f"No orders can be sent: the journal cannot be used ({problem.text})"
            self._kernel.log.notice(Level.BAD, text)


def _format_standing(order: Order) -> str:
    matched, size = format_micros(order.matched_size), format_micros(order.original_size)
    text = f"{order.status.value}, {matched} of {size}"
    return f"{text}: {order.reason}" if order.reason else text


def _format_settlement(fill: Fill) -> str:
    text = f"{fill.status.value} {describe_fill(fill, '')} as {fill.liquidity.value.lower()}"
    return f"{text} (trade {fill.trade_id})"
