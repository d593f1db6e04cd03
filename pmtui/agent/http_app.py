"""The read-only HTTP service: the six paths, the document that describes them, and who may ask.

It is meant for programs of this machine. A request must name this machine as its host, so that no name that
was pointed here later is served; a page of another origin is refused, and no header invites one. Errors are
problem details.
"""

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from pmtui.agent.openapi import DIAGNOSIS, PATHS, Path, make_document
from pmtui.agent.port import Refusal, Refused
from pmtui.agent.tools import Toolbox, to_text

PROBLEM = "application/problem+json"
DOCUMENT = "/openapi.json"
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
MOST_AT_ONCE = 64
"""Requests: more are refused, so that nobody keeps the hosts' limits busy for others."""
_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?", re.ASCII | re.IGNORECASE)
"""Any port or none: a forwarded port has another number, and a name is what an attack would need."""
_STATUSES = {
    Refusal.WRONG: HTTPStatus.BAD_REQUEST,
    Refusal.UNKNOWN: HTTPStatus.NOT_FOUND,
    Refusal.UNCONFIGURED: HTTPStatus.SERVICE_UNAVAILABLE,
    Refusal.UNAVAILABLE: HTTPStatus.BAD_GATEWAY,
}
_NEVER_KEPT = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """How a server is set up; nothing of an account but whether it was opened."""

    version: str
    profile: str
    dialect: str
    is_configured: bool
    has_account: bool
    tools: tuple[str, ...]


def make_app(
    toolbox: Toolbox,
    diagnosis: Diagnosis,
    *,
    port: int,
    accepts_token: Callable[[str], bool] | None = None,
) -> Starlette:
    """Return the application.

    Args:
        toolbox: the tools.
        diagnosis: what `/diag` tells.
        port: where it is served, for the names of hosts and origins that are its own.
        accepts_token: whether a bearer token is the right one; None where none is needed.
    """
    has_token = accepts_token is not None
    document = make_document(toolbox, version=diagnosis.version, has_token=has_token)

    async def describe(request: Request) -> Response:
        _refuse_query(request)
        return _answer(json.dumps(document))

    async def diagnose(request: Request) -> Response:
        _refuse_query(request)
        return _answer(json.dumps(asdict(diagnosis)))

    routes = [
        Route(DOCUMENT, describe, methods=["GET"]),
        Route(DIAGNOSIS, diagnose, methods=["GET"]),
        *(Route(path.template, _endpoint(toolbox, path), methods=["GET"]) for path in PATHS),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(_Guard, port=port, accepts_token=accepts_token)],
        exception_handlers={HTTPException: _to_problem},
    )
    # A path is one of the six or it is none.
    app.router.redirect_slashes = False
    return app


def _endpoint(toolbox: Toolbox, path: Path) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        given: dict[str, object] = {}
        asked = [*request.query_params.multi_items(), *request.path_params.items()]
        for name, value in asked:
            if name not in path.names or path.names[name] in given:
                raise HTTPException(HTTPStatus.BAD_REQUEST, f"{name[:40]!r} is unknown or repeated")
            given[path.names[name]] = value
        told = await toolbox.call(path.tool, given)
        if isinstance(told, Refused):
            here = {original: name for name, original in path.pairs}
            named = replace(told, argument=here.get(told.argument, told.argument))
            return problem(_STATUSES[told.reason], named.text)
        return _answer(to_text(told))

    return answer


def _refuse_query(request: Request) -> None:
    if request.query_params:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "this path takes no parameters")


def _answer(text: str) -> Response:
    return Response(text, media_type="application/json", headers=_NEVER_KEPT)


def problem(status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error as problem details."""
    whole = {**_NEVER_KEPT, **(headers or {})}
    return Response(problem_body(status, detail), status.value, whole, PROBLEM)


def problem_body(status: HTTPStatus, detail: str) -> bytes:
    """Return the JSON of problem details (RFC 9457)."""
    body = {"type": "about:blank", "title": status.phrase, "status": status.value, "detail": detail}
    return json.dumps(body).encode()


async def _to_problem(_request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    return problem(HTTPStatus(error.status_code), error.detail, error.headers)


class _Guard:
    """Looks at who asks before anything is read: host, origin, token, and that nothing is sent along."""

    def __init__(
        self, app: ASGIApp, *, port: int, accepts_token: Callable[[str], bool] | None
    ) -> None:
        self._app = app
        self._origins = frozenset(f"http://{name}:{port}" for name in LOOPBACK_NAMES)
        self._accepts_token = accepts_token
        self._running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        refusal = self._refusal(Request(scope))
        self._running += 1
        try:
            await (self._app if refusal is None else refusal)(scope, receive, send)
        finally:
            self._running -= 1

    def _refusal(self, request: Request) -> Response | None:
        hosts, origins = request.headers.getlist("host"), request.headers.getlist("origin")
        if len(hosts) != 1 or _HOST.fullmatch(hosts[0]) is None:
            names = ", ".join(LOOPBACK_NAMES)
            return problem(HTTPStatus.FORBIDDEN, f"the Host header is to name one of {names}")
        if any(origin.lower() not in self._origins for origin in origins):
            return problem(HTTPStatus.FORBIDDEN, "pages of other origins are not served")
        if self._accepts_token is not None:
            kind, _, token = request.headers.get("authorization", "").partition(" ")
            if kind.lower() != "bearer" or not self._accepts_token(token.strip()):
                challenge = {"WWW-Authenticate": 'Bearer realm="pmtui"'}
                return problem(HTTPStatus.UNAUTHORIZED, "a bearer token is needed", challenge)
        if self._running >= MOST_AT_ONCE:
            text = f"{MOST_AT_ONCE} requests are being answered"
            return problem(HTTPStatus.SERVICE_UNAVAILABLE, text, {"Retry-After": "1"})
        return None
