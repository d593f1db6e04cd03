"""The user's settings: command line over environment over file over defaults, read and checked.

A mistake is reported with its place: the line of the file, the variable, the option. A private key is
taken from the environment only, never from a file or the command line.
"""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)
from typing_extensions import override

from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.config.paths import is_file_name, locate
from pmtui.config.terminal_settings import PREFIX, KeyOverride, TerminalSettings, Times
from pmtui.config.toml_file import ConfigError, Key, TomlFile, read_toml
from pmtui.domain.account.keys import (
    NO_BUILDER,
    BuilderCode,
    RelayerAuth,
    SignatureType,
    parse_builder_code,
    parse_signature_type,
)
from pmtui.domain.formats import PriceFormat
from pmtui.domain.markets.history import Interval
from pmtui.domain.money import SCALE, Micros, MoneyError, parse_micros
from pmtui.domain.notices import Bell, DesktopWay, NoticeWays
from pmtui.domain.orders.exit_policy import ExitPolicy, ExitReason
from pmtui.domain.orders.heartbeat import HeartbeatPolicy
from pmtui.domain.orders.limits import Limits
from pmtui.domain.ticket.draft import DEFAULT_GIVE_WAY, DEFAULT_PRESETS, DEFAULT_RULES, TicketRules


class ProfileKind(StrEnum):
    """The built-in profile that another profile is based on."""

    PAPER = "paper"
    """A local venue that is started as a child process."""
    LIVE = "live"
    """A venue that is already running, such as the public one."""


def _http_address(text: str) -> str:
    return _address(text, ("http", "https"))


def _stream_address(text: str) -> str:
    return _address(text, ("ws", "wss"))


def _address(text: str, schemes: tuple[str, ...]) -> str:
    parts = urlsplit(text.strip())
    if parts.scheme not in schemes or not parts.hostname:
        raise ValueError(f"not an address that begins with {schemes[0]}:// or {schemes[1]}://")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("an address holds a host and a path, nothing else")
    # Accessing the port raises ValueError if it is not a number.
    _ = parts.port
    return text.strip().rstrip("/")


def _shares(value: object) -> Micros:
    size = _amount(value, "shares")
    if size <= 0:
        raise ValueError("a size is more than 0")
    return size


def _dollars(value: object) -> Micros:
    amount = _amount(value, "dollars")
    if amount <= 0:
        raise ValueError("a limit is more than 0; leave it out for none")
    return amount


def _amount(value: object, what: str) -> Micros:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"not a number of {what}")
    try:
        return parse_micros(str(value))
    except MoneyError as error:
        raise ValueError(f"not a number of {what} with at most six decimals") from error


def _key_table(value: object) -> object:
    # TOML reads an unquoted `market.flip = "o"` as a nested table; our ids contain dots.
    flat: dict[str, object] = {}

    def walk(table: object, prefix: str) -> None:
        if not isinstance(table, dict):
            flat[prefix] = (table,) if isinstance(table, str) else table
            return
        for name, inner in table.items():
            walk(inner, f"{prefix}.{name}" if prefix else str(name))

    walk(value, "")
    return flat


def _check_exit_policy(
    policy: ExitPolicy | None, heartbeat: HeartbeatPolicy | None
) -> ExitPolicy | None:
    """Refuse a policy that conflicts with heartbeats; `heartbeat` is None if it is invalid itself."""
    if heartbeat is None:
        return policy
    is_off = heartbeat is HeartbeatPolicy.OFF
    if policy is ExitPolicy.SWITCH and is_off:
        raise ValueError('switch needs heartbeat = "on" or "armed"')
    if policy is ExitPolicy.LEAVE and not is_off:
        raise ValueError("leave cannot be kept: once heartbeats end, the venue cancels every order")
    return policy


def _signature_type(value: object) -> object:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return parse_signature_type(str(value)) if is_number or isinstance(value, str) else value


def _builder_code(value: object) -> object:
    return parse_builder_code(value) if isinstance(value, str) else value


HttpAddress = Annotated[str, AfterValidator(_http_address)]
StreamAddress = Annotated[str, AfterValidator(_stream_address)]
Dollars = Annotated[Micros, BeforeValidator(_dollars)]
Shares = Annotated[Micros, BeforeValidator(_shares)]
FrameRate = Annotated[int, Field(ge=1, le=60)]
IdleTime = Annotated[int, Field(ge=10, le=3600)]
Percent = Annotated[int, Field(ge=0, le=100)]
Deadline = Annotated[int, Field(ge=1, le=60)]
Presets = Annotated[tuple[Shares, ...], Field(min_length=1, max_length=5)]
OrderSignature = Annotated[SignatureType, BeforeValidator(_signature_type)]
CreditedBuilder = Annotated[BuilderCode, BeforeValidator(_builder_code)]
KeyTable = Annotated[dict[str, tuple[str, ...]], BeforeValidator(_key_table)]


class _Table(BaseModel):
    """A table of the file; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Addresses(_Table):
    """Addresses that override those of a profile, one by one."""

    clob_url: HttpAddress | None = None
    gamma_url: HttpAddress | None = None
    data_url: HttpAddress | None = None
    relayer_url: HttpAddress | None = None
    ws_market_url: StreamAddress | None = None
    ws_user_url: StreamAddress | None = None
    rpc_url: HttpAddress | None = None
    geoblock_url: HttpAddress | None = None


class Profile(Addresses):
    """One of the user's own profiles: `[profiles.NAME]`."""

    like: ProfileKind = ProfileKind.LIVE
    dialect: Dialect | None = None
    """None for the dialect of the profile that it is like."""
    signature_type: OrderSignature = SignatureType.DEPOSIT_WALLET
    relayer_auth: RelayerAuth = RelayerAuth.KEY
    """How the relayer identifies who submits."""


class Chart(_Table):
    """The price chart: `[chart]`."""

    interval: Interval = Interval.DAY
    """The time range shown at first."""


class Ticket(_Table):
    """Warnings before an order is sent: `[ticket]`. None of them stops an order."""

    worst_price_percent: int = Field(default=DEFAULT_RULES.worst_price_percent, ge=0, le=10_000)
    """How much worse than the midpoint a price may be; 0 for any."""
    notional_warning_usd: int = Field(
        default=DEFAULT_RULES.notional_warning // SCALE, ge=0, le=1_000_000_000
    )
    """Dollars from which an order is flagged as large; 0 for never."""
    confirm_above_usd: int = Field(
        default=DEFAULT_RULES.confirm_above // SCALE, ge=0, le=1_000_000_000
    )
    """Dollars up to which an order without warnings is sent without a confirmation card; 0 for none."""
    sell_short: bool = DEFAULT_RULES.sells_short
    """Whether selling shares that are not held buys the other outcome at one dollar less the price."""
    duplicate_seconds: int = Field(default=DEFAULT_RULES.duplicate_window.seconds, ge=0, le=3_600)
    """Seconds after an order in which an identical one is flagged as a duplicate; 0 for never."""

    def to_rules(self) -> TicketRules:
        """Return these settings as rules for the ticket."""
        return TicketRules(
            worst_price_percent=self.worst_price_percent,
            notional_warning=Micros(self.notional_warning_usd * SCALE),
            duplicate_window=timedelta(seconds=self.duplicate_seconds),
            confirm_above=Micros(self.confirm_above_usd * SCALE),
            sells_short=self.sell_short,
        )


class DetachPolicy(StrEnum):
    """What happens to the service when its last terminal is closed."""

    KEEP = "keep"
    """It keeps running, with its stops, alerts and heartbeats."""
    STOP = "stop"
    """It stops, and handles open orders as `on_hangup` says."""


class ServiceTable(_Table):
    """The service behind the terminals: `[service]`."""

    idle_exit_s: int = Field(default=900, ge=0, le=1_000_000)
    """Seconds without a terminal and without anything to monitor after which a service that a
    terminal started stops; 0 for never."""


class NoticeTable(_Table):
    """How notices reach the user outside the terminal: `[notices]`."""

    bell: Bell = Bell.ALERTS
    desktop: DesktopWay = DesktopWay.OFF
    command: Annotated[tuple[str, ...], Field(max_length=20)] = ()
    """A program and its arguments; `{text}` is replaced by the notice, else it is the last argument."""

    def to_ways(self) -> NoticeWays:
        """Return the notification channels of one terminal."""
        return NoticeWays(bell=self.bell, desktop=self.desktop)


class LimitTable(_Table):
    """The trader's own limits, in dollars: `[limits]`. A missing entry sets no limit."""

    order_usd: Dollars | None = None
    """Cost of one purchase."""
    market_usd: Dollars | None = None
    """Positions and open purchases in one market, at cost."""
    total_usd: Dollars | None = None
    """The same across all markets."""
    daily_loss_usd: Dollars | None = None
    """Loss since 00:00 UTC after which nothing more may be bought."""

    def to_limits(self) -> Limits:
        """Return them as limits for the rules of order entry."""
        return Limits(
            order=self.order_usd,
            market=self.market_usd,
            total=self.total_usd,
            daily_loss=self.daily_loss_usd,
        )


_TERMINAL_ONLY = {
    "private_key", "theme", "frame_rate", "presets", "flatten_percent", "chart", "ticket", "prices", "calm",
    "times", "keys",
}  # fmt: skip
"""Excluded from the settings' digest: a service does not use them, or they are secret."""
DIALECTS = {ProfileKind.PAPER: Dialect.SEED, ProfileKind.LIVE: Dialect.LIVE}
BUILT_IN = {kind.value: Profile(like=kind) for kind in ProfileKind}


class Settings(BaseSettings, Addresses):
    """All settings with their defaults. Create it with `load_settings`."""

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
    """Whether a key may be used with http:// or ws:// addresses on other machines."""
    theme: str | None = None
    """None for the default, or for the colourless theme if `NO_COLOR` is set."""
    frame_rate: FrameRate = 10
    """Screen updates per second for incoming data; keys are answered at once."""
    order_deadline_s: Deadline = 10
    """Seconds without an answer after which an order counts as unknown and is searched for."""
    disarm_after_s: IdleTime = 300
    """Seconds without a trading key after which single keys are disarmed."""
    heartbeat: HeartbeatPolicy = HeartbeatPolicy.OFF
    """When heartbeats are sent to the venue's dead man's switch. The default is off: without the
    user's choice, ten seconds of a bad connection must not cancel every order of the key,
    including those of other programs."""
    on_quit: ExitPolicy | None = None
    """What to do with open orders on quitting; None leaves them as they are; if heartbeats are
    sent, the venue's switch then cancels them."""
    on_hangup: ExitPolicy | None = None
    """The same when the terminal disappears or the program is told to terminate."""
    on_detach: DetachPolicy = DetachPolicy.KEEP
    """What happens to the service when its last terminal is closed or disconnected."""
    presets: Presets = Field(DEFAULT_PRESETS, validate_default=False)  # already in millionths
    """Shares for the keys 1 to 5; every market begins with the first."""
    flatten_percent: Percent = DEFAULT_GIVE_WAY
    """How far below the best bid a sale of a whole position may fill, in percent of that bid."""
    builder_code: CreditedBuilder = NO_BUILDER
    """The builder that orders credit; a builder may charge a fee for it."""
    chart: Chart = Chart()
    ticket: Ticket = Ticket()
    prices: PriceFormat = PriceFormat.CENTS
    """How prices are displayed, until a key chooses another format."""
    calm: bool = False
    """Whether flashes, pulses and fades are off on the ladder: for the eyes, and for slow
    connections."""
    times: Times = Times.LOCAL
    """The time zone of all displayed times, until a key chooses the other one."""
    notices: NoticeTable = NoticeTable()
    limits: LimitTable = LimitTable()
    service: ServiceTable = ServiceTable()
    keys: KeyTable = {}

    _file: TomlFile = PrivateAttr(default=TomlFile(Path("config.toml")))

    @field_validator("on_quit", "on_hangup")
    @classmethod
    def _fits_heartbeat(cls, policy: ExitPolicy | None, info: ValidationInfo) -> ExitPolicy | None:
        return _check_exit_policy(policy, info.data.get("heartbeat"))

    @property
    def chosen(self) -> Profile:
        """The selected profile, built in or the user's own."""
        return BUILT_IN.get(self.profile) or self.profiles[self.profile]

    @property
    def is_paper(self) -> bool:
        """Whether the profile needs a local venue started for it."""
        return self.chosen.like is ProfileKind.PAPER

    @property
    def dialect(self) -> Dialect:
        """The dialect that the profile's hosts speak."""
        return self.chosen.dialect or DIALECTS[self.chosen.like]

    @property
    def signature_type(self) -> SignatureType:
        """The kind of wallet that orders are signed for."""
        return self.chosen.signature_type

    def leave_policy(self, exit_reason: ExitReason) -> ExitPolicy:
        """Return what to do with open orders when the program ends for this reason."""
        chosen = self.on_quit if exit_reason is ExitReason.QUIT else self.on_hangup
        is_off = self.heartbeat is HeartbeatPolicy.OFF
        return chosen or (ExitPolicy.LEAVE if is_off else ExitPolicy.SWITCH)

    def endpoints(self, usual: Endpoints) -> Endpoints:
        """Return the addresses to use: configured ones take precedence over the usual ones.

        Args:
            usual: the public venue's, or those announced by the started venue.
        """
        return Endpoints(
            **{
                field.name: getattr(self, f"{field.name}_url")
                or getattr(self.chosen, f"{field.name}_url")
                or getattr(usual, field.name)
                for field in fields(Endpoints)
            }
        )

    def rules_digest(self) -> str:
        """Return a digest of what affects trading: services with different digests trade by different rules.

        Display settings, such as themes and keys, are not in it; neither is any secret.
        """
        stated = self.model_dump_json(exclude=_TERMINAL_ONLY)
        return hashlib.sha256(stated.encode()).hexdigest()[:16]

    def for_terminal(self) -> TerminalSettings:
        """Return the settings that a terminal needs."""
        lines = {".".join(key): line for key, line in self._file.lines.items()}
        return TerminalSettings(
            profile=self.profile,
            is_paper=self.is_paper,
            rules=self.rules_digest(),
            theme=self.theme,
            times=self.times,
            prices=self.prices,
            chart_interval=self.chart.interval,
            is_calm=self.calm,
            ticket=self.ticket.to_rules(),
            presets=self.presets,
            flatten_percent=self.flatten_percent,
            notices=self.notices.to_ways(),
            on_quit=self.leave_policy(ExitReason.QUIT),
            keys={
                action: KeyOverride(keys, lines.get(f"keys.{action}", 0))
                for action, keys in self.keys.items()
            },
        )


def load_settings(
    overrides: Mapping[str, Any] | None = None,
    *,
    config_file: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Read all sources and validate every value.

    Args:
        overrides: from the command line, by setting name; None means not given.
        config_file: if it is not in its usual place.
        environ: the caller's environment; None for that of this process.

    Raises:
        ConfigError: a value cannot be used; the first such value, in one line.
    """
    given = {name: value for name, value in (overrides or {}).items() if value is not None}
    stated = os.environ if environ is None else environ
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
            if isinstance(env_settings, EnvSettingsSource):
                env_settings.env_vars = {name.lower(): value for name, value in stated.items()}
            return init_settings, env_settings, InitSettingsSource(settings_cls, dict(file.values))

    sources = _Sources(given, frozenset(name.upper() for name in stated), file)
    try:
        settings = Loaded(**given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ConfigError(sources.place(first["loc"]), _problem(first)) from None
    except SettingsError as error:
        # The message names the field; the value, and the JSON error with it, are left out.
        raise ConfigError("environment", str(error)) from None
    except RecursionError:
        raise ConfigError(str(file.path), "a setting is nested too deeply") from None
    settings._file = file
    _check_profile(settings, sources)
    return settings


@dataclass(frozen=True, slots=True)
class _Sources:
    """Where settings were given, to report the place of a wrong one."""

    given: Mapping[str, object]
    variables: frozenset[str]
    """Names of the environment variables, in capitals."""
    file: TomlFile

    def place(self, loc: tuple[int | str, ...]) -> str:
        if not loc:
            return "settings"
        key: Key = tuple(str(part) for part in loc if part != "[key]")
        if key[0] in self.given:
            return "--" + key[0].replace("_", "-")
        names = [PREFIX + "__".join(key[:length]).upper() for length in range(len(key), 0, -1)]
        if stated := next((name for name in names if name in self.variables), None):
            return stated
        return f"{self.file.place(key)} {'.'.join(key)}"


def _refuse_stray_key(given: Mapping[str, object], file: TomlFile) -> None:
    where = f"a private key comes from a keystore or from {PREFIX}PRIVATE_KEY, from nowhere else"
    if "private_key" in given:
        raise ConfigError("--private-key", where)
    if file.has(("private_key",)):
        raise ConfigError(file.place(("private_key",)), where)


def _check_profile(settings: Settings, sources: _Sources) -> None:
    file = sources.file
    for name in settings.profiles:
        if not is_file_name(name):
            raise ConfigError(file.place(("profiles", name)), f"{name!r} cannot name a directory")
        if name in BUILT_IN:
            raise ConfigError(file.place(("profiles", name)), f"{name} is a built-in profile")
    names = (*BUILT_IN, *settings.profiles)
    if settings.profile not in names:
        problem = f"no profile {settings.profile!r}; there is {', '.join(names)}"
        raise ConfigError(sources.place(("profile",)), problem)


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
"""Replacements for the library's messages, which are about Python."""


def _problem(error: ErrorDetails) -> str:
    words = _WORDS.get(error["type"])
    if words is not None:
        return words.format_map(error.get("ctx", {}))
    return error["msg"].removeprefix("Value error, ").replace("Input should", "should")
