"""Shows the screen behind a modal one, with some of its regions dimmed.

Textual's own backdrop renders and tints all of that screen with every change of it; here it is a line at a time.
"""

import re
from collections.abc import Sequence
from enum import Enum, auto
from functools import lru_cache
from itertools import pairwise

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.app import App
from textual.color import Color
from textual.css.styles import RulesMap
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from typing_extensions import override

from pmtui.ui.terminal.span_compositor import SpanCompositor

_BLANKS = re.compile(r"( {4,})")
"""Blanks that a terminal skips when nothing of them changes."""


_QUIET = RichStyle(bold=False, dim=True, reverse=False)


class Shades(Enum):
    """How a terminal shows that something is dimmed."""

    ALL = auto()
    """Colours nearer to the background."""
    GREYS = auto()
    """Greys: among 256 colours the nearest one of a mixed colour may have another hue."""
    FAINT = auto()
    """The sixteen colours, faint; nothing is bold or reversed."""
    NONE = auto()
    """As `FAINT`, without colour."""

    @classmethod
    def of(cls, app: App[object]) -> "Shades":
        """Return what an application's terminal and its theme allow."""
        if app.no_color:
            return cls.NONE
        if app.native_ansi_color or app.console.color_system == "standard":
            return cls.FAINT
        return cls.GREYS if app.console.color_system == "256" else cls.ALL


class Backdrop(Visual):
    """The screen below, its texts nearer to the background within the given regions."""

    def __init__(
        self, screen: Screen[object], tint: Color, *,
        dimmed: Sequence[Region], bright: Sequence[Region] = (),
    ) -> None:  # fmt: skip
        """Show a screen.

        Args:
            screen: the screen below.
            tint: what is dimmed takes on this colour, as far as its alpha says.
            dimmed: the dimmed regions.
            bright: those within them that are not.
        """
        self._screen = screen
        self._tint = tint
        self._dimmed = dimmed
        self._bright = bright

    @override
    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        strips = self._screen._compositor.render_strips()
        return [self._dim(strip, y) for y, strip in enumerate(strips)]

    @override
    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return container_width

    @override
    def get_height(self, rules: RulesMap, width: int) -> int:
        return self._screen.size.height

    def line(self, y: int) -> Strip:
        """Return a line."""
        compositor = self._screen._compositor
        if isinstance(compositor, SpanCompositor):
            strip = compositor.render_line(y)
        else:
            strip = compositor.render_strips()[y]
        return self._dim(strip, y)

    def _dim(self, strip: Strip, y: int) -> Strip:
        dimmed, bright = (
            [r for r in each if r.y <= y < r.bottom] for each in (self._dimmed, self._bright)
        )
        ends = {x for r in (*dimmed, *bright) for x in (r.x, r.right) if 0 < x < strip.cell_length}
        shades = Shades.of(self._screen.app)
        parts: list[Strip] = []
        for left, right in pairwise((0, *sorted(ends), strip.cell_length)):
            part = strip.crop(left, right)
            is_dimmed = _has(dimmed, left) and not _has(bright, left)
            parts.append(_mapped(part, self._tint if is_dimmed else None, shades))
        return Strip.join(parts)


def _has(regions: Sequence[Region], x: int) -> bool:
    return any(region.x <= x < region.right for region in regions)


def _mapped(strip: Strip, tint: Color | None, shades: Shades) -> Strip:
    segments: list[Segment] = []
    for text, style, _ in strip:
        if style is None:
            segments.append(Segment(text))
            continue
        look = _look(style, tint, shades)
        has_ground = shades is not Shades.NONE and look.bgcolor != style.bgcolor
        if not (has_ground or style.underline or style.reverse):
            # The colour of blanks is not seen: they are left as they are.
            bare = _look(style, None, shades)
            parts = _BLANKS.split(text)
            segments += [Segment(part, bare if part.isspace() else look) for part in parts if part]
        else:
            segments.append(Segment(text, look))
    return Strip(segments, strip.cell_length)


# Links and actions go: a click is not meant for what lies behind.
@lru_cache(maxsize=2048)
def _look(style: RichStyle, tint: Color | None, shades: Shades) -> RichStyle:
    plain = style.clear_meta_and_links()
    if tint is None:
        return plain
    if shades is Shades.NONE:
        # Textual turns faint texts into mixed colours, which would be lost.
        return plain.without_color + _QUIET
    if shades is Shades.FAINT:
        behind = tint.with_alpha(1).rich_color if tint.a else RichColor.default()
        return plain + _QUIET + RichStyle(bgcolor=behind)
    is_grey = shades is Shades.GREYS
    color, ground = (
        _dimmed(Color.from_rich_color(each), tint, is_grey=is_grey) if each is not None else None
        for each in (style.color, style.bgcolor)
    )
    return plain + RichStyle(color=color, bgcolor=ground)


def _dimmed(color: Color, tint: Color, *, is_grey: bool) -> RichColor:
    mixed = color + tint
    return (mixed.monochrome if is_grey and mixed != color else mixed).rich_color
