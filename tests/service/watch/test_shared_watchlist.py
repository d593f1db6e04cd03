"""Two terminals of one profile: what the one stars or sets, the other shows within seconds."""

from dataclasses import replace
from pathlib import Path

from pmtui.domain.conditionals.alerts import (
    AlertId,
    AlertPlan,
    AlertSide,
    AlertState,
    PriceAlert,
)
from pmtui.domain.markets.watchlist import Star, StarKey, StarKind
from pmtui.service.topics import WatchlistTopic
from pmtui.service.watch.watchlist import CHECK_PERIOD_S, FILE, WatchStore
from tests.service.fakes import CONDITION, YES, World, running_world
from tests.service.order_kit import until
from tests.service.watch_kit import KEY, START, m, starred, view

OTHER = StarKey(StarKind.EVENT, "777")
ALERT = PriceAlert(
    AlertId("a1"), AlertPlan(CONDITION, YES, AlertSide.ABOVE, m("0.65")), "Yes", "Will it?", START
)


def stars(world: World) -> list[StarKey]:
    return [row.key for row in view(world).rows if row.is_starred]


def alerts(world: World) -> list[PriceAlert]:
    return [row.alert for row in view(world).alerts]


async def written(world: World, tmp_path: Path, key: StarKey) -> None:
    """Wait until the file holds what this terminal starred."""
    await until(
        world, lambda: key in [star.key for star in WatchStore(tmp_path).read().stars], "the file"
    )


async def test_what_another_terminal_stars_and_unstars_is_seen(tmp_path: Path) -> None:
    async with running_world(tmp_path) as world:
        await starred(world)
        await written(world, tmp_path, KEY)
        told: list[object] = []
        world.service.hub.subscribe([WatchlistTopic()], told.append)
        await world.pass_time(1)
        WatchStore(tmp_path).write((Star(OTHER, "elsewhere", START),))
        told.clear()
        await until(world, lambda: stars(world) == [KEY, OTHER], "the other's star")
        await world.pass_time(1)
        assert told
        WatchStore(tmp_path).write((KEY,))
        await until(world, lambda: stars(world) == [OTHER], "that it is no star any more")
    assert [star.key for star in WatchStore(tmp_path).read().stars] == [OTHER]


async def test_two_terminals_end_with_the_same_list(tmp_path: Path) -> None:
    async with running_world(tmp_path) as one, running_world(tmp_path, with_key=False) as two:
        await starred(one)
        assert await two.service.commands.star(OTHER, "elsewhere") == ""
        await until(one, lambda: set(stars(one)) == {KEY, OTHER}, "both here")
        await until(two, lambda: set(stars(two)) == {KEY, OTHER}, "both there")
        _ = await two.service.commands.unstar(KEY)
        await until(
            two, lambda: not two.service.parts.watchlist._keeper._unwritten, "it is written"
        )
        await until(one, lambda: stars(one) == [OTHER], "it is gone")


async def test_an_own_wish_is_never_undone_by_an_older_file(world: World, tmp_path: Path) -> None:
    await starred(world)
    for _ in range(5):
        WatchStore(tmp_path).write((Star(OTHER, "elsewhere", START),))
        _ = await world.service.commands.unstar(KEY)
        assert await world.service.commands.star(KEY, "again") == ""
        await world.pass_time(CHECK_PERIOD_S)
        assert KEY in stars(world)
    await until(world, lambda: set(stars(world)) == {KEY, OTHER}, "both")


async def test_alerts_of_another_terminal_come_go_and_ring_once(
    world: World, tmp_path: Path
) -> None:
    WatchStore(tmp_path).write((ALERT,))
    await until(world, lambda: alerts(world) == [ALERT], "the alert")
    assert YES in world.stream.watched
    rang = replace(ALERT, state=AlertState.RANG, rang_price=m("0.66"), rang_at=START)
    WatchStore(tmp_path).write((rang,))
    await until(world, lambda: alerts(world) == [rang], "that it rang there")
    assert world.service.queries.alerts().fired == 0
    # What rang here waits no more, whatever an older row says.
    WatchStore(tmp_path).write((ALERT,))
    await world.pass_time(2 * CHECK_PERIOD_S)
    assert alerts(world) == [rang]
    WatchStore(tmp_path).write((ALERT.alert_id,))
    await until(world, lambda: alerts(world) == [], "that it was removed")


async def test_a_file_that_is_gone_takes_no_star_away(world: World, tmp_path: Path) -> None:
    await starred(world)
    await written(world, tmp_path, KEY)
    (tmp_path / FILE).unlink()
    await world.pass_time(3 * CHECK_PERIOD_S)
    assert stars(world) == [KEY]
