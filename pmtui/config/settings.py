"""Settings: command line over environment (`PMTUI_*`) over `config.toml` over defaults.

Importing this module costs a tenth of a second (pydantic): import it where settings are loaded.
A private key is taken from the environment only, never from a file or the command line.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pydantic import Field, PrivateAttr, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)
from typing_extensions import override

from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.config.errors import ConfigError
from pmtui.config.paths import locate
from pmtui.config.toml_file import Key, TomlFile, read_toml
from pmtui.config.values import (
    Addresses,
    Chart,
    Deadline,
    FrameRate,
    IdleTime,
    KeyTable,
    LimitTable,
    Percent,
    Presets,
    Profile,
    ProfileKind,
    Ticket,
    check_leaving,
)
from pmtui.domain.flattening import DEFAULT_GIVE_WAY
from pmtui.domain.heartbeat import HeartbeatPolicy
from pmtui.domain.leaving import Departure, LeavePolicy
from pmtui.domain.order import SignatureType
from pmtui.domain.presets import DEFAULT_PRESETS

PREFIX = "PMTUI_"
DIALECTS = {ProfileKind.PAPER: Dialect.SEED, ProfileKind.LIVE: Dialect.LIVE}
BUILT_IN = {kind.value: Profile(like=kind) for kind in ProfileKind}


@dataclass(frozen=True, slots=True)
class KeySetting:
    """Keys that the user gives an action, and the line where; 0 when not from the file."""

    keys: tuple[str, ...]
    line: int


class Settings(BaseSettings, Addresses):
    """What the user wants. Make it with `load_settings`."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

    profile: str = "paper"
    profiles: dict[str, Profile] = {}
    private_key: SecretStr | None = None
    """For automation; otherwise keys come from a keystore."""
    theme: str | None = None
    """None for the default, or for the one without colour where `NO_COLOR` is set."""
    frame_rate: FrameRate = 10
    """Screen updates a second for what arrives by itself; keys are answered at once."""
    order_deadline_s: Deadline = 10
    """Seconds without an answer after which an order counts as unknown and is looked for."""
    disarm_after_s: IdleTime = 300
    """Seconds without a trading key after which single keys trade no more."""
    heartbeat: HeartbeatPolicy = HeartbeatPolicy.OFF
    """When the venue's dead man's switch is fed. Off: one who has not chosen it must not find every
    order of the key cancelled, those of other programs too, after ten seconds of a bad line."""
    on_quit: LeavePolicy | None = None
    """What becomes of open orders; None leaves them, or to the switch while heartbeats are sent."""
    on_hangup: LeavePolicy | None = None
    """The same when the terminal goes away or the program is told to end."""
    presets: Presets = Field(DEFAULT_PRESETS, validate_default=False)  # given in millionths already
    """Shares, on the keys 1 to 5; every market begins with the first."""
    flatten_percent: Percent = DEFAULT_GIVE_WAY
    """How far below the best bid selling a whole position may fill, in percent of that bid."""
    chart: Chart = Chart()
    ticket: Ticket = Ticket()
    limits: LimitTable = LimitTable()
    keys: KeyTable = {}

    _file: TomlFile = PrivateAttr(default=TomlFile(Path("config.toml")))

    @field_validator("on_quit", "on_hangup")
    @classmethod
    def _fits_heartbeat(
        cls, policy: LeavePolicy | None, info: ValidationInfo
    ) -> LeavePolicy | None:
        return check_leaving(policy, info.data.get("heartbeat"))

    @property
    def chosen(self) -> Profile:
        """The profile in use, built in or the user's own."""
        return BUILT_IN.get(self.profile) or self.profiles[self.profile]

    @property
    def is_paper(self) -> bool:
        """Whether the profile needs a local venue started for it."""
        return self.chosen.like is ProfileKind.PAPER

    @property
    def dialect(self) -> Dialect:
        """The spelling of the service that the profile's hosts are asked in."""
        return self.chosen.dialect or DIALECTS[self.chosen.like]

    @property
    def signature_type(self) -> SignatureType:
        """For which kind of wallet orders are signed."""
        return self.chosen.signature_type

    def leave_policy(self, departure: Departure) -> LeavePolicy:
        """Return what is to become of open orders when the program ends for this reason."""
        chosen = self.on_quit if departure is Departure.QUIT else self.on_hangup
        is_off = self.heartbeat is HeartbeatPolicy.OFF
        return chosen or (LeavePolicy.LEAVE if is_off else LeavePolicy.SWITCH)

    @property
    def key_settings(self) -> dict[str, KeySetting]:
        """The keymap's changes by action id, each with its line in the settings file."""
        lines = {".".join(key): line for key, line in self._file.lines.items()}
        return {
            action: KeySetting(keys, lines.get(f"keys.{action}", 0))
            for action, keys in self.keys.items()
        }

    def endpoints(self, usual: Endpoints) -> Endpoints:
        """Return the addresses to use: settings over the profile's over the usual ones.

        Args:
            usual: the public service's, or those that the started venue named.
        """
        chosen = self.chosen
        return Endpoints(
            **{
                field.name: getattr(self, f"{field.name}_url")
                or getattr(chosen, f"{field.name}_url")
                or getattr(usual, field.name)
                for field in fields(Endpoints)
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
    given = {name: value for name, value in (overrides or {}).items() if value is not None}
    file = read_toml(config_file or locate().config_file)
    _refuse_stray_key(given, file)

    class Loaded(Settings):
        @classmethod
        @override
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return init_settings, env_settings, InitSettingsSource(settings_cls, dict(file.values))

    try:
        settings = Loaded(**given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise ConfigError(_place(first["loc"], given, file), _problem(first)) from None
    except SettingsError as error:
        # Its text names the field; the value, and the JSON error with it, stay behind.
        raise ConfigError("environment", str(error)) from None
    settings._file = file
    _check_profile(settings, given, file)
    return settings


def _refuse_stray_key(given: Mapping[str, object], file: TomlFile) -> None:
    where = f"a private key comes from a keystore or from {PREFIX}PRIVATE_KEY, from nowhere else"
    if "private_key" in given:
        raise ConfigError("--private-key", where)
    if file.has(("private_key",)):
        raise ConfigError(file.place(("private_key",)), where)


def _check_profile(settings: Settings, given: Mapping[str, object], file: TomlFile) -> None:
    for name in settings.profiles:
        if name in BUILT_IN:
            raise ConfigError(file.place(("profiles", name)), f"{name} is a built-in profile")
    names = (*BUILT_IN, *settings.profiles)
    if settings.profile not in names:
        problem = f"no profile {settings.profile!r}; there is {', '.join(names)}"
        raise ConfigError(_place(("profile",), given, file), problem)


def _place(loc: tuple[int | str, ...], given: Mapping[str, object], file: TomlFile) -> str:
    if not loc:
        return "settings"
    key: Key = tuple(str(part) for part in loc if part != "[key]")
    if key[0] in given:
        return "--" + key[0].replace("_", "-")
    names = [PREFIX + "__".join(key[:length]).upper() for length in range(len(key), 0, -1)]
    if stated := next((name for name in names if name in _upper_environ()), None):
        return stated
    return f"{file.place(key)} {'.'.join(key)}"


def _upper_environ() -> frozenset[str]:
    return frozenset(name.upper() for name in os.environ)


def _problem(error: ErrorDetails) -> str:
    if error["type"] == "extra_forbidden":
        return "no such setting"
    if error["type"] == "tuple_type":
        return "should be a list"
    return error["msg"].removeprefix("Value error, ").replace("Input should", "should")
