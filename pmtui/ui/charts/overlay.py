"""Several outcomes of an event in one chart, each named where its curve ends."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from typing_extensions import override

from pmtui.domain.ids import TokenId
from pmtui.domain.markets.history import Interval, PricePoint
from pmtui.domain.money import Micros
from pmtui.service.views import HistoryView, Load
from pmtui.ui.cells import Cell, Emphasis, Line, fit_line, line_width
from pmtui.ui.charts.chart import paint_intervals
from pmtui.ui.charts.plot import (
    FINEST,
    Axes,
    Band,
    Canvas,
    Drawing,
    axes_over,
    bands_of,
    chart_price,
    cropped,
    draw_grid,
    evened,
    paint_move,
    plot_curve,
    price_names,
    price_range,
    row_of_price,
    time_line,
)
from pmtui.ui.plain import cell_width, ellipsize_distinctly, fit, fit_names, plain
from pmtui.ui.terminal.ascii_filter import is_ascii
from pmtui.ui.theme.theme import Role
from pmtui.ui.widgets.drawn_pane import Draw, DrawnPane, Picture

MOST_CURVES = 4
MIN_HEIGHT = 8
"""Title included; several curves cannot be told apart in fewer rows."""
_MIN_WIDTH = 30
_PRICES_FROM, _NAMES_FROM = 60, 90
"""Widths from which prices, and names, stand at the ends of the curves."""
_NAME_SHARE = 3
"""Names at the ends take what they need, and at most this fraction of the width."""
_ROLES = (Role.FRAME_FOCUS, Role.NOTICE_WARN, Role.SERIES_3, Role.SERIES_4)
"""The colours of the curves; none is bold by itself, as the one at the cursor is."""
_LEAST_NAME = 6


class Curve(NamedTuple):
    """One outcome's history and its number in this chart."""

    number: int
    """From 1, in the event's order."""
    points: Sequence[PricePoint]
    name: str = ""
    place: int = 0
    """Its place among the curves, which decides its colour."""
    emphasis: Emphasis = Emphasis.NONE

    @property
    def role(self) -> Role:
        """The colour of the curve."""
        return _ROLES[self.place % len(_ROLES)]

    @property
    def is_picked(self) -> bool:
        """Whether it is that of the outcome at the cursor."""
        return Emphasis.BOLD in self.emphasis

    @property
    def mark(self) -> str:
        """The character that it is drawn with in ASCII."""
        return _CHARACTERS[(self.number - 1) % len(_CHARACTERS)]


_CHARACTERS = "123456789abcdefghijklmnopqrstuvwxyz"


def drawable(curves: Iterable[Curve]) -> tuple[Curve, ...]:
    """Return the curves that can be drawn: those of two points or more."""
    return tuple(curve for curve in curves if len(curve.points) > 1)


def describe_coming(views: Sequence[HistoryView]) -> str:
    """Return how many histories have loaded; empty once all have."""
    waiting = sum(map(_is_coming, views))
    return f"loading, {len(views) - waiting} of {len(views)} here " if waiting else ""


def _is_coming(view: HistoryView) -> bool:
    return view.load in (Load.EMPTY, Load.LOADING) and len(view.points) < 2


def paint_overlay_title(
    interval: Interval, curves: Sequence[Curve], width: int, *, coming: str = ""
) -> tuple[Line, Line]:
    """Paint the interval and the leader's change.

    When the curve ends have no room for names, the title lists them by number.
    """
    name: list[Cell] = [Cell("PRICE ", Role.HEADING), Cell(interval.value, Role.KEY)]
    told = [Cell(f" {coming.rstrip()}", Role.STALE)] if coming else []
    if width >= _NAMES_FROM:
        if line_width((*paint_intervals(interval), *told)) <= width // 2:
            name = paint_intervals(interval)
        return (*name, *told), paint_leader(curves, width // 2)
    name += told
    room = width - line_width(tuple(name)) - len("  1 ") * len(curves)
    names = fit_names([curve.name for curve in curves], room, least=_LEAST_NAME)
    for curve, short in zip(curves, names, strict=True):
        name += [Cell(f"  {curve.number} ", curve.role), Cell(short, Role.DIM)]
    return fit_line(tuple(name), min(width, line_width(tuple(name)))), ()


def paint_leader(curves: Sequence[Curve], width: int) -> Line:
    """Paint the first and the last price of the likeliest outcome."""
    drawn = [curve for curve in curves if len(curve.points) > 1]
    if not drawn:
        return ()
    leader = max(drawn, key=lambda curve: curve.points[-1].price)
    moved = paint_move(leader.points[0].price, leader.points[-1].price)
    room = width - line_width(moved) - 2
    if room < _LEAST_NAME:
        return moved
    return (Cell(f"{plain(leader.name, room)}  ", leader.role), *moved)


def overlay_words(views: Sequence[HistoryView], width: int, height: int) -> str:
    """Return why there is no curve; empty when there is one."""
    if any(len(view.points) > 1 for view in views):
        return "" if width >= _MIN_WIDTH and height >= MIN_HEIGHT - 1 else "No room for the chart."
    failed = next((view for view in views if view.load is Load.FAILED), None)
    if failed is not None:
        return f"No history: {plain(failed.problem) or 'no answer'}."
    if all(view.load is Load.READY for view in views):
        return "No prices for this interval." if views else "Nothing to draw."
    return "Loading the histories…"


def draw_overlay(
    curves: Sequence[Curve],
    width: int,
    height: int,
    *,
    until: datetime | None = None,
    ascii_only: bool = False,
    is_whole: bool = True,
) -> Drawing:
    """Draw at least one curve in exactly `height` lines of `width` cells; runs in a thread.

    The labels are no part of it, see `label_ends`. Those without points have room for their names, so that nothing moves once they come. The axis
    is whole while they are loading, because they may lie between the others.
    """
    rows = max(height - 1, 1)
    end = _label_width(_labels(curves, width, ascii_only=ascii_only))
    curves = drawable(curves)
    every = [point for curve in curves for point in curve.points]
    bands = _bands_in(curves if is_whole else [Curve(0, every)], rows)
    gutter = 1 + max(
        (len(name) for band in bands for name in price_names(_axes_of(band, every)).values()),
        default=0,
    )
    columns = max(width - gutter - end, 1)
    whole = axes_over(every, columns, rows, until=until, ascii_only=ascii_only)
    canvas = Canvas(columns, rows)
    names: dict[int, str] = {}
    for band in bands:
        axes = whole._replace(low=band.low, high=band.high, rows=band.rows)
        draw_grid(canvas, axes, top=band.top)
        names |= {band.top + row: name for row, name in price_names(axes).items()}
        _draw_curves(canvas, axes, curves, top=band.top)
        if band.top:
            _draw_break(canvas, band.top - 1)
    lines = []
    for row in range(rows):
        name = f"{names.get(row, ''):>{gutter - 1}} "
        lines.append(fit_line((Cell(name, Role.DIM), *canvas.line(row)), width))
    times = " " * gutter + time_line(whole, end)
    lines.append(fit_line((Cell(times[:width], Role.DIM),), width))
    ends = _place_ends(curves, bands, rows)
    return Drawing(tuple(lines[-height:]), whole.prices, rows, end, ends)


def label_ends(
    drawing: Drawing, curves: Sequence[Curve], width: int, *, ascii_only: bool = False
) -> tuple[Line, ...]:
    """Name each curve where it ends, with its price.

    The drawing may be seconds old; the prices never are, so they may be wider than their room.
    """
    labels = _labels(curves, width, ascii_only=ascii_only)
    room = max(drawing.axis, _label_width(labels))
    by_number = {curve.number: curve for curve in curves}
    lines = list(drawing.lines)
    for row, number in drawing.ends:
        curve = by_number.get(number)
        if curve is not None and row < len(lines):
            label = Cell(fit(f" {labels[number]}", room), curve.role, curve.emphasis)
            lines[row] = (*cropped(lines[row], width - room), label)
    return tuple(lines)


def _label_width(labels: Mapping[int, str]) -> int:
    return 1 + max(map(cell_width, labels.values()), default=0)


def _bands_in(curves: Sequence[Curve], rows: int) -> tuple[Band, ...]:
    """Break the axis where curves lie far apart: a single scale would be mostly empty."""
    bands = bands_of([price_range(curve.points) for curve in curves], rows)
    if len(bands) > 1:
        return bands
    low, high = evened(bands[0].low, bands[0].high, rows)
    return (bands[0]._replace(low=low, high=high),)


def _axes_of(band: Band, points: Sequence[PricePoint]) -> Axes:
    return axes_over(points, 1, band.rows)._replace(low=band.low, high=band.high)


def _draw_curves(canvas: Canvas, axes: Axes, curves: Sequence[Curve], *, top: int) -> None:
    # The first is drawn last, on top of the others, unless another one is picked.
    for curve in sorted(curves, key=lambda each: (each.is_picked, -each.number)):
        low, high = price_range(curve.points)
        if axes.low <= low and high <= axes.high:
            marker = curve.mark if axes.ascii_only else "braille"
            lines = plot_curve(curve.points, axes, marker)
            canvas.draw(lines, curve.role, emphasis=curve.emphasis, top=top)


def _draw_break(canvas: Canvas, row: int) -> None:
    mark = "≈"
    words = " nothing between "
    for column in range(canvas.columns):
        canvas.put(column, row, mark, Role.DIM, Emphasis.DIM)
    start = (canvas.columns - len(words)) // 2
    if start > len(words) // 2:
        for at, text in enumerate(words):
            canvas.put(start + at, row, text, Role.DIM)


def _labels(curves: Sequence[Curve], width: int, *, ascii_only: bool) -> dict[int, str]:
    """Return the label at the end of each curve: its number, name and price, all of one width."""
    numbers = {c.number: c.mark if ascii_only else str(c.number) for c in curves}
    if width < _PRICES_FROM:
        return numbers
    digits = max(map(len, numbers.values()))
    lasts = [c.points[-1].price if c.points else None for c in curves]
    prices = ["" if last is None else chart_price(last) for last in lasts]
    # Prices change while the drawing stays, so their digits are reserved.
    near = {Micros(last + step) for last in lasts if last is not None for step in (FINEST, -FINEST)}
    longest = max(map(len, (*prices, *map(chart_price, near))))
    names = [""] * len(curves)
    if width >= _NAMES_FROM:
        each = width // _NAME_SHARE - digits - longest - 3
        short = ellipsize_distinctly((plain(curve.name) for curve in curves), each)
        names = [short.get(plain(curve.name)) or plain(curve.name, each) for curve in curves]
    room = max(map(cell_width, names))
    return {
        curve.number: f"{numbers[curve.number]:>{digits}} "
        f"{f'{fit(name, room)} ' if room else ''}{price:>{longest}}"
        for curve, name, price in zip(curves, names, prices, strict=True)
    }


def _place_ends(
    curves: Sequence[Curve], bands: Sequence[Band], rows: int
) -> tuple[tuple[int, int], ...]:
    """Return the rows where labels stand, each with the number of its curve."""
    wanted: dict[int, int] = {}
    for curve in curves:
        price = curve.points[-1].price
        for band in bands:
            row = row_of_price(price, (band.low, band.high), band.rows)
            if row is not None:
                wanted[curve.number] = band.top + row
    return tuple((row, number) for number, row in place_labels(wanted, rows).items())


def place_labels(wanted: Mapping[int, int], rows: int) -> dict[int, int]:
    """Return a free row for each label, as near to the wanted one as possible, in the same order.

    Args:
        wanted: the row at which each label's curve ends, from the top.
        rows: how many rows there are; labels that do not fit are left out, the last first.
    """
    order = sorted(sorted(wanted)[:rows], key=lambda label: (wanted[label], label))
    placed: list[int] = []
    for label in order:
        least = placed[-1] + 1 if placed else 0
        placed.append(max(wanted[label], least))
    for at in range(len(placed) - 1, -1, -1):
        most = placed[at + 1] - 1 if at + 1 < len(placed) else rows - 1
        placed[at] = min(placed[at], most)
    return dict(zip(order, placed, strict=True))


class Leader(NamedTuple):
    """An outcome in the chart."""

    name: str
    token_id: TokenId
    history: HistoryView
    """Its history, continued up to now."""
    number: int
    """In the event's order, from 1."""
    place: int
    """Among the curves, which decides its colour."""


class OverlayPane(DrawnPane):
    """Price histories of the leading outcomes of an event."""

    _leaders: tuple[Leader, ...] = ()
    _interval = Interval.DAY
    _picked: TokenId | None = None
    """The outcome at the cursor."""
    _has_first = False
    """Whether the first outcome's history has come: without its leader a chart would jump."""

    _until: datetime | None = None
    """The end of the time axis."""

    def show(
        self, leaders: Sequence[Leader], interval: Interval, *, until: datetime | None = None
    ) -> None:
        """Show these histories as soon as they are drawn."""
        if interval is not self._interval:
            self._has_first = False
        self._leaders, self._interval, self._until = tuple(leaders), interval, until
        self._has_first = self._has_first or not any(map(_is_coming, self._histories[:1]))
        self.repaint()

    def pick(self, token_id: TokenId | None) -> None:
        """Make the curve of an outcome stand out; of one without a curve none does."""
        if not any(leader.token_id == token_id for leader in self._leaders):
            token_id = None
        if token_id != self._picked:
            self._picked = token_id
            self.repaint()

    @override
    def titles(self) -> tuple[Line, Line]:
        if not self._leaders:
            return (Cell("PRICE", Role.HEADING),), ()
        coming = describe_coming(self._histories)
        return paint_overlay_title(
            self._interval, self._curves, self.title_width, coming=coming
        )  # fmt: skip

    @override
    def words(self, width: int, height: int) -> str:
        if not self._leaders:
            return ""
        shown = self._histories if self._has_first else self._histories[:1]
        return overlay_words(shown, width, height)

    @property
    @override
    def is_gathering(self) -> bool:
        return bool(describe_coming(self._histories))

    @override
    def picture(self, width: int, height: int) -> Picture | None:
        if not self._leaders or self.words(width, height):
            return None
        tokens = tuple(leader.token_id for leader in self._leaders)
        grown = tuple(
            (view.version, len(view.points), view.points[-1:]) for view in self._histories
        )
        # What is picked is no other subject: until it is drawn, the last picture stays.
        return Picture(tokens, (self._interval, self._picked), grown, width, height)

    @override
    def drawing(self, picture: Picture) -> Draw | None:
        curves = self._curves
        until, ascii_only, is_whole = self._until, is_ascii(self), not self.is_gathering
        if not drawable(curves):
            return None

        def draw() -> Drawing:
            size = (picture.width, picture.height)
            return draw_overlay(
                curves, *size, until=until, ascii_only=ascii_only, is_whole=is_whole
            )

        return draw

    @override
    def paint(self, width: int, height: int) -> tuple[Line, ...]:
        lines = super().paint(width, height)
        if self.shown is None:
            return lines
        return label_ends(self.shown, self._curves, width, ascii_only=is_ascii(self))

    @property
    def _curves(self) -> list[Curve]:
        return [
            Curve(
                each.number, each.history.points, each.name, each.place, self._emphasis_of(each)
            )
            for each in self._leaders
        ]  # fmt: skip

    def _emphasis_of(self, leader: Leader) -> Emphasis:
        if leader.token_id == self._picked:
            return Emphasis.BOLD
        # Without colour the others have to stand back.
        is_back = self._picked is not None and self.app.no_color
        return Emphasis.DIM if is_back else Emphasis.NONE

    @property
    def _histories(self) -> list[HistoryView]:
        return [leader.history for leader in self._leaders]
