"""How one gets to each picture: by keys, in a world that stands still."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from pmtui.domain.books.book_view import BookState
from pmtui.domain.health import HealthState, Source
from pmtui.domain.money import Micros
from pmtui.service.topics import StatusTopic
from pmtui.ui.app import PmtuiApp
from pmtui.ui.frame import EventChosen, MarketChosen
from pmtui.ui.keys.help import TermsScreen
from pmtui.ui.market.market import MarketScreen
from pmtui.ui.terminal.ascii_filter import is_ascii, to_ascii_cells
from pmtui.ui.ticket.protect import ProtectScreen
from pmtui.ui.widgets.line_table import LineTable
from tests.scenes.owned import DAY_OF_OURS, equity_until
from tests.scenes.prices import ago
from tests.scenes.watched import watchlist_of
from tests.scenes.world import World
from tests.ui import believable
from tests.ui.fake_surface import NOW
from tests.ui.look import screen_lines
from tests.ui.wait import settle, until

Play = Callable[[Pilot[None], World], Awaitable[None]]


async def markets(pilot: Pilot[None], world: World) -> None:
    await shown(pilot, "Presidential nominee")


async def search(pilot: Pilot[None], world: World) -> None:
    await pilot.press("slash")
    await until(pilot, lambda: isinstance(pilot.app.focused, Input), "the search line")
    await pilot.press(*("space" if c == " " else c for c in "will the"))
    await shown(pilot, "server included")
    await shown(pilot, " live ")


async def event(pilot: Pilot[None], world: World) -> None:
    app_of(pilot).navigation.go(EventChosen(world.election))
    await shown(pilot, "Xavier Marchetti")
    if "day" in pilot.app.screen.query_one("#outcomes", LineTable).columns.in_view:
        # The days of the rows in view come once the view stands still.
        sparks = "▄▆▄▃▄▁▁▅▅▄"
        await shown(pilot, to_ascii_cells(sparks) if is_ascii(pilot.app) else sparks)


async def market(pilot: Pilot[None], world: World) -> None:
    app_of(pilot).navigation.go(MarketChosen(world.strike))
    await until(pilot, lambda: isinstance(pilot.app.screen, MarketScreen), "the market")
    await shown(pilot, "verified")


async def ticket(pilot: Pilot[None], world: World) -> None:
    await market(pilot, world)
    await pilot.press("b")
    await until(pilot, lambda: isinstance(pilot.app.focused, Input), "the ticket")
    await pilot.press("8", "0")
    # In rows or on one line.
    await until(pilot, lambda: "cost " in screen_text(pilot.app).lower(), "what it costs")


async def confirm(pilot: Pilot[None], world: World) -> None:
    await ticket(pilot, world)
    await pilot.press("enter")
    await shown(pilot, "Send this order?")


async def portfolio(pilot: Pilot[None], world: World) -> None:
    service = world.service
    equity = service.status_view.portfolio_value
    service.status_view = replace(
        service.status_view, day_result=DAY_OF_OURS.total, day_figures=DAY_OF_OURS
    )
    service.activity_view = replace(service.activity_view, equity=equity_until(equity or Micros(0)))
    await shown(pilot, "Presidential nominee")
    await pilot.press("p")
    await shown(pilot, "Positions")


async def open_orders(pilot: Pilot[None], world: World) -> None:
    await portfolio(pilot, world)
    await pilot.press("right_square_bracket")
    await shown(pilot, "bids worth")


async def account(pilot: Pilot[None], world: World) -> None:
    await markets(pilot, world)
    await pilot.press("a")
    await shown(pilot, "every step is done")
    await pilot.press("down", "down")
    await shown(pilot, "wallet: the form")


async def desk(pilot: Pilot[None], world: World) -> None:
    await event(pilot, world)
    await pilot.press("W")
    await shown(pilot, "keys trade")


async def basket(pilot: Pilot[None], world: World) -> None:
    await event(pilot, world)
    await pilot.press("B")
    await shown(pilot, "Basket")


async def log(pilot: Pilot[None], world: World) -> None:
    await pilot.press("l")
    await shown(pilot, "reconnecting")


async def help_(pilot: Pilot[None], world: World) -> None:
    await market(pilot, world)
    await pilot.press("question_mark")
    await shown(pilot, "What it means")


async def rules(pilot: Pilot[None], world: World) -> None:
    await event(pilot, world)
    await pilot.press("i")
    await shown(pilot, "resolves by the announcement")


async def tags(pilot: Pilot[None], world: World) -> None:
    await markets(pilot, world)
    await pilot.press("g")
    await shown(pilot, "Filter by tag")


async def both(pilot: Pilot[None], world: World) -> None:
    await market(pilot, world)
    await pilot.press("O", "d")
    await settle(pilot)


async def armed(pilot: Pilot[None], world: World) -> None:
    service = world.service
    service.status_view = replace(service.status_view, armed_until=NOW + timedelta(minutes=4))
    await market(pilot, world)
    service.announce(StatusTopic())
    await pilot.press("enter", "down")
    await settle(pilot)


async def unproven(pilot: Pilot[None], world: World) -> None:
    service, silent_since = world.service, ago(14)
    for token, book in service.books.items():
        service.books[token] = replace(book, state=BookState.STALE, as_of=silent_since)
    health = tuple(
        replace(each, state=HealthState.CONNECTING, as_of=silent_since)
        if each.source is Source.MARKET_STREAM
        else each
        for each in service.status_view.health
    )
    service.status_view = replace(service.status_view, health=health)
    app_of(pilot).navigation.go(MarketChosen(world.strike))
    await shown(pilot, "stale")


async def scaled(pilot: Pilot[None], world: World) -> None:
    await market(pilot, world)
    await pilot.press("L")
    await shown(pilot, "Scaled orders")
    await pilot.press(*"58", "tab", *"62", "tab", *"5", "tab", "tab", *"100")
    await settle(pilot)


async def protect(pilot: Pilot[None], world: World) -> None:
    await market(pilot, world)
    await pilot.press("t")
    await until(pilot, lambda: isinstance(pilot.app.screen, ProtectScreen), "the entries")
    await pilot.press(*"40", "tab", "tab", *"80")
    await settle(pilot)


async def watchlist(pilot: Pilot[None], world: World) -> None:
    world.service.watchlist_view = watchlist_of(world)
    await shown(pilot, "Presidential nominee")
    await pilot.press("w", "down", "down")
    await shown(pilot, "RANG")


async def conditionals(pilot: Pilot[None], world: World) -> None:
    await markets(pilot, world)
    await pilot.press("C")
    await shown(pilot, "STOPS AND TARGETS")
    await shown(pilot, "watching")


async def move(pilot: Pilot[None], world: World) -> None:
    await open_orders(pilot, world)
    await pilot.press("e")
    await shown(pilot, "To ¢")


async def picked_up(pilot: Pilot[None], world: World) -> None:
    await market(pilot, world)
    await pilot.press("enter", "down", "down", "e", "down", "down")
    await settle(pilot)


async def kill(pilot: Pilot[None], world: World) -> None:
    await market(pilot, world)
    await pilot.press("K")
    await shown(pilot, "Kill switch?")


async def holders(pilot: Pilot[None], world: World) -> None:
    service = world.service
    found = service.events[world.election].event
    assert found is not None
    for each in found.markets:
        assert each.condition_id is not None
        view = service.markets[each.condition_id]
        service.markets[each.condition_id] = replace(view, holders=believable.holders(each))
    await event(pilot, world)
    await pilot.press("h")
    await shown(pilot, "harbour-seal")


async def comments(pilot: Pilot[None], world: World) -> None:
    view = world.service.events[world.election]
    world.service.events[world.election] = replace(view, comments=believable.comments())
    await event(pilot, world)
    await pilot.press("c")
    await shown(pilot, "tide_reader")


async def alert(pilot: Pilot[None], world: World) -> None:
    await market(pilot, world)
    await pilot.press("A")
    await settle(pilot)


async def sides(pilot: Pilot[None], world: World) -> None:
    found = world.service.events[world.election].event
    assert found is not None
    assert found.markets[1].condition_id is not None
    app_of(pilot).navigation.go(MarketChosen(found.markets[1].condition_id))
    await until(pilot, lambda: isinstance(pilot.app.screen, MarketScreen), "the market")
    await shown(pilot, "verified")
    # On a narrow screen it is said what they need.
    await pilot.press("W")
    await settle(pilot)
    await settle(pilot)


async def leaving(pilot: Pilot[None], world: World) -> None:
    await market(pilot, world)
    await pilot.press("q")
    await settle(pilot)


async def glossary(pilot: Pilot[None], world: World) -> None:
    await help_(pilot, world)
    await pilot.press("g")
    await until(pilot, lambda: isinstance(pilot.app.screen, TermsScreen), "the words")
    await shown(pilot, "API credentials")


async def theme_picker(pilot: Pilot[None], world: World) -> None:
    await market(pilot, world)
    app_of(pilot).action_change_theme()
    await shown(pilot, "Theme")


async def tour(pilot: Pilot[None], world: World) -> None:
    await market(pilot, world)
    await pilot.press("T")
    await shown(pilot, "Tour")


async def fills(pilot: Pilot[None], world: World) -> None:
    await open_orders(pilot, world)
    await pilot.press("right_square_bracket")
    await shown(pilot, "confirmed")


async def rewards(pilot: Pilot[None], world: World) -> None:
    await open_orders(pilot, world)
    await pilot.press(*["left_square_bracket"] * 3)
    await shown(pilot, "Share now")


async def palette(pilot: Pilot[None], world: World) -> None:
    await market(pilot, world)
    await pilot.press("ctrl+p")
    await until(pilot, lambda: isinstance(pilot.app.focused, Input), "the palette")
    await pilot.press(*"cancel")
    await shown(pilot, "Cancel market")


async def shown(pilot: Pilot[None], text: str) -> None:
    await until(pilot, lambda: text in screen_text(pilot.app), f"{text!r} on the screen")


def screen_text(app: App[None]) -> str:
    """Return the whole screen as text, with the screens that are seen behind a card."""
    return "\n".join(screen_lines(app))


def app_of(pilot: Pilot[None]) -> PmtuiApp:
    assert isinstance(pilot.app, PmtuiApp)
    return pilot.app
