"""`pmtui export`: orders, fills, positions and activity of a profile, as CSV, JSON or JSON lines.

Standard output carries data only. It reads beside a running terminal and writes nothing of its own.
"""

import argparse
import asyncio
from collections.abc import Sequence
from enum import StrEnum

from pmtui.cli.export.sources import (
    ExportRequest,
    read_activity,
    read_own_fills,
    read_positions,
)
from pmtui.cli.export.tables import Format, Table, orders_table, print_table
from pmtui.cli.output import warn
from pmtui.cli.usage import UNAVAILABLE, SecretiveParser, descriptor, refuse
from pmtui.cli.venue.venue_access import Unreachable
from pmtui.config.paths import locate
from pmtui.config.settings import load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.ids import Address
from pmtui.service.orders.journal_rows import JournalProblem, read_lives
from pmtui.signing.eip712 import AddressError, address_bytes, checksum_address

_PROG = "pmtui export"


class Kind(StrEnum):
    """What can be exported."""

    ORDERS = "orders"
    FILLS = "fills"
    POSITIONS = "positions"
    ACTIVITY = "activity"


def run(arguments: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    parser = _parser()
    options = parser.read(arguments)
    kind = Kind(options.kind)
    if options.wallet is not None and kind not in (Kind.POSITIONS, Kind.ACTIVITY):
        parser.refuse("--wallet belongs to `positions` and `activity`")
    if kind is not Kind.FILLS and (options.offline or options.passphrase_fd is not None):
        parser.refuse("--offline and --passphrase-fd belong to `fills`")
    try:
        settings = load_settings({"profile": options.profile})
        request = ExportRequest(
            settings,
            locate().state,
            _warn,
            wallet=options.wallet,
            passphrase_fd=options.passphrase_fd,
            is_offline=options.offline,
        )
        table = _read(kind, request)
    except ConfigError as error:
        return refuse(str(error), prog=_PROG)
    except KeyboardInterrupt:
        return refuse("given up", prog=_PROG)
    if isinstance(table, JournalProblem):
        return refuse(f"the journal cannot be read: {table.text}", prog=_PROG)
    if isinstance(table, Unreachable):
        return refuse(table.text, prog=_PROG, code=UNAVAILABLE)
    return print_table(table, Format(options.format))


def _read(kind: Kind, request: ExportRequest) -> Table | JournalProblem | Unreachable:
    match kind:
        case Kind.ORDERS:
            lives = read_lives(request.journal)
            return lives if isinstance(lives, JournalProblem) else orders_table(lives)
        case Kind.FILLS:
            return read_own_fills(request)
        case Kind.POSITIONS:
            return asyncio.run(read_positions(request))
        case Kind.ACTIVITY:
            return asyncio.run(read_activity(request))


def _warn(text: str) -> None:
    warn(f"{_PROG}: {text}")


def _kind(text: str) -> str:
    if text not in list(Kind):
        raise argparse.ArgumentTypeError(f"one of {', '.join(Kind)}")
    return text


def _format(text: str) -> str:
    if text not in list(Format):
        raise argparse.ArgumentTypeError(f"takes one of {', '.join(Format)}")
    return text


def _wallet(text: str) -> Address:
    try:
        return checksum_address(address_bytes(text))
    except AddressError:
        raise argparse.ArgumentTypeError("takes an address: 0x and 40 hexadecimal digits") from None


def _parser() -> SecretiveParser:
    parser = SecretiveParser(
        prog=_PROG,
        description="Print what journal and venue know of a profile's account: times in UTC, "
        "prices, sizes and cash as exact decimals.",
        epilog="orders: each with its whole life, from the journal. fills: from the journal, and "
        "from the venue where it answers. positions, activity: from the analytics host, by the "
        f"profile's wallet. Exit code {UNAVAILABLE} where a host that is needed does not answer.",
    )
    parser.add_argument("kind", type=_kind, metavar="KIND", help=", ".join(Kind))
    parser.add_argument(
        "--format", type=_format, default=Format.CSV.value, metavar="FORMAT",
        help=f"{', '.join(Format)}; default {Format.CSV}",
    )  # fmt: skip
    parser.add_argument("--profile", help="as for the terminal; default paper")
    parser.add_argument(
        "--wallet", type=_wallet, metavar="ADDRESS", help="positions, activity: of another wallet"
    )
    parser.add_argument(
        "--offline", action="store_true", help="fills: from the journal alone, asking nobody"
    )
    parser.add_argument(
        "--passphrase-fd",
        type=descriptor,
        metavar="N",
        help="fills: read the keystore's passphrase from a line of file descriptor N",
    )
    return parser
