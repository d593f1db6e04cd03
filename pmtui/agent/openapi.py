"""The OpenAPI 3.1 document of the six paths, generated from the tools and the types of their answers."""

from collections.abc import Mapping
from dataclasses import dataclass

from pmtui.agent.found import FoundHit
from pmtui.agent.snapshot import MarketSnapshot
from pmtui.agent.tools import AGED, PREFIX, Tool, Toolbox
from pmtui.domain.account.position import Position
from pmtui.reads.answers import Book
from pmtui.reads.records import REFERENCE, Schema, schemas_of

DIAGNOSIS = "/diag"
TITLE = "pmtui: read-only market data"
_TEXTS: Schema = {"type": "array", "items": {"type": "string"}}
_MOMENT: Schema = {"type": "string", "format": "date-time"}


@dataclass(frozen=True, slots=True)
class Path:
    """One path: which tool answers it, and how the tool's arguments are named there."""

    template: str
    tool: str
    pairs: tuple[tuple[str, str], ...] = ()
    """Names here, each with the tool's."""
    answer: type | None = None
    """Of a row, or of the one thing; None for health, whose answer has a form of its own."""
    is_list: bool = False

    @property
    def names(self) -> Mapping[str, str]:
        """From a name here to the tool's."""
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
"""The paths that a tool answers; `/diag` is beside them."""
PROBLEMS = {
    400: "A parameter is missing, unknown or not of its kind.",
    404: "There is no such thing, by the venue's word.",
    502: "A host did not answer.",
    503: "Execution is not configured.",
}


def make_document(toolbox: Toolbox, *, version: str, has_token: bool) -> Schema:
    """Return the document.

    Args:
        toolbox: the tools.
        version: of this program.
        has_token: whether requests need a bearer token.
    """
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
    """Add the age that the tools tell with a book and with what a search found."""
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
