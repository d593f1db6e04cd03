"""Which of an owner's wallets pays: fixed by the profile, except between the two deposit wallets."""

from pmtui.clients.relayer import RelayerClient
from pmtui.domain.account.keys import SignatureType
from pmtui.domain.answers import Failure
from pmtui.domain.ids import Address
from pmtui.signing.wallet import OwnerWallets


async def find_paying_wallet(
    relayer: RelayerClient, wallets: OwnerWallets, signature_type: SignatureType
) -> Address | Failure:
    """Return the wallet that pays: older owners have the one deposit wallet, newer ones the other."""
    if signature_type is not SignatureType.DEPOSIT_WALLET:
        return wallets.paying(signature_type, has_older=False)
    is_older = await relayer.is_deployed(wallets.deposit_uups)
    if isinstance(is_older, Failure):
        return is_older
    return wallets.paying(signature_type, has_older=is_older)
