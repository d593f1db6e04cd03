"""The key that cancels everything, over a service that does nothing by itself."""

import pytest

from pmtui.domain.ids import OrderId
from pmtui.domain.orders.order import CancelResult, CancelVerdict
from pmtui.ui.app import PmtuiApp
from pmtui.ui.question import QuestionScreen
from pmtui.ui.theme.theme_files import load_themes
from tests.ui.demo import believable_service
from tests.ui.look import shows
from tests.ui.wait import until

GONE = tuple(OrderId(f"0x{n:064x}") for n in range(3))


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (CancelVerdict(CancelResult(GONE)), "Cancelled 3 orders everywhere"),
        (CancelVerdict(CancelResult(()), "no connection"), "Not cancelled: no connection"),
    ],
)
async def test_how_cancelling_everything_ended_is_said(verdict: CancelVerdict, words: str) -> None:
    service = believable_service()
    service.cancel_verdicts = [verdict]
    app = PmtuiApp(service.surface(), themes=load_themes()[0])
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("X")
        await until(pilot, lambda: isinstance(app.screen, QuestionScreen), "the question")
        await pilot.press("enter")
        await until(pilot, lambda: shows(app, words), "how it ended")
        assert len(service.calls_of("cancel_all")) == 1
