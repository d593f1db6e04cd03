"""The position and the working orders of a market in terms of the ladder shown."""

from pmtui.domain.account.position import Position, break_even, profits_at_end
from pmtui.domain.books.ladder import mirrored_orders
from pmtui.domain.conditionals.conditional import ConditionalOrder, Trigger
from pmtui.domain.money import ZERO, Micros, complement
from pmtui.domain.orders.flattening import close_now
from pmtui.domain.orders.life import DUST
from pmtui.domain.orders.own_orders import ticks_away
from pmtui.service.views import AccountView
from pmtui.ui.cells import Line
from pmtui.ui.format import read_distance, read_price
from pmtui.ui.ladder.paint_ladder import paint_guard
from pmtui.ui.market.market_model import MarketModel, tick_size_of
from pmtui.ui.portfolio.paint_position import PositionFacts
from pmtui.ui.portfolio.paint_working import WorkingOrder, by_ladder


def working_orders(model: MarketModel) -> tuple[WorkingOrder, ...]:
    """Return the working orders of both outcomes in the order of the ladder."""
    ahead, book = dict(model.account.queue_ahead), model.book
    tick, rows = tick_size_of(model.market), []
    for order in model.own_orders:
        is_other = order.token_id != model.token_id
        (shown,) = mirrored_orders((order,)) if is_other else (order,)
        rows.append(
            WorkingOrder(
                order,
                shown,
                away=None if book is None else ticks_away(shown, book, tick),
                ahead=ahead.get(order.order_id),
                age_s=(model.now - order.created_at).total_seconds(),
                outcome=order.outcome if is_other else "",
                tick=tick,
            )
        )
    return by_ladder(rows)


def position_facts(model: MarketModel) -> PositionFacts | None:
    """Return exit, resolution and stops of the positions; None without any or after the end of trading."""
    inputs, book, tick = model.ladder, model.book, tick_size_of(model.market)
    if inputs is None or not inputs.held or model.is_over:
        return None
    net, closing = inputs.marks.net, None
    if net is not None and tick is not None and book is not None and book.state.is_good:
        way = inputs.marks.give_way_percent
        closing = close_now(net, book, inputs.orders, tick=tick, give_way_percent=way)
    # Pairs pay the same whatever happens; without them the net is all there is.
    most, least = profits_at_end((net,) if net is not None and not net.pairs else inputs.held)
    account = model.account
    stops = [
        each
        for each in account.conditionals
        if each.condition_id == model.condition_id and each.has_stop and not each.is_waiting
    ]
    bare = sum(
        _unprotected(account, p) for p in account.positions if p.condition_id == model.condition_id
    )
    return PositionFacts(
        net=net,
        exit_now=closing,
        even=None if net is None or tick is None else break_even(net, tick),
        most=most,
        least=least,
        stops=tuple(_paint_stop(each, model, tick) for each in stops),
        unprotected=Micros(bare),
        tick=tick,
    )


def _unprotected(account: AccountView, position: Position) -> Micros:
    bare = account.unprotected(position.token_id)
    # Dust is never sold, so it needs no stop.
    found = account.unpaired(position.token_id) if bare is None else bare
    return found if found >= DUST else ZERO


def _paint_stop(stop: ConditionalOrder, model: MarketModel, tick: Micros | None) -> Line:
    """Paint the price or the distance of a stop, or that it watches nothing."""
    if not stop.state.is_active:
        return paint_guard(Trigger.STOP, "stop paused", is_active=False)
    if stop.stop is not None:
        price = stop.stop if stop.token_id == model.token_id else complement(stop.stop)
        return paint_guard(Trigger.STOP, f"stop {read_price(price, tick=tick)}")
    return paint_guard(Trigger.STOP, f"trail {read_distance(stop.trail or ZERO, tick=tick)}")
