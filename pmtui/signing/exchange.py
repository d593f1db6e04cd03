"""Which exchange contract settles a token, and so under which domain its orders are signed."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from pmtui.domain.ids import Address, TokenId
from pmtui.domain.markets.identity import is_position_id
from pmtui.signing.contracts import POLYGON_CHAIN_ID, contracts_on
from pmtui.signing.typed_data import domain_separator

_NAME = "Polymarket CTF Exchange"


class ExchangeKind(StrEnum):
    """The three exchanges."""

    REGULAR = "regular"
    NEG_RISK = "neg_risk"
    V3 = "v3"


@dataclass(frozen=True, slots=True)
class ExchangeDomain:
    """What ties an order to one exchange: part of what is signed."""

    kind: ExchangeKind
    version: str
    chain_id: int
    contract: Address
    separator: bytes


@lru_cache(maxsize=16)
def exchange_domain(kind: ExchangeKind, *, chain_id: int = POLYGON_CHAIN_ID) -> ExchangeDomain:
    """Return the domain of an exchange; its separator is computed once for a process.

    Raises:
        ChainError: the service is not on that chain.
    """
    contracts = contracts_on(chain_id)
    contract, version = {
        ExchangeKind.REGULAR: (contracts.exchange, "2"),
        ExchangeKind.NEG_RISK: (contracts.neg_risk_exchange, "2"),
        ExchangeKind.V3: (contracts.exchange_v3, "3"),
    }[kind]
    separator = domain_separator(_NAME, version, chain_id=chain_id, verifying_contract=contract)
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
        ChainError: the service is not on that chain.
    """
    if not token_id.isdecimal():
        raise ValueError("a token id is a decimal number")
    if is_position_id(token_id):
        return exchange_domain(ExchangeKind.V3, chain_id=chain_id)
    kind = ExchangeKind.NEG_RISK if neg_risk else ExchangeKind.REGULAR
    return exchange_domain(kind, chain_id=chain_id)
