from dataclasses import replace

from pmtui.domain.books.ladder import Ghost
from pmtui.domain.conditionals.conditional import Trigger
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros, parse_micros
from pmtui.domain.ticket.draft import OrderKind, TicketDraft
from pmtui.domain.ticket.ghosts import ghosts_of_plan, ghosts_of_texts, ghosts_of_ticket
from pmtui.domain.ticket.scaled import ScaledPlan, plan_scaled
from tests.domain.ticket.test_scaled import SPEC, TERMS

m = parse_micros
TICK = m("0.01")
DRAFT = TicketDraft(Side.BUY, 0, price_text="40", size_text="100", stop_text="35", target_text="50")


def test_a_purchase_brings_its_stop_and_its_target() -> None:
    assert ghosts_of_ticket(DRAFT, TICK, size=m("100")) == (
        Ghost(m("0.40"), Side.BUY, m("100")),
        Ghost(m("0.35"), Side.SELL, m("100"), Trigger.STOP),
        Ghost(m("0.50"), Side.SELL, m("100"), Trigger.TAKE_PROFIT),
    )


def test_a_sale_brings_neither_and_nothing_is_drawn_without_a_size() -> None:
    draft = replace(DRAFT, side=Side.SELL)
    assert ghosts_of_ticket(draft, TICK, size=None) == ()
    size = Micros(10 * 10**6)
    assert ghosts_of_ticket(draft, TICK, size=size) == (Ghost(m("0.40"), Side.SELL, size),)


def test_what_is_no_price_of_the_grid_stands_nowhere() -> None:
    for text in ("", "40.5", "x", "0", "100"):
        draft = replace(DRAFT, price_text=text, stop_text=text, target_text="")
        assert ghosts_of_ticket(draft, TICK, size=m("5")) == ()
    market = replace(DRAFT, kind=OrderKind.MARKET, stop_text="", target_text="")
    assert ghosts_of_ticket(market, TICK, size=m("5")) == ()


def test_every_leg_of_scaled_orders_stands_at_its_price() -> None:
    plan = plan_scaled(SPEC, TERMS)
    assert isinstance(plan, ScaledPlan)
    ghosts = ghosts_of_plan(plan)
    assert [(g.price, g.size) for g in ghosts] == [(leg.price, leg.size) for leg in plan.legs]
    assert {g.side for g in ghosts} == {SPEC.side}


def test_texts_of_stops_are_read_one_by_one() -> None:
    texts = [(Trigger.STOP, "38"), (Trigger.TAKE_PROFIT, "soon")]
    assert ghosts_of_texts(texts, TICK, size=m("7")) == (
        Ghost(m("0.38"), Side.SELL, m("7"), Trigger.STOP),
    )
