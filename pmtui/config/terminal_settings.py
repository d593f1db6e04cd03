"""The settings that a terminal needs, as plain values that a service can send it.

The service reads and checks the settings. A terminal finds its service by the profile's name only, so
it neither loads the settings library nor keeps settings that do not concern it.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pmtui.config.toml_file import read_toml
from pmtui.domain.formats import PriceFormat
from pmtui.domain.markets.history import Interval
from pmtui.domain.money import Micros
from pmtui.domain.notices import NoticeWays
from pmtui.domain.orders.exit_policy import ExitPolicy
from pmtui.domain.ticket.draft import TicketRules

PREFIX = "PMTUI_"
"""Prefix of the environment variables that hold settings."""
KEY_VARIABLE = "PMTUI_PRIVATE_KEY"
"""The only one of them that is secret."""
USUAL_PROFILE = "paper"


class Times(StrEnum):
    """The time zone of displayed times."""

    LOCAL = "local"
    """The zone of the machine this runs on, which over SSH may not be the trader's own."""
    UTC = "utc"


@dataclass(frozen=True, slots=True)
class KeyOverride:
    """The user's key bindings for one action."""

    keys: tuple[str, ...]
    """The keys; an empty tuple removes the action's keys."""
    line: int
    """Line in the file; 0 if it was set elsewhere."""


@dataclass(frozen=True, slots=True)
class TerminalSettings:
    """The settings that one terminal uses."""

    profile: str
    is_paper: bool
    rules: str
    """Digest of the settings that the service trades by."""
    theme: str | None
    """None for the default, or for the colourless theme if `NO_COLOR` is set."""
    times: Times
    prices: PriceFormat
    chart_interval: Interval
    is_calm: bool
    ticket: TicketRules
    presets: tuple[Micros, ...]
    flatten_percent: int
    notices: NoticeWays
    on_quit: ExitPolicy
    """What to do with open orders when the service stops at the trader's request."""
    keys: dict[str, KeyOverride]
    """By action id."""


def find_profile_name(stated: str | None, config_file: Path) -> str:
    """Return the name of the selected profile; whether such a profile exists is not checked.

    Raises:
        ConfigError: the file cannot be read.
    """
    if stated is not None:
        return stated
    variable = f"{PREFIX}PROFILE"
    named = [value for name, value in os.environ.items() if name.upper() == variable]
    if named:
        return named[-1]
    # A value that is not text is refused later, when all settings are read.
    return str(read_toml(config_file).values.get("profile", USUAL_PROFILE))


def settings_in(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables that hold settings, except the private key."""
    return {
        name: value
        for name, value in environ.items()
        if name.upper().startswith(PREFIX) and name.upper() != KEY_VARIABLE
    }
