"""What the user wants, checked and settled: plain values, which cost nothing to import.

`load_settings` reads them with pydantic, `settings_ahead` does it in a process of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from typing_extensions import override

from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.domain.account.exit_policy import Departure, LeavePolicy
from pmtui.domain.account.signature_type import SignatureType
from pmtui.domain.markets.history import Interval
from pmtui.domain.money import Micros
from pmtui.domain.orders.heartbeat import HeartbeatPolicy
from pmtui.domain.orders.limits import Limits
from pmtui.domain.ticket.rules import TicketRules


@dataclass(frozen=True, slots=True)
class KeySetting:
    """Keys that the user gives an action, and the line where; 0 when not from the file."""

    keys: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True, repr=False)
class HiddenText:
    """A text that does not show itself; `reveal` can be searched for."""

    text: str

    def reveal(self) -> str:
        """Return it."""
        return self.text

    @override
    def __repr__(self) -> str:
        return "<hidden>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What holds for a session; where each comes from, and its default: `settings_model`."""

    profile: str
    is_paper: bool
    """Whether the profile needs a local venue started for it."""
    dialect: Dialect
    """The spelling of the venue that the profile's hosts are asked in."""
    signature_type: SignatureType
    """For which kind of wallet orders are signed."""
    addresses: Mapping[str, str] = field(default_factory=dict)
    """Those that are stated, by the names that `Endpoints` has for them."""
    private_key: HiddenText | None
    allow_cleartext: bool
    """Whether a key may be used with addresses of other machines that nothing encrypts."""
    theme: str | None
    frame_rate: int
    order_deadline_s: int
    disarm_after_s: int
    heartbeat: HeartbeatPolicy
    on_quit: LeavePolicy | None
    on_hangup: LeavePolicy | None
    presets: tuple[Micros, ...]
    flatten_percent: int
    chart_interval: Interval
    ticket: TicketRules
    limits: Limits
    keys: Mapping[str, KeySetting]
    """The keymap's changes by action id."""

    def leave_policy(self, departure: Departure) -> LeavePolicy:
        """Return what is to become of open orders when the program ends for this reason."""
        chosen = self.on_quit if departure is Departure.QUIT else self.on_hangup
        is_off = self.heartbeat is HeartbeatPolicy.OFF
        return chosen or (LeavePolicy.LEAVE if is_off else LeavePolicy.SWITCH)

    def endpoints(self, usual: Endpoints) -> Endpoints:
        """Return the addresses to use: those that are stated over the usual ones.

        Args:
            usual: the public venue's, or those that the started venue named.
        """
        return Endpoints(
            **{
                f.name: self.addresses.get(f.name) or getattr(usual, f.name)
                for f in fields(Endpoints)
            }
        )


def load_settings(
    overrides: Mapping[str, Any] | None = None, *, config_file: Path | None = None
) -> Settings:
    """Read all sources and check every value.

    Args:
        overrides: from the command line, by the name of the setting; None values are not given.
        config_file: where it is not in its usual place.

    Raises:
        ConfigError: a value that cannot be used; the first one, in one line.
    """
    from pmtui.config.settings_model import read_model  # noqa: PLC0415 - costs what is said there

    return read_model(overrides, config_file=config_file).settled()
