"""The commands and what each does in a few words, in the order of lists."""

from collections.abc import Mapping
from types import MappingProxyType

WORDS: Mapping[str, str] = MappingProxyType(
    {
        "attach": "open a terminal on a profile's service, as pmtui alone does",
        "serve": "run that service in the foreground",
        "status": "how the service stands",
        "stop": "end the service",
        "sim": "run the local venue in the foreground",
        "export": "orders, fills, positions and activity as data",
        "get": "any read of the hosts, as a table, CSV or JSON",
        "agent": "read-only tools for programs",
        "record": "keep the streams of some tokens in a file",
        "replay": "play such a file into the terminal",
        "account": "create, import, show or remove the key of a profile",
        "kill": "lock trading and let the running session cancel all orders",
        "release": "unlock trading",
        "doctor": "what will not work, and what to do about it",
        "help": "the manual, by topic",
        "completion": "what a shell needs to complete commands",
    }
)


def command_lines() -> str:
    """Return a line for each command, its name first."""
    width = max(map(len, WORDS))
    return "\n".join(f"  {name:<{width}}  {words}" for name, words in WORDS.items())
