"""The one who signs a trader's orders: turns a draft into fields with an id, and those into a body.

What leaves is checked once more: the owner is recovered from the posted fields, so that a fault
anywhere on the way becomes a bug report instead of an order.
"""

from collections.abc import Callable

from pmtui.domain.account.keys import SignatureType
from pmtui.domain.ids import Address, ApiKey, ConditionId, TokenId
from pmtui.domain.markets.market import Side
from pmtui.domain.money import Micros
from pmtui.domain.orders.order import OrderDraft, TimeInForce, UnsignedOrder
from pmtui.signing.addresses import HexError, bytes32
from pmtui.signing.contracts import POLYGON_CHAIN_ID
from pmtui.signing.ctf import token_ids
from pmtui.signing.exchange import ExchangeDomain, exchange_for
from pmtui.signing.order_signing import (
    MAX_SALT,
    ZERO_BYTES32,
    OrderFields,
    OrderHashes,
    encode_post,
    hash_order,
    sign_hashed,
)
from pmtui.signing.order_verifying import verify_order
from pmtui.signing.signer import Signer
from pmtui.signing.typed_data import typed_digest

_TYPES = tuple(SignatureType)


class SignatureMismatchError(RuntimeError):
    """A signature of ours that does not recover to the owner: a bug, and no order."""


class WalletSigner:
    """Signs for one wallet of one owner."""

    def __init__(
        self,
        signer: Signer,
        *,
        maker: Address,
        signature_type: SignatureType,
        api_key: ApiKey,
        now_ms: Callable[[], int],
        draw_bits: Callable[[int], int],
        chain_id: int = POLYGON_CHAIN_ID,
        builder: str = ZERO_BYTES32,
    ) -> None:
        """Bind a key to the wallet that pays.

        Args:
            signer: the owner's key.
            maker: the wallet that pays and receives.
            signature_type: what kind of wallet that is.
            api_key: owner of the posted orders.
            now_ms: the venue's time in milliseconds.
            draw_bits: as `random.SystemRandom().getrandbits`.
            chain_id: where the exchange lives.
            builder: bytes32 that is credited.
        """
        self._signer = signer
        self._maker = maker
        self._signature_type = signature_type
        self._api_key = api_key
        self._now_ms = now_ms
        self._draw_bits = draw_bits
        self._chain_id = chain_id
        self._builder = builder

    @property
    def owner(self) -> Address:
        """The key's own address."""
        return self._signer.address

    @property
    def maker(self) -> Address:
        """The wallet that pays and receives."""
        return self._maker

    def tokens_of(self, condition_id: ConditionId, *, neg_risk: bool) -> tuple[TokenId, ...] | None:
        """Return the tokens of a condition; empty for no condition id, None on the test chain."""
        if self._chain_id != POLYGON_CHAIN_ID:
            return None
        try:
            return token_ids(condition_id, neg_risk=neg_risk)
        except HexError:
            return ()

    def prepare(self, draft: OrderDraft) -> UnsignedOrder:
        """Fix salt, time stamp and amounts of an order, and with them its id."""
        domain = self._domain(draft)
        fields = self._fields(
            draft, salt=self._draw_bits(MAX_SALT.bit_length()), timestamp_ms=self._now_ms()
        )
        hashes = hash_order(fields, domain)
        return UnsignedOrder(
            draft=draft,
            order_id=hashes.order_id,
            contents_hash=hashes.contents,
            salt=fields.salt,
            maker=fields.maker,
            signer=fields.signer,
            signature_type=self._signature_type.number,
            timestamp_ms=fields.timestamp_ms,
            metadata=fields.metadata,
            builder=fields.builder,
            exchange=domain.contract,
            chain_id=domain.chain_id,
        )

    def sign(self, order: UnsignedOrder) -> bytes:
        """Return the body to post.

        Raises:
            SignatureMismatchError: the signature does not prove the owner, or the id changed.
        """
        draft = order.draft
        domain = self._domain(draft)
        fields = self._fields(draft, salt=order.salt, timestamp_ms=order.timestamp_ms)
        # Not hashed a second time on the way out: the check below does that, from what is posted.
        hashes = OrderHashes(order.contents_hash, bytes32(order.order_id))
        signed = sign_hashed(fields, hashes, self._signer, domain=domain)
        flaw = verify_order(fields, signed.signature, domain, owner=self._signer.address)
        if flaw is not None or typed_digest(domain.separator, hashes.contents) != hashes.digest:
            raise SignatureMismatchError(f"the signed order is not the prepared one: {flaw}")
        return encode_post(
            signed,
            owner=self._api_key,
            order_type=TimeInForce(draft.time_in_force),
            post_only=draft.is_post_only,
        )

    def _domain(self, draft: OrderDraft) -> ExchangeDomain:
        return exchange_for(draft.token_id, neg_risk=draft.neg_risk, chain_id=self._chain_id)

    def _fields(self, draft: OrderDraft, *, salt: int, timestamp_ms: int) -> OrderFields:
        is_wallet = self._signature_type is SignatureType.DEPOSIT_WALLET
        return OrderFields(
            salt=salt,
            maker=self._maker,
            signer=self._maker if is_wallet else self._signer.address,
            token_id=draft.token_id,
            maker_amount=Micros(draft.maker_amount),
            taker_amount=Micros(draft.taker_amount),
            side=Side.BUY if draft.is_buy else Side.SELL,
            signature_type=self._signature_type,
            timestamp_ms=timestamp_ms,
            expiration_s=draft.expiration_s,
            builder=self._builder,
        )
