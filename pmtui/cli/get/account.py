"""The profile's account for reads that need its key: found as by other commands, opened once."""

from dataclasses import dataclass
from pathlib import Path

from pmtui.cli.account.wallet_access import WalletKeyFiles
from pmtui.cli.hosts import find_paying_wallet
from pmtui.cli.keys.unlocking import (
    PAPER_KEY_FILE,
    find_session_key,
    keystore_path,
    paper_addresses,
    read_key_variable,
    read_keystore,
)
from pmtui.cli.venue.paper import load_paper_key
from pmtui.clients.account import AccountClient, create_or_derive
from pmtui.clients.clob import ClobClient
from pmtui.clients.clob_requests import Account, ServerClock
from pmtui.clients.reads.hosts import ReadHosts
from pmtui.clients.relayer import Authorize, RelayerClient
from pmtui.config.settings import Settings
from pmtui.config.terminal_settings import KEY_VARIABLE
from pmtui.config.toml_file import ConfigError
from pmtui.domain.answers import Failure
from pmtui.domain.ids import Address, ApiKey
from pmtui.service.clock import SystemClock
from pmtui.signing.auth import ApiCredentials, relayer_headers
from pmtui.signing.keystore import KeystoreProblem, keystore_address
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets

NO_PAPER_ACCOUNT = "no paper account yet: `pmtui` or `pmtui account status` makes it"
_NOBODY = Address("0x" + "00" * 20)


@dataclass(frozen=True, slots=True)
class NoAccount:
    """Why there is no account to read, in one line."""

    text: str


def find_secret(settings: Settings, state: Path, passphrase_fd: int | None) -> Secret | NoAccount:
    """Return the key of a profile.

    Args:
        settings: of the profile.
        state: the state directory of all profiles.
        passphrase_fd: file descriptor of the passphrase; None to ask at the terminal.

    Raises:
        ConfigError: the key is unavailable, or must not be used here.
    """
    if settings.is_paper:
        folder = state / settings.profile
        is_there = (folder / PAPER_KEY_FILE).exists()
        return load_paper_key(folder) if is_there else NoAccount(NO_PAPER_ACCOUNT)
    found = find_session_key(
        settings, state, passphrase_fd=passphrase_fd, empty_means="asks nothing of the account"
    )
    return found.secret or NoAccount(found.reason)


def find_relayer_headers(settings: Settings, state: Path) -> Authorize | None:
    """Return the headers that authenticate us to the relayer; None if the profile has no relayer key.

    Raises:
        ConfigError: the keystore cannot be read.
    """
    owner = find_owner(settings, state)
    files = WalletKeyFiles(state / settings.profile)
    key = None if owner is None else files.relayer_key(owner)
    if key is None:
        return None
    headers = relayer_headers(key.key.reveal_text(), key.address)
    return lambda _method, _path, _body: headers


def find_owner(settings: Settings, state: Path) -> Address | None:
    """Return the address of the profile's key, which needs no passphrase; None without an account.

    Raises:
        ConfigError: the environment's key is invalid, or the keystore cannot be read.
    """
    if settings.is_paper:
        return paper_addresses(state).get(settings.profile)
    if settings.private_key is not None:
        secret = read_key_variable(settings.private_key)
        if isinstance(secret, str):
            raise ConfigError(KEY_VARIABLE, secret)
        return Signer(secret).address
    path = keystore_path(state, settings.profile)
    text = read_keystore(path) if path.exists() else ""
    return None if isinstance(text, KeystoreProblem) else keystore_address(text)


async def open_account(
    hosts: ReadHosts, secret: Secret, settings: Settings
) -> AccountClient | Failure:
    """Sign in to the trading host as the owner of a key."""
    signer = Signer(secret)
    trading = ClobClient(hosts.trading, hosts.routes)
    clock = ServerClock(SystemClock().now, trading.server_time)
    _ = await clock.measure()
    credentials = await create_or_derive(hosts.trading, hosts.routes, signer=signer, clock=clock)
    if isinstance(credentials, Failure):
        return credentials
    wallet = await find_paying_wallet(
        RelayerClient(hosts.relayer), derive_wallets(signer.address), settings.signature_type
    )
    if isinstance(wallet, Failure):
        return wallet
    account = Account(signer.address, wallet, settings.signature_type, credentials)
    return AccountClient(hosts.trading, hosts.routes, account=account, clock=clock)


def unknown_account(hosts: ReadHosts, settings: Settings) -> AccountClient:
    """Return a placeholder account: its requests can be shown, but would be refused."""
    nothing = Secret.from_text("AAAA")
    credentials = ApiCredentials(ApiKey("-"), secret=nothing, passphrase=nothing)
    trading = ClobClient(hosts.trading, hosts.routes)
    clock = ServerClock(SystemClock().now, trading.server_time)
    account = Account(_NOBODY, _NOBODY, settings.signature_type, credentials)
    return AccountClient(hosts.trading, hosts.routes, account=account, clock=clock)


def unknown_relayer_headers(_method: str, _path: str, _body: bytes) -> dict[str, str]:
    """Return placeholder headers for the relayer, to be shown and not sent."""
    return relayer_headers("-", _NOBODY)
