"""What every journey starts from: a home nobody has used, and the installed program."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest

from pmtui.cli.manual.commands import COMMANDS
from tests.journeys.processes import end_processes_of
from tests.journeys.terminal import PROGRAM, Terminal

BOTH_WAYS = pytest.mark.parametrize("is_attached", [False, True], ids=["standalone", "attached"])
"""For what must be the same in one process and over the socket."""


class Start(Protocol):
    """Opens the installed program in a terminal; every further one shares the home.

    A terminal is a standalone one, which leaves nothing behind, unless it is to be attached.
    """

    def __call__(
        self,
        *arguments: str,
        size: tuple[int, int] = (120, 36),
        term: str = "xterm-256color",
        env: dict[str, str] | None = None,
        is_attached: bool = False,
    ) -> Terminal: ...


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A fresh `PMTUI_HOME`; nothing that ran for it outlives the test."""
    path = tmp_path / "home"
    yield path
    end_processes_of(path)


@pytest.fixture
def start(home: Path) -> Iterator[Callable[..., Terminal]]:
    """Start the program, as often as a journey needs."""
    with ExitStack() as terminals:

        def begin(
            *arguments: str,
            size: tuple[int, int] = (120, 36),
            term: str = "xterm-256color",
            env: dict[str, str] | None = None,
            is_attached: bool = False,
        ) -> Terminal:
            is_command = any(word in COMMANDS for word in arguments)
            how = () if is_command or is_attached else ("--standalone",)
            return terminals.enter_context(
                Terminal((PROGRAM, *how, *arguments), home=home, size=size, term=term, env=env)
            )

        yield begin
