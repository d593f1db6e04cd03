"""Addresses of the venue's contracts, the exchange of each token, and the ids that contracts compute.

Sources: the configurations of py-clob-client-v2 1.2.1 and polymarket-client 0.14.0 (September 2026),
which agree on everything here. Factories and adapters on the test chain are not published
separately; the unified library uses the same addresses. The ids of conditions and tokens were
checked on real markets of September 2026; a collection id is a point on the curve alt_bn128, so
computing one takes a few modular square roots.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from pmtui.domain.ids import Address, ConditionId, TokenId
from pmtui.domain.markets.identity import is_position_id
from pmtui.signing.eip712 import address_bytes, bytes32, domain_separator, keccak256, uint_word

POLYGON_CHAIN_ID = 137
AMOY_CHAIN_ID = 80002


@dataclass(frozen=True, slots=True)
class WalletContracts:
    """The inputs for deriving an owner's wallet addresses."""

    deposit_factory: Address
    deposit_implementation: Address
    """For wallets created before 29 June 2026 (UUPS form)."""
    deposit_beacon: Address
    """For wallets created since then (beacon form)."""
    proxy_factory: Address
    proxy_implementation: Address
    safe_factory: Address
    safe_init_code_hash: str


@dataclass(frozen=True, slots=True)
class Contracts:
    """The contracts of one chain that are used in signing and calls."""

    chain_id: int
    conditional_tokens: Address
    exchange_v3: Address
    exchange: Address
    """Version 2, for regular markets."""
    neg_risk_exchange: Address
    """Version 2, for markets of a negative-risk event."""
    collateral: Address
    """pUSD, six decimals."""
    legacy_collateral: Address
    """USDC.e: still what the token ids of regular markets are derived from."""
    wrapped_collateral: Address
    """The collateral from which token ids of negative-risk markets are derived."""
    collateral_adapter: Address
    neg_risk_collateral_adapter: Address
    neg_risk_adapter: Address
    """Deprecated for calls, but still the oracle of negative-risk conditions."""
    collateral_onramp: Address
    collateral_offramp: Address
    position_manager: Address
    combos_router: Address
    """Splits, merges and redeems markets of protocol version 2."""
    wallets: WalletContracts


WALLET_CONTRACTS = WalletContracts(
    deposit_factory=Address("0x00000000000Fb5C9ADea0298D729A0CB3823Cc07"),
    deposit_implementation=Address("0x58CA52ebe0DadfdF531Cde7062e76746de4Db1eB"),
    deposit_beacon=Address("0x7A18EDfe055488A3128f01F563e5B479D92ffc3a"),
    proxy_factory=Address("0xaB45c5A4B0c941a2F231C04C3f49182e1A254052"),
    proxy_implementation=Address("0x44e999d5c2F66Ef0861317f9A4805AC2e90aEB4f"),
    safe_factory=Address("0xaacFeEa03eb1561C4e67d661e40682Bd20E3541b"),
    safe_init_code_hash="0x2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf",
)

POLYGON = Contracts(
    chain_id=POLYGON_CHAIN_ID,
    conditional_tokens=Address("0x4D97DCd97eC945f40cF65F87097ACe5EA0476045"),
    exchange_v3=Address("0xe3333700cA9d93003F00f0F71f8515005F6c00Aa"),
    exchange=Address("0xE111180000d2663C0091e4f400237545B87B996B"),
    neg_risk_exchange=Address("0xe2222d279d744050d28e00520010520000310F59"),
    collateral=Address("0xC011a7E12a19f7B1f670d46F03B03f3342E82DFB"),
    legacy_collateral=Address("0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174"),
    wrapped_collateral=Address("0x3A3BD7bb9528E159577F7C2e685CC81A765002E2"),
    collateral_adapter=Address("0xAdA100Db00Ca00073811820692005400218FcE1f"),
    neg_risk_collateral_adapter=Address("0xadA2005600Dec949baf300f4C6120000bDB6eAab"),
    neg_risk_adapter=Address("0xd91E80cF2E7be2e162c6513ceD06f1dD0dA35296"),
    collateral_onramp=Address("0x93070a847efEf7F70739046A929D47a521F5B8ee"),
    collateral_offramp=Address("0x2957922Eb93258b93368531d39fAcCA3B4dC5854"),
    position_manager=Address("0x006F54F7f9A22e0000CC2AB60031000000ae9fEF"),
    combos_router=Address("0x12121212006e4CD160D18e3f00711DA5c3372600"),
    wallets=WALLET_CONTRACTS,
)
AMOY = replace(
    POLYGON,
    chain_id=AMOY_CHAIN_ID,
    conditional_tokens=Address("0x69308FB512518e39F9b16112fA8d994F4e2Bf8bB"),
    exchange_v3=Address("0x9fE6e61422AdB6F610d8597F9684b16912D50C3D"),
)

_BY_CHAIN = MappingProxyType({contracts.chain_id: contracts for contracts in (POLYGON, AMOY)})


class ChainError(ValueError):
    """A chain that the venue is not on."""


def contracts_on(chain_id: int) -> Contracts:
    """Return the contracts of a chain.

    Raises:
        ChainError: the chain is neither Polygon (137) nor Amoy (80002).
    """
    contracts = _BY_CHAIN.get(chain_id)
    if contracts is None:
        raise ChainError(f"the service is not on chain {chain_id}")
    return contracts


_EXCHANGE_NAME = "Polymarket CTF Exchange"


class ExchangeKind(StrEnum):
    """The three exchanges."""

    REGULAR = "regular"
    NEG_RISK = "neg_risk"
    V3 = "v3"


@dataclass(frozen=True, slots=True)
class ExchangeDomain:
    """The domain that binds an order to one exchange: part of what is signed."""

    kind: ExchangeKind
    version: str
    chain_id: int
    contract: Address
    separator: bytes


@lru_cache(maxsize=16)
def exchange_domain(kind: ExchangeKind, *, chain_id: int = POLYGON_CHAIN_ID) -> ExchangeDomain:
    """Return the domain of an exchange; its separator is computed once per process.

    Raises:
        ChainError: the venue is not on that chain.
    """
    contracts = contracts_on(chain_id)
    contract, version = {
        ExchangeKind.REGULAR: (contracts.exchange, "2"),
        ExchangeKind.NEG_RISK: (contracts.neg_risk_exchange, "2"),
        ExchangeKind.V3: (contracts.exchange_v3, "3"),
    }[kind]
    separator = domain_separator(
        _EXCHANGE_NAME, version, chain_id=chain_id, verifying_contract=contract
    )
    return ExchangeDomain(kind, version, chain_id, contract, separator)


@lru_cache(maxsize=4096)
def exchange_for(
    token_id: TokenId, *, neg_risk: bool, chain_id: int = POLYGON_CHAIN_ID
) -> ExchangeDomain:
    """Return the exchange of a token, by the rule of the unified client library.

    A token whose bits 40 to 103 are all zero is a position id of the newer protocol; such tokens
    settle on the third exchange whatever the market says.

    Raises:
        ValueError: the token id is not a decimal number.
        ChainError: the venue is not on that chain.
    """
    if not token_id.isdecimal():
        raise ValueError("a token id is a decimal number")
    if is_position_id(token_id):
        return exchange_domain(ExchangeKind.V3, chain_id=chain_id)
    kind = ExchangeKind.NEG_RISK if neg_risk else ExchangeKind.REGULAR
    return exchange_domain(kind, chain_id=chain_id)


_FIELD = 21888242871839275222246405745257275088696311157297823662689037894645226208583
_PARITY_FLAG = 1 << 254


def condition_id(oracle: str, question_id: str, outcome_slot_count: int = 2) -> ConditionId:
    """Return the id of a condition.

    Args:
        oracle: the address that may resolve it.
        question_id: 0x and 64 hexadecimal digits.
        outcome_slot_count: two on every market of the venue.

    Raises:
        AddressError: the oracle is not an address.
        HexError: the question id is malformed.
    """
    packed = address_bytes(oracle) + bytes32(question_id) + uint_word(outcome_slot_count)
    return ConditionId("0x" + keccak256(packed).hex())


def collection_id(condition: ConditionId, index_set: int) -> bytes:
    """Return the id of a set of outcomes: 1 is the first outcome alone, 2 the second.

    Raises:
        HexError: the condition id is malformed.
    """
    start = int.from_bytes(keccak256(bytes32(condition) + uint_word(index_set)), "big")
    is_odd = bool(start >> 255)
    x = start
    while True:
        x = (x + 1) % _FIELD
        square = (x * x * x + 3) % _FIELD
        y = pow(square, (_FIELD + 1) // 4, _FIELD)
        if y * y % _FIELD == square:
            break
    if bool(y % 2) != is_odd:
        y = _FIELD - y
    return uint_word(x ^ _PARITY_FLAG if y % 2 else x)


def token_id(collateral: str, collection: bytes) -> TokenId:
    """Return the id of the token for a collateral and a set of outcomes.

    Raises:
        AddressError: the collateral is not an address.
    """
    packed = keccak256(address_bytes(collateral) + collection)
    return TokenId(str(int.from_bytes(packed, "big")))


@lru_cache(maxsize=4096)
def token_ids(condition: ConditionId, *, neg_risk: bool) -> tuple[TokenId, TokenId]:
    """Return the tokens of a market's first and second outcome; computed once.

    Raises:
        HexError: the condition id is malformed.
    """
    collateral = POLYGON.wrapped_collateral if neg_risk else POLYGON.legacy_collateral
    return (
        token_id(collateral, collection_id(condition, 1)),
        token_id(collateral, collection_id(condition, 2)),
    )
