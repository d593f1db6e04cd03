"""The roles that a theme may colour, and their defaults.

Roles are a closed set. A theme without any still covers the whole terminal, because each role has a
default in terms of Textual's slots.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from textual.color import Color, ColorParseError
from textual.theme import Theme

DEFAULT_THEME = "harbour"

SLOTS = (
    "primary",
    "secondary",
    "warning",
    "error",
    "success",
    "accent",
    "foreground",
    "background",
    "surface",
    "panel",
    "boost",
)
"""Textual's own colours, spelled as in Textual."""

TEXT_STYLES = ("bold", "dim", "italic", "underline", "reverse", "strike", "none")


class Role(StrEnum):
    """What a cell means. Published to stylesheets as `$role-<name>` and `$role-<name>-style`."""

    TEXT = "text"
    HEADING = "heading"
    KEY = "key"
    DIM = "dim"
    BID = "bid"
    ASK = "ask"
    BID_BAR = "bid-bar"
    ASK_BAR = "ask-bar"
    OWN_ORDER = "own-order"
    CURSOR_ROW = "cursor-row"
    SPREAD_ROW = "spread-row"
    LAST_TRADE = "last-trade"
    STALE = "stale"
    FRAME = "frame"
    FRAME_FOCUS = "frame-focus"
    FRAME_ARMED = "frame-armed"
    CROSSED = "crossed"
    VERIFIED = "verified"
    UP = "up"
    DOWN = "down"
    FLASH_UP = "flash-up"
    FLASH_DOWN = "flash-down"
    AREA_UP = "area-up"
    AREA_DOWN = "area-down"
    SERIES_3 = "series-3"
    SERIES_4 = "series-4"
    PAPER = "paper"
    LIVE = "live"
    READONLY = "readonly"
    ARMED = "armed"
    NOTICE_GOOD = "notice-good"
    NOTICE_WARN = "notice-warn"
    NOTICE_BAD = "notice-bad"


def sign_role(amount: int) -> Role:
    """Return the role of a gain, a loss or nothing; a sign in the text must show it too."""
    return Role.UP if amount > 0 else Role.DOWN if amount < 0 else Role.DIM


GROUND_ROLES = frozenset(
    {
        Role.BID_BAR,
        Role.ASK_BAR,
        Role.CURSOR_ROW,
        Role.SPREAD_ROW,
        Role.FLASH_UP,
        Role.FLASH_DOWN,
        Role.AREA_UP,
        Role.AREA_DOWN,
    }
)
"""Roles that colour a background; all others colour text."""


class RoleDefault(NamedTuple):
    """A colour as written in a theme file, and a text style."""

    color: str
    style: str = "none"


ROLE_DEFAULTS: Mapping[Role, RoleDefault] = MappingProxyType(
    {
        Role.TEXT: RoleDefault("@foreground"),
        Role.HEADING: RoleDefault("@foreground", "bold"),
        Role.KEY: RoleDefault("@accent", "bold"),
        Role.DIM: RoleDefault("@foreground 70%"),
        Role.BID: RoleDefault("@success"),
        Role.ASK: RoleDefault("@error"),
        Role.BID_BAR: RoleDefault("@success 25%"),
        Role.ASK_BAR: RoleDefault("@error 25%"),
        Role.OWN_ORDER: RoleDefault("@accent", "bold"),
        Role.CURSOR_ROW: RoleDefault("@primary 35%"),
        Role.SPREAD_ROW: RoleDefault("@foreground 10%"),
        Role.LAST_TRADE: RoleDefault("@warning", "bold"),
        Role.FRAME: RoleDefault("@foreground 32%"),
        Role.FRAME_FOCUS: RoleDefault("@accent"),
        Role.FRAME_ARMED: RoleDefault("@error", "bold"),
        Role.STALE: RoleDefault("@warning", "italic"),
        Role.CROSSED: RoleDefault("@error", "bold reverse"),
        Role.VERIFIED: RoleDefault("@success"),
        Role.UP: RoleDefault("@success"),
        Role.DOWN: RoleDefault("@error"),
        Role.FLASH_UP: RoleDefault("@success 40%"),
        Role.FLASH_DOWN: RoleDefault("@error 40%"),
        Role.AREA_UP: RoleDefault("@success 14%"),
        Role.AREA_DOWN: RoleDefault("@error 14%"),
        Role.SERIES_3: RoleDefault("@foreground"),
        Role.SERIES_4: RoleDefault("@foreground 70%"),
        Role.PAPER: RoleDefault("@accent", "bold"),
        Role.LIVE: RoleDefault("@error", "bold reverse"),
        Role.READONLY: RoleDefault("@warning", "bold"),
        Role.ARMED: RoleDefault("@error", "bold reverse"),
        Role.NOTICE_GOOD: RoleDefault("@success"),
        Role.NOTICE_WARN: RoleDefault("@warning"),
        Role.NOTICE_BAD: RoleDefault("@error", "bold"),
    }
)

# Palette colours cannot be blended, so rows and bars are shown in reverse.
_ANSI_GROUND = RoleDefault("@background", "reverse")
_ANSI_QUIET_GROUND = RoleDefault("@background")


class ThemeError(ValueError):
    """An error in a theme file; the text says what and where."""


def default_for(role: Role, *, is_ansi: bool) -> RoleDefault:
    """Return the default of a role that a theme does not set."""
    if not is_ansi:
        return ROLE_DEFAULTS[role]
    if role in (Role.SPREAD_ROW, Role.AREA_UP, Role.AREA_DOWN):
        return _ANSI_QUIET_GROUND
    if role in GROUND_ROLES:
        return _ANSI_GROUND
    if role in (Role.DIM, Role.SERIES_4, Role.FRAME):
        return RoleDefault("@foreground", "dim")
    return ROLE_DEFAULTS[role]


def role_variables(
    theme: Theme,
    colors: Mapping[Role, str] = MappingProxyType({}),
    styles: Mapping[Role, str] = MappingProxyType({}),
) -> dict[str, str]:
    """Resolve every role against a theme into stylesheet variables.

    Args:
        theme: Any theme of Textual, also one that knows no roles.
        colors: Colours for some roles, as a theme file writes them.
        styles: Text styles for some roles.

    Raises:
        ThemeError: a colour that does not parse, or a reference to no slot.
    """
    defaults = {role: default_for(role, is_ansi=theme.ansi) for role in Role}
    stated = {role: colors.get(role, default.color) for role, default in defaults.items()}
    slots = slot_colors(theme, "background", *map(_slot_of, stated.values()))
    variables: dict[str, str] = {}
    for role, default in defaults.items():
        variables[f"role-{role}"] = resolve_color(stated[role], slots)
        variables[f"role-{role}-style"] = styles.get(role, default.style)
    return variables


def slot_colors(theme: Theme, *wanted: str) -> dict[str, str]:
    """Return the colour of each slot, with Textual's fallbacks for those the theme does not set."""
    stated = {slot: getattr(theme, slot) for slot in SLOTS if slot in wanted}
    if all(stated.values()):
        # Computing the fallbacks takes longer than all the rest, and our own themes need none.
        return stated
    generated = theme.to_color_system().generate()
    return {slot: color or generated[slot] for slot, color in stated.items()}


def _slot_of(text: str) -> str:
    """Return the slot that a colour refers to; empty for a literal colour."""
    return text[1:].partition(" ")[0] if text.startswith("@") else ""


def resolve_color(text: str, slots: Mapping[str, str]) -> str:
    """Turn `#rrggbb`, a colour name, `@slot` or `@slot 40%` into a colour Textual reads.

    A percentage mixes the slot into the theme's background.

    Raises:
        ThemeError: anything else.
    """
    if not text.startswith("@"):
        return _write(_parse(text))
    slot, amount = _slot_of(text), text.partition(" ")[2]
    if slot not in slots:
        raise ThemeError(f"{text!r} names no colour of [colors]")
    color = _parse(slots[slot])
    if not amount:
        return _write(color)
    percent = amount.strip().removesuffix("%")
    if not (percent.isascii() and percent.isdigit() and int(percent) <= 100):
        raise ThemeError(f"{text!r} wants a percentage from 0% to 100%")
    ground = _parse(slots["background"])
    if color.ansi is not None or ground.ansi is not None:
        return _write(color)
    return _write(ground.blend(color, int(percent) / 100, 1.0))


def _parse(text: str) -> Color:
    try:
        return Color.parse(text)
    except ColorParseError as error:
        raise ThemeError(f"{text!r} is no colour") from error


def _write(color: Color) -> str:
    return color.css if color.ansi is not None else color.hex
