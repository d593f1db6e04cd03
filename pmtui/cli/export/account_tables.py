"""What an export reads of an account: its fills from journal and venue, the rest from the venue."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pmtui.cli.export.tables import (
    ExportedFill,
    activity_table,
    fills_table,
    positions_table,
)
from pmtui.cli.export.venue_tables import Unreachable, VenueReader, venue_reader
from pmtui.cli.export.writing import Table
from pmtui.cli.keys.live_key import keystore_path, paper_addresses, read_private_key
from pmtui.cli.keys.unlocking import find_session_key, read_keystore
from pmtui.cli.paper import KEY_VARIABLE
from pmtui.cli.paper_account import KEY_FILE, load_paper_key
from pmtui.config.settings import Settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.ids import Address, ConditionId
from pmtui.domain.orders.life import merge_fill
from pmtui.domain.orders.order import Fill
from pmtui.service.clock import SystemClock
from pmtui.service.orders.journal_rows import JournaledFill, JournalProblem, read_fills, read_titles
from pmtui.signing.keystore import KeystoreProblem, keystore_address
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose account, and how far to go for it."""

    settings: Settings
    state: Path
    """The state directory of all profiles."""
    warn: Callable[[str], None]
    """LastAnswer what is missing from the data, and why."""
    wallet: Address | None = None
    """Another wallet than the profile's."""
    passphrase_fd: int | None = None
    is_offline: bool = False

    @property
    def journal(self) -> Path:
        """The profile's journal, existing or not."""
        return self.state / self.settings.profile / "journal.sqlite"


async def read_positions(asked: Asked) -> Table | Unreachable:
    """Return what a wallet holds now.

    Raises:
        ConfigError: there is no account and no wallet was named.
    """
    now = SystemClock().now()
    held = await _ask(asked, lambda reader, wallet: reader.positions(wallet))
    return held if isinstance(held, Unreachable) else positions_table(held, as_of=now)


async def read_activity(asked: Asked) -> Table | Unreachable:
    """Return the public history of a wallet, newest first.

    Raises:
        ConfigError: there is no account and no wallet was named.
    """
    lines = await _ask(asked, lambda reader, wallet: reader.activity(wallet))
    return lines if isinstance(lines, Unreachable) else activity_table(lines)


def read_own_fills(asked: Asked) -> Table | JournalProblem:
    """Return fills from the journal and, where it can be asked, from the venue; oldest first.

    Raises:
        ConfigError: the keystore does not open.
    """
    journaled = read_fills(asked.journal)
    titles = read_titles(asked.journal)
    if isinstance(journaled, JournalProblem):
        return journaled
    if isinstance(titles, JournalProblem):
        return titles
    told: tuple[Fill, ...] | Unreachable = ()
    if not asked.is_offline:
        secret = _secret(asked)
        if isinstance(secret, Secret):
            told = asyncio.run(_fills_of(asked, secret))
        elif secret:
            told = Unreachable(secret)
    if isinstance(told, Unreachable):
        asked.warn(f"from the journal alone: {told.text}")
        told = ()
    return fills_table(merge_fills(journaled, told, titles))


def merge_fills(
    journaled: Iterable[JournaledFill],
    told: Iterable[Fill],
    titles: Mapping[ConditionId, str],
) -> list[ExportedFill]:
    """Combine what the journal and the venue know of each fill, oldest first.

    Args:
        journaled: fills of orders that were placed from here.
        told: fills of the account, as the venue has them.
        titles: of markets, for fills of orders that were placed elsewhere.
    """
    merged = {
        (each.fill.trade_id, each.fill.order_id): ExportedFill(each.fill, each.title, "journal")
        for each in journaled
    }
    for fill in told:
        key = (fill.trade_id, fill.order_id)
        known = merged.get(key)
        if known is None:
            merged[key] = ExportedFill(fill, titles.get(fill.condition_id, ""), "venue")
        else:
            merged[key] = ExportedFill(merge_fill(known.fill, fill), known.title, "both")
    return sorted(
        merged.values(), key=lambda e: (e.fill.matched_at, e.fill.trade_id, e.fill.order_id)
    )


async def _ask(
    asked: Asked,
    question: Callable[[VenueReader, Address], Awaitable[tuple[T, ...] | Unreachable]],
) -> tuple[T, ...] | Unreachable:
    """Ask about the wallet that was named, or else the profile's own."""
    owner = None if asked.wallet is not None else _owner(asked)
    if owner is None and asked.wallet is None:
        # A paper account that was never made has nothing, and is not made by asking.
        return ()
    async with venue_reader(asked.settings, asked.state) as reader:
        if isinstance(reader, Unreachable):
            return reader
        wallet = asked.wallet
        if wallet is None and owner is not None:
            found = await reader.wallet(owner)
            if isinstance(found, Unreachable):
                return found
            wallet = found
        assert wallet is not None
        answer = await question(reader, wallet)
        for line in reader.left_out:
            asked.warn(line)
        return answer


async def _fills_of(asked: Asked, secret: Secret) -> tuple[Fill, ...] | Unreachable:
    async with venue_reader(asked.settings, asked.state) as reader:
        if isinstance(reader, Unreachable):
            return reader
        fills = await reader.fills(secret)
        for line in reader.left_out:
            asked.warn(line)
        return fills


def _owner(asked: Asked) -> Address | None:
    """Return the address of the profile's key, for which no passphrase is needed."""
    settings = asked.settings
    if settings.is_paper:
        return paper_addresses(asked.state).get(settings.profile)
    if settings.private_key is not None:
        secret = read_private_key(Secret.from_text(settings.private_key.get_secret_value()))
        if isinstance(secret, str):
            raise ConfigError(KEY_VARIABLE, secret)
        return Signer(secret).address
    path = keystore_path(asked.state, settings.profile)
    text = read_keystore(path) if path.exists() else ""
    owner = None if isinstance(text, KeystoreProblem) else keystore_address(text)
    if owner is None:
        raise ConfigError(settings.profile, "it has no account; name a wallet with --wallet")
    return owner


def _secret(asked: Asked) -> Secret | str:
    """Return the key that opens the account at the venue, or why not; empty without an account."""
    settings = asked.settings
    folder = asked.state / settings.profile
    if settings.is_paper:
        return load_paper_key(folder) if (folder / KEY_FILE).exists() else ""
    has_keystore = keystore_path(asked.state, settings.profile).exists()
    if settings.private_key is None:
        if not has_keystore:
            return "the venue was not asked: the profile has no account"
        if asked.passphrase_fd is None and not sys.stdin.isatty():
            return "the venue was not asked: that takes the passphrase, from --passphrase-fd"
    found = find_session_key(
        settings,
        asked.state,
        passphrase_fd=asked.passphrase_fd,
        empty_means="exports the journal alone",
    )
    return found.secret or "the venue was not asked: the keystore stayed locked"
