"""Signs orders and sign-ins in one step."""

from pmtui.signing.auth import SignedIn, plan_sign_in, sign_planned
from pmtui.signing.contracts import ExchangeDomain
from pmtui.signing.orders import OrderFields, SignedOrder, hash_order, sign_hashed
from pmtui.signing.signer import Signer


def sign_order(fields: OrderFields, signer: Signer, domain: ExchangeDomain) -> SignedOrder:
    """Hash and sign an order for an exchange."""
    return sign_hashed(fields, hash_order(fields, domain), signer, domain=domain)


def sign_in(
    signer: Signer, *, nonce: str, issued_at: str, expiration_time: str | None = None
) -> SignedIn:
    """Sign in as the owner; the arguments are those of `plan_sign_in`."""
    fields = plan_sign_in(
        signer.address, nonce=nonce, issued_at=issued_at, expiration_time=expiration_time
    )
    return sign_planned(signer, fields)
