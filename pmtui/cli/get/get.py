"""`pmtui get NAME`: executes one read of the registry and prints the answer.

Standard output carries only the answer; an error is one line on standard error. It exits with 0, with 1
if the host replied that there is no such thing or refused the request, with 2 for wrong usage or
configuration, and with 69 if there was no answer.
"""

import argparse
import asyncio
import shlex
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC
from difflib import get_close_matches
from pathlib import Path

from pmtui.cli.get.account import (
    NoAccount,
    find_relayer_headers,
    find_secret,
    open_account,
    unknown_account,
    unknown_relayer_headers,
)
from pmtui.cli.get.printing import Format, Printer
from pmtui.cli.get.watch import AccountWatch, MarketWatch, Output, WatchRequest
from pmtui.cli.output import discard_output, show, warn
from pmtui.cli.usage import UNAVAILABLE, SecretiveParser, refuse, split_profile
from pmtui.cli.venue.paper import Unreachable, has_lasting_hosts, profile_endpoints
from pmtui.clients.account import AccountClient
from pmtui.clients.http.client import ShownRequest
from pmtui.clients.http.paging import FetchedPage
from pmtui.clients.reads.asking import Extent, ask
from pmtui.clients.reads.hosts import ReadHosts, make_read_hosts
from pmtui.config.paths import locate
from pmtui.config.settings import Settings, load_settings
from pmtui.config.toml_file import ConfigError
from pmtui.domain.answers import Failure, FailureKind
from pmtui.domain.formats import count
from pmtui.reads.read import (
    LIMIT,
    ArgumentError,
    Needs,
    Read,
    Stream,
    Values,
    check_values,
    find_unanswered,
    naming_argument,
    option_of,
)
from pmtui.reads.records import row_columns
from pmtui.reads.registry import READS, by_host
from pmtui.service.clock import SystemClock
from pmtui.signing.secret import Secret

_PROG = "pmtui get"
_STANDARD_OUTPUT = 1
ANSWER_IS_NO = 1
"""The host replied that there is no such thing, or refused the request; also for one of several."""
_NO = frozenset({FailureKind.NOT_FOUND, FailureKind.REFUSED})
_MOMENTARY = (
    "this address ended with the command: no paper venue runs. Open `pmtui` or run `pmtui serve` "
    "first, and the request names the venue that they keep"
)


@dataclass(frozen=True, slots=True)
class Request:
    """One run of the command."""

    read: Read
    values: Values
    extent: Extent
    form: Format
    columns: tuple[str, ...]
    settings: Settings
    state: Path
    passphrase_fd: int | None = None
    is_watched: bool = False


def run(arguments: Sequence[str]) -> int:
    """Run the command; return the exit code."""
    profile, words = split_profile(arguments)
    if not words:
        show(*_listing())
        return 0
    if words[0] in ("-h", "--help"):
        _parser(None).print_help()
        return 0
    read = READS.get(words[0])
    if read is None:
        return refuse(_unknown(words[0]), prog=_PROG)
    parser = _parser(read)
    options = parser.read([*profile, *words[1:]])
    try:
        return _run(parser, read, options)
    except ArgumentError as error:
        return refuse(str(error), prog=parser.prog)
    except ConfigError as error:
        return refuse(str(error), prog=_PROG)
    except KeyboardInterrupt:
        return 0 if options.watch else refuse("given up", prog=_PROG)


def _run(parser: SecretiveParser, read: Read, options: argparse.Namespace) -> int:
    request = _request(parser, read, options)
    try:
        return asyncio.run(_show_request(request) if options.curl else _answer(request))
    except BrokenPipeError:
        # The reader closed the pipe; there is nobody left to report an error to.
        discard_output()
        return 0
    except OSError as error:
        discard_output()
        text = f"the output cannot be written: {error.strerror}"
        return refuse(text, prog=_PROG, code=UNAVAILABLE)


def _request(parser: SecretiveParser, read: Read, options: argparse.Namespace) -> Request:
    given = {
        argument.name: texts
        for argument in read.asked
        if (texts := getattr(options, argument.name)) is not None
    }
    today = SystemClock().now().astimezone(UTC).date()
    values = check_values(read.asked, given, today=today)
    limit = values.text(LIMIT.name)
    if options.watch:
        _check_watch(parser, read, options, given)
    elif limit and not read.is_list:
        parser.refuse("--limit ends what --watch follows; this is one answer")
    form = Format(options.format or (Format.JSON_LINES if options.watch else Format.TABLE))
    parts = map(str.strip, (options.columns or "").split(","))
    columns = tuple(dict.fromkeys(part for part in parts if part))
    strange = [name for name in columns if name not in row_columns(read.answer)]
    if strange:
        parser.refuse(f"no such column; there is {', '.join(row_columns(read.answer))}")
    return Request(
        read,
        values,
        Extent(int(limit) if limit else None, is_all=options.all),
        form,
        columns,
        load_settings({"profile": options.profile}),
        locate().state,
        options.passphrase_fd,
        options.watch,
    )


def _check_watch(
    parser: SecretiveParser,
    read: Read,
    options: argparse.Namespace,
    given: Mapping[str, Sequence[str]],
) -> None:
    """Refuse a read that cannot be followed, in one line."""
    if not read.is_watchable:
        streamed = ", ".join(each.name for each in READS.values() if each.is_watchable)
        parser.refuse(f"no stream tells of it; --watch follows {streamed}")
    if options.format in (Format.JSON, Format.TABLE):
        parser.refuse(f"--watch has no end to write {options.format} at; --format is jsonl or csv")
    if options.all or options.curl:
        parser.refuse("--watch follows a stream; --all and --curl belong to a request")
    for argument in read.arguments:
        if argument.name in read.unstreamed and argument.name in given:
            parser.refuse(f"the {read.stream} knows nothing of {argument.option}")
    if read.name == "trades" and "condition_id" not in given:
        parser.refuse("--watch needs --condition-id: which markets to follow")


@asynccontextmanager
async def _hosts(request: Request) -> AsyncIterator[ReadHosts | Unreachable | NoAccount]:
    secret: Secret | None = None
    if request.read.needs is Needs.KEY:
        found = find_secret(request.settings, request.state, request.passphrase_fd)
        if isinstance(found, NoAccount):
            yield found
            return
        secret = found
    async with profile_endpoints(request.settings, request.state) as endpoints:
        if isinstance(endpoints, Unreachable):
            yield endpoints
            return
        hosts = make_read_hosts(endpoints, request.settings.dialect)
        try:
            if request.read.needs is Needs.RELAYER_KEY:
                headers = find_relayer_headers(request.settings, request.state)
                hosts = replace(hosts, relayer_headers=headers)
            if secret is not None:
                hosts = _with_account(hosts, secret, request.settings)
            yield hosts
        finally:
            await hosts.close()


def _with_account(hosts: ReadHosts, secret: Secret, settings: Settings) -> ReadHosts:
    async def opened() -> AccountClient | Failure:
        return await open_account(hosts, secret, settings)

    return replace(hosts, open_account=opened)


async def _answer(request: Request) -> int:
    async with _hosts(request) as hosts:
        if isinstance(hosts, Unreachable):
            return refuse(hosts.text, prog=_PROG, code=UNAVAILABLE)
        if isinstance(hosts, NoAccount):
            return refuse(hosts.text, prog=_PROG, code=ANSWER_IS_NO)
        printer = Printer(request.read, request.form, request.columns)
        if request.is_watched:
            ending = await _watch(request, hosts, printer)
        else:
            ending = await _print_pages(request, hosts, printer)
        if isinstance(ending, Failure):
            return _refuse_failure(ending)
        printer.finish()
        return ending


async def _print_pages(request: Request, hosts: ReadHosts, printer: Printer) -> Failure | int:
    """Print an answer; return the exit code, which is 1 if part of it is missing."""
    skipped, is_cut = 0, False
    named: list[object] = []
    async for step in ask(hosts, request.read, request.values, extent=request.extent):
        if isinstance(step, Failure):
            return step
        skipped += step.skipped
        is_cut |= step.is_cut
        _report_progress(request, step)
        printer.write(step.items)
        if naming_argument(request.read) is not None:
            named += step.items
    if skipped:
        warn(f"{_PROG}: left out: {count(skipped, 'row')} that cannot be read")
    if is_cut:
        warn(f"{_PROG}: the list goes on; the host is not read further")
    return _report_unanswered(request, named)


def _report_unanswered(request: Request, items: Sequence[object]) -> int:
    """Report the requested values that have no row; return the exit code."""
    limit = request.extent.limit
    if limit is not None and len(items) >= limit:
        # Missing rows may only have been cut off.
        return 0
    missing = find_unanswered(request.read, request.values, items)
    if not missing:
        return 0
    warn(f"{_PROG} {request.read.name}: the host tells nothing about {', '.join(missing)}")
    return ANSWER_IS_NO


def _report_progress(request: Request, step: FetchedPage[object]) -> None:
    if request.extent.is_all and step.pages > 1:
        warn(f"{_PROG}: page {step.pages}, {count(step.seen, 'row')} so far")


async def _watch(request: Request, hosts: ReadHosts, printer: Printer) -> Failure | int:
    output = Output(printer.write, request.extent.limit)
    watch = AccountWatch if request.read.stream is Stream.ACCOUNT else MarketWatch
    with output.ending_with_reader(_STANDARD_OUTPUT):
        failure = await watch(WatchRequest(hosts, request.read, request.values, output)).run()
    if output.problem is not None:
        raise output.problem
    return 0 if failure is None else failure


async def _show_request(request: Request) -> int:
    """Print the first request of a read as a curl command; nothing is sent to a host."""
    shown: list[ShownRequest] = []
    is_lasting = await has_lasting_hosts(request.settings, request.state)
    async with profile_endpoints(request.settings, request.state) as endpoints:
        if isinstance(endpoints, Unreachable):
            return refuse(endpoints.text, prog=_PROG, code=UNAVAILABLE)
        hosts = make_read_hosts(endpoints, request.settings.dialect, show=shown.append)

        async def nobody() -> AccountClient | Failure:
            return unknown_account(hosts, request.settings)

        asked = replace(hosts, open_account=nobody, relayer_headers=unknown_relayer_headers)
        async for _ in ask(asked, request.read, request.values, extent=request.extent):
            break
    show(*map(_curl, shown[:1]))
    if not is_lasting:
        warn(f"{_PROG}: {_MOMENTARY}")
    return 0


def _curl(request: ShownRequest) -> str:
    words = ["curl", "--silent", "--show-error"]
    if request.method != "GET":
        words += ["--request", request.method]
    line = shlex.join(words)
    for name in request.headers:
        # The shell expands these, so their values never appear on a command line of ours.
        line += f' --header "{name}: ${name}"'
    if request.body is not None:
        line += " " + shlex.join(["--header", "Content-Type: application/json"])
        line += " " + shlex.join(["--data", request.body.decode()])
    return f"{line} {shlex.quote(request.url)}"


def _refuse_failure(failure: Failure) -> int:
    code = ANSWER_IS_NO if failure.kind in _NO else UNAVAILABLE
    return refuse(str(failure), prog=_PROG, code=code)


def _unknown(name: str) -> str:
    if name.startswith("-"):
        return "the name of the read goes before its options: pmtui get NAME --format json"
    near = get_close_matches(name, READS, n=3)
    parts = [known for known in READS if len(name) > 2 and (name in known or known in name)]
    near += [known for known in parts if known not in near]
    hint = f"did you mean {', '.join(near[:4])}?" if near else "`pmtui get` lists them"
    return f"no such read; {hint}"


def _listing() -> list[str]:
    longest = max(map(len, READS))
    lines = ["pmtui get NAME asks for one of:"]
    for host, reads in by_host():
        lines += ["", host.value.capitalize()]
        for read in reads:
            key = "" if read.needs is Needs.NOTHING else f" (needs the {read.needs})"
            lines.append(f"  {read.name:<{longest}}  {read.words}{key}")
    return [*lines, "", "`pmtui get NAME --help` shows the arguments of one."]


def _parser(read: Read | None) -> SecretiveParser:
    parser = SecretiveParser(
        prog=_PROG if read is None else f"{_PROG} {read.name}",
        description="Ask any host of the profile; `pmtui get` alone lists what can be asked."
        if read is None
        else f"{read.words[0].upper()}{read.words[1:]}. Asks the {read.host.value}.",
        epilog="Exit codes: 0, 1 where the answer is no, 2 for wrong usage, 69 without an answer, "
        "70 for a bug.",
    )
    if read is None:
        parser.add_argument("name", metavar="NAME", help="one of those that `pmtui get` lists")
    for argument in read.asked if read is not None else ():
        takes = f"; {argument.takes}" + ("; may be repeated" if argument.is_many else "")
        default = f"; {argument.default} without it" if argument.default else ""
        if argument.default_beside:
            default += f", beside {option_of(argument.default_beside)}"
        needed = "; needed" if argument.is_required else ""
        parser.add_argument(
            argument.option,
            action="append",
            dest=argument.name,
            metavar=argument.name.upper(),
            help=(argument.words + takes + default + needed).replace("%", "%%"),
        )
    _add_options(parser)
    return parser


def _add_options(parser: SecretiveParser) -> None:
    parser.add_profile("whose hosts are asked; paper without it")
    parser.add_argument(
        "--format", choices=[form.value for form in Format], help="table without it"
    )
    parser.add_argument("--columns", help="only these columns, with commas between them")
    parser.add_argument("--all", action="store_true", help="every page of a list")
    parser.add_argument("--watch", action="store_true", help="follow the stream, where it has one")
    parser.add_argument(
        "--curl", action="store_true", help="show the request for curl, without secrets"
    )
    parser.add_descriptor(
        "--passphrase-fd", "read the keystore's passphrase from file descriptor N"
    )
