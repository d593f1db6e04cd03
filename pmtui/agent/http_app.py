"""The read-only HTTP service: its six paths, its OpenAPI document, and access control.

It serves programs on this machine. A request must name this machine as its host, which defeats DNS
rebinding; requests from pages of another origin are refused, and no CORS header is sent. Errors are problem
details.
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

from pmtui.agent.answers import FoundHit, MarketSnapshot
from pmtui.agent.port import Refusal, Refused
from pmtui.agent.tools import AGED, PREFIX, Tool, Toolbox, to_text
from pmtui.domain.account.position import Position
from pmtui.reads.answers import Book
from pmtui.reads.records import REFERENCE, Schema, schemas_of

DIAGNOSIS = "/diag"
TITLE = "pmtui: read-only market data"
_TEXTS: Schema = {"type": "array", "items": {"type": "string"}}
_MOMENT: Schema = {"type": "string", "format": "date-time"}
PROBLEMS = {
    400: "A parameter is missing, unknown or not of its kind.",
    404: "There is no such thing, by the venue's word.",
    502: "A host did not answer.",
    503: "Execution is not configured.",
}
PROBLEM = "application/problem+json"
DOCUMENT = "/openapi.json"
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
MOST_AT_ONCE = 64
"""Concurrent requests; more are refused, so that no client uses up the hosts' rate limits."""
_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?", re.ASCII | re.IGNORECASE)
"""Any port or none: a forwarded port has another number, and an attack would need a host name."""
_STATUSES = {
    Refusal.WRONG: HTTPStatus.BAD_REQUEST,
    Refusal.UNKNOWN: HTTPStatus.NOT_FOUND,
    Refusal.UNCONFIGURED: HTTPStatus.SERVICE_UNAVAILABLE,
    Refusal.UNAVAILABLE: HTTPStatus.BAD_GATEWAY,
}
_NEVER_KEPT = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


@dataclass(frozen=True, slots=True)
class Path:
    """One path: the tool that answers it, and the names of the tool's arguments in the query."""

    template: str
    tool: str
    pairs: tuple[tuple[str, str], ...] = ()
    """Names in the path or query, each with the tool's name for it."""
    answer: type | None = None
    """Type of a row, or of the single object; None for health, whose answer has its own form."""
    is_list: bool = False

    @property
    def names(self) -> Mapping[str, str]:
        """Map the names used here to the tool's names."""
        return dict(self.pairs)


PATHS = (
    Path("/health", f"{PREFIX}health"),
    Path(
        "/discover/search",
        f"{PREFIX}discover_search",
        (("q", "query"), ("limit", "limit")),
        FoundHit,
        is_list=True,
    ),
    Path(
        "/data/positions",
        f"{PREFIX}data_positions",
        (("user", "user"), ("limit", "limit")),
        Position,
        is_list=True,
    ),
    Path(
        "/orderbook/{token_id}",
        f"{PREFIX}orderbook_book",
        (("token_id", "token_id"),),
        Book,
    ),
    Path(
        "/marketdata/snapshot",
        f"{PREFIX}marketdata_snapshot",
        (("token_id", "token_id"),),
        MarketSnapshot,
    ),
)
"""The paths answered by a tool; `/diag` is in addition to these."""


def make_document(toolbox: Toolbox, *, version: str, has_token: bool) -> Schema:
    """Return the OpenAPI document."""
    paths = {path.template: {"get": _operation(path, toolbox.tools[path.tool])} for path in PATHS}
    paths[DIAGNOSIS] = {
        "get": {
            "operationId": "diag",
            "summary": "How this server is set up.",
            "responses": _responses({"$ref": f"{REFERENCE}Diagnosis"}),
        }
    }
    document: Schema = {
        "openapi": "3.1.0",
        "info": {
            "title": TITLE,
            "version": version,
            "description": "Nothing here can place, cancel or sign anything.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"schemas": _components()},
    }
    if has_token:
        components = {"schemas": _components(), "securitySchemes": {"token": _BEARER}}
        return {**document, "components": components, "security": [{"token": []}]}
    return document


_BEARER: Schema = {"type": "http", "scheme": "bearer"}


def _operation(path: Path, tool: Tool) -> Schema:
    arguments = {argument.name: argument for argument in tool.arguments}
    parameters: list[Schema] = []
    for name, original in path.names.items():
        argument = arguments[original]
        is_in_path = f"{{{name}}}" in path.template
        parameters.append(
            {
                "name": name,
                "in": "path" if is_in_path else "query",
                "required": is_in_path or argument.is_required,
                "schema": argument.schema(),
            }
        )
    return {
        "operationId": path.tool.removeprefix(PREFIX),
        "summary": tool.words,
        "parameters": parameters,
        "responses": _responses({"$ref": f"{REFERENCE}{_envelope_name(path)}"}),
    }


def _responses(schema: Schema) -> Schema:
    problem = {"application/problem+json": {"schema": {"$ref": f"{REFERENCE}Problem"}}}
    return {
        "200": {"description": "The answer.", "content": {"application/json": {"schema": schema}}},
        **{
            str(status): {"description": words, "content": problem}
            for status, words in PROBLEMS.items()
        },
        "default": {"description": "Any other refusal.", "content": problem},
    }


def _envelope_name(path: Path) -> str:
    if path.answer is None:
        return "Health"
    return f"{path.answer.__name__}{'List' if path.is_list else 'Answer'}"


def _components() -> dict[str, Schema]:
    found: dict[str, Schema] = {
        "Problem": _object(
            {
                "type": {"type": "string"},
                "title": {"type": "string"},
                "status": {"type": "integer"},
                "detail": {"type": "string"},
            }
        ),
        "Health": _object(
            {
                "as_of": _MOMENT,
                "version": {"type": "string"},
                "is_healthy": {"type": "boolean"},
                "hosts": {"type": "array", "items": {"$ref": f"{REFERENCE}HostHealth"}},
                "untrusted": _TEXTS,
            }
        ),
        "HostHealth": _object(
            {
                "host": {"type": "string"},
                "is_reachable": {"type": "boolean"},
                "problem": {"type": "string"},
            }
        ),
        "Diagnosis": _object(
            {
                "version": {"type": "string"},
                "profile": {"type": "string"},
                "dialect": {"type": "string"},
                "is_configured": {"type": "boolean"},
                "has_account": {"type": "boolean"},
                "tools": _TEXTS,
            }
        ),
    }
    for path in PATHS:
        if path.answer is not None:
            found |= _with_age(schemas_of(path.answer))
            found[_envelope_name(path)] = _envelope(path.answer, is_list=path.is_list)
    return found


def _with_age(schemas: dict[str, Schema]) -> dict[str, Schema]:
    """Add the age that the tools report with a book and with search results."""
    age: Schema = {"type": ["integer", "null"], "description": "seconds"}
    aged = dict(schemas)
    for name in {kind.__name__ for kind in AGED} & schemas.keys():
        properties, required = schemas[name]["properties"], schemas[name]["required"]
        if isinstance(properties, dict) and isinstance(required, list):
            aged[name] = {
                **schemas[name],
                "properties": {**properties, "age_s": age},
                "required": [*required, "age_s"],
            }
    return aged


def _envelope(answer: type, *, is_list: bool) -> Schema:
    item: Schema = {"$ref": f"{REFERENCE}{answer.__name__}"}
    properties: Schema = {
        "as_of": _MOMENT,
        "age_s": {"type": "integer", "description": "seconds since then"},
        "source": {"type": "string"},
        "units": {"type": "object", "additionalProperties": {"type": "string"}},
        "untrusted": _TEXTS,
        "notice": {"type": "string"},
    }
    if is_list:
        properties |= {
            "items": {"type": "array", "items": item},
            "is_whole": {"type": "boolean"},
            "skipped": {"type": "integer"},
            "problem": {"type": "string"},
        }
    else:
        properties["item"] = {"anyOf": [item, {"type": "null"}]}
    return _object(properties)


def _object(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """How a server is set up; of the account, only whether it was opened."""

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
        diagnosis: what `/diag` returns.
        port: the port it is served on, for checking the names of hosts and origins.
        accepts_token: whether a bearer token is the right one; None if none is needed.
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
    # A path is one of the six, or not found.
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
    """Checks each request before it is handled: host, origin, token, and how many are in progress."""

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
