"""`python -m tests.bench.busy_service BOOKS STREAM HOME`: a service in a busy venue, for terminals.

Service, stream client, sockets and the way to terminals are the real ones; the request hosts are
scripted. `pmtui attach` with this home opens the installed terminal on it.
"""

import asyncio
import gc
import json
import os
import random
import sys
from pathlib import Path
from typing import Any

from pmtui.cli.service.service_process import configure, resident_bytes
from pmtui.cli.session_process import trim_heap, use_one_malloc_arena
from pmtui.clients.streams.channels import MarketChannel
from pmtui.config.settings import load_settings
from pmtui.link.local_socket import bind, socket_path_of
from pmtui.link.messages import Unlock
from pmtui.link.server import HostProcess, LinkServer
from pmtui.service.clock import SystemClock
from tests.bench.busy_terminal import busy_service, event_of

TRIM_PERIOD_S = 20.0
"""As the service does."""


async def run(session: dict[str, Any], stream_url: str, home: Path) -> None:
    """Serve until killed."""
    use_one_malloc_arena()
    os.environ["PMTUI_HOME"] = str(home)
    channel = MarketChannel(stream_url, random=random.Random(1))
    state = home / "state" / "paper"
    state.mkdir(parents=True, exist_ok=True)
    service = busy_service(event_of(session), channel, state, name="paper")
    socket_path = socket_path_of(home / "run", "paper")
    socket_path.parent.mkdir(mode=0o700, exist_ok=True)
    async with service.running():
        server = LinkServer(service, _host_process())
        server.listen(bind(socket_path))
        gc.collect()
        gc.freeze()
        print("ready", flush=True)
        while True:
            await asyncio.sleep(TRIM_PERIOD_S)
            trim_heap()


def _host_process() -> HostProcess:
    async def unlock(_: Unlock) -> str:
        return "nothing is locked"

    return HostProcess(
        profile="paper", now=SystemClock().now, memory_bytes=resident_bytes, unlock=unlock,
        stop=lambda _: "it is killed", configure=configure,
        rules=load_settings({"profile": "paper"}).rules_digest(),
    )  # fmt: skip


if __name__ == "__main__":
    file, url, folder = sys.argv[1:]
    asyncio.run(run(json.loads(Path(file).read_text(encoding="utf-8")), url, Path(folder)))
