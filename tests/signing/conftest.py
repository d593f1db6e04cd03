import json
from pathlib import Path
from typing import Any

import pytest

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.signing.order_signing import OrderFields
from pmtui.signing.secret import Secret
from pmtui.signing.signer import Signer

VECTORS = Path(__file__).parents[1] / "vectors"
TOKEN = TokenId("71321045679252212594626385532706912750332728571942532289631379312455583992563")


@pytest.fixture(scope="session")
def clob() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((VECTORS / "clob.json").read_bytes())
    return document


@pytest.fixture(scope="session")
def signer(clob: dict[str, Any]) -> Signer:
    return Signer(Secret.from_hex(clob["orders"][0]["inputs"]["privateKey"]))


@pytest.fixture(scope="session")
def stranger() -> Signer:
    return Signer(Secret(b"\x01" * 32))


@pytest.fixture
def fields(signer: Signer) -> OrderFields:
    """An owner's order to buy 100 at 0.53."""
    return OrderFields(
        salt=479249096354,
        maker=signer.address,
        signer=signer.address,
        token_id=TOKEN,
        maker_amount=Micros(53_000_000),
        taker_amount=Micros(100_000_000),
        side=Side.BUY,
        signature_type=SignatureType.EOA,
        timestamp_ms=1_790_000_000_123,
    )


@pytest.fixture
def deposit_fields(clob: dict[str, Any], fields: OrderFields) -> OrderFields:
    """The same order, paid by the owner's newer deposit wallet."""
    wallet = Address(clob["wallets"][0]["depositBeacon"])
    return OrderFields(
        salt=fields.salt,
        maker=wallet,
        signer=wallet,
        token_id=fields.token_id,
        maker_amount=fields.maker_amount,
        taker_amount=fields.taker_amount,
        side=fields.side,
        signature_type=SignatureType.DEPOSIT_WALLET,
        timestamp_ms=fields.timestamp_ms,
    )
