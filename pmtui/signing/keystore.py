"""Keystores: the standard encrypted Ethereum format, new keys, and keys that are publicly known.

A wrong passphrase or a foreign file is an expected result, returned as a value. The key library
takes half a second to import, so only the functions that need it import it.
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
"""Bytes of memory for decryption: four times what the most demanding common wallets use."""
MOST_WORK = 1 << 31
"""scrypt's bytes times its passes: about ten seconds of one processor."""
MOST_ROUNDS = 20_000_000
"""Rounds of PBKDF2; common wallets use up to a million."""
MOST_DERIVED = 1_024
"""Bytes derived from a passphrase; 32 are used."""


class KeystoreProblem(StrEnum):
    """Why a keystore gave no key."""

    NOT_A_KEYSTORE = "this is not an Ethereum keystore of version 3"
    DOES_NOT_OPEN = "the passphrase is wrong, or the keystore is damaged"
    TOO_COSTLY = "opening this keystore would take far more memory or time than any wallet asks for"
    BAD_KEY = "the keystore holds no usable key, or not the key of its address"


def _library() -> "Account":
    """Return the library that reads and writes keystores.

    One of its dependencies raises the recursion limit a hundredfold, for the whole program: then a
    reply of nested brackets crashes it, which is refused otherwise.
    """
    limit = sys.getrecursionlimit()
    try:
        from eth_account import Account  # noqa: PLC0415  half a second, paid only here
    finally:
        sys.setrecursionlimit(limit)
    return Account()


def create_key(random_bytes: Callable[[int], bytes]) -> Secret:
    """Generate a private key from a source of randomness such as `os.urandom`.

    Draws again in the practically impossible case that the bytes are not below the order of the
    curve.
    """
    while True:
        secret = Secret(random_bytes(32))
        try:
            Signer(secret)
        except KeyFormatError:
            continue
        return secret


def encrypt_keystore(secret: Secret, passphrase: Secret, *, work_factor: int | None = None) -> str:
    """Return a key as an encrypted keystore.

    Args:
        secret: the private key.
        passphrase: needed to decrypt it again.
        work_factor: scrypt's N, a power of two; None uses the library's default, which takes about
            a second by design.

    Raises:
        KeyFormatError: the secret is not a private key.
    """
    Signer(secret)
    keystore = _library().encrypt(
        secret.reveal(), passphrase.reveal_text(), kdf="scrypt", iterations=work_factor
    )
    return json.dumps(keystore, indent=2) + "\n"


def decrypt_keystore(text: str, passphrase: Secret) -> Secret | KeystoreProblem:
    """Decrypt a keystore, or return why that fails."""
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
    """Return the address in a keystore's clear text, so that it can be listed without decryption."""
    keystore = _parse(text)
    stated = keystore.get("address") if keystore is not None else None
    if not isinstance(stated, str):
        return None
    try:
        return checksum_address(address_bytes("0x" + stated.removeprefix("0x")))
    except AddressError:
        return None


def write_keystore(path: Path, text: str) -> None:
    """Write a keystore readable only by its owner: atomically, and never over an existing file.

    Raises:
        FileExistsError: a file exists, which may hold the only copy of another key.
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
        # Unlike a rename, a hard link does not replace an existing file.
        path.hardlink_to(unfinished)
    finally:
        unfinished.unlink(missing_ok=True)
    _sync_folder(path.parent)


def remove_unfinished(path: Path) -> None:
    """Remove the partial file of a program that was killed while it wrote a keystore."""
    for unfinished in path.parent.glob(f".{path.name}.*"):
        unfinished.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Sync the file's name to disk as well: without it a synced file can still be lost."""
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
    """Check the cost of decryption before paying it: the file's parameters determine it."""
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
        # Limited one by one first: such numbers may have thousands of digits.
        is_dear = max(found) > MOST_MEMORY or (
            128 * block * max(cost, passes) > MOST_MEMORY or 128 * block * cost * passes > MOST_WORK
        )
    return KeystoreProblem.TOO_COSTLY if is_dear or found[-1] > MOST_DERIVED else None


def _part(document: dict[str, object], name: str) -> dict[str, object]:
    # Some programs write the names in capitals, which the library accepts.
    found = {key.lower(): value for key, value in document.items()}.get(name)
    return found if isinstance(found, dict) else {}


GUESSABLE_BITS = 64
"""A key with no more bits than this can be found by brute force."""

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
"""Keys of the mnemonic "test test … junk", which Hardhat and Anvil use (the first twenty)."""


def is_public_key(secret: Secret) -> bool:
    """Whether a private key is publicly known or easy to guess.

    Raises:
        KeyFormatError: the secret is not a private key.
    """
    is_guessable = int.from_bytes(secret.reveal(), "big") < 1 << GUESSABLE_BITS
    return Signer(secret).address in PUBLISHED or is_guessable
