"""Builds the service of a profile: journal, key, hosts, and for paper the local venue.

The terminal runs it, and so does a command that does one thing and exits.
"""

import random
from contextlib import AsyncExitStack

from pmtui.cli.account.wallet_access import WalletOptions
from pmtui.cli.hosts import SessionHosts
from pmtui.cli.keys.unlocking import SessionKey
from pmtui.cli.venue.paper import (
    PERMIT_MARK,
    VenueProblem,
    is_practice_account,
    load_paper_key,
    publish_urls,
    running_venue,
    venue_command,
)
from pmtui.config.endpoints import LIVE, Endpoints
from pmtui.config.paths import JOURNAL_FILE, Paths
from pmtui.config.settings import Settings
from pmtui.domain.account.keys import KeyKind
from pmtui.domain.orders.heartbeat import HeartbeatPolicy
from pmtui.service.clock import SystemClock
from pmtui.service.data_service import DataService
from pmtui.service.health import Health
from pmtui.service.journal.journal import Journal
from pmtui.service.ports import Hosts
from pmtui.service.profile import Profile, Tuning
from pmtui.service.views import Mode
from pmtui.sim.admin_token import VenueAdmin, read_token

_VENUE_GONE = "paper venue ended, stop the service and start again"
_VENUE_HELP = "The paper venue has ended. Stop the service (q, or `pmtui stop`) and start again: orders and money are kept."


class SessionService:
    """One run of the service on one profile."""

    def __init__(
        self,
        settings: Settings,
        paths: Paths,
        key: SessionKey,
        *,
        clock: SystemClock,
        sends_heartbeats: bool = True,
    ) -> None:
        """Create the service.

        Args:
            settings: the user's settings.
            paths: the directories of configuration and state.
            key: the key to trade with; the paper profile finds its own.
            clock: of the session.
            sends_heartbeats: whether heartbeats may be sent; a command that exits must not arm a
                switch that only a terminal keeps alive.
        """
        self._settings = settings
        self._paths = paths
        self._key = key
        self._clock = clock
        self._sends_heartbeats = sends_heartbeats
        self._state = paths.state / settings.profile
        self.venue = AsyncExitStack()
        """The local venue of the paper profile, which stops after the service."""
        self.service = self._make_service()

    def _make_service(self) -> DataService:
        return DataService(
            profile=self._profile(),
            connect=self._connect,
            clock=self._clock,
            journal=Journal(self._state / JOURNAL_FILE),
            rng=random.Random(),  # noqa: S311 - spreads retries, keeps no secret
            tuning=Tuning(
                frames_per_second=self._settings.frame_rate,
                post_deadline_s=self._settings.order_deadline_s,
                disarm_after_s=self._settings.disarm_after_s,
                limits=self._settings.limits.to_limits(),
                heartbeat=self._settings.heartbeat
                if self._sends_heartbeats
                else HeartbeatPolicy.OFF,
                builder_code=self._settings.builder_code,
                notice_command=self._settings.notices.command,
            ),
            state_dir=self._state,
        )

    def _profile(self) -> Profile:
        name = self._settings.profile
        if self._settings.is_paper:
            return Profile(name, Mode.PAPER)
        if self._key.secret is None:
            key = self._key
            return Profile(name, Mode.READ_ONLY, key.reason, key.remedy, key.other_remedy)
        return Profile(name, Mode.LIVE)

    async def _connect(self, health: Health) -> Hosts | str:
        """Return the profile's hosts, or why there are none; for paper, start its venue first."""
        settings = self._settings
        if not settings.is_paper:
            hosts = self._make_hosts(settings.endpoints(LIVE), health)
            return hosts.hosts(self._key.secret, settings.signature_type, kind=self._key.kind)
        state = self._state / "venue"
        urls = await self.venue.enter_async_context(
            running_venue(
                venue_command(state),
                self._paths.state / "venue.log",
                on_end=lambda: health.note_gone(_VENUE_GONE, _VENUE_HELP),
            )
        )
        if isinstance(urls, VenueProblem):
            return urls.text
        try:
            admin = VenueAdmin(urls.admin, read_token(state))
            self.venue.enter_context(publish_urls(urls, self._state / "venue.json"))
        except OSError as error:
            return f"The paper venue's state cannot be used: {error}"
        try:
            secret = load_paper_key(self._state)
        except (OSError, ValueError) as error:
            return f"The key cannot be used: {error}"
        hosts = self._make_hosts(
            settings.endpoints(urls),
            health,
            venue_admin=admin,
            is_practice=is_practice_account(self._state),
        )
        return hosts.hosts(secret, settings.signature_type, kind=KeyKind.PAPER)

    def _make_hosts(
        self,
        endpoints: Endpoints,
        health: Health,
        *,
        venue_admin: VenueAdmin | None = None,
        is_practice: bool = False,
    ) -> SessionHosts:
        return SessionHosts(
            endpoints,
            self._settings.dialect,
            health=health,
            clock=self._clock,
            venue_admin=venue_admin,
            order_deadline_s=self._settings.order_deadline_s,
            wallet=WalletOptions(
                state_dir=self._state,
                auth=self._settings.chosen.relayer_auth,
                builder_code=self._settings.builder_code,
                is_practice=is_practice,
                permit_file=self._state / PERMIT_MARK if is_practice else None,
            ),
        )
