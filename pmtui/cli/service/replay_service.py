"""Builds the service of a replay: the replay's venue, and an account that is discarded with it."""

import random
from dataclasses import fields
from pathlib import Path

from pmtui.cli.hosts import SessionHosts
from pmtui.cli.venue.paper import STARTING_CASH, load_paper_key
from pmtui.config.endpoints import Dialect, Endpoints
from pmtui.config.paths import JOURNAL_FILE
from pmtui.config.settings import Settings
from pmtui.domain.account.keys import KeyKind
from pmtui.domain.money import parse_micros
from pmtui.service.clock import SystemClock
from pmtui.service.data_service import DataService
from pmtui.service.health import Health
from pmtui.service.journal.journal import Journal
from pmtui.service.ports import Hosts
from pmtui.service.profile import Profile, Tuning
from pmtui.service.views import Mode
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets
from pmtui.sim.admin_token import VenueAdmin
from pmtui.sim.replay.run import RunningReplay

PROFILE = "replay"


def make_replay_service(
    settings: Settings, venue: RunningReplay, *, clock: SystemClock, state: Path
) -> DataService:
    """Return the service of one replay.

    Args:
        settings: the user's settings.
        venue: of the replay.
        clock: the recording's time.
        state: the state directory of the replay's account.
    """

    async def connect(health: Health) -> Hosts | str:
        running = venue.running
        hosts = SessionHosts(
            # Never the user's own addresses: a replay connects to its own venue only.
            Endpoints(**{field.name: running.urls[field.name] for field in fields(Endpoints)}),
            Dialect.SEED,
            health=health,
            clock=clock,
            venue_admin=VenueAdmin(running.urls["admin"], running.admin_token),
            order_deadline_s=settings.order_deadline_s,
        )
        secret = load_paper_key(state)
        # The wallet is deployed and funded before the terminal can request it.
        wallets = derive_wallets(Signer(secret).address)
        running.venue.accounts.learn(wallets.owner)
        payer = wallets.paying(settings.signature_type, has_older=False)
        _ = running.venue.fund(payer, parse_micros(STARTING_CASH))
        return hosts.hosts(secret, settings.signature_type, kind=KeyKind.PAPER)

    return DataService(
        profile=Profile(PROFILE, Mode.PAPER),
        connect=connect,
        clock=clock,
        journal=Journal(state / JOURNAL_FILE),
        rng=random.Random(),  # noqa: S311 - spreads retries, keeps no secret
        tuning=Tuning(
            frames_per_second=settings.frame_rate,
            post_deadline_s=settings.order_deadline_s,
            disarm_after_s=settings.disarm_after_s,
            limits=settings.limits.to_limits(),
            is_venue_time=True,
        ),
        state_dir=state,
    )
