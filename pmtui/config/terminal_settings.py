"""What a terminal needs to know of the settings, as plain values that a service can send it.

Settings are read and checked by the service. A terminal finds its service by the profile's name only,
so it neither loads the settings' library nor keeps what does not concern it.
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
"""Of the environment variables that hold settings."""
KEY_VARIABLE = "PMTUI_PRIVATE_KEY"
"""The only one of them that is a secret."""
USUAL_PROFILE = "paper"


class Times(StrEnum):
    """Which clock times are written by."""

    LOCAL = "local"
    """That of the machine this runs on, which over SSH need not be the trader's own."""
    UTC = "utc"


@dataclass(frozen=True, slots=True)
class KeyOverride:
    """What the user wrote for one action."""

    keys: tuple[str, ...]
    """Empty takes the action's keys away."""
    line: int
    """Where the file says so; 0 where something else does."""


@dataclass(frozen=True, slots=True)
class TerminalSettings:
    """The settings that one terminal goes by."""

    profile: str
    is_paper: bool
    rules: str
    """Digest of what a service acts by under these settings."""
    theme: str | None
    """None for the default, or for the one without colour where `NO_COLOR` is set."""
    times: Times
    prices: PriceFormat
    chart_interval: Interval
    is_calm: bool
    ticket: TicketRules
    presets: tuple[Micros, ...]
    flatten_percent: int
    notices: NoticeWays
    on_quit: ExitPolicy
    """What becomes of open orders when the service ends because the trader wants it to."""
    keys: dict[str, KeyOverride]
    """By the id of the action."""


def find_profile_name(stated: str | None, config_file: Path) -> str:
    """Return the profile that is meant; whether there is one of that name is not checked.

    Raises:
        ConfigError: the file cannot be read.
    """
    if stated is not None:
        return stated
    variable = f"{PREFIX}PROFILE"
    named = [value for name, value in os.environ.items() if name.upper() == variable]
    if named:
        return named[-1]
    # A value that is no text is refused by whoever reads all settings.
    return str(read_toml(config_file).values.get("profile", USUAL_PROFILE))


def settings_in(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of an environment that hold settings, but for the private key."""
    return {
        name: value
        for name, value in environ.items()
        if name.upper().startswith(PREFIX) and name.upper() != KEY_VARIABLE
    }
