"""Which of an owner's wallets pays: fixed by the profile, except between the two deposit wallets."""

from pmtui.clients.relayer import RelayerClient
from pmtui.domain.failure import Failure
from pmtui.domain.ids import Address
from pmtui.domain.order import SignatureType
from pmtui.signing.wallet import OwnerWallets


async def find_paying_wallet(
    relayer: RelayerClient, wallets: OwnerWallets, signature_type: SignatureType
) -> Address | Failure:
    """Return the wallet that pays: older owners have the one deposit wallet, newer ones the other."""
    match signature_type:
        case SignatureType.EOA:
            return wallets.owner
        case SignatureType.PROXY:
            return wallets.proxy
        case SignatureType.SAFE:
            return wallets.safe
        case SignatureType.DEPOSIT_WALLET:
            is_older = await relayer.is_deployed(wallets.deposit_uups)
            if isinstance(is_older, Failure):
                return is_older
            return wallets.deposit_uups if is_older else wallets.deposit_beacon
