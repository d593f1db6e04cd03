"""`pmtui sim` in a process of its own, as the terminal and foreign clients meet it."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pmtui.sim.admin_token import operator_headers
from tests import loopback_http

BOOT_DEADLINE_S = 60
ANSWER_DEADLINE_S = 60
_PROGRAM = "import sys; from pmtui.cli.venue.sim import run; sys.exit(run(sys.argv[1:]))"


@dataclass
class VenueProcess:
    """A running `pmtui sim`."""

    process: subprocess.Popen[bytes]
    urls: dict[str, str]
    admin_token: str

    def end(self) -> int:
        """Close its standard input, as a dying parent does, and return its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(timeout=60)

    def operate(self, method: str, path: str, body: object = None) -> Any:
        """Ask its admin address, and return what it answered."""
        with loopback_http.client() as http:
            response = http.request(
                method,
                self.urls["admin"] + path,
                json=body,
                headers=operator_headers(self.admin_token),
            )
        assert response.status_code == 200, response.text
        return response.json()

    def kill(self) -> None:
        """End it without any chance to tidy up."""
        self.process.kill()
        self.process.wait(timeout=60)


def hosts_in_env(urls: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that make a `live` profile use a venue's addresses."""
    return {f"PMTUI_{name.upper()}_URL": url for name, url in urls.items() if name != "admin"}


@contextmanager
def venue_process(*arguments: str, prints_token: bool = True) -> Iterator[VenueProcess]:
    """Start a venue on free ports and end it with the block."""
    command = [sys.executable, "-c", _PROGRAM, "--exit-with-stdin", *arguments]
    if prints_token:
        command.append("--print-admin-token")
    environment = dict(os.environ)
    root = str(Path(__file__).parents[2])
    environment["PYTHONPATH"] = os.pathsep.join(
        [root, *filter(None, [environment.get("PYTHONPATH")])]
    )
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=root
    )
    try:
        urls = _first_line(process)
        token = urls.pop("admin_token", "")
        yield VenueProcess(process, urls, token)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(timeout=60)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def eventually(read: Callable[[], bool]) -> bool:
    """Whether something is so in the end; every read has to be a round trip to a venue."""
    # So this is no idle spinning.
    deadline = time.monotonic() + ANSWER_DEADLINE_S
    while time.monotonic() < deadline:
        if read():
            return True
    return False


def _first_line(process: subprocess.Popen[bytes]) -> dict[str, str]:
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], BOOT_DEADLINE_S)
    assert ready, "the venue said nothing"
    line = process.stdout.readline()
    assert line, "the venue ended before it served"
    urls: dict[str, str] = json.loads(line)
    return urls
