"""What fingers aim at is what they get, whatever prices and outcomes do meanwhile."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from textual import events
from textual.pilot import Pilot

from pmtui.domain.ids import ConditionId
from pmtui.domain.markets.market import Market
from pmtui.domain.money import ONE, Micros
from pmtui.service.topics import EventTopic
from pmtui.ui.ladder.side_ladder import SideLadder
from pmtui.ui.market.market import MarketScreen
from tests.scenes.world import World, make_world
from tests.ui.look import text_of
from tests.ui.market.sibling_kit import market_of, on_ada
from tests.ui.wait import settle, until

pytestmark = pytest.mark.no_cover

Change = Callable[[tuple[Market, ...]], tuple[Market, ...]]

WIDEST = (250, 50)
"""Room for three ladders beside the main one."""


async def tell(pilot: Pilot[None], world: World, change: Change) -> None:
    view = world.service.events[world.election]
    assert view.event is not None
    event = replace(view.event, markets=change(view.event.markets))
    world.service.events[world.election] = replace(view, event=event)
    world.service.announce(EventTopic(world.election))
    await settle(pilot)


def swap_prices(markets: tuple[Market, ...]) -> tuple[Market, ...]:
    """Make the unlikeliest the likeliest, and so on."""
    prices = [m.outcomes[0].price for m in markets][::-1]
    return tuple(
        replace(m, outcomes=(replace(m.outcomes[0], price=price), *m.outcomes[1:]))
        for m, price in zip(markets, prices, strict=True)
    )


def resolve(*names: str) -> Change:
    return lambda markets: tuple(
        replace(m, closed=True) if m.group_title in names else m for m in markets
    )


def drop(*names: str) -> Change:
    return lambda markets: tuple(m for m in markets if m.group_title not in names)


def come_after(name: str) -> Change:
    def change(markets: tuple[Market, ...]) -> tuple[Market, ...]:
        place = next(n for n, m in enumerate(markets) if m.group_title == name) + 1
        outcomes = tuple(replace(o, token_id=None) for o in markets[0].outcomes)
        new = replace(
            markets[0],
            condition_id=ConditionId(f"0x{9_001:064x}"),
            group_title="New",
            outcomes=outcomes,
        )
        return (*markets[:place], new, *markets[place:])

    return change


def names_beside(screen: MarketScreen) -> list[str]:
    sides = [s for s in screen.query(SideLadder) if s.display]
    return [s.market.group_title for s in sides if s.market is not None]


def name_with_keys(screen: MarketScreen) -> str:
    found = [s for s in screen.query(SideLadder) if s.ladder is screen.focused]
    return found[0].market.group_title if found and found[0].market is not None else ""


async def aimed(pilot: Pilot[None], screen: MarketScreen, name: str) -> None:
    await pilot.press("W")
    await until(pilot, lambda: len(names_beside(screen)) == 3, "the ladders")
    await settle(pilot)
    while name_with_keys(screen) != name:
        await pilot.press("f4")
        await settle(pilot)


@pytest.mark.parametrize(
    ("change", "beside"),
    [
        (swap_prices, ["Tomas Oyelaran", "Ruth Castellan", "Ibrahim Sole"]),
        (lambda markets: markets[::-1], ["Tomas Oyelaran", "Ruth Castellan", "Ibrahim Sole"]),
        (resolve("Tomas Oyelaran"), ["Ruth Castellan", "Ibrahim Sole", "Grace Whitlock"]),
        (drop("Tomas Oyelaran"), ["Ruth Castellan", "Ibrahim Sole", "Grace Whitlock"]),
        (resolve("Ruth Castellan"), ["Tomas Oyelaran", "Ruth Castellan", "Ibrahim Sole"]),
        (drop("Ruth Castellan"), ["Tomas Oyelaran", "Ruth Castellan", "Ibrahim Sole"]),
        (come_after("Ada Lindqvist"), ["New", "Tomas Oyelaran", "Ruth Castellan"]),
    ],
)
async def test_enter_goes_to_the_outcome_that_was_aimed_at(
    change: Change, beside: list[str]
) -> None:
    world = make_world()
    async with on_ada(world, WIDEST) as (_, pilot, screen):
        aim = market_of(world, "Ruth Castellan")
        await aimed(pilot, screen, "Ruth Castellan")
        await pilot.press("up")
        await settle(pilot)
        side = next(s for s in screen.query(SideLadder) if s.ladder is screen.focused)
        cursor = side.ladder.cursor
        assert cursor is not None
        await tell(pilot, world, change)
        assert names_beside(screen) == beside
        assert name_with_keys(screen) == "Ruth Castellan"
        assert side.ladder.cursor == cursor
        await pilot.press("enter")
        await settle(pilot)
        assert screen.reader.condition_id == aim
        assert screen.ladder.cursor is not None
        assert screen.ladder.cursor[0] == cursor[0]


async def test_the_last_one_beside_stays_while_it_has_the_keys_and_goes_with_them() -> None:
    world = make_world()
    async with on_ada(world, WIDEST) as (_, pilot, screen):
        await aimed(pilot, screen, "Ibrahim Sole")
        await tell(pilot, world, come_after("Ada Lindqvist"))
        assert names_beside(screen) == ["New", "Tomas Oyelaran", "Ibrahim Sole"]
        assert name_with_keys(screen) == "Ibrahim Sole"
        await pilot.press("f5")
        await settle(pilot)
        assert names_beside(screen) == ["New", "Tomas Oyelaran", "Ruth Castellan"]


async def test_a_terminal_that_is_returned_to_gives_the_keys_to_the_same_outcome() -> None:
    world = make_world()
    async with on_ada(world, WIDEST) as (app, pilot, screen):
        await aimed(pilot, screen, "Ibrahim Sole")
        app.post_message(events.AppBlur())
        await until(pilot, lambda: screen.focused is None, "another window has the keys")
        await tell(pilot, world, resolve("Ibrahim Sole", "Tomas Oyelaran"))
        app.post_message(events.AppFocus())
        await until(pilot, lambda: screen.focused is not None, "are restored at the next start")
        await settle(pilot)
        assert name_with_keys(screen) == "Ibrahim Sole"


async def test_going_on_leaves_the_keys_with_the_outcome_as_long_as_it_is_beside() -> None:
    world = make_world()
    async with on_ada(world, WIDEST) as (_, pilot, screen):
        await aimed(pilot, screen, "Ruth Castellan")
        await pilot.press("right")
        await settle(pilot)
        assert names_beside(screen) == ["Ruth Castellan", "Ibrahim Sole", "Grace Whitlock"]
        assert name_with_keys(screen) == "Ruth Castellan"
        await pilot.press("right")
        await settle(pilot)
        assert screen.reader.condition_id == market_of(world, "Ruth Castellan")
        assert screen.focused is screen.ladder


async def test_left_and_right_lead_to_the_same_outcomes_whatever_prices_do() -> None:
    world = make_world()
    async with on_ada(world) as (app, pilot, screen):
        names = ("Tomas Oyelaran", "Ruth Castellan", "Ibrahim Sole")
        for place, name in enumerate(names, 2):
            await tell(pilot, world, swap_prices)
            assert text_of(app, "#siblings").startswith(f" Outcome {place} of 8 ")
            await pilot.press("right")
            assert screen.reader.condition_id == market_of(world, name)
        await tell(pilot, world, lambda markets: swap_prices(markets[::-1]))
        await tell(pilot, world, resolve("Ruth Castellan"))
        await pilot.press("left")
        assert screen.reader.condition_id == market_of(world, "Tomas Oyelaran")


def test_the_prices_of_the_scene_differ() -> None:
    """Or a swap would swap nothing."""
    event = make_world().service.events[make_world().election].event
    assert event is not None
    prices = [m.outcomes[0].price or Micros(0) for m in event.markets]
    assert len({p for p in prices if 0 < p < ONE}) == len(prices)
