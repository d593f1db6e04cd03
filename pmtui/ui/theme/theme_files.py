"""Loads the built-in and the user's themes from TOML files, and chooses the default theme.

A file with a mistake is left out and listed as a problem; it never prevents the start.
"""

import tomllib
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Final, Literal

from rich.console import Console
from textual.theme import BUILTIN_THEMES, Theme

import pmtui
from pmtui.config.toml_file import UntrustedFileError, decode_toml, plain_line, read_trusted_text
from pmtui.ui.theme.theme import (
    DEFAULT_THEME,
    SLOTS,
    TEXT_STYLES,
    Role,
    ThemeError,
    resolve_color,
    role_variables,
)

_ROLES = tuple(role.value for role in Role)
_KEYS = ("name", "kind", "dark", "ansi", "colors", "roles", "styles")

LONGEST_KIND = 17
"""The longest description of a theme's purpose."""

# Keeps Textual's own widgets readable when only palette colours exist.
_ANSI_VARIABLES = {
    **BUILTIN_THEMES["ansi-dark"].variables,
    "block-cursor-foreground": "ansi_default",
    "block-cursor-background": "ansi_default",
    "block-cursor-text-style": "bold reverse",
    "block-cursor-blurred-text-style": "reverse",
    "input-cursor-background": "ansi_default",
    "input-cursor-foreground": "ansi_default",
    "input-cursor-text-style": "reverse",
    "border": "ansi_default",
    "border-blurred": "ansi_default",
}


class KnownTheme(Theme):
    """A theme with a description of its purpose."""

    kind = ""


def why_no_theme(name: str | None, themes: Collection[Theme], problems: Collection[str]) -> str:
    """Return why the theme of the settings cannot be used; empty if it can, or if none is named.

    Args:
        name: of the theme; None for the default.
        themes: those that can be used.
        problems: of the files of other themes.
    """
    if name is None or name in {theme.name for theme in themes}:
        return ""
    # Most likely it is the very file that could not be read.
    wrong = min(problems, key=lambda each: not each.startswith(f"{name}."), default="")
    near = f"themes/{wrong}" if wrong else f"try {', '.join(sorted(t.name for t in themes))}"
    return f"there is no {name!r}; {near}"


def load_themes(user_dir: Path | None = None) -> tuple[tuple[Theme, ...], tuple[str, ...]]:
    """Load the built-in themes and then the user's, which replace those of the same name.

    Returns:
        The usable themes, and one sentence for each file or key that is not.
    """
    themes: dict[str, Theme] = {}
    problems: list[str] = []
    for file in (*_toml_files(_built_in_dir()), *_toml_files(user_dir)):
        is_ours = file.parent != user_dir
        try:
            text = file.read_text(encoding="utf-8") if is_ours else read_trusted_text(file)
            theme = parse_theme(text)
        except (ThemeError, OSError, UntrustedFileError) as error:
            problems.append(plain_line(f"{file.name}: {error}"))
        else:
            themes[theme.name] = theme
    return tuple(themes.values()), tuple(problems)


def parse_theme(text: str) -> Theme:
    """Read one theme file.

    Raises:
        ThemeError: not TOML, an unknown key, a missing one, or a colour that does not parse.
    """
    try:
        document = decode_toml(text)
    except tomllib.TOMLDecodeError as error:
        raise ThemeError(f"not a TOML file: {error}") from error
    _refuse_unknown("key", document, _KEYS)
    name = document.get("name")
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise ThemeError("needs a name")
    slots = _table(document, "colors", SLOTS)
    if "primary" not in slots:
        raise ThemeError("[colors] needs primary")
    colors = {slot: resolve_color(color, {}) for slot, color in slots.items()}
    is_ansi = _flag(document, "ansi", default=False)
    is_dark = _flag(document, "dark", default=True)
    kind = document.get("kind", "")
    if not isinstance(kind, str) or len(kind) > LONGEST_KIND or not kind.isprintable():
        raise ThemeError(f"kind has to be a text of {LONGEST_KIND} characters at most")
    theme = KnownTheme(name=name, primary=colors["primary"], dark=is_dark, ansi=is_ansi)
    theme.kind = kind
    for slot, color in colors.items():
        setattr(theme, slot, color)
    roles = _table(document, "roles", _ROLES)
    styles = _table(document, "styles", _ROLES)
    for role, style in styles.items():
        for word in style.split() or [style]:
            if word not in TEXT_STYLES:
                raise ThemeError(f"[styles] {role}: {_unknown('style', word, TEXT_STYLES)}")
    theme.variables.update(_ANSI_VARIABLES if is_ansi else {})
    theme.variables.update(
        role_variables(
            theme,
            {Role(role): color for role, color in roles.items()},
            {Role(role): style for role, style in styles.items()},
        )
    )
    return theme


def _built_in_dir() -> Path:
    package = Path(pmtui.__file__).parent
    installed = package / "_themes"
    return installed if installed.is_dir() else package.parent / "themes"


def _toml_files(directory: Path | None) -> Iterator[Path]:
    if directory is not None and directory.is_dir():
        yield from sorted(directory.glob("*.toml"), key=lambda file: file.stem)


def _table(document: Mapping[str, object], key: str, allowed: tuple[str, ...]) -> dict[str, str]:
    table = document.get(key, {})
    if not isinstance(table, dict):
        raise ThemeError(f"[{key}] has to be a table")
    _refuse_unknown(f"[{key}] key", table, allowed)
    for name, value in table.items():
        if not isinstance(value, str):
            raise ThemeError(f"[{key}] {name} has to be a text")
    return table


def _flag(document: Mapping[str, object], key: str, *, default: bool) -> bool:
    value = document.get(key, default)
    if not isinstance(value, bool):
        raise ThemeError(f"{key} has to be true or false")
    return value


def _refuse_unknown(what: str, table: Mapping[str, object], allowed: tuple[str, ...]) -> None:
    for key in table:
        if key not in allowed:
            raise ThemeError(_unknown(what, key, allowed))


def _unknown(what: str, word: str, allowed: tuple[str, ...]) -> str:
    close = get_close_matches(word, allowed, n=1, cutoff=0.5)
    hint = f", did you mean {close[0]!r}?" if close else ""
    return f"unknown {what} {word!r}{hint}"


_Known = Literal["auto", "standard", "256", "truecolor", "windows"]
_FORCED: Final[Mapping[str, _Known]] = {
    "standard": "standard",
    "256": "256",
    "truecolor": "truecolor",
    "windows": "windows",
}
"""Values of Textual's own environment variable for the colour system."""


def usual_theme(environ: Mapping[str, str], *, is_grey: bool) -> str:
    """Return the name of the default theme: 24-bit shades reduced to 16 colours are unreadable."""
    if is_grey:
        return "slate"
    forced = _FORCED.get(environ.get("TEXTUAL_COLOR_SYSTEM", "auto"), "auto")
    console = Console(force_terminal=True, color_system=forced, _environ=environ)
    return "ansi" if console.color_system == "standard" else DEFAULT_THEME
