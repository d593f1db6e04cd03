"""The rows of a list and their ladders on the local venue: one price for one market."""

from pathlib import Path

from textual.pilot import Pilot

from pmtui.domain.books.book_view import BookView
from pmtui.domain.ids import TokenId
from pmtui.domain.orders.order import Accepted
from pmtui.ui.cells import Cell
from pmtui.ui.explore.markets import MarketsScreen
from pmtui.ui.facts import paint_mid
from pmtui.ui.surface import Surface
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable
from tests.cli.at_venue import YES, ServiceAtVenue, TimeWithoutPolls, service_at_venue
from tests.sim.kit import SNOW_YES
from tests.ui.demo import ScreenApp
from tests.ui.look import text_of
from tests.ui.wait import until

RAIN_KEY, SNOW_KEY = "1", "2"
SNOW = TokenId(SNOW_YES)


def screen_of(here: ServiceAtVenue) -> ScreenApp:
    service = here.service
    return ScreenApp(MarketsScreen(Surface(service.queries, service.commands, service.hub)))


def price_and_age(app: ScreenApp, key: str, table: str = "events") -> tuple[Cell, Cell]:
    rows = app.screen.query_one(f"#{table}", LineTable).rows
    cells = next((row.cells for row in rows if row.key == key), None)
    return (cells[3], cells[4]) if cells is not None else (Cell("missing"), Cell("missing"))


async def until_as_ladder(
    pilot: Pilot[None], app: ScreenApp, here: ServiceAtVenue, *, bid: str
) -> None:
    """Wait until the book has this bid, and the row the price that its ladder shows."""

    def book() -> BookView:
        return here.service.queries.book(YES)

    await until(pilot, lambda: f"{(book().best_bid or 0) / 10_000:g}" == bid, "the bid in the book")
    await until(
        pilot,
        lambda: (
            price_and_age(app, RAIN_KEY)[0].text
            == paint_mid(book().best_bid, book().best_ask, Role.TEXT).text
        ),
        "the price of the row",
    )


async def test_a_row_in_view_has_the_price_of_its_ladder_and_others_are_told_as_old(
    tmp_path: Path,
) -> None:
    async with service_at_venue(tmp_path, TimeWithoutPolls) as here:
        assert isinstance(await here.place("0.40", "10"), Accepted)
        app = screen_of(here)
        # So low that one row is in view.
        async with app.run_test(size=(80, 8)) as pilot:
            await until(pilot, lambda: price_and_age(app, RAIN_KEY)[1].text == "", "the row")
            await until_as_ladder(pilot, app, here, bid="40")
            assert "updated now" in text_of(app, "#list-panel")
            price, age = price_and_age(app, SNOW_KEY)
            assert (price.role, age.text) == (Role.STALE, "")
            assert isinstance(await here.place("0.45", "10"), Accepted)
            await until_as_ladder(pilot, app, here, bid="45")
            await pilot.press("down")
            # Nobody bids or asks there: its live book has no price, so none has an age.
            await until(pilot, lambda: price_and_age(app, SNOW_KEY)[0].text == "–", "the other")
            assert price_and_age(app, RAIN_KEY)[0].role is Role.STALE
            await pilot.press("slash", *"rain")
            book = here.service.queries.book

            def has_come() -> bool:
                bid, ask = book(YES).best_bid, book(YES).best_ask
                found = price_and_age(app, "11", "results")[0].text
                return found == paint_mid(bid, ask, Role.TEXT).text

            await until(pilot, has_come, "the price of the ladder")
