"""Turns cells into Textual's segments, with the styles of the current theme.

Every segment gets a style with a background; without one the terminal's own would show. Textual's
filters depend on styles alone, so they are applied once per style; where Textual filters a line
again, that changes nothing.
"""

from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip
from textual.style import Style as VisualStyle
from textual.widget import Widget

from pmtui.ui.cells import Cell, Emphasis, Line
from pmtui.ui.theme.theme import Role

_ATTRIBUTES = {
    Emphasis.BOLD: "bold",
    Emphasis.DIM: "dim",
    Emphasis.ITALIC: "italic",
    Emphasis.UNDERLINE: "underline",
    Emphasis.REVERSE: "reverse",
}
_FLASHES = frozenset({Role.FLASH_UP, Role.FLASH_DOWN})
"""Grounds strong enough to stand out. Few colours are readable on them, so text on them has the
default colour."""

_BARS = {Role.BID_BAR: Role.BID, Role.ASK_BAR: Role.ASK}
"""Grounds in the colour that a bar's blocks have."""

_LEAST_TINT = 6
"""The least difference between the components of a tint that is not grey."""

_DARK_SHADES = ((95, 0), (135, 0), (175, 0))
_LIGHT_SHADES = ((255, 215), (255, 175), (255, 135))
"""Of the cube's components, the two from which a shade near black or near white is made."""

_BLACK, _WHITE = Color(0, 0, 0), Color(255, 255, 255)
_EVEN = 0.179
"""The luminance on which black and white are equally readable."""


def tint_among_256(role: Role, tint: Color, background: Color) -> Color:
    """Return the colour among 256 that stands for a ground's tint.

    The nearest one has a strong hue of its own or none. So flashes keep their hue, in the shade
    that is as bright as the tint, and all other grounds are the grey that is.
    """
    if background.ansi is not None:
        return tint
    parts = [a - b for a, b in zip(tint.rgb, background.rgb, strict=True)]
    apart = max(parts) - min(parts)
    if role not in _FLASHES or apart < _LEAST_TINT:
        return tint.monochrome
    is_high = [part > max(parts) - 0.4 * apart for part in parts]
    shades = _DARK_SHADES if background.brightness < 0.5 else _LIGHT_SHADES
    made: list[Color] = []
    for high, low in shades:
        red, green, blue = (high if each else low for each in is_high)
        made.append(Color(red, green, blue))
    return min(made, key=lambda shade: abs(_luminance(shade) - _luminance(tint)))


def _luminance(color: Color) -> float:
    """Return the relative luminance, as WCAG defines it."""
    parts = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color.normalized)
    red, green, blue = parts
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


class RoleStyles:
    """The styles of a widget under a theme; rebuilt when either changes."""

    def __init__(
        self, variables: Mapping[str, str], background: Color, *, has_color: bool = True,
        has_256_colors: bool = False, filters: Sequence[LineFilter] = (),
    ) -> None:  # fmt: skip
        """Use the theme's variables and the background of the cells."""
        self._has_256_colors = has_256_colors
        self._variables = variables
        self._background = background
        self._has_color = has_color
        self._filters = filters
        self._styles: dict[tuple[Role, Emphasis, Role | None], Style] = {}

    @classmethod
    def of_widget(cls, widget: Widget) -> "RoleStyles":
        """Return the styles for a mounted widget: the same until its look or the theme changes."""
        # Textual keeps a widget's own style for exactly as long.
        look = widget.visual_style
        kept = _KEPT.get(widget)
        if kept is None or kept[0] is not look:
            _, background = widget.background_colors
            app = widget.app
            kept = _KEPT[widget] = look, cls(
                app.theme_variables, background, has_color=not app.no_color,
                has_256_colors=app.console.color_system == "256", filters=widget.get_line_filters(),
            )  # fmt: skip
        return kept[1]

    def style(
        self, role: Role, emphasis: Emphasis = Emphasis.NONE, ground: Role | None = None
    ) -> Style:
        """Return the style for these cell properties."""
        key = (role, emphasis, ground)
        style = self._styles.get(key)
        if style is None:
            style = self._styles[key] = self._filtered(self._build(role, emphasis, ground))
        return style

    def strip(self, line: Line) -> Strip:
        """Return the line as a strip."""
        segments: list[Segment] = []
        for cell in line:
            text, role, emphasis, ground = cell
            style = self._styles.get((role, emphasis, ground))
            if style is None:
                style = self.style(role, emphasis, ground)
            if style.underline:
                segments += self._underlined(cell, style)
            else:
                segments.append(Segment(text, style))
        return Strip(segments)

    def _underlined(self, cell: Cell, style: Style) -> list[Segment]:
        """Return a cell's text in its style, without underlining the blanks around it."""
        text = cell.text
        ink = text.strip()
        if ink == text:
            return [Segment(text, style)]
        blank = self.style(Role.TEXT, cell.emphasis & ~Emphasis.UNDERLINE, cell.ground)
        before, after = text[: text.index(ink)] if ink else text, text[text.index(ink) + len(ink) :]
        parts = ((before, blank), (ink, style), (after if ink else "", blank))
        return [Segment(part, look) for part, look in parts if part]

    def _filtered(self, style: Style) -> Style:
        segments = [Segment(" ", style)]
        for each in self._filters:
            segments = each.apply(segments, self._background)
        return segments[0].style or style

    def _on_bar(self, side: Role, role: Role, emphasis: Emphasis) -> Style:
        """Return the style of a text on a bar, whose ground is the colour of the bar's blocks."""
        block = self.style(side, Emphasis.DIM)
        text = self._build(role, emphasis & ~Emphasis.DIM, None)
        assert block.color is not None
        bar = Color.from_rich_color(block.color)
        if not self._has_color or bar.ansi is not None:
            return block + Style(reverse=True, underline=text.underline)
        ink = _BLACK if _luminance(bar) > _EVEN else _WHITE
        return text + Style(color=ink.rich_color, bgcolor=bar.rich_color)

    def _build(self, role: Role, emphasis: Emphasis, ground: Role | None) -> Style:
        if ground in _BARS:
            return self._on_bar(_BARS[ground], role, emphasis)
        if ground in _FLASHES:
            emphasis &= ~Emphasis.DIM
            # With the terminal's own colours a ground is the reversed text colour.
            if "reverse" not in self._variables[f"role-{ground}-style"].split():
                role = Role.TEXT
        words = set(self._variables[f"role-{role}-style"].split())
        background = self._background
        if ground is not None:
            ground_words = self._variables[f"role-{ground}-style"].split()
            tint = Color.parse(self._variables[f"role-{ground}"])
            background = tint_among_256(ground, tint, background) if self._has_256_colors else tint
            if ground is Role.CURSOR_ROW and "reverse" in ground_words:
                # Otherwise each text colour would become a separate patch of the bar.
                role = Role.TEXT
                words.discard("dim")
            words.update(ground_words)
            # Without colour a ground is invisible, but the cursor must be visible.
            if ground is Role.CURSOR_ROW and not self._has_color:
                words.add("reverse")
        words.update(name for flag, name in _ATTRIBUTES.items() if flag in emphasis)
        color = Color.parse(self._variables[f"role-{role}"])
        if self._has_256_colors and ground in _FLASHES and role is Role.TEXT:
            # Such a shade may be brighter than a theme's own tint.
            color = background.get_contrast_text(1.0)
        return Style(
            color=color.rich_color,
            bgcolor=background.rich_color,
            bold="bold" in words or None,
            dim="dim" in words or None,
            italic="italic" in words or None,
            underline="underline" in words or None,
            reverse="reverse" in words or None,
            strike="strike" in words or None,
        )


_KEPT = WeakKeyDictionary[Widget, tuple[VisualStyle, RoleStyles]]()
"""The styles of each widget, and its look when they were made."""
