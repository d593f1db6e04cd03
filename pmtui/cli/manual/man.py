"""The man page, in the macros of man(7): commands, options, reads, files, environment and exit codes."""

from collections.abc import Iterator

from pmtui import __version__
from pmtui.cli.manual.command_table import GET, TABLE, TERMINAL, Command, Option
from pmtui.reads.read import Needs, Read
from pmtui.reads.registry import by_host

_EXITS = (
    ("0", "Fine."),
    ("1", "The answer is no: there is no such thing, or problems were found."),
    ("2", "Wrong usage or configuration."),
    ("69", "A host did not answer, or the output cannot be written."),
    ("70", "A bug; details are in the log."),
    ("75", "It is not known whether a step of the wallet happened."),
)
_FILES = (
    ("config.toml", "Settings, in the XDG configuration directory."),
    ("PROFILE/keystore.json", "The encrypted key of a profile, in the XDG state directory."),
    ("PROFILE/journal.sqlite", "Every order that was sent, in the XDG state directory."),
)
_ENVIRONMENT = (
    ("PMTUI_HOME", "Folder in the place of all XDG directories."),
    ("PMTUI_*", "Settings, over those of the file: PMTUI_CLOB_URL, PMTUI_GAMMA_URL and others."),
    ("PMTUI_PRIVATE_KEY", "A key for automation, in the place of a keystore."),
    ("NO_COLOR", "No colours."),
)


def man_page() -> str:
    """Return the page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield f'.TH PMTUI 1 "" "pmtui {_plain(__version__)}" "User Commands"'
    yield from _section("NAME", "pmtui \\- trade prediction markets by hand, full screen, over SSH")
    yield ".SH SYNOPSIS"
    yield from (".B pmtui", "[\\fIOPTION\\fR]... [\\fICOMMAND\\fR [\\fIARGUMENT\\fR]...]")
    yield from _section(
        "DESCRIPTION",
        "Without a command, pmtui opens the terminal on a profile: paper, a local venue with play money, "
        "until told otherwise. `pmtui COMMAND --help` explains a command, `pmtui help` shows the manual.",
    )
    yield ".SH OPTIONS"
    yield from _options(TERMINAL)
    yield ".SH COMMANDS"
    for command in TABLE:
        yield from _command(command)
    yield ".SH READS"
    yield _plain("`pmtui get NAME` asks for one of these; every one takes:")
    yield from _options(GET)
    for host, reads in by_host():
        yield f".SS {_plain(host.value.capitalize())}"
        for read in reads:
            yield from _read(read)
    for title, rows in (("FILES", _FILES), ("ENVIRONMENT", _ENVIRONMENT), ("EXIT STATUS", _EXITS)):
        yield f".SH {title}"
        for name, words in rows:
            yield from _entry(f"\\fB{_plain(name)}\\fR", words)


def _section(title: str, text: str) -> Iterator[str]:
    yield f".SH {title}"
    yield text if title == "NAME" else _plain(text)


def _command(command: Command) -> Iterator[str]:
    takes = f" \\fI{_plain(command.takes)}\\fR" if command.takes else ""
    choices = ""
    if command.choices and command.name not in ("get", "help"):
        choices = f" ({', '.join(command.choices)})"
    yield from _entry(f"\\fB{command.name}\\fR{takes}", f"{_sentence(command.words)}{choices}")
    if command.options and command.name != "get":
        yield ".RS"
        yield from _options(command.options)
        if command.actions:
            yield ".PP"
            yield _plain(f"{', '.join(command.actions)} take:")
            yield from _options(command.action_options)
        yield ".RE"


def _options(options: tuple[Option, ...]) -> Iterator[str]:
    for option in options:
        takes = f" \\fI{_plain(option.takes)}\\fR" if option.takes else ""
        choices = f" ({', '.join(option.choices)})" if option.choices else ""
        words = f"{_sentence(option.words)}{choices}"
        yield from _entry(f"\\fB{_plain(option.name)}\\fR{takes}", words)


def _read(read: Read) -> Iterator[str]:
    arguments = " ".join(
        f"{a.option} {a.name.upper()}" if a.is_required else f"[{a.option} {a.name.upper()}]"
        for a in read.asked
    )
    needs = "" if read.needs is Needs.NOTHING else f" Needs the {read.needs}."
    watched = " Can be watched." if read.is_watchable else ""
    name = f"\\fB{_plain(read.name)}\\fR {_plain(arguments)}".rstrip()
    yield from _entry(name, f"{_sentence(read.words)}{needs}{watched}")


def _entry(name: str, words: str) -> Iterator[str]:
    yield from (".TP", name, _plain(words))


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _plain(text: str) -> str:
    """Return a text in which nothing is a request or an escape of the formatter."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
