"""Every command with its options, as data for help, completions and the man page.

The parsers are in the commands' own modules, most of which take long to import; a test compares both.
"""

from dataclasses import dataclass

from pmtui.cli.manual.commands import COMMANDS
from pmtui.cli.manual.help import topics
from pmtui.reads.read import Argument, ArgumentKind, Read
from pmtui.reads.registry import READS

FILE = "FILE"
FOLDER = "DIR"
"""Names of values that a shell completes by itself."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option."""

    name: str
    words: str
    takes: str = ""
    """Name of its value; empty if it takes none."""
    choices: tuple[str, ...] = ()
    """Allowed values; empty for any."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command."""

    name: str
    words: str
    options: tuple[Option, ...] = ()
    takes: str = ""
    """Name of its argument."""
    choices: tuple[str, ...] = ()
    """Possible arguments, if they are known."""
    actions: tuple[str, ...] = ()
    """Choices that have options of their own."""
    action_options: tuple[Option, ...] = ()


PROFILE = Option(
    "--profile", "paper, live, or one of your own", "PROFILE", choices=("paper", "live")
)
PASSPHRASE = Option("--passphrase-fd", "read the passphrase from file descriptor N", "N")
_JSON = Option("--json", "one JSON object, for programs")
_YES = Option("--yes", "do not ask")
TERMINAL = (
    PROFILE,
    PASSPHRASE,
    Option("--version", "show the version"),
    Option("--standalone", "keep everything in one process"),
    Option("--fresh", "paper: begin anew with a bare key"),
)
"""Options without a command."""
GET = (
    PROFILE,
    Option("--format", "how it is written", "FORMAT", choices=("table", "json", "jsonl", "csv")),
    Option("--columns", "only these columns, with commas between them", "COLUMNS"),
    Option("--all", "every page of a list"),
    Option("--watch", "follow the stream"),
    Option("--curl", "show the request for curl, without secrets"),
    PASSPHRASE,
)
"""Options of every read."""


_SESSION = (
    Command(
        "attach", COMMANDS["attach"].words,
        (PROFILE, PASSPHRASE),
    ),
    Command(
        "serve", COMMANDS["serve"].words,
        (
            PROFILE,
            PASSPHRASE,
            Option("--fresh", "paper: begin anew with a bare key"),
            Option("--detached", "end when nobody needs it"),
            Option("--settings-fd", "tell the terminal that starts it about its settings", "N"),
        ),
    ),
    Command("status", COMMANDS["status"].words, (PROFILE, _JSON)),
    Command(
        "stop", COMMANDS["stop"].words,
        (PROFILE, Option("--orders", "what becomes of open orders", "WAY", ("leave", "cancel", "switch"))),
    ),
    Command(
        "sim", COMMANDS["sim"].words,
        (
            Option("--port", "port of the trading host; the others follow", "N"),
            Option("--state", "keep accounts, orders and trades in this folder", FOLDER),
            Option("--seed", "of the simulated traders", "N"),
            Option("--speed", "pace of simulated traders and settlement", "X"),
            Option("--catalogue", "recorded metadata pages instead of the packaged ones", FILE),
            Option("--exit-with-stdin", "end when standard input closes"),
            Option("--print-admin-token", "add the token of the admin address to the first line"),
        ),
    ),
)  # fmt: skip
_DATA = (
    Command(
        "export", COMMANDS["export"].words,
        (
            Option("--format", "how it is written", "FORMAT", ("csv", "json", "jsonl")),
            PROFILE,
            Option("--wallet", "positions, activity: of another wallet", "ADDRESS"),
            Option("--offline", "fills: from the journal alone"),
            PASSPHRASE,
        ),
        "KIND", ("orders", "fills", "positions", "activity"),
    ),
    Command("get", COMMANDS["get"].words, GET, "NAME", tuple(READS)),
    Command(
        "agent", COMMANDS["agent"].words,
        (
            Option("--port", "of http", "N"),
            Option("--token-fd", "of http: ask for the token on file descriptor N", "N"),
            PROFILE,
            Option("--tools", "further reads, with commas between them", "NAMES"),
            Option("--account", "let reads of the account's own figures be added"),
            PASSPHRASE,
        ),
        "WAY", ("stdio", "http"),
    ),
    Command(
        "record", COMMANDS["record"].words,
        (
            Option("--token-id", "whose market to record", "ID"),
            Option("--seconds", "end by itself after so long", "N"),
            PROFILE,
        ),
        FILE,
    ),
    Command(
        "replay", COMMANDS["replay"].words,
        (Option("--speed", "recorded seconds that pass in one", "X"),), FILE,
    ),
)  # fmt: skip
_WALLET = (
    "status", "credentials", "relayer-key", "deploy", "approve", "revoke", "redeem", "merge", "split",
    "convert", "send",
)  # fmt: skip
_OF_WALLET = (
    PROFILE,
    Option("--all", "redeem: everything that can be"),
    Option("--amount", "approve: no more than this", "DOLLARS"),
    Option("--dry-run", "show the decoded batch and its hash, send nothing"),
    _YES,
    Option("--json", "status and --dry-run as JSON"),
    Option("--key-fd", "relayer-key: take one from file descriptor N", "N"),
    PASSPHRASE,
)
_SAFETY = (
    Command(
        "account", COMMANDS["account"].words,
        (
            PROFILE,
            PASSPHRASE,
            Option("--key-fd", "import: read the private key from file descriptor N", "N"),
            Option("--keystore", "import: from another keystore file", FILE),
            _YES,
        ),
        "ACTION", ("new", "import", "show", "remove", *_WALLET), _WALLET, _OF_WALLET,
    ),
    Command(
        "kill", COMMANDS["kill"].words,
        (PROFILE, Option("--wait", "for the terminal's result, at most", "SECONDS")),
    ),
    Command("release", COMMANDS["release"].words, (PROFILE, _YES)),
    Command("doctor", COMMANDS["doctor"].words, (PROFILE, _JSON, PASSPHRASE)),
)  # fmt: skip
_MANUAL = (
    Command(
        "help", COMMANDS["help"].words,
        (Option("--man", "the man page, for `man -l -`"),), "TOPIC",
        tuple(dict.fromkeys((*topics(), *COMMANDS))),
    ),
    Command("completion", COMMANDS["completion"].words, (), "SHELL", ("bash", "zsh", "fish")),
)  # fmt: skip
TABLE = (*_SESSION, *_DATA, *_SAFETY, *_MANUAL)
"""Every command, in the order of lists."""


def options_of(read: Read) -> tuple[Option, ...]:
    """Return the options of one read: its arguments, then those of every read."""
    own = tuple(
        Option(
            argument.option,
            argument.words,
            argument.name.upper(),
            _choices(argument),
        )
        for argument in read.asked
    )
    return (*own, *GET)


def _choices(argument: Argument) -> tuple[str, ...]:
    return ("true", "false") if argument.kind is ArgumentKind.FLAG else argument.choices
