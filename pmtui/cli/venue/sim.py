"""`pmtui sim`: the local venue alone, in the foreground."""

import argparse
import asyncio
import gc
import math
import os
import signal
import threading
from collections.abc import Sequence
from pathlib import Path

import msgspec

from pmtui.cli.output import show
from pmtui.cli.usage import SecretiveParser, refuse
from pmtui.sim.catalogue.load import CatalogueFileError
from pmtui.sim.run import PortError, VenueOptions, running_venue
from pmtui.sim.storage.persistence import StoreError


def run(argv: Sequence[str]) -> int:
    """Serve a venue until told to stop.

    Returns:
        0 after an orderly stop, 2 if the options cannot be followed.
    """
    try:
        asked = _parser().read(argv)
    except SystemExit as error:
        return int(error.code or 0)
    options = VenueOptions(
        port=asked.port,
        state=asked.state,
        seed=asked.seed,
        speed=asked.speed,
        catalogue=tuple(asked.catalogue),
    )
    missing = [path for path in options.catalogue if not path.is_file()]
    if missing:
        return _refuse(f"--catalogue: no such file: {missing[0]}")
    try:
        serving = _serve(
            options,
            ends_with_stdin=asked.exit_with_stdin,
            prints_token=asked.print_admin_token,
        )
        asyncio.run(serving)
    except CatalogueFileError as error:
        return _refuse(f"--catalogue: {error}")
    except (PortError, StoreError) as error:
        return _refuse(str(error))
    return 0


async def _serve(options: VenueOptions, *, ends_with_stdin: bool, prints_token: bool) -> None:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    if ends_with_stdin:
        watcher = threading.Thread(target=_watch_stdin, args=(loop, stop), daemon=True)
        watcher.start()
    async with running_venue(options) as running:
        # Objects created at startup live as long as the process: no collection need visit them.
        gc.freeze()
        token = {"admin_token": running.admin_token} if prints_token else {}
        show(msgspec.json.encode(running.urls | token).decode())
        await stop.wait()


def _watch_stdin(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    # A closed pipe is the only sign of a parent's death that also works if it was killed.
    while os.read(0, 4_096):
        pass
    if not loop.is_closed():
        loop.call_soon_threadsafe(stop.set)


def _refuse(text: str) -> int:
    return refuse(text, prog="pmtui sim")


def _parser() -> SecretiveParser:
    parser = SecretiveParser(
        prog="pmtui sim",
        description="The local venue: real HTTP and WebSocket servers on loopback. The first line "
        "on standard output is a JSON object with the base URLs.",
    )
    parser.add_argument(
        "--port",
        type=_port,
        default=0,
        metavar="N",
        help="port of the trading host, the others follow; 0 (default) takes any",
    )
    parser.add_argument(
        "--state", type=Path, metavar="DIR", help="keep accounts, orders and trades in this folder"
    )
    parser.add_argument(
        "--seed", type=_seed, default=1, metavar="N", help="of the simulated traders (default 1)"
    )
    parser.add_argument(
        "--speed",
        type=_speed,
        default=1.0,
        metavar="X",
        help="pace of simulated traders and settlement (default 1; 0 holds books still)",
    )
    parser.add_argument(
        "--catalogue",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="recorded metadata pages instead of the packaged catalogue; may be repeated",
    )
    parser.add_argument(
        "--exit-with-stdin",
        action="store_true",
        help="end when standard input closes, so that a killed parent leaves nothing behind",
    )
    parser.add_argument(
        "--print-admin-token",
        action="store_true",
        help="add the token of the admin address to the first line; with --state it is also in "
        "the file admin_token there, which only you can read",
    )
    return parser


def _port(text: str) -> int:
    return round(_number(text, 0, 65_528, is_whole=True))


def _seed(text: str) -> int:
    return round(_number(text, -(10**15), 10**15, is_whole=True))


def _speed(text: str) -> float:
    return _number(text, 0, 1_000, is_whole=False)


def _number(text: str, least: float, most: float, *, is_whole: bool) -> float:
    try:
        number = int(text) if is_whole else float(text)
    except ValueError:
        number = math.nan
    if not least <= number <= most:
        kind = "a whole number" if is_whole else "a number"
        raise argparse.ArgumentTypeError(f"takes {kind} between {least} and {most}")
    return number
