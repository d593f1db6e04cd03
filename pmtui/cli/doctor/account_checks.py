"""The key of a profile and the wallet that pays with it; nothing is unlocked, no secret is shown."""

import stat
from pathlib import Path

from pmtui.cli.doctor.findings import Figure, Finding, State, Subject
from pmtui.cli.hosts import find_paying_wallet
from pmtui.cli.keys.key_checks import (
    CLEARTEXT,
    PAPER_KEY_FILE,
    cleartext_addresses,
    keystore_path,
    read_private_key,
    why_refused,
)
from pmtui.cli.keys.unlocking import read_keystore
from pmtui.cli.venue.paper import NEW_ACCOUNT, load_paper_key
from pmtui.clients.relayer import RelayerClient
from pmtui.config.settings import Settings
from pmtui.config.terminal_settings import KEY_VARIABLE
from pmtui.config.toml_file import ConfigError
from pmtui.domain.account.keys import SignatureType
from pmtui.domain.account.onboarding import WalletForm
from pmtui.domain.answers import Failure
from pmtui.domain.ids import Address
from pmtui.signing.keystore import KeystoreProblem, keystore_address
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer
from pmtui.signing.wallet import derive_wallets

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def check_key(settings: Settings, state: Path) -> tuple[Address | None, tuple[Finding, ...]]:
    """Look at a profile's key; returns its address where that can be known without a passphrase.

    Args:
        settings: of the profile.
        state: the state directory of all profiles.
    """
    if settings.is_paper:
        return _paper_key(settings, state)
    if settings.private_key is not None:
        return _variable(settings, state)
    path = keystore_path(state, settings.profile)
    making = f"pmtui account new --profile {settings.profile}, or import"
    if not path.exists():
        text = "none: the profile opens READ-ONLY"
        return None, (_finding("key", State.WARNING, text, making, kind="none"),)
    owner, finding = _keystore(path)
    return owner, (finding, *_cleartext(settings))


async def check_wallet(
    owner: Address | None, relayer: RelayerClient, signature_type: SignatureType
) -> tuple[Finding, ...]:
    """Ask the relayer for the wallet that pays for a key's orders."""
    if owner is None:
        return (_finding("wallet", State.SKIPPED, "no address to look for"),)
    wallet = await find_paying_wallet(relayer, derive_wallets(owner), signature_type)
    if isinstance(wallet, Failure):
        return (_unanswered(wallet),)
    if signature_type is SignatureType.EOA:
        return (_finding("wallet", State.OK, f"{wallet}, the key's own", wallet=wallet),)
    answer = await relayer.is_deployed(wallet, _FORMS[signature_type])
    if isinstance(answer, Failure):
        return (_unanswered(answer),)
    if answer:
        return (_finding("wallet", State.OK, f"{wallet}, deployed", wallet=wallet, deployed=True),)
    text = f"{wallet} is not deployed yet"
    remedy = "press a in the terminal: the account screen deploys it"
    return (_finding("wallet", State.WARNING, text, remedy, wallet=wallet, deployed=False),)


_FORMS = {
    SignatureType.PROXY: WalletForm.PROXY,
    SignatureType.SAFE: WalletForm.SAFE,
    SignatureType.DEPOSIT_WALLET: WalletForm.DEPOSIT,
}


def _unanswered(failure: Failure) -> Finding:
    return _finding("wallet", State.SKIPPED, f"the relayer did not say: {failure.text}")


def _paper_key(settings: Settings, state: Path) -> tuple[Address | None, tuple[Finding, ...]]:
    folder = state / settings.profile
    if not (folder / PAPER_KEY_FILE).exists():
        text = "the paper account is made when the terminal first opens"
        return None, (_finding("key", State.OK, text, kind="paper"),)
    try:
        address = Signer(load_paper_key(folder)).address
    except (OSError, ConfigError) as error:
        text = str(error).removesuffix(f"; {NEW_ACCOUNT}")
        return None, (_finding("key", State.PROBLEM, text, NEW_ACCOUNT, kind="paper"),)
    text = f"{address}, of the paper account"
    return address, (_finding("key", State.OK, text, kind="paper", address=address),)


def _variable(settings: Settings, state: Path) -> tuple[Address | None, tuple[Finding, ...]]:
    assert settings.private_key is not None
    secret = read_private_key(Secret.from_text(settings.private_key.get_secret_value()))
    if isinstance(secret, str):
        remedy = f"correct or unset {KEY_VARIABLE}"
        return None, (_finding("key", State.PROBLEM, secret, remedy, kind="environment"),)
    address = Signer(secret).address
    if reason := why_refused(secret, settings, state):
        return address, (_finding("key", State.PROBLEM, reason, f"unset {KEY_VARIABLE}"),)
    finding = _finding(
        "key", State.WARNING, f"{address}, from {KEY_VARIABLE}",
        "a keystore keeps the key encrypted: pmtui account import", kind="environment",
        address=address,
    )  # fmt: skip
    return address, (finding, *_cleartext(settings))


def _keystore(path: Path) -> tuple[Address | None, Finding]:
    try:
        text = read_keystore(path)
    except ConfigError as error:
        remedy = "see who could have written it; then chmod go-w"
        return None, _finding("key", State.PROBLEM, str(error), remedy, kind="keystore")
    except OSError as error:
        text = f"{path}: {error.strerror or error}"
        return None, _finding("key", State.PROBLEM, text, f"chmod 600 {path}", kind="keystore")
    if isinstance(text, KeystoreProblem):
        remedy = "put your copy of the keystore in its place"
        return None, _finding(
            "key", State.PROBLEM, f"{path}: {text.value}", remedy, kind="keystore"
        )
    owner = keystore_address(text)
    if stat.S_IMODE(path.stat().st_mode) & _OTHERS:
        words = f"{path} can be read or written by others"
        return owner, _finding("key", State.WARNING, words, f"chmod 600 {path}", kind="keystore")
    if owner is None:
        text = f"{path} does not say its address, so only its passphrase shows whether it is sound"
        remedy = "open it once: pmtui account show"
        return None, _finding("key", State.WARNING, text, remedy, kind="keystore")
    words = f"{owner}, keystore {path}"
    return owner, _finding("key", State.OK, words, kind="keystore", address=owner)


def _cleartext(settings: Settings) -> tuple[Finding, ...]:
    exposed = cleartext_addresses(settings)
    if not exposed:
        return ()
    text = f"{' and '.join(exposed)}: not encrypted, so the key is not used there"
    return (_finding("encryption", State.PROBLEM, text, CLEARTEXT.partition(";")[2].strip()),)


def _finding(name: str, state: State, text: str, remedy: str = "", **figures: Figure) -> Finding:
    return Finding(Subject.ACCOUNT, name, state, text, remedy, figures)
