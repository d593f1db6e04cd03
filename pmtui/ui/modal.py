"""The base of forms, cards and questions: where they stand, and what is dimmed behind them.

The lines above and below the screen's body stay bright: they tell the health of the sources, and
the keys of what is in front. A line on which the dimming would delay the next key carries none.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

from textual import events, on
from textual.app import RenderResult
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen
from typing_extensions import override

from pmtui.ui.frame import FrameScreen, is_live
from pmtui.ui.keys.actions import STOPPING, bindings_of
from pmtui.ui.terminal.backdrop import Backdrop
from pmtui.ui.terminal.span_compositor import use_spans
from pmtui.ui.terminal.terminal_app import TerminalApp
from pmtui.ui.widgets.focus import show_focus

ResultT = TypeVar("ResultT")
_PRICES = "#book, SideLadder"
"""The selector of ladders, which forms and cards are read beside; a card repeats the ticket."""
_MOST_COVERED = 1 / 4
"""A ladder that is covered further is dimmed, as it would distract from the form."""
_DIM_AGAIN_S = (0.5, 1.5, 4.0)
"""When a line that had no room is asked again: asking sends nothing, and ends."""
_DIM_AFTER_S = 0.15
"""The frame with the form has been answered by then, on a line that is fast enough."""

_CHROME = 4
"""Columns of a frame's border and padding."""
_NARROWEST = 34
"""With fewer columns beside the ladder a card stands over it."""
_SHORTEST = 8
"""With fewer rows between header and message line a card takes those of the screen."""
_ROOMY = 20
"""With so many rows beside the ladder a form leaves the lines below it visible."""
WORDY = 56
"""The width from which a form has explanations beside its entries, and every digit of large amounts."""
_LOOKS = 3
"""The refreshes after which a screen below has its new layout."""


def card_area(
    screen: Size, body: Region, *, ladder: Region | None, form: Region | None, rows: int
) -> Region:
    """Return the area for a card: it stands in the lower right corner, and fills it over a form.

    A card that repeats a form stands in its place. Any other stands beside the ladder that is
    traded, at its wider side. Both end where the form or the ladder does if their rows fit above
    that. Header and message line stay visible.

    Args:
        screen: the size of the screen.
        body: what lies between the lines above and below.
        ladder: the ladder that is traded; None for none.
        form: what the card repeats; None for nothing.
        rows: the rows that the card needs.
    """
    left, top, right, bottom = body.corners
    end = bottom
    if ladder is not None:
        top, end = ladder.y, ladder.bottom
    if form is not None:
        left, right, end = form.x, form.right, form.bottom
        top = min(top, form.y)
    elif ladder is not None:
        if right - ladder.right >= max(ladder.x - left, _NARROWEST):
            left = ladder.right
        elif ladder.x - left >= _NARROWEST:
            right = ladder.x
    # Lower than that only as far as its rows need it.
    bottom = max(end, min(top + rows, bottom))
    if bottom - top < _SHORTEST:
        top, bottom = 0, screen.height
    return Region.from_corners(left, top, right, bottom)


class Dimming:
    """Dims what lies behind a screen once that screen is shown, if the line has room for it."""

    def __init__(self, front: Screen[Any], *, parts: str = "") -> None:
        """Dim what lies behind a screen, whose changes are shown line by line.

        Args:
            front: the screen.
            parts: the selector of what is seen of it; empty for its children.
        """
        use_spans(front)
        self._front = front
        self._parts = parts
        self._is_on = False

    def start(self) -> None:
        """Dim soon; called when the screen is mounted."""

        def dim() -> None:
            app = front.app
            self._is_on = not isinstance(app, TerminalApp) or app.terminal.is_brisk
            if self._is_on:
                front.refresh()
            elif again := next(waits, None):
                front.set_timer(again, dim)

        front, waits = self._front, iter(_DIM_AGAIN_S)
        if front.app.is_headless:
            dim()
        else:
            front.set_timer(_DIM_AFTER_S, dim)

    def over(self, below: Screen[Any]) -> Backdrop:
        """Return what to show of the screen below, in the place of Textual's own tinted one."""
        dimmed: tuple[Region, ...] = ()
        bright: tuple[Region, ...] = ()
        if self._is_on:
            front = self._front
            shapes = front.query(self._parts) if self._parts else front.children
            fronts = tuple(shape.region for shape in shapes)
            dimmed, bright = _regions_of(below, fronts)
        tint = self._front.styles.background
        return Backdrop(below, tint, dimmed=dimmed, bright=bright)


class Place:
    """Where a form or a card stands, by the one rule of `card_area`."""

    def __init__(self, front: "Modal[Any]") -> None:
        """Place a form or a card."""
        self._front = front
        self.repeated: Callable[[], Region | None] = lambda: None
        """Returns the region of the form that it repeats, if that is not the screen below."""

    @property
    def form(self) -> Region | None:
        """The region of the form that it repeats: the form below, if there is one."""
        front, stack = self._front, self._front.app.screen_stack
        below = stack[stack.index(front) - 1] if front in stack[1:] else None
        frame = next(iter(below.query(below.FRAME)), None) if isinstance(below, Modal) else None
        return self.repeated() or (None if frame is None else frame.region)

    @property
    def inner(self) -> int:
        """The cells inside its frame."""
        room = self.area(0).width - _CHROME
        return max(room if self.form is not None else min(self._front.WIDTH, room), 1)

    def area(self, rows: int) -> Region:
        """Return its area if it needs so many rows."""
        app = self._front.app
        below = [each for each in app.screen_stack if isinstance(each, FrameScreen)]
        body = next(iter(below[-1].query("#body")), None) if below else None
        ladder = below[-1].traded_ladder if below else None
        return card_area(
            app.size, app.size.region if body is None else body.region,
            ladder=None if ladder is None else ladder.region, form=self.form, rows=rows,
        )  # fmt: skip

    def take(self) -> None:
        """Lay the frame out."""
        front, form = self._front, self.form
        area, screen = self.area(front.rows), front.app.size
        styles = front.query_one(front.FRAME).styles
        styles.width = self.inner + _CHROME
        styles.max_height = area.height
        styles.margin = (0, screen.width - area.right, screen.height - area.bottom, 0)
        if form is not None:
            # Nothing of the form looks out from behind it.
            styles.min_height = form.height

    def follow(self, looks: int = _LOOKS) -> None:
        """Fit it again until the screens below are laid out, which may take some refreshes."""
        front = self._front
        if not is_live(front):
            return
        front.fit()
        if looks:
            # A layout of theirs that fell into the composing of this one is not begun by itself.
            for screen in front.app.screen_stack:
                screen.check_idle()
            _ = front.call_after_refresh(self.follow, looks - 1)


class Modal(ModalScreen[ResultT]):
    """A screen in front of another."""

    FRAME: ClassVar[str] = ".frame"
    """The selector of what is seen of it."""
    WIDTH: ClassVar[int] = 64
    """The most cells inside the frame, unless it stands in the place of a form."""
    BINDINGS: ClassVar[list[BindingType]] = bindings_of(*STOPPING)

    DEFAULT_CSS = """
    Modal { background: $background 50%; align: right bottom; }
    Modal:ansi { background: transparent; }
    Modal > .frame { height: auto; background: $panel; border: heavy $primary; padding: 0 1; }
    Modal .row { height: 1; }
    /* The focus is in the card in front, as it is over a FrameScreen. */
    Modal.-behind NumberField:focus > .input--cursor {
        background: $surface; color: $foreground; text-style: none;
    }
    Modal.-behind NumberField:focus > .input--selection { background: $surface; }
    """

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self.dimming = Dimming(self)
        self.place = Place(self)
        """Where it stands."""

    @property
    def rows(self) -> int:
        """The rows that it needs, border included."""
        return _ROOMY

    @property
    def inner(self) -> int:
        """The cells inside the frame."""
        return self.place.inner

    def fit(self) -> None:
        """Lay the frame out in its place; subclasses paint for its width."""
        self.place.take()
        self.set_class(self.inner < WORDY, "-narrow")

    @on(events.Mount)
    def take_place(self) -> None:
        """Stand in place from the first frame on, and dim what lies behind once it is shown."""
        self.dimming.start()
        self.fit()
        _ = self.call_after_refresh(self.place.follow)

    @on(events.Resize)
    def keep_place(self) -> None:
        """Follow what lies behind on a screen of another size."""
        self.place.follow()

    @on(events.ScreenResume)
    @on(events.ScreenSuspend)
    def follow_front(self) -> None:
        """Leave the focus to a card in front, and take it back."""
        if self in self.app.screen_stack:
            show_focus(self)

    @override
    def render(self) -> RenderResult:  # type: ignore[override]  # Textual takes a Visual, too
        shown = super().render()
        return self.dimming.over(shown.screen) if isinstance(shown, BackgroundScreen) else shown


def _regions_of(
    below: Screen[object], fronts: Sequence[Region]
) -> tuple[tuple[Region, ...], tuple[Region, ...]]:
    """Return what is dimmed of a screen behind these regions, and what stays bright of that."""
    if not isinstance(below, FrameScreen):
        # The rest is dimmed already.
        return tuple(child.region for child in below.children), ()
    prices = (each.region for each in below.query(_PRICES))
    bright = (r for r in prices if all(_is_beside(front, r) for front in fronts))
    return (below.query_one("#body").region,), tuple(bright)


def _is_beside(front: Region, prices: Region) -> bool:
    """Return whether a form leaves enough of the prices to be read."""
    return front.intersection(prices).area <= prices.area * _MOST_COVERED
