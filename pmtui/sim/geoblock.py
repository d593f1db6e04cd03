"""The geographic check: an answer the operator switches, at the address the service has it."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.sim.http_json import JsonResponse
from pmtui.sim.venue import Venue


def geoblock_routes(venue: Venue) -> list[Route]:
    """Return the check, below `/api/geoblock` as on the service's site and at the root."""

    async def check(request: Request) -> Response:
        del request
        return JsonResponse(venue.switches.geo)

    return [Route("/api/geoblock", check), Route("/", check)]
