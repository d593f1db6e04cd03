"""The order stream, tried in earnest: logged in with the key where that takes no passphrase.

API credentials are fetched and never made, so nothing changes at the venue; none is shown or kept.
"""

import asyncio
import random
from pathlib import Path

from pmtui.cli.doctor.findings import Finding, State, Subject
from pmtui.cli.keys.key_checks import PAPER_KEY_FILE, keystore_path, read_private_key, why_refused
from pmtui.cli.venue.paper import load_paper_key
from pmtui.clients.account import create_or_derive
from pmtui.clients.clob import ClobClient
from pmtui.clients.clob_requests import ServerClock
from pmtui.clients.http.client import HttpHost
from pmtui.clients.routes import ROUTES
from pmtui.clients.streams.channels import UserChannel
from pmtui.config.endpoints import Endpoints
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


async def check_login(
    settings: Settings, state: Path, endpoints: Endpoints, clock: Clock
) -> tuple[Finding, ...]:
    """Log in to the order stream; skipped where no key is at hand.

    Args:
        settings: of the profile.
        state: the state directory of all profiles.
        endpoints: of the profile's hosts.
        clock: our own time.
    """
    secret = await asyncio.to_thread(_find_secret, settings, state)
    if isinstance(secret, str):
        return (_finding(State.SKIPPED, secret),)
    host = HttpHost(endpoints.clob)
    routes = ROUTES[settings.dialect]
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


def _find_secret(settings: Settings, state: Path) -> Secret | str:
    """Return the key that is there without a passphrase, or why there is none."""
    if settings.is_paper:
        folder = state / settings.profile
        if not (folder / PAPER_KEY_FILE).exists():
            return "the paper account is made when the terminal first opens"
        try:
            return load_paper_key(folder)
        except (OSError, ValueError):
            return "the paper key cannot be read: see the account above"
    if settings.private_key is not None:
        read = read_private_key(Secret.from_text(settings.private_key.get_secret_value()))
        if isinstance(read, str) or why_refused(read, settings, state):
            return "the key is not used here: see the account above"
        return read
    if keystore_path(state, settings.profile).exists():
        return "the keystore is not opened here; pmtui status says how the service's stream stands"
    return "there is no key to log in with"


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
