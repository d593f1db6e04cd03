"""The wallets of an owner: addresses that CREATE2 determines before anything is deployed.

Sources: the factories' published init code; checked against both official libraries, and against
wallets on chain (September 2026).
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address
from pmtui.signing.contracts import POLYGON, WalletContracts
from pmtui.signing.eip712 import (
    address_bytes,
    address_word,
    bytes32,
    checksum_address,
    keccak256,
    uint_word,
)

_UUPS_RUNTIME = bytes.fromhex(
    "363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076"
    "cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3"
)
_BEACON_RUNTIME = bytes.fromhex(
    "363d3d373d3d363d602036600436635c60da1b60e01b36527fa3f0ad74e5423aebfd80d3ef4346578335a9a72a"
    "eaee59ff6cb3582b35133d50545afa5036515af43d6000803e604d573d6000fd5b3d6000f3"
)
_UUPS_HEAD = bytes.fromhex("61007d3d8160233d3973")
_BEACON_HEAD = bytes.fromhex("6100923d8160233d3973")
_UUPS_MIDDLE = bytes.fromhex("60095155f3")
_BEACON_MIDDLE = bytes.fromhex("60195155f3")
_PROXY_HEAD = bytes.fromhex("3d3d606380380380913d393d73")
_PROXY_MIDDLE = bytes.fromhex("5af4602a57600080fd5b602d8060366000396000f3363d3d373d3d3d363d73")
_PROXY_TAIL = bytes.fromhex("5af43d82803e903d91602b57fd5bf352e831dd")


class DepositForm(StrEnum):
    """The two generations of deposit wallets; an owner has one of them, at different addresses."""

    UUPS = "uups"
    """Created before 29 June 2026."""
    BEACON = "beacon"


@dataclass(frozen=True, slots=True)
class DepositDerivation:
    """Every step from an owner to the two possible deposit wallets, for verification by the user."""

    wallet_id: bytes
    create2_args: bytes
    salt: bytes
    uups_init_code_hash: bytes
    beacon_init_code_hash: bytes
    uups_runtime_code: bytes
    beacon_runtime_code: bytes
    uups: Address
    beacon: Address


@dataclass(frozen=True, slots=True)
class OwnerWallets:
    """The four addresses besides the owner's own that can pay for an owner's orders."""

    owner: Address
    proxy: Address
    safe: Address
    deposit_uups: Address
    deposit_beacon: Address

    def deposit(self, form: DepositForm) -> Address:
        """Return the deposit wallet of one form."""
        return self.deposit_uups if form is DepositForm.UUPS else self.deposit_beacon

    def paying(self, kind: SignatureType, *, has_older: bool) -> Address:
        """Return the address that pays for orders of a signature type.

        Args:
            kind: of the orders.
            has_older: whether the older of the two deposit wallets is deployed.
        """
        match kind:
            case SignatureType.EOA:
                return self.owner
            case SignatureType.PROXY:
                return self.proxy
            case SignatureType.SAFE:
                return self.safe
            case SignatureType.DEPOSIT_WALLET:
                return self.deposit_uups if has_older else self.deposit_beacon

    def signature_type(self, maker: str) -> SignatureType | None:
        """Return the signature type for orders paid by `maker`, or None if the wallet is not this owner's."""
        kinds = {
            self.owner: SignatureType.EOA,
            self.proxy: SignatureType.PROXY,
            self.safe: SignatureType.SAFE,
            self.deposit_uups: SignatureType.DEPOSIT_WALLET,
            self.deposit_beacon: SignatureType.DEPOSIT_WALLET,
        }
        return kinds.get(checksum_address(address_bytes(maker)))


def create2_address(deployer: str, salt: bytes, init_code_hash: bytes) -> Address:
    """Return the address at which a factory will deploy a contract (EIP-1014)."""
    packed = b"\xff" + address_bytes(deployer) + salt + init_code_hash
    return checksum_address(keccak256(packed)[12:])


def derive_deposit(owner: str, contracts: WalletContracts = POLYGON.wallets) -> DepositDerivation:
    """Derive both forms of the deposit wallet of an owner.

    Raises:
        AddressError: the owner is not an address.
    """
    wallet_id = address_word(owner)
    args = address_word(contracts.deposit_factory) + wallet_id
    salt = keccak256(args)
    uups_runtime = _UUPS_RUNTIME + args
    beacon_runtime = _BEACON_RUNTIME + args
    implementation = address_bytes(contracts.deposit_implementation)
    beacon = address_bytes(contracts.deposit_beacon)
    uups_hash = keccak256(_UUPS_HEAD + implementation + _UUPS_MIDDLE + uups_runtime)
    beacon_hash = keccak256(_BEACON_HEAD + beacon + _BEACON_MIDDLE + beacon_runtime)
    return DepositDerivation(
        wallet_id=wallet_id,
        create2_args=args,
        salt=salt,
        uups_init_code_hash=uups_hash,
        beacon_init_code_hash=beacon_hash,
        uups_runtime_code=uups_runtime,
        beacon_runtime_code=beacon_runtime,
        uups=create2_address(contracts.deposit_factory, salt, uups_hash),
        beacon=create2_address(contracts.deposit_factory, salt, beacon_hash),
    )


@lru_cache(maxsize=4096)
def derive_wallets(owner: str, contracts: WalletContracts = POLYGON.wallets) -> OwnerWallets:
    """Derive all wallets of an owner; cached, because the local venue needs them for every order.

    Raises:
        AddressError: the owner is not an address.
    """
    raw = address_bytes(owner)
    proxy_factory = address_bytes(contracts.proxy_factory)
    proxy_init_code = (
        _PROXY_HEAD
        + proxy_factory
        + _PROXY_MIDDLE
        + address_bytes(contracts.proxy_implementation)
        + _PROXY_TAIL
        + uint_word(32)
        + uint_word(0)
    )
    deposit = derive_deposit(owner, contracts)
    return OwnerWallets(
        owner=checksum_address(raw),
        proxy=create2_address(contracts.proxy_factory, keccak256(raw), keccak256(proxy_init_code)),
        safe=create2_address(
            contracts.safe_factory,
            keccak256(address_word(owner)),
            bytes32(contracts.safe_init_code_hash),
        ),
        deposit_uups=deposit.uups,
        deposit_beacon=deposit.beacon,
    )


def deposit_form(factory_beacon: str | None, uups_code: str) -> DepositForm:
    """Return the form of an owner's deposit wallet, based on two chain reads.

    Args:
        factory_beacon: the factory's reply to `BEACON()` in hexadecimal; None if the call reverted,
            as on a factory older than the beacon.
        uups_code: code at the UUPS address in hexadecimal; `0x` and `0x0` mean none.
    """
    if factory_beacon is None or _is_empty(factory_beacon) or not _is_empty(uups_code):
        return DepositForm.UUPS
    return DepositForm.BEACON


def _is_empty(answer: str) -> bool:
    return not answer.removeprefix("0x").strip("0")
