"""The command palette: every action that works here, the themes and everything starred, by name."""

from collections.abc import Callable, Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.markup import escape
from typing_extensions import override

from pmtui.domain.watchlist import StarKey
from pmtui.ui.action import Context
from pmtui.ui.actions import PaletteCommand, palette_commands
from pmtui.ui.messages import EventChosen, MarketChosen
from pmtui.ui.paint.facts import with_star
from pmtui.ui.plain import plain
from pmtui.ui.screens.frame import FrameScreen


class ActionProvider(Provider):
    """Offers the actions of the screen in front and the global ones."""

    @override
    async def discover(self) -> Hits:
        for command in self._commands():
            yield DiscoveryHit(
                command.title,
                self._runner(command),
                text=command.title,
                # The palette reads its help as markup, and keys such as `[` are none.
                help=escape(command.help),
            )

    @override
    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self._commands():
            score = matcher.match(f"{command.title} {command.help}")
            if score > 0:
                yield Hit(
                    score,
                    matcher.highlight(command.title),
                    self._runner(command),
                    text=command.title,
                    help=escape(command.help),
                )

    def _commands(self) -> tuple[PaletteCommand, ...]:
        screen = self.screen
        if not isinstance(screen, FrameScreen):
            return palette_commands(Context.GLOBAL)
        keymap = screen.surface.options.keymap
        return palette_commands(*screen.CONTEXTS, Context.GLOBAL, keymap=keymap)

    def _runner(self, command: PaletteCommand) -> "_Runner":
        return _Runner(self, command.command)


class _Runner:
    """Runs an action on the screen that was in front when the palette opened."""

    def __init__(self, provider: Provider, action: str) -> None:
        self._provider = provider
        self._action = action

    async def __call__(self) -> None:
        await self._provider.screen.run_action(self._action)


class StarProvider(Provider):
    """Offers everything that is starred, by its title, and opens it."""

    @override
    async def discover(self) -> Hits:
        for title, about, key in self._starred():
            yield DiscoveryHit(Content(title), partial(self._open, key), text=title, help=about)

    @override
    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for title, about, key in self._starred():
            score = matcher.match(title)
            if score > 0:
                shown = matcher.highlight(escape(title))
                yield Hit(score, shown, partial(self._open, key), text=title, help=about)

    def _starred(self) -> Iterator[tuple[str, str, StarKey]]:
        screen = self.screen
        if not isinstance(screen, FrameScreen):
            return
        ascii_only = screen.surface.options.ascii_only
        for row in screen.surface.queries.watchlist().rows:
            if row.is_starred:
                title = with_star(plain(row.title, ascii_only=ascii_only), is_starred=True)
                about = f"Open this {row.key.kind.value}, which you starred."
                yield plain(title, ascii_only=ascii_only), about, row.key

    def _open(self, key: StarKey) -> None:
        if key.event_id is not None:
            self.screen.post_message(EventChosen(key.event_id))
        elif key.condition_id is not None:
            self.screen.post_message(MarketChosen(key.condition_id))


class ThemeProvider(Provider):
    """Offers every theme of ours and the user's."""

    @override
    async def discover(self) -> Hits:
        for title, wear in self._offered():
            yield DiscoveryHit(title, wear)

    @override
    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for title, wear in self._offered():
            score = matcher.match(title)
            if score > 0:
                yield Hit(score, matcher.highlight(title), wear)

    def _offered(self) -> Iterator[tuple[str, Callable[[], None]]]:
        names: tuple[str, ...] = getattr(self.app, "offered_themes", ())
        for name in sorted(names):
            yield f"Theme: {name}", partial(self._wear, name)

    def _wear(self, name: str) -> None:
        self.app.theme = name
