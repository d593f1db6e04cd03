"""The order stream, tried in earnest: logged in with the key where no passphrase is needed, or it is given.

API credentials are fetched and never made, so nothing changes at the venue; none is shown or kept.
"""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pmtui.cli.doctor.findings import Finding, State, Subject
from pmtui.cli.keys.key_checks import PAPER_KEY_FILE, keystore_path, read_private_key, why_refused
from pmtui.cli.keys.unlocking import open_keystore
from pmtui.cli.venue.paper import load_paper_key
from pmtui.clients.account import create_or_derive
from pmtui.clients.clob import ClobClient
from pmtui.clients.clob_requests import ServerClock
from pmtui.clients.http.client import HttpHost
from pmtui.clients.routes import ROUTES
from pmtui.clients.streams.channels import UserChannel
from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.config.settings import Settings
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.health import Link, LinkState
from pmtui.service.ports import Clock
from pmtui.signing.auth import ApiCredentials
from pmtui.signing.contracts import POLYGON_CHAIN_ID
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.wire.orders import Owner

OPEN_S = 8.0
"""Seconds in which the stream has to open."""
HOLD_S = 2.0
"""Seconds for which it has to stay open: a host drops a key that it does not know without a word."""
_NONE_YET = frozenset({FailureKind.NOT_FOUND, FailureKind.REFUSED})


@dataclass(frozen=True, slots=True)
class NoKey:
    """Why there is no key to log in with."""

    text: str
    remedy: str = ""
    """What to do where a key was to be had; empty where nobody asked for that."""


async def check_login(
    dialect: Dialect, endpoints: Endpoints, clock: Clock, *, find_key: Callable[[], Secret | NoKey]
) -> tuple[Finding, ...]:
    """Log in to the order stream; skipped where no key is at hand.

    Args:
        dialect: how the hosts are spoken to.
        endpoints: of the profile's hosts.
        clock: our own time.
        find_key: returns the key; it may take a second.
    """
    secret = await asyncio.to_thread(find_key)
    if isinstance(secret, NoKey):
        state = State.PROBLEM if secret.remedy else State.SKIPPED
        return (_finding(state, secret.text, secret.remedy),)
    host = HttpHost(endpoints.clob)
    routes = ROUTES[dialect]
    server_clock = ServerClock(clock.now, ClobClient(host, routes).server_time)
    try:
        _ = await server_clock.measure()
        credentials = await create_or_derive(
            host,
            routes,
            signer=Signer(secret),
            clock=server_clock,
            chain_id=POLYGON_CHAIN_ID,
            may_create=False,
        )
    finally:
        await host.aclose()
    if isinstance(credentials, Failure):
        if credentials.kind in _NONE_YET:
            text = "the key has no API credentials yet; they are made when the profile opens"
            return (_finding(State.SKIPPED, text),)
        text = f"the key could not sign in: {credentials}"
        return (_finding(State.PROBLEM, text, "see the trading host and the clock above"),)
    owner = Owner(credentials.key, frozenset({Signer(secret).address}))
    return (await _hold(endpoints.ws_user, credentials, owner),)


def find_login_key(settings: Settings, state: Path, passphrase: Secret | None) -> Secret | NoKey:
    """Return the key of a profile that is there, or why there is none.

    Args:
        settings: of the profile.
        state: the state directory of all profiles.
        passphrase: of its keystore; None leaves that closed.
    """
    if settings.is_paper:
        folder = state / settings.profile
        if not (folder / PAPER_KEY_FILE).exists():
            return NoKey("the paper account is made when the terminal first opens")
        try:
            return load_paper_key(folder)
        except (OSError, ValueError):
            return NoKey("the paper key cannot be read: see the account above")
    if settings.private_key is not None:
        read = read_private_key(Secret.from_text(settings.private_key.get_secret_value()))
        if isinstance(read, str) or why_refused(read, settings, state):
            return NoKey("the key is not used here: see the account above")
        return read
    if not keystore_path(state, settings.profile).exists():
        return NoKey("there is no key to log in with")
    return _open(settings, state, passphrase)


def _open(settings: Settings, state: Path, passphrase: Secret | None) -> Secret | NoKey:
    if passphrase is None:
        return NoKey(
            "the keystore is not opened without its passphrase: --passphrase-fd N takes it; pmtui "
            "status says how the service's stream stands"
        )
    opened = open_keystore(settings, state, passphrase)
    if isinstance(opened, str) or opened.secret is None:
        reason = opened if isinstance(opened, str) else opened.reason
        return NoKey(f"the keystore stays closed: {reason}", "give the passphrase that opens it")
    return opened.secret


async def _hold(url: str, credentials: ApiCredentials, owner: Owner) -> Finding:
    opened, fell = asyncio.Event(), asyncio.Event()
    reasons: list[str] = []

    def on_link(link: Link) -> None:
        if link.state is LinkState.OPEN:
            opened.set()
        elif link.state is LinkState.DOWN:
            reasons.append(link.reason)
            fell.set()

    channel = UserChannel(
        url,
        credentials,
        owner,
        random=random.Random(),  # noqa: S311 - spreads reconnects, keeps no secret
    )
    listening = asyncio.create_task(channel.run(on_event=lambda _: None, on_link=on_link))
    try:
        async with asyncio.timeout(OPEN_S):
            await opened.wait()
        async with asyncio.timeout(HOLD_S):
            await fell.wait()
    except TimeoutError:
        pass
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
    reason = reasons[0] if reasons else "no answer"
    if not opened.is_set():
        remedy = "check that a proxy or firewall lets WebSocket connections through"
        return _finding(State.PROBLEM, f"no connection: {reason}", remedy)
    if fell.is_set():
        remedy = (
            "own fills are polled meanwhile; make new API credentials if it stays: pmtui account"
        )
        return _finding(State.PROBLEM, f"the venue closed it after the login: {reason}", remedy)
    return _finding(State.OK, f"logged in, and open for {HOLD_S:.0f} s")


def _finding(state: State, text: str, remedy: str = "") -> Finding:
    return Finding(Subject.STREAMS, "orders", state, text, remedy)
