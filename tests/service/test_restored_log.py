"""A log goes on over a restart of the service with what the journal knows, and says so."""

from datetime import timedelta
from pathlib import Path

from pmtui.domain.ids import OrderId
from pmtui.domain.orders.order import OrderStatus, TradeStatus
from pmtui.service.data_service import STARTED
from pmtui.service.journal.journal import Journal, OutgoingOrder
from pmtui.service.views import Level
from tests.service.fakes import resting, running_world
from tests.service.journal_kit import AT, SIGNED, fill, note_fill, note_standing

FILLED, GONE = OrderId("0x0a"), OrderId("0x0b")


async def earlier_session(path: Path) -> None:
    """Leave a journal with a fill, an order that was cancelled, and lines about a kill and a stop."""
    journal = Journal(path)
    for order_id in (FILLED, GONE):
        await journal.begin([OutgoingOrder(resting(order_id), "River", SIGNED, "Buy 10")])
    note_fill(journal, fill(FILLED, TradeStatus.CONFIRMED))
    note_standing(journal, FILLED, OrderStatus.LIVE, is_known=True)
    note_standing(journal, GONE, OrderStatus.CANCELLED, is_known=True)
    journal.record("kill", "Kill switch: cancelling all orders", at=AT)
    journal.record("conditional", "SELL all Yes, stop 40¢: done, sold", at=AT)
    await journal.close()


async def test_the_log_begins_with_what_the_journal_knows(tmp_path: Path) -> None:
    await earlier_session(tmp_path / "journal.sqlite")
    async with running_world(tmp_path, start=AT + timedelta(hours=1)) as world:
        log = world.service.queries.log()
        before = [e.text for e in log.entries].index(STARTED)
        past, started = log.entries[:before], log.entries[before]
        assert [e.sequence for e in log.entries[: before + 1]] == list(range(1, before + 2))
        assert [e.facts.verb if e.facts else e.text for e in past] == [
            "cancelled", "Kill switch: cancelling all orders",
            "SELL all Yes, stop 40¢: done, sold", "filled",
        ]  # fmt: skip
        assert {(e.at, e.level, e.kind) for e in past} == {(AT, Level.INFO, "order")}
        assert "River" in past[-1].text
        assert started.at == AT + timedelta(hours=1)
        assert not any(
            e.sequence <= started.sequence for e in log.entries if e.level is not Level.INFO
        )


async def test_what_is_long_past_and_a_first_session_add_nothing(tmp_path: Path) -> None:
    async with running_world(tmp_path / "first") as world:
        assert STARTED not in [e.text for e in world.service.queries.log().entries]
    await earlier_session(tmp_path / "journal.sqlite")
    async with running_world(tmp_path, start=AT + timedelta(hours=13)) as world:
        assert STARTED not in [e.text for e in world.service.queries.log().entries]
