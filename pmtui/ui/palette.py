"""The command palette: every action that works here, and every theme, by name."""

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.markup import escape
from typing_extensions import override

from pmtui.ui.action import Context
from pmtui.ui.actions import PaletteCommand, palette_commands
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


class ThemeProvider(Provider):
    """Offers every theme."""

    @override
    async def discover(self) -> Hits:
        for name in sorted(self.app.available_themes):
            yield DiscoveryHit(f"Theme: {name}", lambda name=name: self._set(name))

    @override
    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name in sorted(self.app.available_themes):
            score = matcher.match(f"Theme: {name}")
            if score > 0:
                yield Hit(
                    score, matcher.highlight(f"Theme: {name}"), lambda name=name: self._set(name)
                )

    def _set(self, name: str) -> None:
        self.app.theme = name
