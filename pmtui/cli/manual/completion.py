"""`pmtui completion SHELL`: writes the script that lets a shell complete our commands."""

from collections.abc import Sequence

from pmtui.cli.manual.shells import SHELLS
from pmtui.cli.output import show
from pmtui.cli.usage import SecretiveParser


def run(arguments: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    parser = SecretiveParser(
        prog="pmtui completion",
        description="Write the completion script of a shell to standard output.",
        epilog='bash: source <(pmtui completion bash). zsh: pmtui completion zsh > "${fpath[1]}/_pmtui". '
        "fish: pmtui completion fish > ~/.config/fish/completions/pmtui.fish.",
    )
    parser.add_argument("shell", choices=list(SHELLS), metavar="SHELL", help="bash, zsh or fish")
    shell = parser.read(arguments).shell
    show(*SHELLS[shell]().splitlines())
    return 0
