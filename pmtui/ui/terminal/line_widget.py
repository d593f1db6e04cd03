"""A widget of painted cells whose lines are ready for the screen as they are.

Textual dresses each line in padding, border, opacity and filters, and keeps the result. With none
of the former, and the filters already in the styles, there is nothing to dress: a screen may take
the line itself. What is to be painted is told the screen at once, not by way of two queues, so that
the answer to a key can be painted as soon as the key has acted.

The private names used belong to the pinned Textual; where one is missing, its own way is gone.
"""

from typing import Self

from textual.dom import NoScreen
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from pmtui.ui.theme.role_styles import RoleStyles
from pmtui.ui.theme.theme import Role


class ReadyLines(Widget):
    """Subclasses paint in `render_line`, with the styles from here."""

    _role_styles: RoleStyles | None = None
    _is_bare: bool | None = None

    @property
    def role_styles(self) -> RoleStyles:
        """The styles of the theme in use, as the terminal gets them."""
        styles = self._role_styles
        if styles is None:
            styles = self._role_styles = RoleStyles.of_widget(self)
        return styles

    @property
    def is_bare(self) -> bool:
        """Whether nothing is to be added to what `render_line` returns."""
        is_bare = self._is_bare
        if is_bare is None:
            styles = self.styles
            is_bare = self._is_bare = (
                not any(styles.gutter)
                and not any(edge for edge, _ in styles.outline)
                and self.opacity == 1.0
                and styles.text_opacity == 1.0
                and not styles.tint.a
                and not styles.has_rule("hatch")
                and not (self.scrollbars_enabled[0] or self.scrollbars_enabled[1])
            )
        return is_bare

    def ready_line(self, y: int, width: int) -> Strip:
        """Return a line in exactly `width` cells; where `is_bare` only."""
        strip = self.render_line(y)
        if strip.cell_length == width:
            return strip
        return strip.adjust_cell_length(width, self.role_styles.style(Role.TEXT))

    @override
    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        is_usual = repaint and not layout and not recompose and self.is_mounted and self.display
        if is_usual and self._tell_screen(regions):
            return self
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def _tell_screen(self, regions: tuple[Region, ...]) -> bool:
        """Do at once what Textual does when this widget and the screen are idle."""
        try:
            screen = self.screen
            dirty, is_shown = screen._dirty_widgets, self in screen._compositor
            self._set_dirty(*regions)
            self.clear_cached_dimensions()
            self._layout_cache.clear()
            self._rich_style_cache.clear()
        except (AttributeError, NoScreen):
            return False
        if is_shown:
            dirty.add(self)
            screen.check_idle()
        return True

    @override
    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._role_styles = None
        self._is_bare = None
