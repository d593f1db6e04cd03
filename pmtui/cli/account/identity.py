"""What of a key and its wallets may be seen: addresses and where the key is from, never the key."""

from pmtui.domain.account.keys import KeyKind, SignatureType
from pmtui.domain.account.onboarding import Identity, Purpose, Spender, Wallet, WalletForm
from pmtui.signing.contracts import POLYGON
from pmtui.signing.wallet import OwnerWallets

SPENDERS = (
    Spender(Purpose.EXCHANGE, POLYGON.exchange),
    Spender(Purpose.NEG_RISK_EXCHANGE, POLYGON.neg_risk_exchange),
    Spender(Purpose.ADAPTER, POLYGON.collateral_adapter),
    Spender(Purpose.ADAPTER, POLYGON.neg_risk_collateral_adapter),
    Spender(Purpose.ADAPTER, POLYGON.neg_risk_adapter),
)


def identity_of(kind: KeyKind, wallets: OwnerWallets, signature_type: SignatureType) -> Identity:
    """Return a key as it may be seen, with the wallets that can pay in a profile."""
    return Identity(kind, wallets.owner, signature_type, _payers(wallets, signature_type))


def _payers(wallets: OwnerWallets, signature_type: SignatureType) -> tuple[Wallet, ...]:
    match signature_type:
        case SignatureType.EOA:
            return (Wallet(WalletForm.EOA, wallets.owner),)
        case SignatureType.PROXY:
            return (Wallet(WalletForm.PROXY, wallets.proxy),)
        case SignatureType.SAFE:
            return (Wallet(WalletForm.SAFE, wallets.safe),)
        case SignatureType.DEPOSIT_WALLET:
            return (
                Wallet(WalletForm.OLDER_DEPOSIT, wallets.deposit_uups),
                Wallet(WalletForm.DEPOSIT, wallets.deposit_beacon),
            )
