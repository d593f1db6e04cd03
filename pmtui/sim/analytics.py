"""The analytics host: positions, trades and standings told from the venue's own ledger."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pmtui.sim.analytics_figures import Answer, Figures
from pmtui.sim.analytics_query import AnalyticsQuery, QueryRefusal
from pmtui.sim.analytics_v1 import AnalyticsV1
from pmtui.sim.analytics_v2 import AnalyticsV2
from pmtui.sim.http_json import JsonResponse, failure
from pmtui.sim.venue import Venue


def analytics_routes(venue: Venue) -> list[Route]:
    """Return the routes of the analytics host in both dialects."""
    figures = Figures(venue)
    answers = {**AnalyticsV1(figures).answers(), **AnalyticsV2(figures).answers()}
    return [Route(path, _endpoint(venue, answer)) for path, answer in answers.items()]


def _endpoint(venue: Venue, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    """Wrap an answer for the server; queries it cannot take are refused with status 400."""

    async def respond(request: Request) -> Response:
        try:
            return JsonResponse(answer(AnalyticsQuery(request, venue)))
        except QueryRefusal as refusal:
            return failure(400, str(refusal))

    return respond
