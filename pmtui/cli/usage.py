"""Parses command lines that may hold a secret by mistake: errors never repeat an argument.

Other users can see command lines, and shells store them. If a key or a passphrase was put there all
the same, an error message must not copy it into a log.
"""

import argparse
from collections.abc import Sequence
from typing import NoReturn

from typing_extensions import override

from pmtui import __version__
from pmtui.cli.output import lost_output, show, warn

USAGE_ERROR = 2
"""Wrong usage or configuration."""
UNAVAILABLE = 69
"""The request could not be fulfilled: a host does not reply, or the output cannot be written."""

NEVER_AN_ARGUMENT = (
    "a key or a passphrase is never an argument: other users can see it and shells keep it. "
    "It is typed at a prompt, or read from a file descriptor"
)
_SECRET_OPTIONS = frozenset(
    {"--key", "--private-key", "--passphrase", "--password", "--secret", "--mnemonic"}
)


class SecretiveParser(argparse.ArgumentParser):
    """An argument parser whose one-line errors never repeat the arguments."""

    def __init__(
        self,
        *,
        prog: str,
        description: str,
        epilog: str | None = None,
        is_laid_out: bool = False,
    ) -> None:
        """Create the parser of a command.

        Args:
            prog: the command as typed.
            description: what it does, in sentences.
            epilog: further remarks.
            is_laid_out: whether description and epilog keep their line breaks.
        """
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter
            if is_laid_out
            else argparse.HelpFormatter,
        )
        self._given: tuple[str, ...] = ()

    def add_profile(self, words: str = "as for the terminal; default paper") -> None:
        """Accept the name of a profile."""
        self.add_argument("--profile", help=words)

    def add_descriptor(self, option: str, words: str) -> None:
        """Accept the number of an open file descriptor, from which a line is read."""
        self.add_argument(option, type=descriptor, metavar="N", help=words)

    def read(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse arguments; exit with 2 if they are invalid."""
        self._given = tuple(arguments)
        options = [word.partition("=")[0] for word in arguments if word.startswith("--")]
        if _SECRET_OPTIONS & set(options):
            self.refuse(NEVER_AN_ARGUMENT)
        asked, strays = self.parse_known_args(arguments)
        if strays:
            unknown = [stray.partition("=")[0] for stray in strays if stray.startswith("--")]
            if len(unknown) < len(strays):
                self.refuse(f"unknown argument; {NEVER_AN_ARGUMENT}")
            self.refuse(f"no such option: {', '.join(unknown)}")
        return asked

    @override
    def print_help(self, file: object = None) -> None:
        """Print the help; a failed write is detected, see `output_code`."""
        show(*self.format_help().removesuffix("\n").split("\n"))

    @override
    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        if message:
            warn(message.removesuffix("\n"))
        raise SystemExit(output_code(status, prog=self.prog))

    @override
    def error(self, message: str) -> NoReturn:
        head, is_choice, choices = message.rpartition(" (choose from ")
        if is_choice:
            option = head.partition(": invalid choice: ")[0]
            self.refuse(f"{option}: takes one of {choices.removesuffix(')')}")
        for word in self._given:
            for part in {word, word.partition("=")[2]} - {""}:
                message = message.replace(repr(part), "that")
        self.refuse(message)

    def refuse(self, text: str) -> NoReturn:
        """Exit with an error line."""
        refuse(text, prog=self.prog)
        raise SystemExit(USAGE_ERROR)


def descriptor(text: str) -> int:
    """Parse the number of a file descriptor; an invalid text is not repeated."""
    if not (text.isascii() and text.isdecimal() and int(text) < 1 << 20):
        raise argparse.ArgumentTypeError("takes the number of an open file descriptor")
    return int(text)


def split_profile(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split off a profile that precedes a command or a name."""
    words = list(arguments)
    count = (
        2
        if words[:1] == ["--profile"]
        else int(words[:1] != [] and words[0].startswith("--profile="))
    )
    return words[:count], words[count:]


def refuse(text: str, *, prog: str = "pmtui", code: int = USAGE_ERROR) -> int:
    """Print the reason in one line; return the exit code."""
    warn(f"{prog}: {text}")
    return code


def output_code(code: int, *, prog: str) -> int:
    """Return `code`; if the output could not be written, print a line and return 69."""
    lost = lost_output()
    if lost is None or isinstance(lost, BrokenPipeError):
        # The reader closed the pipe.
        return code
    return code or refuse(
        f"the output cannot be written: {lost.strerror}", prog=prog, code=UNAVAILABLE
    )


class ShowVersion(argparse.Action):
    """Shows the version and exits, with 69 if it cannot be written."""

    @override
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        show(f"pmtui {__version__}")
        parser.exit()


def terminal_parser(
    prog: str, description: str, *, epilog: str | None = None, is_laid_out: bool = False
) -> SecretiveParser:
    """Return the parser of a command that opens a terminal: it accepts a profile and a passphrase."""
    parser = SecretiveParser(
        prog=prog, description=description, epilog=epilog, is_laid_out=is_laid_out
    )
    parser.add_profile(
        "paper (the default: a local venue with play money), live, or one of your own"
    )
    parser.add_descriptor(
        "--passphrase-fd",
        "read the keystore's passphrase from a line of file descriptor N, not from a prompt",
    )
    return parser
