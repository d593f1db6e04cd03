"""The commands with short descriptions, in the order of lists."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import NamedTuple


class Entry(NamedTuple):
    """One command."""

    words: str
    """A short description."""
    entry: str
    """Module and function that run it, taking the arguments; the function returns the exit code."""
    page: str = ""
    """The page of the manual that explains it; empty if its own help is enough."""

    def load(self) -> Callable[[Sequence[str]], int]:
        """Return what runs it. Most commands take long to import, so nothing else does."""
        module, _, function = self.entry.partition(":")
        run: Callable[[Sequence[str]], int] = getattr(import_module(module), function)
        return run


COMMANDS: Mapping[str, Entry] = MappingProxyType(
    {
        "attach": Entry(
            "open a terminal on a profile's service, as pmtui alone does",
            "pmtui.cli.attach:run",
            "service",
        ),
        "serve": Entry(
            "run that service in the foreground", "pmtui.cli.service.serve:run", "service"
        ),
        "status": Entry("how the service stands", "pmtui.cli.service.status:run_status", "service"),
        "stop": Entry("end the service", "pmtui.cli.service.status:run_stop", "service"),
        "sim": Entry("run the local venue in the foreground", "pmtui.cli.venue.sim:run", "paper"),
        "export": Entry(
            "orders, fills, positions and activity as data",
            "pmtui.cli.export:run",
            "privacy",
        ),
        "get": Entry(
            "any read of the hosts, as a table, CSV or JSON", "pmtui.cli.get.get:run", "reads"
        ),
        "agent": Entry("read-only tools for programs", "pmtui.cli.agent.agent:run", "agent"),
        "record": Entry(
            "keep the streams of some tokens in a file", "pmtui.cli.record:run", "recordings"
        ),
        "replay": Entry("play such a file into the terminal", "pmtui.cli.replay:run", "recordings"),
        "account": Entry(
            "create, import, show or remove the key of a profile",
            "pmtui.cli.account.account:run",
            "account",
        ),
        "kill": Entry(
            "lock trading and let the running session cancel all orders",
            "pmtui.cli.service.kill:run_kill",
            "safety",
        ),
        "release": Entry("unlock trading", "pmtui.cli.service.kill:run_release", "safety"),
        "doctor": Entry(
            "what will not work, and what to do about it", "pmtui.cli.doctor.doctor:run", "doctor"
        ),
        "help": Entry("the manual, by topic", "pmtui.cli.manual.help:run"),
        "completion": Entry(
            "what a shell needs to complete commands", "pmtui.cli.manual.shells:run"
        ),
    }
)


def command_lines() -> str:
    """Return a line for each command, starting with its name."""
    width = max(map(len, COMMANDS))
    return "\n".join(f"  {name:<{width}}  {entry.words}" for name, entry in COMMANDS.items())
