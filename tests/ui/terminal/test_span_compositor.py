"""What is rendered of a screen that changed in parts: the same as Textual renders, and no more."""

from random import Random
from typing import Any

import pytest
from textual import events
from textual._compositor import ChopsUpdate, Compositor, LayoutUpdate
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Static
from typing_extensions import override

from pmtui.ui.cells import Cell, Column, Row
from pmtui.ui.terminal.cell_diff import _pieces_of
from pmtui.ui.terminal.screen_buffer import ScreenBuffer
from pmtui.ui.terminal.span_compositor import SpanCompositor, use_spans
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.line_table import LineTable
from pmtui.ui.widgets.text_line import TextLine
from tests.ui.demo_market import MarketDemo
from tests.ui.stage import Stage
from tests.ui.wait import settle, until

PICTURES = 30


def _shown(update: ChopsUpdate | LayoutUpdate | None, width: int, height: int) -> tuple[Any, Any]:
    shadow = ScreenBuffer(width, height, None)
    assert update is not None
    shadow.encode((x, y, segments) for x, y, segments in _pieces_of(update))
    return shadow._chars, shadow._looks


def _in_spans(cells: list[list[Any]], update: ChopsUpdate) -> list[list[Any]]:
    return [cells[y][x1:x2] for y, x1, x2 in update.spans]


def _some_regions(random: Random, width: int, height: int) -> set[Region]:
    return {
        Region(
            (x := random.randrange(width)), (y := random.randrange(height)),
            random.randint(1, width - x), random.randint(1, min(4, height - y)),
        )
        for _ in range(random.randint(1, 6))
    }  # fmt: skip


def _assert_same_as_textual(compositor: Compositor, seed: int) -> None:
    random, (width, height) = Random(seed), compositor.size
    for _ in range(PICTURES):
        regions = _some_regions(random, width, height)
        compositor._dirty_regions = set(regions)
        ours = compositor.render_partial_update()
        assert not compositor._dirty_regions
        compositor._dirty_regions = set(regions)
        stock = Compositor.render_partial_update(compositor)
        assert ours is not None
        assert stock is not None
        for mine, other in zip(
            _shown(ours, width, height), _shown(stock, width, height), strict=True
        ):
            assert _in_spans(mine, ours) == _in_spans(other, stock)


def _assert_whole_is_the_same(compositor: Compositor) -> None:
    width, height = compositor.size
    compositor._dirty_regions = {Region(0, 0, width, height)}
    ours = compositor.render_full_update()
    assert not compositor._dirty_regions
    stock = Compositor.render_full_update(compositor)
    assert _shown(ours, width, height) == _shown(stock, width, height)
    plain = [[s.text for s in strips] for strips in (
        compositor.render_strips(), Compositor.render_strips(compositor)
    )]  # fmt: skip
    assert plain[0] == plain[1]


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_any_part_of_the_trading_screen_is_what_textual_renders(
    size: tuple[int, int],
) -> None:
    app = MarketDemo(0)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.screen.query("#ladder"), "the screen opens")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen._compositor, SpanCompositor)
        _assert_same_as_textual(screen._compositor, 1)
        # On a small screen the ticket lies over other panes.
        await pilot.press("b")
        await settle(pilot)
        _assert_same_as_textual(screen._compositor, 2)
        await pilot.resize_terminal(size[0] - 7, size[1] + 3)
        await settle(pilot)
        _assert_same_as_textual(screen._compositor, 3)
        _assert_whole_is_the_same(screen._compositor)


class _Counted(TextLine):
    renders = 0

    @override
    def render_line(self, y: int) -> Strip:
        self.renders += 1
        return super().render_line(y)


class _Screen(Screen[None]):
    CSS = """
    _Screen { layers: under over; }
    Horizontal { height: 3; }
    .framed { border: round red; padding: 0 1; width: 1fr; }
    #near { width: 12; height: 3; }
    #over { layer: over; width: 5; height: 1; offset: 3 0; }
    """

    def __init__(self) -> None:
        super().__init__()
        use_spans(self)

    @override
    def compose(self) -> ComposeResult:
        with Horizontal():
            yield _Counted((Cell("一near", Role.BID),), id="near")
            yield Static("framed", classes="framed")
            yield TextLine((Cell("framed", Role.ASK),), classes="framed")
        yield _Counted((Cell("below"),), id="below")
        yield Static("over", id="over")


class _TableScreen(Screen[None]):
    def __init__(self, table: LineTable) -> None:
        super().__init__()
        use_spans(self)
        self._table = table

    @override
    def compose(self) -> ComposeResult:
        yield self._table


async def test_frames_layers_and_plain_widgets_are_rendered_as_ever() -> None:
    app = Stage()
    async with app.run_test(size=(50, 6)) as pilot:
        await app.push_screen(screen := _Screen())
        await settle(pilot)
        _assert_same_as_textual(screen._compositor, 4)
        _assert_whole_is_the_same(screen._compositor)


async def test_a_table_that_is_scrolled_is_rendered_as_ever() -> None:
    table = LineTable([Column("a", "Name", 10, grow=1), Column("b", "Size", 6)])
    app = Stage()
    async with app.run_test(size=(40, 8)) as pilot:
        await app.push_screen(screen := _TableScreen(table))
        table.set_rows([Row(str(n), (Cell(f"row {n}"), Cell(str(n)))) for n in range(60)])
        table.focus()
        await pilot.press("pagedown", "down", "down")
        await settle(pilot)
        _assert_same_as_textual(screen._compositor, 6)


async def test_only_lines_that_changed_are_asked_for() -> None:
    app = Stage()
    async with app.run_test(size=(50, 6)) as pilot:
        await app.push_screen(screen := _Screen())
        await settle(pilot)
        near, below = screen.query_one("#near", _Counted), screen.query_one("#below", _Counted)
        near.renders = below.renders = 0
        below.show((Cell("news"),))
        await until(pilot, lambda: below.renders, "the line being painted")
        assert (near.renders, below.renders) == (0, 1)


class _Covered(Vertical):
    renders = 0

    @override
    def render_line(self, y: int) -> Strip:
        self.renders += 1
        return super().render_line(y)


class _CoveringScreen(Screen[None]):
    CSS = "_Covered { width: 1fr; height: 1fr; } TextLine { width: 1fr; height: 1; }"

    def __init__(self) -> None:
        super().__init__()
        use_spans(self)

    @override
    def compose(self) -> ComposeResult:
        with _Covered(id="covered"):
            yield TextLine((Cell("one"),))
            yield TextLine((Cell("two"),))


async def test_what_is_covered_is_never_rendered() -> None:
    app = Stage()
    async with app.run_test(size=(20, 4)) as pilot:
        await app.push_screen(screen := _CoveringScreen())
        await settle(pilot)
        covered = screen.query_one(_Covered)
        covered.renders = 0
        covered.refresh()
        screen.refresh()
        await until(pilot, lambda: covered.renders, "the rest of it being painted")
        assert covered.renders == 2


async def test_nothing_dirty_is_no_update() -> None:
    app = Stage()
    async with app.run_test(size=(50, 6)) as pilot:
        await app.push_screen(screen := _Screen())
        await settle(pilot)
        screen._compositor._dirty_regions = set()
        assert screen._compositor.render_partial_update() is None
        screen._compositor._dirty_regions = {Region(0, 90, 3, 1)}
        assert screen._compositor.render_partial_update() is None


async def test_what_surprises_is_rendered_by_textual(monkeypatch: pytest.MonkeyPatch) -> None:
    def surprise(*_: object) -> None:
        raise KeyError("another release")

    app = Stage()
    async with app.run_test(size=(50, 6)) as pilot:
        await app.push_screen(screen := _Screen())
        await settle(pilot)
        monkeypatch.setattr(SpanCompositor, "_parts_of", surprise)
        _assert_whole_is_the_same(screen._compositor)
        _assert_same_as_textual(screen._compositor, 5)


def test_another_release_keeps_its_own_compositor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Compositor, "render_partial_update")
    screen: Screen[None] = Screen()
    use_spans(screen)
    assert not isinstance(screen._compositor, SpanCompositor)


async def test_what_comes_into_sight_is_painted_whoever_looked_at_the_map_before() -> None:
    first, second = Static("first"), Static("second")
    app = Stage(first, second)
    async with app.run_test(size=(20, 4)) as pilot:
        await settle(pilot)
        use_spans(app.screen)
        compositor = app.screen._compositor
        assert isinstance(compositor, SpanCompositor)
        compositor.reflow(app.screen, app.screen.size)
        compositor._dirty_regions.clear()
        # As if the last layout had been without the second, and its map let go since.
        compositor._full_map = {w: g for w, g in compositor._full_map.items() if w is not second}
        compositor._full_map_invalidated = True
        assert second in compositor.full_map
        assert second in compositor.reflow(app.screen, app.screen.size).shown
        assert second.region in compositor._dirty_regions


class _Chatty(_Screen):
    """Posts a message with every change of its size, as a screen with much on it does."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[Size] = []

    def on_resize(self, event: events.Resize) -> None:
        # Where sizes chase each other the test ends, not the patience of whoever runs it.
        assert len(self.sizes) < MOST_SIZES
        self.sizes.append(event.size)
        self.post_message(events.Callback(lambda: None))


MOST_SIZES = 20


async def test_two_sizes_in_one_queue_do_not_chase_each_other() -> None:
    app = Stage()
    async with app.run_test(size=(50, 6)) as pilot:
        await app.push_screen(screen := _Chatty())
        await settle(pilot)
        for size in (Size(60, 8), Size(40, 10)):
            screen.post_message(events.Resize(size, size))
            screen.post_message(events.Callback(lambda: None))
        await settle(pilot)
        assert screen.size == app.size
