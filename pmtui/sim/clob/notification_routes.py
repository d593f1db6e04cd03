"""`/notifications`: what an account was told, and dropping what it has read."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.sim.accounts.auth import credentials_of, unauthorized
from pmtui.sim.clob.clob_account import wallet_asked
from pmtui.sim.clob.notifications import Notification, Notifications
from pmtui.sim.http_json import JsonResponse
from pmtui.sim.venue import Venue


class NotificationRoutes:
    """Both routes, behind level 2; the signature type names the wallet, or all of them."""

    def __init__(self, venue: Venue, notifications: Notifications) -> None:
        self._venue = venue
        self._notifications = notifications

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/notifications", self.listed),
            Route("/notifications", self.drop, methods=["DELETE"]),
        ]

    async def listed(self, request: Request) -> Response:
        """List a wallet's notifications, newest first."""
        caller = await credentials_of(self._venue, request)
        if caller is None:
            return unauthorized()
        wallet = wallet_asked(self._venue, request, caller)
        if isinstance(wallet, Response):
            return wallet
        return JsonResponse([_row(one) for one in self._notifications.of(wallet)])

    async def drop(self, request: Request) -> Response:
        """Forget the named ones, whichever of the caller's wallets they were for."""
        caller = await credentials_of(self._venue, request)
        if caller is None:
            return unauthorized()
        ids = [text for text in request.query_params.get("ids", "").split(",") if text]
        if any(not (text.isascii() and text.isdigit() and len(text) < 16) for text in ids):
            return JsonResponse({"error": "Invalid ids"}, status_code=400)
        for wallet in self._venue.accounts.wallets_of(caller.eoa):
            self._notifications.drop(wallet, [int(text) for text in ids])
        return JsonResponse("OK")


def _row(notification: Notification) -> dict[str, object]:
    return {
        "id": notification.number,
        "owner": notification.owner,
        "type": int(notification.kind),
        "timestamp": str(notification.at_ms // 1_000),
        "payload": notification.payload,
    }
