"""The log screen: what happened, and in a list of their own the requests with status and time."""

from datetime import timedelta

from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.service.topics import RequestsTopic
from pmtui.service.views import EntryFacts, Level, LogEntry, LogView, RequestEntry, RequestsView
from pmtui.ui.app import PmtuiApp
from pmtui.ui.portfolio.log import KINDS, REQUEST, LogScreen
from pmtui.ui.portfolio.paint_log import BLOTTER_FROM, request_words
from pmtui.ui.theme.theme_files import load_themes
from tests.ui.fake_surface import NOW, FakeService
from tests.ui.look import screen_lines
from tests.ui.stage import shown_text
from tests.ui.wait import settle, until

ORDER = LogEntry(1, NOW, Level.INFO, "order", "BUY 10 Yes sent")
READ = RequestEntry(1, NOW, "GET /book", 200, 45)
LOST = RequestEntry(2, NOW + timedelta(seconds=1), "POST /order", None, 10_000, "no answer in time")


def screen_of(app: PmtuiApp) -> str:
    return "\n".join(screen_lines(app))


def test_a_request_says_route_status_and_time() -> None:
    assert request_words(READ) == "GET /book 200 in 45 ms"
    assert request_words(LOST) == "POST /order no answer in 10000 ms: no answer in time"


async def test_requests_have_a_list_of_their_own_and_it_follows_them() -> None:
    service = FakeService()
    service.log_view = LogView((ORDER,), 0, 0)
    service.requests_view = RequestsView((READ, LOST), 7)
    app = PmtuiApp(service.surface(), themes=load_themes()[0])
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("l")
        await until(pilot, lambda: isinstance(app.screen, LogScreen), "the log")
        await until(pilot, lambda: "BUY 10 Yes sent" in screen_of(app), "the order")
        assert "GET /book" not in screen_of(app)
        for _ in range(KINDS.index(REQUEST)):
            await pilot.press("f")
        await until(pilot, lambda: "GET /book 200 in 45 ms" in screen_of(app), "the read")
        said = screen_of(app)
        # The newest stands first.
        assert said.index("POST /order") < said.index("GET /book")
        assert "BUY 10 Yes sent" not in said
        assert "7 older ones dropped" in said
        later = RequestEntry(3, NOW + timedelta(seconds=2), "GET /time", 503, 9, "failed")
        service.requests_view = RequestsView((READ, LOST, later), 7)
        for subscription in service.subscriptions:
            if subscription.is_open and RequestsTopic() in subscription.topics:
                subscription.notify(RequestsTopic())
        await until(pilot, lambda: "GET /time 503" in screen_of(app), "the new one")


DEED = EntryFacts(
    "cancelled", Side.BUY, Micros(120_000_000), Micros(396_000), "Yes", "No change: ECB", "expired"
)
CANCELLED = LogEntry(2, NOW, Level.WARNING, "order", "Cancelled: Buy 120 Yes at 39.6¢", facts=DEED)


async def test_an_order_stands_in_columns_where_there_is_room_and_in_words_where_not() -> None:
    service = FakeService()
    service.log_view = LogView((ORDER, CANCELLED), 0, 0)
    app = PmtuiApp(service.surface(), themes=load_themes()[0])
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("l")
        await until(pilot, lambda: "cancelled" in screen_of(app), "the facts")
        row = next(line for line in screen_lines(app) if "cancelled" in line)
        assert row.strip("│ ").split()[2:6] == ["cancelled", "BUY", "120", "39.6¢"]
        assert "expired · Yes · No change: ECB" in row
        for width in (80, BLOTTER_FROM):
            await pilot.resize_terminal(width, 24)
            await settle(pilot)
            rows = table_lines(app)
            row = next(line for line in rows if "cancelled" in line)
            assert row.split()[2:6] == ["cancelled", "BUY", "120", "39.6¢"]
            assert "expired · Yes" in row
            # What is no order takes the room of the columns that it does not fill.
            words = next(line for line in rows if "BUY 10 Yes sent" in line)
            assert words.index("BUY 10") == row.index("BUY")
        await pilot.resize_terminal(BLOTTER_FROM - 1, 24)
        await until(
            pilot,
            lambda: any("Cancelled: Buy 120 Yes" in line for line in table_lines(app)),
            "the words",
        )


def table_lines(app: PmtuiApp) -> list[str]:
    return shown_text(app.screen.query_one("#entries"))
