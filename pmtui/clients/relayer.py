"""The relayer host, as far as signing orders needs it: which wallet an owner has."""

import msgspec

from pmtui.clients.http import HttpHost
from pmtui.clients.http_failures import unreadable
from pmtui.domain.failure import Failure
from pmtui.domain.ids import Address
from pmtui.domain.onboarding import WalletForm
from pmtui.wire.errors import UNREADABLE, WireError

_KINDS = {WalletForm.PROXY: "PROXY", WalletForm.SAFE: "SAFE"}


class _Deployed(msgspec.Struct):
    deployed: bool


class RelayerClient:
    """Reads of the relayer."""

    def __init__(self, host: HttpHost) -> None:
        self._host = host

    async def is_deployed(
        self, wallet: Address, form: WalletForm = WalletForm.DEPOSIT
    ) -> bool | Failure:
        """Return whether a wallet exists, in the relayer's view.

        The address is the wallet's, and the type must be said: without it the host takes the
        address for that of another kind of wallet (WIRE_METADATA §2 row 17).
        """
        query = (("address", wallet), ("type", _KINDS.get(form, "WALLET")))
        answer = await self._host.read("/deployed", query=query)
        if isinstance(answer, Failure):
            return answer
        try:
            return msgspec.json.decode(answer, type=_Deployed).deployed
        except UNREADABLE as error:
            return unreadable("GET /deployed", WireError("deployed", str(error)))
