"""Where the service's contracts live, by chain.

Sources: the configurations of py-clob-client-v2 1.2.1 and polymarket-client 0.14.0 (September
2026), which agree on everything stated here. Factories and adapters on the test chain are not
published separately; the unified library uses the same addresses.
"""

from dataclasses import dataclass, replace
from types import MappingProxyType

from pmtui.domain.ids import Address

POLYGON_CHAIN_ID = 137
AMOY_CHAIN_ID = 80002


@dataclass(frozen=True, slots=True)
class WalletContracts:
    """What the addresses of an owner's wallets are derived from."""

    deposit_factory: Address
    deposit_implementation: Address
    """Of wallets made before 29 June 2026 (UUPS form)."""
    deposit_beacon: Address
    """Of wallets made since (beacon form)."""
    proxy_factory: Address
    proxy_implementation: Address
    safe_factory: Address
    safe_init_code_hash: str


@dataclass(frozen=True, slots=True)
class Contracts:
    """The contracts of one chain that signing and calls name."""

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
    """What the token ids of negative-risk markets are derived from."""
    collateral_adapter: Address
    neg_risk_collateral_adapter: Address
    neg_risk_adapter: Address
    """Deprecated for calls, still the oracle of negative-risk conditions."""
    collateral_onramp: Address
    collateral_offramp: Address
    position_manager: Address
    combos_router: Address
    """Splits, merges and redeems markets of version 2 of the protocol."""
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
    """A chain the service is not on."""


def contracts_on(chain_id: int) -> Contracts:
    """Return the contracts of a chain.

    Raises:
        ChainError: neither Polygon (137) nor Amoy (80002).
    """
    contracts = _BY_CHAIN.get(chain_id)
    if contracts is None:
        raise ChainError(f"the service is not on chain {chain_id}")
    return contracts
