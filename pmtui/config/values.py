"""Settings as pydantic models: which there are, their defaults, and what each may be.

Importing this module costs a tenth of a second: only `settings_model` does.
"""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from pmtui.config.endpoints import Dialect
from pmtui.domain.account.keys import SignatureType
from pmtui.domain.markets.history import Interval
from pmtui.domain.money import SCALE, Micros, MoneyError, parse_micros
from pmtui.domain.orders.heartbeat import ExitPolicy, HeartbeatPolicy
from pmtui.domain.orders.limits import Limits
from pmtui.domain.ticket.draft import DEFAULT_RULES, TicketRules


class ProfileKind(StrEnum):
    """Which of the built-in profiles another one is like."""

    PAPER = "paper"
    """A local venue of our own, started as a child."""
    LIVE = "live"
    """A service that is there already."""


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
    # Refuses ports that are no numbers.
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
    # `market.flip = "o"` without quotes is a table in a table to TOML; ids are dotted to us.
    flat: dict[str, object] = {}

    def walk(table: object, prefix: str) -> None:
        if not isinstance(table, dict):
            flat[prefix] = (table,) if isinstance(table, str) else table
            return
        for name, inner in table.items():
            walk(inner, f"{prefix}.{name}" if prefix else str(name))

    walk(value, "")
    return flat


def check_leaving(
    policy: ExitPolicy | None, heartbeat: HeartbeatPolicy | None
) -> ExitPolicy | None:
    """Refuse what the venue's switch cannot keep; the heartbeat is None where it is wrong itself."""
    if heartbeat is None:
        return policy
    is_off = heartbeat is HeartbeatPolicy.OFF
    if policy is ExitPolicy.SWITCH and is_off:
        raise ValueError('switch needs heartbeat = "on" or "armed"')
    if policy is ExitPolicy.LEAVE and not is_off:
        raise ValueError("leave cannot be kept: once heartbeats end, the venue cancels every order")
    return policy


HttpAddress = Annotated[str, AfterValidator(_http_address)]
StreamAddress = Annotated[str, AfterValidator(_stream_address)]
Dollars = Annotated[int, BeforeValidator(_dollars)]
Shares = Annotated[int, BeforeValidator(_shares)]
KeyTable = Annotated[dict[str, tuple[str, ...]], BeforeValidator(_key_table)]


class Addresses(BaseModel):
    """Addresses that replace those of a profile, one by one."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

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
    """None for the dialect of the profile it is like."""
    signature_type: SignatureType = SignatureType.DEPOSIT_WALLET


class Chart(BaseModel):
    """The price chart: `[chart]`."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    interval: Interval = Interval.DAY
    """How far back it reaches at first."""


class Ticket(BaseModel):
    """What an order is warned of before it leaves: `[ticket]`. None of it stops an order."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    worst_price_percent: int = Field(default=DEFAULT_RULES.worst_price_percent, ge=0, le=10_000)
    """How much worse than the midpoint a price may be; 0 for any."""
    notional_warning_usd: int = Field(
        default=DEFAULT_RULES.notional_warning // SCALE, ge=0, le=1_000_000_000
    )
    """Dollars from which an order is called large; 0 for never."""
    duplicate_seconds: int = Field(default=DEFAULT_RULES.duplicate_window.seconds, ge=0, le=3_600)
    """For so long after an order the same one again is called a second one; 0 for never."""

    @property
    def rules(self) -> TicketRules:
        """The same as the ticket's rules take it."""
        return TicketRules(
            worst_price_percent=self.worst_price_percent,
            notional_warning=Micros(self.notional_warning_usd * SCALE),
            duplicate_window=timedelta(seconds=self.duplicate_seconds),
        )


class LimitTable(BaseModel):
    """What the trader allows at most, in dollars: `[limits]`. What is left out is not limited."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    order_usd: Dollars | None = None
    """Of one purchase."""
    market_usd: Dollars | None = None
    """Held and wanted in one market, at what it costs."""
    total_usd: Dollars | None = None
    """The same everywhere."""
    daily_loss_usd: Dollars | None = None
    """Lost since 00:00 UTC; then nothing more may be bought."""

    @property
    def limits(self) -> Limits:
        """The same as the rules take it."""
        return Limits(
            order=_micros(self.order_usd),
            market=_micros(self.market_usd),
            total=_micros(self.total_usd),
            daily_loss=_micros(self.daily_loss_usd),
        )


def _micros(amount: int | None) -> Micros | None:
    return None if amount is None else Micros(amount)


FrameRate = Annotated[int, Field(ge=1, le=60)]
IdleTime = Annotated[int, Field(ge=10, le=3600)]
Percent = Annotated[int, Field(ge=0, le=100)]
Deadline = Annotated[int, Field(ge=1, le=60)]
Presets = Annotated[tuple[Shares, ...], Field(min_length=1, max_length=5)]
