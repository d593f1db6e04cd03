"""The parts of a running service, grouped by subject; `data_service` assembles them."""

from dataclasses import dataclass

from pmtui.service.account.account import AccountFeed
from pmtui.service.account.maker_stats import MakerStats
from pmtui.service.account.onboarding import OnboardingFeed
from pmtui.service.account.pnl import DailyPnl, EquityCurve
from pmtui.service.books.books import BooksFeed
from pmtui.service.books.tapes import TapeBackfill
from pmtui.service.conditionals.conditionals import Conditionals
from pmtui.service.kernel import Kernel
from pmtui.service.markets.event_list_cache import EventListCache
from pmtui.service.markets.market_store import KnownMarkets
from pmtui.service.markets.metadata import MetadataFeed
from pmtui.service.markets.own_markets import OwnEvents
from pmtui.service.markets.prices import HistoryFeed, MarkToMarket, Quotes
from pmtui.service.markets.resolutions import Resolutions
from pmtui.service.markets.resolved_markets import ResolvedMarkets
from pmtui.service.markets.venue_clock import TimeFeed
from pmtui.service.markets.venue_states import VenueStates
from pmtui.service.orders.cancelling import Canceller
from pmtui.service.orders.desk import Desk
from pmtui.service.orders.lost_orders import LostOrderSearch
from pmtui.service.profile import Profile
from pmtui.service.safety.arming import ArmedTerminals
from pmtui.service.safety.entry_guard import EntryGuard
from pmtui.service.safety.heartbeats import HeartbeatSender
from pmtui.service.safety.kill_switch import KillSwitch
from pmtui.service.wallet.address_book import AddressBookKeeper
from pmtui.service.wallet.wallet import WalletDesk
from pmtui.service.watch.watchlist import Watchlist


@dataclass(frozen=True, slots=True)
class Safeguards:
    """Limits, lock, heartbeats and the kill switch."""

    arming: ArmedTerminals
    heartbeats: HeartbeatSender
    venue: VenueStates
    guard: EntryGuard
    kill_switch: KillSwitch
    day: DailyPnl


@dataclass(frozen=True, slots=True)
class MarketParts:
    """Public data: markets, books, trades and price history."""

    metadata: MetadataFeed
    known: KnownMarkets
    list_cache: EventListCache
    history: HistoryFeed
    books: BooksFeed
    backfill: TapeBackfill


@dataclass(frozen=True, slots=True)
class AccountParts:
    """Account state: orders, fills, positions, their values and rewards."""

    feed: AccountFeed
    marks: MarkToMarket
    quotes: Quotes
    maker_stats: MakerStats
    resolutions: Resolutions
    resolved: ResolvedMarkets
    equity: EquityCurve
    events: OwnEvents


@dataclass(frozen=True, slots=True)
class OrderParts:
    """Order services: sending, cancelling, searching, stops and targets."""

    search: LostOrderSearch
    canceller: Canceller
    desk: Desk
    conditionals: Conditionals


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that queries and commands use."""

    kernel: Kernel
    profile: Profile
    time: TimeFeed
    markets: MarketParts
    account: AccountParts
    safeguards: Safeguards
    onboarding: OnboardingFeed
    wallet: WalletDesk
    address_book: AddressBookKeeper
    orders: OrderParts
    watchlist: Watchlist
