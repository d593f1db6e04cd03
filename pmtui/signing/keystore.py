"""Keys at rest: the standard encrypted Ethereum keystore, new keys, and keys that anybody can have.

A wrong passphrase or a foreign file is an expected result and comes back as a value. The key
library takes half a second to import, so only the functions that need it do.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from pmtui.domain.ids import Address
from pmtui.signing.eip712 import AddressError, address_bytes, checksum_address
from pmtui.signing.secret import Secret
from pmtui.signing.signer import KeyFormatError, Signer

if TYPE_CHECKING:
    from eth_account import Account

MOST_MEMORY = 1 << 30
"""Bytes that opening may take: four times what the dearest common wallets ask for."""
MOST_WORK = 1 << 31
"""scrypt's bytes times its passes: some ten seconds of one processor."""
MOST_ROUNDS = 20_000_000
"""Of PBKDF2; the common ones ask for up to a million."""
MOST_DERIVED = 1_024
"""Bytes derived from a passphrase; 32 are used."""


class KeystoreProblem(StrEnum):
    """Why a keystore gave no key."""

    NOT_A_KEYSTORE = "this is not an Ethereum keystore of version 3"
    DOES_NOT_OPEN = "the passphrase is wrong, or the keystore is damaged"
    TOO_COSTLY = "opening this keystore would take far more memory or time than any wallet asks for"
    BAD_KEY = "the keystore holds no usable key, or not the key of its address"


def _library() -> "Account":
    """Return what opens and closes keystores.

    A library that it brings along lets recursion go a hundred times deeper, for the whole program:
    then an answer of nested brackets ends it, where it is refused otherwise.
    """
    limit = sys.getrecursionlimit()
    try:
        from eth_account import Account  # noqa: PLC0415  half a second, paid only here
    finally:
        sys.setrecursionlimit(limit)
    return Account()


def create_key(random_bytes: Callable[[int], bytes]) -> Secret:
    """Draw a new private key from a source of randomness such as `os.urandom`.

    Draws again in the case, never seen, that the bytes are not below the order of the curve.
    """
    while True:
        secret = Secret(random_bytes(32))
        try:
            Signer(secret)
        except KeyFormatError:
            continue
        return secret


def encrypt_keystore(secret: Secret, passphrase: Secret, *, work_factor: int | None = None) -> str:
    """Write a key as an encrypted keystore.

    Args:
        secret: the private key.
        passphrase: what will open it again.
        work_factor: scrypt's N, a power of two; None takes the library's default, which costs
            about a second on purpose.

    Raises:
        KeyFormatError: the secret is no private key.
    """
    Signer(secret)
    keystore = _library().encrypt(
        secret.reveal(), passphrase.reveal_text(), kdf="scrypt", iterations=work_factor
    )
    return json.dumps(keystore, indent=2) + "\n"


def decrypt_keystore(text: str, passphrase: Secret) -> Secret | KeystoreProblem:
    """Open an encrypted keystore, or say why it does not open."""
    keystore = _parse(text)
    if keystore is None:
        return KeystoreProblem.NOT_A_KEYSTORE
    if problem := _why_not_derive(keystore):
        return problem
    try:
        secret = Secret(bytes(_library().decrypt(keystore, passphrase.reveal_text())))
    except (ValueError, TypeError, KeyError, NotImplementedError, RecursionError) as error:
        is_mac = "MAC" in str(error)
        return KeystoreProblem.DOES_NOT_OPEN if is_mac else KeystoreProblem.NOT_A_KEYSTORE
    try:
        signer = Signer(secret)
    except KeyFormatError:
        return KeystoreProblem.BAD_KEY
    stated = keystore_address(text)
    return secret if stated in (None, signer.address) else KeystoreProblem.BAD_KEY


def keystore_address(text: str) -> Address | None:
    """Return the address a keystore states in the clear, so that it can be listed unopened."""
    keystore = _parse(text)
    stated = keystore.get("address") if keystore is not None else None
    if not isinstance(stated, str):
        return None
    try:
        return checksum_address(address_bytes("0x" + stated.removeprefix("0x")))
    except AddressError:
        return None


def write_keystore(path: Path, text: str) -> None:
    """Write a keystore that only its owner can read: whole or not at all, and never over a file.

    Raises:
        FileExistsError: there is a file, which may hold the only copy of another key.
        OSError: the folder cannot be written.
    """
    remove_unfinished(path)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # A link, unlike a rename, refuses the place of a file that is there.
        path.hardlink_to(unfinished)
    finally:
        unfinished.unlink(missing_ok=True)
    _sync_folder(path.parent)


def remove_unfinished(path: Path) -> None:
    """Remove what a program that was killed while it wrote a keystore left beside it."""
    for unfinished in path.parent.glob(f".{path.name}.*"):
        unfinished.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Have the name on the disk as well: without it a synced file can still be gone."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _parse(text: str) -> dict[str, object] | None:
    try:
        keystore = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(keystore, dict) or keystore.get("version") != 3:
        return None
    return keystore


def _why_not_derive(keystore: dict[str, object]) -> KeystoreProblem | None:
    """Look at what opening would cost before paying for it: the file says how dear it is."""
    crypto = _part(keystore, "crypto")
    params = _part(crypto, "kdfparams")
    names = {"scrypt": ("n", "r", "p", "dklen"), "pbkdf2": ("c", "dklen")}.get(
        str(crypto.get("kdf")).lower()
    )
    numbers = [params.get(name) for name in names or ()]
    found = [number for number in numbers if type(number) is int and number > 0]
    if names is None or len(found) != len(names):
        return KeystoreProblem.NOT_A_KEYSTORE
    if len(found) == 2:
        is_dear = found[0] > MOST_ROUNDS
    else:
        cost, block, passes, _ = found
        # Bounded one by one first: such numbers may have thousands of digits.
        is_dear = max(found) > MOST_MEMORY or (
            128 * block * max(cost, passes) > MOST_MEMORY or 128 * block * cost * passes > MOST_WORK
        )
    return KeystoreProblem.TOO_COSTLY if is_dear or found[-1] > MOST_DERIVED else None


def _part(document: dict[str, object], name: str) -> dict[str, object]:
    # Some writers spell names with capitals, which the library takes.
    found = {key.lower(): value for key, value in document.items()}.get(name)
    return found if isinstance(found, dict) else {}


GUESSABLE_BITS = 64
"""A key below this is found by counting."""

PUBLISHED = frozenset(
    map(
        Address,
        (
            "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
            "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
            "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
            "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
            "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
            "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
            "0x976EA74026E726554dB657fA54763abd0C3a0aa9",
            "0x14dC79964da2C08b23698B3D3cc7Ca32193d9955",
            "0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f",
            "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720",
            "0xBcd4042DE499D14e55001CcbB24a551F3b954096",
            "0x71bE63f3384f5fb98995898A86B02Fb2426c5788",
            "0xFABB0ac9d68B0B445fB7357272Ff202C5651694a",
            "0x1CBd3b2770909D4e10f157cABC84C7264073C9Ec",
            "0xdF3e18d64BC6A983f673Ab319CCaE4f1a57C7097",
            "0xcd3B766CCDd6AE721141F452C550Ca635964ce71",
            "0x2546BcD3c84621e976D8185a91A922aE77ECEc30",
            "0xbDA5747bFD65F08deb54cb465eB87D40e51B197E",
            "0xdD2FD4581271e230360230F9337D5c0430Bf44C0",
            "0x8626f6940E2eb28930eFb4CeF49B2d1F2C9C1199",
        ),
    )
)
"""Of the mnemonic "test test … junk", which Hardhat and Anvil start with (the first twenty)."""


def is_public_key(secret: Secret) -> bool:
    """Whether a private key is one that others have.

    Raises:
        KeyFormatError: the secret is no private key.
    """
    is_guessable = int.from_bytes(secret.reveal(), "big") < 1 << GUESSABLE_BITS
    return Signer(secret).address in PUBLISHED or is_guessable
