"""The hosts of a session: its clients, the paying wallet, and the public facts about the key."""

import asyncio
import random
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime

from pmtui.cli.account.wallet_access import (
    BuilderKeys,
    KeyMinter,
    SessionRelayer,
    WalletKeyFiles,
    WalletOptions,
)
from pmtui.cli.venue.paper import fund_once
from pmtui.clients.account import (
    AccountClient,
    HeartbeatClient,
    KeysClient,
    Lanes,
    create_or_derive,
)
from pmtui.clients.analytics import AnalyticsClient, GeoblockClient
from pmtui.clients.chain import ChainClient
from pmtui.clients.clob import ClobClient
from pmtui.clients.clob_requests import Account as AccountIdentity
from pmtui.clients.clob_requests import ServerClock, SignedRequests
from pmtui.clients.gamma import GammaClient
from pmtui.clients.http.client import HttpHost, RequestReport
from pmtui.clients.http.rate_limits import (
    METADATA_LIMITS,
    RELAYER_LIMITS,
    HostLimits,
    RateBudgets,
    RateGate,
    analytics_limits,
    clob_limits,
)
from pmtui.clients.relayer import RelayerClient
from pmtui.clients.rewards import EarningsClient
from pmtui.clients.streams.channels import MarketChannel, UserChannel
from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.config.paths import replace_file
from pmtui.domain.account.keys import KeyKind, SignatureType
from pmtui.domain.account.onboarding import (
    Identity,
    Purpose,
    Spender,
    TradingKey,
    Wallet,
    WalletForm,
    shorten_key_id,
)
from pmtui.domain.answers import Failure
from pmtui.domain.health import Source
from pmtui.domain.ids import Address
from pmtui.reads.trading_routes import ROUTES
from pmtui.service.clock import Clock
from pmtui.service.health import Health
from pmtui.service.ports import Account, Hosts, Setup, WalletAccess
from pmtui.signing.auth import ApiCredentials
from pmtui.signing.contracts import POLYGON, POLYGON_CHAIN_ID
from pmtui.signing.orders import WalletSigner
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import OwnerWallets, derive_wallets
from pmtui.signing.wallet_batch import DepositWalletSigner
from pmtui.signing.wallet_calls import WalletCalls
from pmtui.sim.admin_token import VenueAdmin

ORDER_DEADLINE_S = 10
NO_OPTIONS = WalletOptions()
SPENDERS = (
    Spender(Purpose.EXCHANGE, POLYGON.exchange),
    Spender(Purpose.NEG_RISK_EXCHANGE, POLYGON.neg_risk_exchange),
    Spender(Purpose.ADAPTER, POLYGON.collateral_adapter),
    Spender(Purpose.ADAPTER, POLYGON.neg_risk_collateral_adapter),
    Spender(Purpose.ADAPTER, POLYGON.neg_risk_adapter),
)


class SessionHosts:
    """The clients of one session, created from addresses and, if there is one, a key."""

    def __init__(
        self,
        endpoints: Endpoints,
        dialect: Dialect,
        *,
        health: Health,
        clock: Clock,
        venue_admin: VenueAdmin | None = None,
        order_deadline_s: int = ORDER_DEADLINE_S,
        wallet: WalletOptions = NO_OPTIONS,
    ) -> None:
        """Create the public clients; none opens a socket before its first request.

        Args:
            endpoints: addresses of the hosts.
            dialect: dialect of the hosts.
            health: notified of every request.
            clock: our own time.
            venue_admin: of the local venue, which funds new wallets; None for any other venue.
            order_deadline_s: how long an order or a cancellation may go without a reply.
            wallet: the profile's wallet options.
        """
        self._wallet = wallet
        self._key_files = WalletKeyFiles(wallet.state_dir)
        self._may_open = asyncio.Event()
        self._endpoints = endpoints
        self._now = clock.now
        self._health = health
        self._order_deadline_s = order_deadline_s
        self._hosts: list[HttpHost] = []
        self._routes = ROUTES[dialect]
        gate = self._gate(Source.TRADING, clob_limits(self._routes))
        self._budgets = RateBudgets(gate, self._routes, clock.now)
        self._clob = self._host(endpoints.clob, Source.TRADING, gate)
        self._trading = ClobClient(self._clob, self._routes)
        self._gamma = self._rate_limited_host(endpoints.gamma, Source.METADATA, METADATA_LIMITS)
        self._metadata = GammaClient(self._gamma, dialect, now=clock.now)
        self._analytics = AnalyticsClient(
            self._rate_limited_host(endpoints.data, Source.ANALYTICS, analytics_limits(dialect)),
            dialect,
        )
        self._geo = GeoblockClient(self._host(endpoints.geoblock, Source.TRADING))
        self._relayer = RelayerClient(
            self._rate_limited_host(endpoints.relayer, Source.RELAYER, RELAYER_LIMITS)
        )
        node = self._unmonitored_host(endpoints.rpc)
        self._chain = ChainClient(node, only_chain=POLYGON_CHAIN_ID)
        self._venue_admin = venue_admin
        self._admin = None if venue_admin is None else HttpHost(venue_admin.url)
        self._server_clock = ServerClock(clock.now, self._trading.server_time)

    def hosts(
        self,
        secret: Secret | None,
        signature_type: SignatureType,
        *,
        kind: KeyKind = KeyKind.KEYSTORE,
    ) -> Hosts:
        """Return the hosts for the service; without a key they are read-only."""
        identity, access = None, None
        open_account: Callable[[], Awaitable[Account | Failure]] | None = None
        if secret is not None:
            signer = Signer(secret)
            identity = identity_of(kind, derive_wallets(signer.address), signature_type)
            if signature_type is SignatureType.DEPOSIT_WALLET:
                access = self._wallet_access(signer)

            async def open_with_key() -> Account | Failure:
                if self._wallet.is_account_held:
                    _ = await self._may_open.wait()
                return await self._open_account(signer, signature_type)

            open_account = open_with_key
        return Hosts(
            metadata=self._metadata,
            trading=self._trading,
            analytics=self._analytics,
            geo=self._geo,
            market_stream=MarketChannel(
                self._endpoints.ws_market,
                random=random.Random(),  # noqa: S311 - spreads reconnects, keeps no secret
            ),
            open_account=open_account,
            close=self.close,
            budgets=self._budgets.left,
            setup=Setup(self._relayer, self._chain, identity, SPENDERS, access),
        )

    async def close(self) -> None:
        """Close every connection."""
        for host in (*self._hosts, *([self._admin] if self._admin else [])):
            await host.aclose()

    async def _open_account(
        self, signer: Signer, signature_type: SignatureType
    ) -> Account | Failure:
        await self._server_clock.measure()
        credentials = await create_or_derive(
            self._clob,
            self._routes,
            signer=signer,
            clock=self._server_clock,
        )
        if isinstance(credentials, Failure):
            return credentials
        maker = await find_paying_wallet(
            self._relayer, derive_wallets(signer.address), signature_type, chain=self._chain
        )
        if isinstance(maker, Failure):
            return maker
        if problem := await self._fund(maker):
            return problem
        return self._account(signer, maker, signature_type, credentials)

    async def _fund(self, wallet: Address) -> Failure | None:
        """Fund the wallet with play money on the local venue; a practice account deploys it first."""
        if self._admin is None or self._venue_admin is None:
            return None
        if self._wallet.is_practice:
            is_there = await self._relayer.is_deployed(wallet)
            if isinstance(is_there, Failure):
                return is_there
            if not is_there:
                return None
        return await fund_once(self._admin, wallet, token=self._venue_admin.token)

    def _permit_account(self) -> None:
        """Permit the account to be opened, from now on without asking."""
        if self._wallet.permit_file is not None:
            with suppress(OSError):
                replace_file(self._wallet.permit_file, b"")
        self._may_open.set()

    def _wallet_access(self, signer: Signer) -> WalletAccess:
        owner, options = signer.address, self._wallet
        relayer = SessionRelayer(
            self._relayer, self._key_files, owner=owner, auth=options.auth,
            timestamp_s=lambda: self._server_clock.timestamp_ms() // 1_000,
        )  # fmt: skip
        minter = KeyMinter(
            self._gamma, self._relayer, self._key_files, signer=signer,
            now=lambda: datetime.fromtimestamp(self._server_clock.timestamp_ms() / 1_000, UTC),
            shown=lambda: relayer.shown,
        )  # fmt: skip

        async def fund_wallet(wallet: Address) -> None:
            _ = await self._fund(wallet)

        is_paper = self._admin is not None
        return WalletAccess(
            signer=DepositWalletSigner(signer),
            table=WalletCalls(),
            relayer=relayer,
            keys=minter,
            chain=self._chain,
            permit_account=self._permit_account,
            is_account_held=lambda: options.is_account_held and not self._may_open.is_set(),
            on_deployed=fund_wallet if is_paper else None,
            make_ready=minter.make_ready if is_paper and not options.is_practice else None,
        )

    def _account(
        self,
        signer: Signer,
        maker: Address,
        signature_type: SignatureType,
        credentials: ApiCredentials,
    ) -> Account:
        identity = AccountIdentity(signer.address, maker, signature_type, credentials)
        client = AccountClient(
            Lanes(self._clob, orders=self._lane(takes_back=True), cancels=self._lane()),
            self._routes,
            account=identity,
            clock=self._server_clock,
        )
        order_signer = WalletSigner(
            signer,
            maker=maker,
            signature_type=signature_type,
            api_key=credentials.key,
            now_ms=self._server_clock.timestamp_ms,
            draw_bits=secrets.randbits,
            builder=self._wallet.builder_code,
        )
        stream = UserChannel(
            self._endpoints.ws_user,
            credentials,
            client.owner,
            random=random.Random(),  # noqa: S311 - spreads reconnects, keeps no secret
        )
        beats = SignedRequests(
            self._heartbeat_host(),
            self._routes,
            account=identity,
            clock=self._server_clock,
        )
        earnings = EarningsClient(client.requests)
        return Account(
            host=client,
            signer=order_signer,
            stream=stream,
            heartbeat=HeartbeatClient(beats),
            scoring=earnings,
            earnings=earnings,
            trading_key=TradingKey(shorten_key_id(credentials.key), self._now()),
            builder=BuilderKeys(KeysClient(client.requests), self._key_files),
        )

    def _heartbeat_host(self) -> HttpHost:
        """Return a connection for heartbeats: it waits in no queue, and affects no source's health.

        Unsent heartbeats of a program that died must not keep its orders alive.
        """
        host = HttpHost(
            self._endpoints.clob,
            total_s=self._order_deadline_s,
            takes_back=True,
            observe=self._note_request,
        )
        self._hosts.append(host)
        return host

    def _unmonitored_host(self, url: str) -> HttpHost:
        """Return a host that affects no source's health."""
        host = HttpHost(url, observe=self._note_request)
        self._hosts.append(host)
        return host

    def _lane(self, *, takes_back: bool = False) -> HttpHost:
        lane = self._clob.lane(total_s=self._order_deadline_s, takes_back=takes_back)
        self._hosts.append(lane)
        return lane

    def _gate(self, source: Source, limits: HostLimits) -> RateGate:
        return RateGate(limits, observe=lambda line: self._health.note_waiting(source, line))

    def _rate_limited_host(self, url: str, source: Source, limits: HostLimits) -> HttpHost:
        return self._host(url, source, self._gate(source, limits))

    def _host(self, url: str, source: Source, gate: RateGate | None = None) -> HttpHost:
        def observe(report: RequestReport) -> None:
            self._note_request(report)
            if report.rates:
                self._budgets.note(report.route, report.rates)
            if report.failure is None:
                self._health.note_answer(source, elapsed_ms=report.elapsed_ms)
            else:
                self._health.note_failure(source, report.failure)

        host = HttpHost(url, observe=observe, gate=gate)
        self._hosts.append(host)
        return host

    def _note_request(self, report: RequestReport) -> None:
        text = "" if report.failure is None else report.failure.text or report.failure.kind.value
        self._health.requests.add(report.route, report.status, report.elapsed_ms, text=text)


def identity_of(kind: KeyKind, wallets: OwnerWallets, signature_type: SignatureType) -> Identity:
    """Return the public part of a key, with the wallets that can pay in a profile."""
    return Identity(kind, wallets.owner, signature_type, _payers(wallets, signature_type))


def _payers(wallets: OwnerWallets, signature_type: SignatureType) -> tuple[Wallet, ...]:
    match signature_type:
        case SignatureType.EOA:
            return (Wallet(WalletForm.EOA, wallets.owner),)
        case SignatureType.PROXY:
            return (Wallet(WalletForm.PROXY, wallets.proxy),)
        case SignatureType.SAFE:
            return (Wallet(WalletForm.SAFE, wallets.safe),)
        case SignatureType.DEPOSIT_WALLET:
            return (
                Wallet(WalletForm.OLDER_DEPOSIT, wallets.deposit_uups),
                Wallet(WalletForm.DEPOSIT, wallets.deposit_beacon),
            )


async def find_paying_wallet(
    relayer: RelayerClient,
    wallets: OwnerWallets,
    signature_type: SignatureType,
    *,
    chain: ChainClient | None = None,
) -> Address | Failure:
    """Return the wallet that pays: older owners have one deposit wallet, newer ones the other.

    If the chain replies, code at an address takes precedence over the relayer's report.
    """
    if signature_type is not SignatureType.DEPOSIT_WALLET:
        return wallets.paying(signature_type, has_older=False)
    if chain is not None:
        has_code = await chain.has_code(wallets.deposit_uups)
        if not isinstance(has_code, Failure):
            return wallets.paying(signature_type, has_older=has_code)
    is_older = await relayer.is_deployed(wallets.deposit_uups)
    if isinstance(is_older, Failure):
        return is_older
    return wallets.paying(signature_type, has_older=is_older)
