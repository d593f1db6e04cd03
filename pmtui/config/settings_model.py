"""Settings as they are read and checked: command line over environment over file over defaults.

Importing this module costs a tenth of a second and twelve megabytes (pydantic): the terminal does
it in a process that ends at once (`settings_ahead`). A private key is taken from the environment
only, never from a file or the command line.
"""

import os
from collections.abc import Mapping
from dataclasses import fields
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
from pmtui.config.paths import is_file_name, locate
from pmtui.config.settings import HiddenText, KeySetting, Settings
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
from pmtui.domain.money import Micros
from pmtui.domain.orders.heartbeat import ExitPolicy, HeartbeatPolicy
from pmtui.domain.ticket.draft import DEFAULT_GIVE_WAY, DEFAULT_PRESETS

PREFIX = "PMTUI_"
DIALECTS = {ProfileKind.PAPER: Dialect.SEED, ProfileKind.LIVE: Dialect.LIVE}
BUILT_IN = {kind.value: Profile(like=kind) for kind in ProfileKind}


class SettingsModel(BaseSettings, Addresses):
    """What the user may state, and what holds without. Make it with `read_model`."""

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
    allow_cleartext: bool = False
    """Whether a key may be used with http:// or ws:// addresses of other machines."""
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
    on_quit: ExitPolicy | None = None
    """What becomes of open orders; None leaves them, or to the switch while heartbeats are sent."""
    on_hangup: ExitPolicy | None = None
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
    def _fits_heartbeat(cls, policy: ExitPolicy | None, info: ValidationInfo) -> ExitPolicy | None:
        return check_leaving(policy, info.data.get("heartbeat"))

    @property
    def chosen(self) -> Profile:
        """The profile in use, built in or the user's own."""
        return BUILT_IN.get(self.profile) or self.profiles[self.profile]

    def settled(self) -> Settings:
        """Return what holds, as the program takes it."""
        chosen = self.chosen
        stated = {
            field.name: getattr(self, f"{field.name}_url") or getattr(chosen, f"{field.name}_url")
            for field in fields(Endpoints)
        }
        key = self.private_key
        return Settings(
            profile=self.profile,
            is_paper=chosen.like is ProfileKind.PAPER,
            dialect=chosen.dialect or DIALECTS[chosen.like],
            signature_type=chosen.signature_type,
            addresses={name: address for name, address in stated.items() if address},
            private_key=None if key is None else HiddenText(key.get_secret_value()),
            allow_cleartext=self.allow_cleartext,
            theme=self.theme,
            frame_rate=self.frame_rate,
            order_deadline_s=self.order_deadline_s,
            disarm_after_s=self.disarm_after_s,
            heartbeat=self.heartbeat,
            on_quit=self.on_quit,
            on_hangup=self.on_hangup,
            presets=tuple(Micros(size) for size in self.presets),
            flatten_percent=self.flatten_percent,
            chart_interval=self.chart.interval,
            ticket=self.ticket.rules,
            limits=self.limits.limits,
            keys=self._key_settings(),
        )

    def _key_settings(self) -> dict[str, KeySetting]:
        lines = {".".join(key): line for key, line in self._file.lines.items()}
        return {
            action: KeySetting(keys, lines.get(f"keys.{action}", 0))
            for action, keys in self.keys.items()
        }


def read_model(
    overrides: Mapping[str, Any] | None = None, *, config_file: Path | None = None
) -> SettingsModel:
    """Read all sources and check every value; see `load_settings`.

    Raises:
        ConfigError: a value that cannot be used; the first one, in one line.
    """
    given = {name: value for name, value in (overrides or {}).items() if value is not None}
    file = read_toml(config_file or locate().config_file)
    _refuse_stray_key(given, file)

    class Loaded(SettingsModel):
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
        first = error.errors(include_url=False, include_input=False)[0]
        raise ConfigError(_place(first["loc"], given, file), _problem(first)) from None
    except SettingsError as error:
        # Its text names the field; the value, and the JSON error with it, stay behind.
        raise ConfigError("environment", str(error)) from None
    except RecursionError:
        raise ConfigError(str(file.path), "a setting is nested too deeply") from None
    settings._file = file
    _check_profile(settings, given, file)
    return settings


def _refuse_stray_key(given: Mapping[str, object], file: TomlFile) -> None:
    where = f"a private key comes from a keystore or from {PREFIX}PRIVATE_KEY, from nowhere else"
    if "private_key" in given:
        raise ConfigError("--private-key", where)
    if file.has(("private_key",)):
        raise ConfigError(file.place(("private_key",)), where)


def _check_profile(settings: SettingsModel, given: Mapping[str, object], file: TomlFile) -> None:
    for name in settings.profiles:
        if not is_file_name(name):
            raise ConfigError(file.place(("profiles", name)), f"{name!r} cannot name a directory")
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


_WORDS = {
    "bool_parsing": "should be true or false",
    "bool_type": "should be true or false",
    "dict_type": "should be a table",
    "extra_forbidden": "no such setting",
    "greater_than_equal": "should be {ge} or more",
    "int_from_float": "should be a whole number",
    "int_parsing": "should be a whole number",
    "int_type": "should be a whole number",
    "less_than_equal": "should be {le} or less",
    "model_type": "should be a table",
    "string_type": "should be a text in quotes",
    "too_long": "should have {max_length} entries at most",
    "too_short": "should have {min_length} or more entries",
    "tuple_type": "should be a list",
}
"""In place of the library's words, which are about Python."""


def _problem(error: ErrorDetails) -> str:
    words = _WORDS.get(error["type"])
    if words is not None:
        return words.format_map(error.get("ctx", {}))
    return error["msg"].removeprefix("Value error, ").replace("Input should", "should")
