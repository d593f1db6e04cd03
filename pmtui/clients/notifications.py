"""The notices that the venue keeps for an account until they are dropped."""

from collections.abc import Sequence
from typing import final

from pmtui.clients.routes_clob import Call
from pmtui.clients.signed_requests import SignedRequests
from pmtui.domain.account.notices import Notice, NoticeId
from pmtui.domain.answers import Page
from pmtui.domain.failure import Failure
from pmtui.wire.clob_notices import decode_notices


@final
class NotificationsClient:
    """Notices of one account."""

    def __init__(self, requests: SignedRequests) -> None:
        """Take the account's way of asking."""
        self._requests = requests

    async def notices(self) -> Page[Notice] | Failure:
        """Return what is kept, and how many could not be read."""
        query = (("signature_type", self._requests.signature_type),)
        return await self._requests.read(Call.NOTICES, decode_notices, query=query)

    async def drop(self, notice_ids: Sequence[NoticeId]) -> Failure | None:
        """Forget notices; naming none is refused, because the host might take it for all."""
        if not notice_ids:
            return self._requests.refused(Call.DROP_NOTICES, "name the notices to drop")
        query = (("ids", ",".join(notice_ids)),)
        return await self._requests.tell(Call.DROP_NOTICES, query=query)
