"""Renders only the changed parts of a screen.

Textual renders every widget that touches the rectangle around all changes, cuts each of its lines
wherever another widget starts, and discards nearly all of it: most of the cost of a frame. Here a
changed part of a line is looked up in a table of the front widgets, which is kept until the layout
changes, and only those lines are rendered. A full screen is rendered the same way: covered
containers would otherwise be rendered and cut, and their lines cached.

It uses private names of the pinned Textual. If one is missing, or on any unexpected error, Textual
renders as usual.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, cast

from textual._compositor import (
    ChopsUpdate,
    Compositor,
    CompositorMap,
    LayoutUpdate,
    ReflowResult,
)
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

_NEEDED = (
    "_dirty_regions", "_regions_to_spans", "render_full_update", "render_partial_update",
    "render_strips", "cuts", "visible_widgets", "size", "_full_map", "_full_map_invalidated",
)  # fmt: skip
_SURPRISES = (AttributeError, IndexError, KeyError, TypeError, ValueError)


class _Part(NamedTuple):
    """A stretch of a line that belongs to one widget."""

    start: int
    end: int
    widget: Widget
    region: Region
    """The region of the whole widget, including hidden parts."""


def use_spans(screen: Screen[Any]) -> None:
    """Replace a new screen's compositor, if this release of Textual allows it."""
    compositor = getattr(screen, "_compositor", None)
    if type(compositor) is Compositor and all(hasattr(compositor, name) for name in _NEEDED):
        screen._compositor = SpanCompositor()


class SpanCompositor(Compositor):
    """A compositor that renders only the changed spans."""

    _layout: tuple[object, object] | None = None
    """The sources of the table, which Textual replaces with every layout."""
    _painted_map: "CompositorMap | None" = None
    """The map of the last layout, if another was built since."""

    def __init__(self) -> None:
        """Start without a screen."""
        super().__init__()
        self._visible: list[tuple[Widget, Region, Region]] = []
        self._parts: dict[int, list[_Part]] = {}

    # A map that was invalidated is rebuilt by its first reader. If that happens between a change
    # and the next layout, that layout would find no difference and paint nothing.
    @property
    @override
    def full_map(self) -> "CompositorMap":
        if self._full_map_invalidated and self._painted_map is None:
            self._painted_map = self._full_map
        return super().full_map

    # A screen posts its own change of size to itself. Two sizes in its queue would follow each other
    # for ever, so what is laid out is the size of now.
    @override
    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        size = parent.app.size if isinstance(parent, Screen) else size
        if self._painted_map is not None:
            self._full_map, self._painted_map = self._painted_map, None
        return super().reflow(parent, size)

    @override
    def render_partial_update(self) -> ChopsUpdate | None:
        try:
            update = self._render_spans()
        except _SURPRISES:
            self._layout = None
            return super().render_partial_update()
        self._dirty_regions.clear()
        return update

    @override
    def render_full_update(self, simplify: bool = False) -> LayoutUpdate:
        if simplify:
            return super().render_full_update(simplify=simplify)
        try:
            lines = self._render_whole()
        except _SURPRISES:
            self._layout = None
            return super().render_full_update(simplify=simplify)
        self._dirty_regions.clear()
        return LayoutUpdate(cast("list[Iterable[Strip]]", lines), self.size.region)

    @override
    def render_strips(self, size: Size | None = None) -> list[Strip]:
        # Textual shows this behind a modal screen.
        try:
            lines = self._render_whole() if size in (None, self.size) else None
        except _SURPRISES:
            self._layout, lines = None, None
        return super().render_strips(size) if lines is None else [Strip.join(x) for x in lines]

    def render_line(self, y: int) -> Strip:
        """Return a line of the screen, which is shown behind a modal one."""
        try:
            self._follow_layout()
            return Strip.join(_render({y: self._parts_of(y)})[y].values())
        except _SURPRISES:
            self._layout = None
            lines = super().render_strips()
            # A screen behind may not have been resized yet.
            return lines[y] if y < len(lines) else Strip([])

    def _render_whole(self) -> list[list[Strip]]:
        self._follow_layout()
        wanted = {y: self._parts_of(y) for y in range(self.size.height)}
        return [list(chops.values()) for chops in _render(wanted).values()]

    def _render_spans(self) -> ChopsUpdate | None:
        height = self.size.height
        spans = [
            span for span in self._regions_to_spans(self._dirty_regions) if 0 <= span[0] < height
        ]
        if not spans:
            return None
        self._follow_layout()
        wanted: dict[int, list[_Part]] = {}
        for y, x1, x2 in spans:
            for part in self._parts_of(y):
                if part.start < x2 and part.end > x1:
                    wanted.setdefault(y, []).append(part)
        chops = _render(wanted)
        ends = {
            y: list({part.start: part.end for part in parts}.values())
            for y, parts in wanted.items()
        }
        # Looked up by line only, so unchanged lines can be missing.
        return ChopsUpdate(
            cast("Sequence[Mapping[int, Strip | None]]", chops),
            spans,
            cast("list[list[int]]", ends),
        )

    def _follow_layout(self) -> None:
        visible, cuts = self.visible_widgets, self.cuts
        if self._layout is not None and self._layout[0] is visible and self._layout[1] is cuts:
            return
        self._layout = visible, cuts
        self._parts = {}
        self._visible = [
            (widget, region, region.intersection(clip))
            for widget, (region, clip) in visible.items()
        ]

    def _parts_of(self, y: int) -> list[_Part]:
        parts = self._parts.get(y)
        if parts is None:
            parts = self._parts[y] = list(self._find_parts(y))
        return parts

    def _find_parts(self, y: int) -> Iterator[_Part]:
        """Yield the front widgets along a line, from left to right."""
        here = [each for each in self._visible if each[2] and each[2].y <= y < each[2].bottom]
        start: int | None = None
        owner: tuple[Widget, Region, Region] | None = None
        cuts = self.cuts[y]
        for x in cuts:
            # Front to back: the first match wins.
            found = next((each for each in here if each[2].x <= x < each[2].right), None)
            if found is owner and x != cuts[-1]:
                continue
            if owner is not None and start is not None:
                yield _Part(start, x, owner[0], owner[1])
            start, owner = x, found


def _render(wanted: Mapping[int, Sequence[_Part]]) -> dict[int, dict[int, Strip]]:
    """Render parts of lines; return them by line and by start column."""
    rows: dict[Widget, tuple[Region, dict[int, None]]] = {}
    for y, parts in wanted.items():
        for part in parts:
            rows.setdefault(part.widget, (part.region, {}))[1][y] = None
    strips = {widget: dict(_strips(widget, region, ys)) for widget, (region, ys) in rows.items()}
    return {
        y: {part.start: _cut(strips[part.widget][y], part) for part in parts}
        for y, parts in wanted.items()
    }


def _strips(widget: Widget, region: Region, ys: Mapping[int, None]) -> Iterator[tuple[int, Strip]]:
    """Yield whole lines of a widget with their line on the screen."""
    if isinstance(widget, Screen) and (behind := _lines_behind(widget)) is not None:
        filters, background = widget.get_line_filters(), widget.background_colors[1]
        for y in ys:
            strip = behind.line(y)
            for each in filters:
                strip = strip.apply_filter(each, background)
            yield y, strip
        return
    top = region.y
    for first, count in _stretches(sorted(ys)):
        lines = widget.render_lines(Region(0, first - top, region.width, count))
        yield from enumerate(lines, first)


class _Lines(Protocol):
    def line(self, y: int) -> Strip: ...


def _lines_behind(front: Screen[Any]) -> _Lines | None:
    """Return the lines of the screen behind one that says how to show it."""
    stack, dimming = front.app.screen_stack, getattr(front, "dimming", None)
    place = stack.index(front) if front in stack else 0
    if dimming is None or not place or front.styles.background.a >= 1:
        return None
    for screen in stack[:place]:
        # These marks repeat what is painted now, and Textual would report them with every later change.
        _ = screen._exchange_repaint_regions()
    lines: _Lines = dimming.over(stack[place - 1])
    return lines


def _stretches(ys: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the start and length of each run of adjacent lines: a frame's inside is skipped."""
    begin = 0
    for i, y in enumerate(ys, 1):
        if i == len(ys) or ys[i] != y + 1:
            yield ys[begin], i - begin
            begin = i


def _cut(strip: Strip, part: _Part) -> Strip:
    left = part.start - part.region.x
    right = part.end - part.region.x
    return strip if left == 0 and right == part.region.width else strip.crop(left, right)
