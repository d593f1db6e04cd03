"""Builds the terminal application: the user's keys, themes and character set, on a given service."""

import logging
import os
from dataclasses import dataclass
from pathlib import Path

from textual.theme import Theme

from pmtui.cli.session_process import trim_heap
from pmtui.cli.terminal import copy_to_tmux, is_ascii_terminal, is_without_color
from pmtui.config.paths import Paths
from pmtui.config.terminal_settings import TerminalSettings
from pmtui.config.toml_file import ConfigError, read_toml
from pmtui.config.workplace import WORKPLACE_FILE, Memory
from pmtui.service.surface import Commands, Queries, Subscriptions
from pmtui.ui.app import PmtuiApp, ReplayApp
from pmtui.ui.keys.actions import Keymap, read_keymap
from pmtui.ui.surface import Options, ReplayControls, ServiceProcess, Surface
from pmtui.ui.terminal.desktop_notice import forget_true_color
from pmtui.ui.theme.theme_files import load_themes, usual_theme, why_no_theme

_logger = logging.getLogger(__name__)


THEME_VARIABLE = "PMTUI_THEME"


@dataclass(frozen=True, slots=True)
class Appearance:
    """The terminal's own part of the settings."""

    keymap: Keymap
    themes: tuple[Theme, ...]
    theme_problems: tuple[str, ...]
    """What is wrong with the other themes."""
    workplace: Path
    """The file of the stored layout."""


def load_appearance(settings: TerminalSettings, paths: Paths, keymap: Keymap) -> Appearance:
    """Read the themes; problems of themes that are not selected are logged.

    Raises:
        ConfigError: there is no theme of the selected name.
    """
    return Appearance(keymap, *_themes(settings, paths), paths.state / WORKPLACE_FILE)


def make_app(
    settings: TerminalSettings,
    appearance: Appearance,
    *,
    queries: Queries,
    commands: Commands,
    subscriptions: Subscriptions,
    is_first_run: bool,
    process: ServiceProcess | None = None,
    replay: ReplayControls | None = None,
) -> PmtuiApp:
    """Return the application on a service, wherever that runs; with replay keys for a replay."""
    forget_true_color(os.environ)
    is_grey = is_without_color()
    # A replay shows past data: it must not change the stored layout.
    memory = Memory(appearance.workplace if replay is None else None, profile=settings.profile)
    surface = Surface(
        queries=queries,
        commands=commands,
        subscriptions=subscriptions,
        options=_options(
            settings, appearance, is_first_run=is_first_run, is_attached=process is not None
        ),
        memory=memory,
        replay=replay,
        process=process,
    )
    make = PmtuiApp if replay is None else ReplayApp
    app = make(
        surface,
        themes=appearance.themes,
        theme=_first_known(memory.now.theme, appearance)
        or settings.theme
        or usual_theme(os.environ, is_grey=is_grey),
        on_quit=settings.on_quit,
    )
    app.after_drawing = trim_heap
    if os.environ.get("TMUX"):
        app.clipboard_writer.hand_over = copy_to_tmux
    return app


def _options(
    settings: TerminalSettings, appearance: Appearance, *, is_first_run: bool, is_attached: bool
) -> Options:
    return Options(
        keymap=appearance.keymap,
        ascii_only=is_ascii_terminal(),
        ticket=settings.ticket,
        flatten_percent=settings.flatten_percent,
        presets=settings.presets,
        chart_interval=settings.chart_interval,
        prices=settings.prices,
        times=settings.times,
        is_calm=settings.is_calm,
        notices=settings.notices,
        is_first_run=is_first_run,
        is_attached=is_attached,
        theme_problems=appearance.theme_problems,
    )


def _first_known(name: str, appearance: Appearance) -> str:
    """Return the stored theme, unless its file is gone."""
    return name if name in {theme.name for theme in appearance.themes} else ""


def read_keys(settings: TerminalSettings, paths: Paths) -> Keymap:
    """Return the user's keys.

    Raises:
        ConfigError: the keys are invalid.
    """
    keymap, problems = read_keymap(settings.keys)
    if problems:
        raise ConfigError(f"{paths.config_file}:{problems[0].line}", problems[0].text)
    return keymap


def _themes(settings: TerminalSettings, paths: Paths) -> tuple[tuple[Theme, ...], tuple[str, ...]]:
    """Return the usable themes, and the problems of the others."""
    themes, problems = load_themes(paths.config / "themes")
    for problem in problems:
        _logger.warning("theme: %s", problem)
    if reason := why_no_theme(settings.theme, themes, problems):
        in_file = THEME_VARIABLE not in os.environ
        place = read_toml(paths.config_file).place(("theme",)) if in_file else THEME_VARIABLE
        raise ConfigError(place, reason)
    return themes, problems
