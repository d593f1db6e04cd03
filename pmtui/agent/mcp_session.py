"""One session of the Model Context Protocol by the official package, over lines that others read and write."""

import asyncio
from collections.abc import Callable
from typing import Any

import anyio
from mcp.server import NotificationOptions, Server, ServerRequestContext
from mcp.server.models import InitializationOptions
from mcp.shared.message import SessionMessage
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from pmtui.agent.port import Refused
from pmtui.agent.stdio import INVALID_REQUEST, error_line
from pmtui.agent.tools import Toolbox, to_text

NAME = "pmtui"
_READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)
_QUEUED = 100


async def serve_session(
    toolbox: Toolbox,
    lines: asyncio.Queue[bytes | None],
    write: Callable[[bytes], None],
    *,
    version: str,
) -> None:
    """Serve one client until it sends no more lines.

    Args:
        toolbox: the tools.
        lines: what the client sends; None at the end.
        write: takes the replies, one line each.
        version: of this program.
    """
    server = _make_server(toolbox, version)
    options = InitializationOptions(
        server_name=NAME,
        server_version=version,
        capabilities=server.get_capabilities(NotificationOptions(), {}),
    )
    incoming, read_end = anyio.create_memory_object_stream[SessionMessage | Exception](_QUEUED)
    write_end, outgoing = anyio.create_memory_object_stream[SessionMessage](_QUEUED)

    async def pass_in() -> None:
        async with incoming:
            while (line := await lines.get()) is not None:
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValidationError:
                    write(error_line(None, INVALID_REQUEST, "no message of this protocol"))
                    continue
                await incoming.send(SessionMessage(message))

    async def pass_out() -> None:
        async with outgoing:
            async for answer in outgoing:
                text = answer.message.model_dump_json(by_alias=True, exclude_unset=True)
                write(text.encode())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pass_in)
        tasks.start_soon(pass_out)
        await server.run(read_end, write_end, options)
        await write_end.aclose()


def _make_server(toolbox: Toolbox, version: str) -> Server[Any]:
    async def list_tools(
        _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(
            tools=[
                Tool(
                    name=tool.name,
                    description=tool.words,
                    input_schema=tool.schema,
                    annotations=_READ_ONLY,
                )
                for tool in toolbox.tools.values()
            ]
        )

    async def call_tool(
        _context: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> CallToolResult:
        answer = await toolbox.call(params.name, params.arguments or {})
        text = answer.text if isinstance(answer, Refused) else to_text(answer)
        content: list[ContentBlock] = [TextContent(type="text", text=text)]
        if isinstance(answer, Refused):
            return CallToolResult(content=content, is_error=True)
        return CallToolResult(content=content, structured_content=dict(answer))

    return Server(NAME, version=version, on_list_tools=list_tools, on_call_tool=call_tool)
