"""What is ours is painted anew when it changed, not whenever the book did."""

from typing_extensions import override

from pmtui.ui.widgets.tape import OrdersPane, PositionPane
from tests.domain.test_own_changes import order
from tests.ui.stage import Stage, shown_text
from tests.ui.wait import settle


class _Positions(PositionPane):
    repaints = 0

    @override
    def repaint(self) -> None:
        self.repaints += 1
        super().repaint()


class _Orders(OrdersPane):
    repaints = 0

    @override
    def repaint(self) -> None:
        self.repaints += 1
        super().repaint()


async def test_positions_are_painted_when_they_changed() -> None:
    pane = _Positions()
    async with Stage(pane).run_test() as pilot:
        await settle(pilot)
        pane.repaints = 0
        for words in ("Not known.", "Not known.", "Known."):
            pane.show((), labels=("Yes", "No"), words=words)
        assert pane.repaints == 2
        assert shown_text(pane)[0].startswith("Known.")


async def test_orders_are_painted_when_they_changed() -> None:
    one, two = order(1), order(2)
    pane = _Orders()
    async with Stage(pane).run_test() as pilot:
        await settle(pilot)
        pane.repaints = 0
        for orders in ((one,), (one,), (one, two), (order(1), order(2)), ()):
            pane.show(orders)
        assert pane.repaints == 3
