"""From checked orders to their answers: at once, after a short hold, or as a promise to try later."""

import asyncio
from collections.abc import Sequence

from pmtui.domain.money import format_micros
from pmtui.sim.admin.back_office import BackOffice
from pmtui.sim.admin.delays import delay_of
from pmtui.sim.admin.switches import TakerDelay
from pmtui.sim.clob.order_check import CheckedOrder
from pmtui.sim.clob.pending_orders import Delayed
from pmtui.sim.engine import refusals
from pmtui.sim.engine.exchange import Exchange
from pmtui.sim.engine.terms import NewOrder, Placed, Refusal
from pmtui.sim.venue import Venue

Result = Placed | Delayed | Refusal


class OrderTaking:
    """Takes orders in and words the answers."""

    def __init__(self, venue: Venue, office: BackOffice) -> None:
        self._venue = venue
        self._office = office

    async def take(self, checked: Sequence[CheckedOrder | Refusal]) -> list[Result]:
        """Place, hold or delay orders, each on its own merits.

        A hold makes the whole batch wait. All orders of a batch are one command, so that it is
        written down with one flush.
        """
        orders = [order.order for order in checked if isinstance(order, CheckedOrder)]
        for order in orders:
            self._venue.open_user(order.account)
        again = {order.order_id for order in orders if self._is_pending(order)}
        held = {
            order.order_id: hold_ms
            for order in orders
            if order.order_id not in again and (hold_ms := self._delay(order).hold_ms)
        }
        if held:
            with self._office.pending.holding(held):
                await asyncio.sleep(max(held.values()) / 1_000)

        def place(exchange: Exchange, now_ms: int) -> list[Result]:
            return [
                order
                if isinstance(order, Refusal)
                else refusals.duplicated(order.order.order_id)
                if order.order.order_id in again
                else self._place(exchange, order, now_ms)
                for order in checked
            ]

        return self._venue.act(place)

    def _is_pending(self, order: NewOrder) -> bool:
        return self._office.pending.is_pending(order.order_id)

    def _delay(self, order: NewOrder) -> TakerDelay:
        reads = self._venue.exchange.reads
        condition_id = reads.market_of(order.token_id)
        if condition_id is None or order.post_only or not reads.would_take(order):
            return TakerDelay()
        return delay_of(self._venue, condition_id)

    def _place(self, exchange: Exchange, checked: CheckedOrder, now_ms: int) -> Result:
        order = checked.order
        if not self._office.chain.may_trade(order.account, order.token_id, order.side):
            # Whatever else is wrong with it is said first.
            found = exchange.reads.check(order, now_ms=now_ms)
            return found if isinstance(found, Refusal) else refusals.NO_ALLOWANCE
        result: Result | None = self._office.balances.refusal(order)
        if result is None:
            seconds = self._delay(order).seconds
            result = (
                self._office.pending.delay(order, seconds=seconds)
                if seconds
                else exchange.place(order, now_ms=now_ms)
            )
        if not isinstance(result, Refusal):
            self._office.attribution.note(order.order_id, checked.builder)
        return result

    def answer(self, result: Result, checked: CheckedOrder | Refusal) -> dict[str, object]:
        """Word the result of one order: the whole answer, or the leg of a batch."""
        match result:
            case Placed():
                return self._placed(result, checked)
            case Delayed(order_id=order_id):
                return _answer(order_id=order_id, status="delayed", is_success=True)
            case Refusal(text=text):
                return _answer(text)

    def _placed(self, placed: Placed, checked: CheckedOrder | Refusal) -> dict[str, object]:
        status = "matched" if placed.is_matched else "live"
        answer = _answer(order_id=placed.order_id, status=status, is_success=True)
        if placed.is_matched:
            answer["takingAmount"] = format_micros(placed.taking)
            answer["makingAmount"] = format_micros(placed.making)
            answer["tradeIDs"] = list(placed.trade_ids)
            # Since 2026-07-24 the service leaves the hashes out for orders that never rest.
            rests = isinstance(checked, CheckedOrder) and checked.order.time_in_force.rests
            if rests and not self._venue.switches.hash_delay_ms:
                answer["transactionsHashes"] = list(placed.transaction_hashes)
        return answer


def _answer(
    error: str = "", *, order_id: str = "", status: str = "", is_success: bool = False
) -> dict[str, object]:
    return {
        "errorMsg": error,
        "orderID": order_id,
        "takingAmount": "",
        "makingAmount": "",
        "status": status,
        "success": is_success,
    }
