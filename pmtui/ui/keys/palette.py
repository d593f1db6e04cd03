"""The command palette: every action that works here, and everything starred, by name.

Textual reads the strings of a hit as markup, and its matcher tries every alignment of the query,
which takes seconds for a title such as "a a a a a a". So titles are `Content`, and matched here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from textual import events, on
from textual.app import RenderResult
from textual.command import Command, CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.renderables.background_screen import BackgroundScreen
from textual.style import Style
from textual.widgets.option_list import Option
from typing_extensions import override

from pmtui.domain.markets.watchlist import StarKey
from pmtui.ui.facts import with_star
from pmtui.ui.frame import EventChosen, FrameScreen, MarketChosen
from pmtui.ui.keys.action_table import Context
from pmtui.ui.keys.actions import PaletteCommand, palette_commands
from pmtui.ui.modal import Dimming
from pmtui.ui.plain import cell_width, ellipsize_words, plain

_TITLE_WIDTH, _GAP = 16, 2
WIDTH = 80
"""The palette's width on a wide screen."""
_EDGES = 8
"""Cells of a line that the palette uses itself."""
_LEAST_TOLD = 20
_EXPLAINED = 0.1
"""The score of a word in the explanation: lower than that of scattered letters in a name."""
_WHOLE = 0.9
"""The least score of a query that occurs in a text unchanged."""


@dataclass(frozen=True, slots=True)
class Match:
    """The matched letters of a query in a text."""

    score: float
    """Between 0 and 1: higher for adjacent letters at the beginning of a word."""
    offsets: tuple[int, ...]


def match(query: str, text: str) -> Match | None:
    """Match a query as a substring, else as scattered letters in order; takes linear time."""
    wanted, letters = _folded(query), _folded(text)
    start = letters.find(wanted)
    if start >= 0:
        is_word = start == 0 or not letters[start - 1].isalnum()
        offsets = tuple(range(start, start + len(wanted)))
        return Match(1.0 if is_word else 0.9, offsets)
    found: list[int] = []
    for letter in wanted:
        place = letters.find(letter, found[-1] + 1 if found else 0)
        if place < 0:
            return None
        found.append(place)
    groups = sum(after != before + 1 for before, after in pairwise(found)) + 1
    return Match(0.8 / groups, tuple(found))


def _folded(text: str) -> str:
    # Letter by letter: some lower-case forms are longer, and the offsets must not shift.
    return "".join(character.lower()[:1] for character in text)


class _PlainProvider(Provider):
    """Shows titles unchanged, one to a line."""

    def _marked(self, title: str, query: str, *, line: Content | None = None) -> Content:
        content = Content(title) if line is None else line
        found = match(query, title)
        style = self.match_style or Style(reverse=True)
        for offset in found.offsets if found is not None else ():
            content = content.stylize(style, offset, offset + 1)
        return content


class ActionProvider(_PlainProvider):
    """Offers the actions of the current screen and the global ones, then everything starred."""

    @override
    async def discover(self) -> Hits:
        for command in self._commands():
            yield DiscoveryHit(
                self._line(command), self._runner(command), text=command.title
            )  # fmt: skip
        async for hit in self._stars.discover():
            yield hit

    @override
    async def search(self, query: str) -> Hits:
        for command in self._commands():
            named, told = match(query, command.title), match(query, command.help)
            # A match in the name comes before one in the explanation, where scattered letters do
            # not count.
            explained = _EXPLAINED if told is not None and told.score >= _WHOLE else 0.0
            if score := named.score if named is not None else explained:
                yield Hit(
                    score,
                    self._marked(command.title, query, line=self._line(command)),
                    self._runner(command),
                    text=command.title,
                )
        # Of two equal scores the first comes first.
        async for star in self._stars.search(query):
            yield star

    @property
    def _stars(self) -> "StarProvider":
        return StarProvider(self.screen, self.match_style)

    def _line(self, command: PaletteCommand) -> Content:
        """Return an action in one line: its name, as much of its help as fits, and its keys."""
        room = min(self.screen.size.width, WIDTH) - _EDGES
        begin, keys = f"{command.title:<{_TITLE_WIDTH}} ", command.keys
        told = room - len(begin) - len(keys) - _GAP
        help_text = ellipsize_words(command.help, told) if told >= _LEAST_TOLD else ""
        middle = help_text + " " * (room - len(begin) - cell_width(help_text) - len(keys))
        line = Content(f"{begin}{middle}{keys}").stylize(
            "dim", len(command.title), len(begin + middle)
        )
        return line.stylize("bold", len(begin + middle))

    def _commands(self) -> tuple[PaletteCommand, ...]:
        screen = self.screen
        if not isinstance(screen, FrameScreen):
            return palette_commands(Context.GLOBAL)
        keymap = screen.surface.options.keymap
        return palette_commands(*screen.CONTEXTS, Context.GLOBAL, keymap=keymap)

    def _runner(self, command: PaletteCommand) -> "_Runner":
        return _Runner(self, command.command)


class Palette(CommandPalette):
    """Textual's palette, over a screen that is dimmed as it is behind a form."""

    DEFAULT_CSS = """
    Palette { background: $background 50%; }
    Palette:ansi { background: transparent; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.dimming = Dimming(self, parts="#--input, CommandList")

    @on(events.Mount)
    def dim_later(self) -> None:
        """Dim what lies behind once the palette itself is shown."""
        self.dimming.start()

    @on(CommandList.OptionHighlighted)
    def group_commands(self) -> None:
        """Put a quiet heading above each kind of command, the kind of the best match first."""
        found = self.query_one(CommandList)
        options = [found.get_option_at_index(index) for index in range(found.option_count)]
        kinds = dict.fromkeys(map(_kind_of, options))
        if None in kinds:
            return  # grouped already, or nothing was found
        grouped: list[Option] = []
        for kind in kinds:
            grouped.append(Option(Content(f"{kind}").stylize("dim"), disabled=True))
            grouped += [option for option in options if _kind_of(option) == kind]
        _ = found.clear_options().add_options(grouped)
        found.highlighted = 1

    @override
    def render(self) -> RenderResult:  # type: ignore[override]  # Textual takes a Visual, too
        shown = super().render()
        return self.dimming.over(shown.screen) if isinstance(shown, BackgroundScreen) else shown


def _kind_of(option: Option) -> str | None:
    """Return the kind of a command; None for a line that is none."""
    if not isinstance(option, Command):
        return None
    return "Actions" if isinstance(option.hit.command, _Runner) else "Starred"


class _Runner:
    """Runs an action on the screen from which the palette was opened."""

    def __init__(self, provider: Provider, action: str) -> None:
        self._provider = provider
        self._action = action

    async def __call__(self) -> None:
        await self._provider.screen.run_action(self._action)


class StarProvider(_PlainProvider):
    """Offers every starred item by its title, and opens it."""

    @override
    async def discover(self) -> Hits:
        for title, key in self._starred():
            yield DiscoveryHit(Content(title), partial(self._open, key), text=title)

    @override
    async def search(self, query: str) -> Hits:
        for title, key in self._starred():
            found = match(query, title)
            if found is not None:
                shown, opening = self._marked(title, query), partial(self._open, key)
                yield Hit(found.score, shown, opening, text=title)

    def _starred(self) -> Iterator[tuple[str, StarKey]]:
        screen = self.screen
        if not isinstance(screen, FrameScreen):
            return
        for row in screen.surface.queries.watchlist().rows:
            if row.is_starred:
                yield plain(with_star(plain(row.title), is_starred=True)), row.key

    def _open(self, key: StarKey) -> None:
        if key.event_id is not None:
            self.screen.post_message(EventChosen(key.event_id))
        elif key.condition_id is not None:
            self.screen.post_message(MarketChosen(key.condition_id))
